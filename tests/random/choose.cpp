// SPDX-License-Identifier: Apache-2.0
// Families and nodes of a random graph. Families only send to later ones, so there are no cycles but recursion.
#include "random/choose.h"

#include <algorithm>
#include <cmath>

namespace millrace::random {

namespace {

constexpr uint32_t kMaxDepth = 30;  // of 32

Grid chooseLocalSize(Random& random)
{
    switch (random.below(10)) {
        case 0:
        case 1:
            return {1, 1, 1};
        case 2:
            return {3, 1, 1};
        case 3:
        case 4:
            return {8, 1, 1};
        case 5:
            return {32, 1, 1};
        case 6:
            return {64, 1, 1};
        case 7:
            return {4, 2, 1};
        case 8:
            return {2, 3, 2};
        default:
            return {random.range(1, 20), 1, 1};
    }
}

uint64_t chooseTarget(Random& random)
{
    // Most graphs are small, a few are large.
    const uint32_t decade = random.below(20);
    if (decade < 8)
        return random.range(10, 300);
    if (decade < 15)
        return random.range(300, 3000);
    if (decade < 19)
        return random.range(3000, 20000);
    return random.range(20000, 100000);
}

std::vector<uint32_t> chooseIndices(Random& random, bool& sparse)
{
    sparse = false;
    if (random.chance(60))
        return {random.chance(80) ? 0 : random.range(1, 9)};
    std::vector<uint32_t> indices;
    if (random.chance(50)) {  // dense, from a base
        const uint32_t base = random.chance(60) ? 0 : random.range(1, 5);
        const uint32_t count = random.range(2, 4);
        for (uint32_t i = 0; i < count; ++i)
            indices.push_back(base + i);
        return indices;
    }
    sparse = true;
    const uint32_t count = random.range(1, 4);
    uint32_t at = random.below(3);
    for (uint32_t i = 0; i < count; ++i) {
        indices.push_back(at);
        at += random.range(1, 3);
    }
    return indices;
}

void chooseFinish(Random& random, Family& family)
{
    // Each workgroup of a payload's dispatch writes a slot.
    family.layout.trackFinish = true;
    for (uint32_t i = 0; i < 3; ++i)
        family.layout.grid.max[i] = std::min(family.layout.grid.max[i], 8u);
    Member slots;
    slots.role = Role::Slots;
    slots.length =
        family.kind == Kind::Static ? random.range(1, 64) : static_cast<uint32_t>(volume(family.layout.grid.max));
    family.layout.members.push_back(slots);
    placeMembers(random, family.layout);
}

// Nothing but the grid: half of them as nodes without a declared input have it.
Layout chooseLoneGrid(Random& random, uint32_t mostGrid)
{
    Layout layout;
    if (random.chance(50)) {
        Member grid;
        grid.role = Role::Grid;
        grid.components = 3;
        layout.members = {grid};
        layout.size = grid.bytes();
    } else {
        layout.members = {gridMember(random)};
        placeMembers(random, layout);
    }
    layout.grid = chooseGridRange(random, layout.members[0], mostGrid);
    return layout;
}

Family chooseFamily(Random& random, uint32_t number, uint64_t target, const MemberRules& rules)
{
    Family family;
    family.name = "family" + std::to_string(number);
    family.indices = chooseIndices(random, family.sparse);
    family.kind = random.pick<Kind>({Kind::Static, Kind::Static, Kind::Dynamic, Kind::Dynamic, Kind::Coalescing});
    const bool withGrid = family.kind == Kind::Dynamic || random.chance(20);
    const uint32_t shape = random.below(20);
    const auto mostGrid = static_cast<uint32_t>(std::clamp<uint64_t>(target / 4, 2, 20000));
    if (shape < 2 && family.kind != Kind::Dynamic) {
        family.layout.size = 0;  // empty records
    } else if (shape == 2 && family.kind == Kind::Dynamic) {
        family.layout = chooseLoneGrid(random, mostGrid);
        obeyRules(random, family.layout, rules);
    } else {
        family.layout = chooseLayout(random, withGrid, shape == 3 || shape == 4);
        obeyRules(random, family.layout, rules);
        if (const Member* grid = family.layout.find(Role::Grid))
            family.layout.grid = chooseGridRange(random, *grid, mostGrid);
        if (family.kind != Kind::Coalescing && random.chance(15))
            chooseFinish(random, family);
    }
    return family;
}

double meanOf(const GridRange& range)
{
    double plain = 1;
    for (uint32_t i = 0; i < 3; ++i)
        plain *= range.skewed ? std::min(range.max[i], 2u) : (range.max[i] + 1) / 2.0;
    return range.skewed ? plain + static_cast<double>(volume(range.max)) / 16 : plain;
}

// What an invocation does with the payload of its number, and nothing else.
void choosePerPayload(Random& random, NodeSpec& node)
{
    node.perPayload = true;
    // Lanes and positions would tell invocations from each other, see readBuiltIns().
    node.salt &= ~3u;
    node.usesWorkgroupMemory = node.zeroWorkgroupMemory = false;
    node.writesInput = node.writesInput && random.chance(30);  // then it runs inside no other node
    node.earlyReturn = random.chance(20);
    if (random.chance(80))
        node.unused &= ~kUnusedWorkgroupMemory;  // likewise
    if (random.chance(50)) {
        node.maxPayloads = 1;
        node.localSize = {1, 1, 1};
    } else {
        node.maxPayloads = random.range(1, node.invocations());
    }
}

// Shaders read none, some or all of what they declare.
uint32_t chooseReadMembers(Random& random)
{
    if (random.chance(25))
        return 0;
    return random.chance(30) ? random.word() : ~0u;
}

void chooseNodeFlags(Random& random, NodeSpec& node, const Family& family)
{
    node.readMembers = chooseReadMembers(random);
    node.isEmpty = random.chance(family.isEntry ? 2 : 7);
    if (random.chance(25))
        node.unused = random.range(1, 31);
    node.usesPushConstants = random.chance(30);
    node.usesTable = random.chance(20);
    node.usesAddress = random.chance(12);
    node.usesPrivate = random.chance(20);
    node.usesWorkgroupMemory = random.chance(35);
    node.zeroWorkgroupMemory = node.usesWorkgroupMemory && random.chance(40);
    node.localSizeById = random.chance(20);
    node.earlyReturn = node.kind != Kind::Coalescing && random.chance(20);
    node.returnsBetween = (node.kind != Kind::Coalescing || family.perPayload) && random.chance(15);
    node.lateReturn = random.chance(25);
    const bool alone = node.kind == Kind::Coalescing || (node.kind == Kind::Static && volume(node.staticGrid) == 1);
    node.writesInput =
        alone && !node.sharesIndex && family.receivers == 1 && family.layout.find(Role::Key) && random.chance(30);
    node.finishes = family.layout.trackFinish && !node.sharesIndex && node.kind != Kind::Coalescing;
    node.sendsWhenFinished = node.finishes && random.chance(60);
    if (node.finishes) {
        node.earlyReturn = false;
        node.readMembers = ~0u;
    }
    // A return among what only the last workgroup sends skips what it reports behind that, which would show which it
    // was.
    node.returnsBetween = node.returnsBetween && !node.sendsWhenFinished;
    if (family.perPayload && node.kind == Kind::Coalescing)
        choosePerPayload(random, node);
}

Grid chooseStaticGrid(Random& random, const Family& family, uint64_t target)
{
    const auto most = static_cast<uint32_t>(std::clamp<uint64_t>(target / 8, 1, 2000));
    Grid grid = {1, 1, 1};
    if (random.chance(40))
        grid = {1, 1, 1};
    else if (random.chance(70))
        grid = {random.range(1, 4), random.range(1, 3), random.range(1, 3)};
    else
        grid[random.below(3)] = random.range(1, most);
    if (const Member* slots = family.layout.find(Role::Slots))
        while (volume(grid) > slots->length)
            grid = {1, 1, std::max(1u, slots->length)};
    return grid;
}

NodeSpec chooseNode(Random& random, GraphSpec& graph, uint32_t familyNumber, uint32_t index, bool shares)
{
    const Family& family = graph.families[familyNumber];
    NodeSpec node;
    node.id = static_cast<uint32_t>(graph.nodes.size());
    node.family = familyNumber;
    node.index = index;
    node.kind = family.kind;
    node.localSize = chooseLocalSize(random);
    node.salt = random.word();
    if (shares) {
        node.sharesIndex = index;
        node.index = random.below(3);
        node.name = "sharer" + std::to_string(node.id);
        const bool hasGrid = family.layout.find(Role::Grid) != nullptr;
        node.kind = hasGrid ? random.pick<Kind>({Kind::Static, Kind::Dynamic, Kind::Coalescing})
                            : random.pick<Kind>({Kind::Static, Kind::Coalescing});
    } else {
        node.name = family.name;
        node.recursion = family.recursion;
    }
    node.staticGrid = chooseStaticGrid(random, family, graph.targetWorkgroups);
    node.declareMax = node.kind == Kind::Dynamic && random.chance(50);
    if (node.kind == Kind::Coalescing) {
        node.maxPayloads = random.chance(30) ? 1 : random.range(2, 64);
        if (random.chance(30)) {  // what compilers make of a thread launch
            node.maxPayloads = 1;
            node.localSize = {1, 1, 1};
        }
    }
    const Member* grid = family.layout.find(Role::Grid);
    const bool onlyGrid = family.layout.members.size() == 1 && grid && grid->components == 3 && grid->bits == 32 &&
                          grid->offset == 0 && !grid->nested && node.kind == Kind::Dynamic;
    const bool empty = family.layout.members.empty();
    node.inputVariable = node.kind == Kind::Coalescing || !((onlyGrid || empty) && random.chance(50));
    node.structInput = node.inputVariable && node.kind != Kind::Coalescing && !empty && random.chance(25);
    node.nameFromApi = random.chance(40);
    node.indexFromApi = random.chance(40);
    node.entry = node.nameFromApi ? "entry" + std::to_string(node.id) : node.name;
    if (shares)
        node.isApiEntry = random.chance(70) ? std::optional(false) : std::nullopt;
    else if (random.chance(family.perPayload ? 75 : 20))
        node.isApiEntry = family.isEntry;
    chooseNodeFlags(random, node, family);
    return node;
}

void chooseNodes(Random& random, GraphSpec& graph, uint32_t first)
{
    for (uint32_t f = first; f < graph.families.size(); ++f) {
        Family& family = graph.families[f];
        // Known before the nodes, which look at it.
        std::vector<uint32_t> sharers(family.indices.size());
        const bool shares = !family.layout.trackFinish && random.chance(family.perPayload ? 5 : 20);
        for (uint32_t& count : sharers) {
            count = shares && random.chance(60) ? random.range(1, 3) : 0;
            family.receivers = std::max(family.receivers, count + 1);
        }
        double mean = 0;
        for (size_t i = 0; i < family.indices.size(); ++i) {
            graph.nodes.push_back(chooseNode(random, graph, f, family.indices[i], false));
            for (uint32_t s = 0; s < sharers[i]; ++s)
                graph.nodes.push_back(chooseNode(random, graph, f, family.indices[i], true));
        }
        for (const NodeSpec& node : graph.nodes) {
            if (node.family != f)
                continue;
            const double grid = node.kind == Kind::Static    ? static_cast<double>(volume(node.staticGrid))
                                : node.kind == Kind::Dynamic ? meanOf(family.layout.grid)
                                                             : 1.0;
            mean = std::max(mean, grid);
        }
        family.meanGrid = mean;
    }
}

void chooseLaunches(Random& random, GraphSpec& graph, const std::vector<uint32_t>& entries, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i) {
        LaunchSpec launch;
        launch.family = random.pick(entries);
        Family& family = graph.families[launch.family];
        launch.index = random.pick(family.indices);
        const double room = static_cast<double>(graph.targetWorkgroups) / family.meanGrid;
        const auto most = static_cast<uint32_t>(std::clamp(room / 4, 1.0, 250.0));
        launch.count = random.chance(5) ? 0 : random.range(1, most);
        launch.stride = family.layout.size;
        if (random.chance(30))
            launch.stride = (family.layout.size + 7) / 8 * 8 + random.below(4) * 4;
        launch.stride = (launch.stride + 3) / 4 * 4;
        if (launch.count > 1 && random.chance(10))
            launch.stride = 0;  // the same payload again and again
        for (uint32_t p = 0; p < launch.count; ++p)
            launch.keys.push_back(launch.stride == 0 && p > 0 ? launch.keys[0] : random.word());
        family.expectedPayloads += launch.count;
        graph.launches.push_back(launch);
    }
}

// Nodes that may run inside the one that sends to them, which may be one of them as well.
void chooseSingles(Random& random, GraphSpec& graph)
{
    const uint32_t count = random.pick<uint32_t>({1, 1, 2});
    for (uint32_t i = 0; i < count; ++i) {
        const auto number = static_cast<uint32_t>(graph.families.size());
        NodeSpec* sender = findSender(random, graph);
        if (!sender)
            return;
        const uint32_t from = sender->id;
        if (random.chance(sender->kind == Kind::Dynamic ? 60 : 25)) {
            sender->readMembers = 0;
            sender->writesInput = sender->writesInput && random.chance(30);
        }
        Family family;
        family.name = "single" + std::to_string(number);
        family.indices = chooseIndices(random, family.sparse);
        family.isMate = sender->invocations() > 1 && random.chance(50);
        family.kind = family.isMate ? Kind::Static : Kind::Coalescing;
        family.perPayload = !family.isMate;
        family.isEntry = random.chance(30);
        const auto isSimple = [](const Layout& layout) {
            return layout.size <= 48 &&
                   std::ranges::none_of(layout.members, [](const Member& m) { return m.bits < 32; });
        };
        do {
            family.layout = chooseLayout(random, random.chance(10), false);
            obeyRules(random, family.layout, graph.rules);
        } while (!isSimple(family.layout) && random.chance(97));
        if (family.perPayload && random.chance(15))
            widen(random, family.layout);
        if (random.chance(5))
            family.layout = {};
        if (family.perPayload && random.chance(40))
            family.recursion = random.range(1, random.chance(50) ? 8 : 3);
        graph.families.push_back(std::move(family));
        chooseNodes(random, graph, number);
        for (NodeSpec& node : graph.nodes) {
            if (node.family != number || node.sharesIndex)
                continue;
            if (graph.families[number].isMate) {
                node.localSize = graph.nodes[from].localSize;
                node.staticGrid = {volume(node.staticGrid) > 1 ? 2u : 1u, 1, 1};  // one may write to its input
            } else if (node.recursion > 0) {
                node.maxPayloads = 1;
                node.localSize = {1, 1, 1};
            }
        }
        if (graph.families[number].isEntry && random.chance(50))
            chooseLaunches(random, graph, {number}, 1);
        chooseSingleOutput(random, graph, graph.nodes[from], number);
        if (graph.families[number].recursion > 0)
            chooseSingleRecursion(random, graph, number);
    }
    if (random.chance(90))
        graph.vulkanMemoryModel = random.chance(45);
}

// Two nodes that send a payload or two from each of many invocations to nodes that work on each by itself: too long to
// be copied into both, so their payloads lie in memory, in long runs.
void chooseCrowd(Random& random, GraphSpec& graph)
{
    const auto first = static_cast<uint32_t>(graph.families.size());
    const uint32_t last = first + 2;
    for (uint32_t f = first; f <= last; ++f) {
        Family family;
        family.name = "crowd" + std::to_string(f);
        family.indices = f == last ? chooseIndices(random, family.sparse) : std::vector<uint32_t>{0};
        family.kind = f == last ? Kind::Coalescing : Kind::Static;
        family.perPayload = f == last;
        family.isEntry = f != last;
        family.layout = chooseLayout(random, false, false);
        obeyRules(random, family.layout, graph.rules);
        graph.families.push_back(std::move(family));
    }
    chooseNodes(random, graph, first);
    for (uint32_t f = first; f < last; ++f) {
        for (NodeSpec& node : graph.nodes) {
            if (node.family != f || node.sharesIndex)
                continue;
            node.isEmpty = false;
            node.localSize = {random.range(17, 64), 1, 1};
            node.staticGrid = {random.range(4, 40), 1, 1};
            node.writesInput = false;
            graph.families[f].meanGrid = node.staticGrid[0];
        }
        chooseLaunches(random, graph, {f}, 1);
        graph.families[f].expectedPayloads = graph.launches.back().count = std::min(graph.launches.back().count, 2u);
        for (NodeSpec& node : graph.nodes)
            if (node.family == f && !node.sharesIndex)
                chooseCrowdOutput(random, graph, node, last);
    }
}

// In some families all nodes are one shader, as arrays mostly are.
void chooseTwins(Random& random, GraphSpec& graph)
{
    for (uint32_t f = 0; f < graph.families.size(); ++f) {
        // A recursive node sends to its own index.
        const uint32_t percent = graph.families[f].perPayload ? 50 : 85;
        if (graph.families[f].indices.size() < 2 || graph.families[f].recursion > 0 || !random.chance(percent))
            continue;
        NodeSpec* first = nullptr;
        for (NodeSpec& node : graph.nodes) {
            if (node.family != f || node.sharesIndex)
                continue;
            if (!first) {
                first = &node;
                first->indexFromApi = true;
                continue;
            }
            NodeSpec twin = *first;
            twin.id = node.id;
            twin.index = node.index;
            twin.twinOf = first->id;
            node = std::move(twin);
        }
    }
}

void chooseModules(Random& random, GraphSpec& graph)
{
    for (NodeSpec& node : graph.nodes) {
        if (node.twinOf) {
            node.nameFromApi = graph.nodes[*node.twinOf].nameFromApi;
            node.entry = graph.nodes[*node.twinOf].entry;
            continue;
        }
        const bool sharesPayload = node.writesInput || node.finishes;
        // spirv-val 2025.1 compares what a mesh shader gives out with the modes of all entry points.
        const bool isAlone = node.mesh || (!graph.modules.empty() && graph.nodes[graph.modules.back().nodes[0]].mesh);
        if (!graph.modules.empty() && !isAlone && graph.modules.back().nodes.size() < 3 && random.chance(25) &&
            !(sharesPayload && graph.modules.back().vulkanMemoryModel)) {
            // Entry points of one module need different names; the application gives the nodes theirs.
            node.nameFromApi = true;
            node.entry = "entry" + std::to_string(node.id);
            graph.modules.back().nodes.push_back(node.id);
            continue;
        }
        ModuleSpec module;
        module.nodes = {node.id};
        // spirv-val rejects NonPrivatePointer on payloads, without which the Vulkan model allows no sharing of them.
        module.vulkanMemoryModel = graph.vulkanMemoryModel.value_or(random.chance(45)) && !sharesPayload;
        module.specConstants = random.chance(40);
        graph.modules.push_back(module);
    }
}

}  // namespace

GraphSpec chooseGraph(uint64_t seed, uint32_t attempt, const MemberRules& rules, bool withMesh)
{
    Random random(seed * 64 + attempt);
    GraphSpec graph;
    graph.rules = rules;
    graph.seed = seed;
    graph.attempt = attempt;
    graph.targetWorkgroups = std::max<uint64_t>(10, chooseTarget(random) >> (attempt / 2));
    graph.pushConstantBytes = random.pick<uint32_t>({16, 16, 20, 64, 96, 120, 128});
    // Software drivers take half a second to compile a node, so most graphs have few.
    const uint32_t families = random.chance(92) ? random.range(1, 3) : random.range(5, 12);
    uint32_t depth = families;
    for (uint32_t f = 0; f < families; ++f) {
        graph.families.push_back(chooseFamily(random, f, graph.targetWorkgroups, rules));
        Family& family = graph.families.back();
        if (random.chance(25)) {
            family.recursion = std::min(random.range(1, 6), kMaxDepth - depth);
            depth += family.recursion;
        }
        family.isEntry = !family.layout.trackFinish && (f == 0 || random.chance(25));
        if (f == 0 && family.layout.trackFinish) {  // somebody has to begin
            graph.families.pop_back();
            --f;
            depth = families;
        }
    }
    chooseNodes(random, graph, 0);
    std::vector<uint32_t> entries;
    for (uint32_t f = 0; f < families; ++f)
        if (graph.families[f].isEntry)
            entries.push_back(f);
    chooseLaunches(random, graph, entries, random.range(1, 3));
    for (uint32_t f = 0; f < families; ++f) {
        graph.families[f].expectedPayloads *= chooseRecursion(random, graph, f);
        chooseOutputs(random, graph, f);
    }
    if (random.chance(85))
        chooseSingles(random, graph);
    if (graph.targetWorkgroups >= 1000 && random.chance(40))
        chooseCrowd(random, graph);
    chooseTwins(random, graph);
    if (withMesh) {
        Random own(seed * 131 + attempt);
        chooseMeshNodes(own, graph);
    }
    chooseModules(random, graph);
    return graph;
}

std::string describe(const GraphSpec& graph)
{
    static const char* const kKinds[] = {"static", "dynamic", "coalescing"};
    const auto text = [](const Grid& grid) {
        return std::to_string(grid[0]) + "x" + std::to_string(grid[1]) + "x" + std::to_string(grid[2]);
    };
    std::string out = "seed " + std::to_string(graph.seed) + " attempt " + std::to_string(graph.attempt) + " target " +
                      std::to_string(graph.targetWorkgroups) + " workgroups\n";
    for (const NodeSpec& node : graph.nodes) {
        const Family& family = graph.families[node.family];
        out += "node " + std::to_string(node.id) + " " + node.name + "[" + std::to_string(node.index) + "] " +
               kKinds[static_cast<int>(node.kind)] + " local " + text(node.localSize) + " payload " +
               std::to_string(family.layout.size);
        if (node.kind == Kind::Static)
            out += " grid " + text(node.staticGrid);
        else if (node.kind == Kind::Dynamic)
            out += " grid up to " + text(family.layout.grid.max);
        else
            out += " payloads " + std::to_string(node.maxPayloads);
        if (node.mesh)
            out += " mesh " + std::to_string(node.mesh->vertices) + "/" + std::to_string(node.mesh->primitives);
        if (node.isEmpty)
            out += " empty";
        else if (node.readMembers != ~0u)
            out += node.readMembers ? " reads some" : " reads nothing";
        if (node.recursion)
            out += " recursion " + std::to_string(node.recursion);
        if (node.twinOf)
            out += " twin of " + std::to_string(*node.twinOf);
        if (node.sharesIndex)
            out += " shares " + family.name + "[" + std::to_string(*node.sharesIndex) + "]";
        for (const Statement& statement : node.statements) {
            const OutputSpec& output = node.outputs[statement.output];
            out += " -> " + graph.families[output.family].name + " " + std::to_string(statement.count) + "x" +
                   std::to_string(statement.loops) + "/" + std::to_string(statement.rarity) +
                   (statement.scope == Scope::Workgroup ? "w" : "i") + " of " + std::to_string(output.budget);
        }
        out += "\n";
    }
    for (const LaunchSpec& launch : graph.launches)
        out += "launch " + graph.families[launch.family].name + "[" + std::to_string(launch.index) + "] " +
               std::to_string(launch.count) + " payloads, stride " + std::to_string(launch.stride) + "\n";
    return out;
}

}  // namespace millrace::random
