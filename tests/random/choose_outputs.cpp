// SPDX-License-Identifier: Apache-2.0
// What nodes send: within every budget, and so that the expected number of workgroups stays near its target.
#include "random/choose.h"

#include <algorithm>
#include <cmath>

namespace millrace::random {

namespace {

constexpr uint32_t kMaxPayloadsPerWorkgroup = 256;
constexpr uint32_t kMaxDeclaredBytes = 32768;
constexpr double kMaxExpectedBytes = 48e6;

// Payloads that a statement makes on average each time its node runs: per workgroup, or per payload if the node
// coalesces.
double meanOf(const Statement& statement, const NodeSpec& node)
{
    double count = statement.count;
    if (statement.countKind == Count::AtLeastOne)
        count = (count + 1) / 2;
    else if (statement.countKind == Count::MayBeZero || statement.countKind == Count::Chosen)
        count /= 2;
    count *= statement.dynamicLoops ? statement.loops / 2.0 : statement.loops;
    if (statement.scope == Scope::Invocation && node.kind != Kind::Coalescing)
        count *= node.invocations();
    return count / statement.rarity;
}

// The most payloads of a statement in one workgroup.
uint64_t mostOf(const Statement& statement, const NodeSpec& node)
{
    if (node.kind == Kind::Coalescing)
        return statement.most() * node.maxPayloads;
    return statement.most() * (statement.scope == Scope::Invocation ? node.invocations() : 1);
}

double unitsOf(const GraphSpec& graph, const NodeSpec& node)
{
    const Family& family = graph.families[node.family];
    const double payloads = family.expectedPayloads / static_cast<double>(family.indices.size());
    return std::max(1.0, payloads * (node.kind == Kind::Coalescing ? 1.0 : family.meanGrid));
}

// What NodeMaxPayloadsAMDX would sum up to with `extra` more payloads of an output.
uint64_t budgetWith(const GraphSpec& graph, const NodeSpec& node, uint32_t output, uint64_t extra)
{
    std::map<int, std::pair<uint64_t, uint64_t>> pools;  // budget, receivers
    for (uint32_t i = 0; i < node.outputs.size(); ++i) {
        const OutputSpec& item = node.outputs[i];
        const int pool = item.sharesWith < 0 ? static_cast<int>(i) : item.sharesWith;
        auto& [budget, receivers] = pools[pool];
        if (item.sharesWith < 0)
            budget += item.budget;
        if (i == output)
            budget += extra;
        receivers = std::max<uint64_t>(receivers, graph.families[item.family].receivers);
    }
    uint64_t sum = 0;
    for (const auto& [pool, item] : pools)
        sum += item.first * item.second;
    return sum;
}

uint64_t declaredBytes(const GraphSpec& graph, const NodeSpec& node)
{
    uint64_t sum = graph.families[node.family].layout.size;
    for (const OutputSpec& output : node.outputs)
        sum += graph.families[output.family].layout.size;
    return sum;
}

void addBudget(NodeSpec& node, uint32_t output, uint64_t extra)
{
    OutputSpec& spec = node.outputs[output];
    OutputSpec& pool = spec.sharesWith < 0 ? spec : node.outputs[static_cast<size_t>(spec.sharesWith)];
    pool.budget += static_cast<uint32_t>(extra);
}

void chooseShape(Random& random, Statement& statement, const NodeSpec& node)
{
    statement.salt = random.word();
    statement.scope = random.chance(55) ? Scope::Workgroup : Scope::Invocation;
    statement.countKind = random.pick<Count>({Count::Fixed, Count::AtLeastOne, Count::MayBeZero, Count::Chosen});
    statement.count = random.chance(50) ? 1 : random.range(1, random.chance(80) ? 6 : 60);
    if (random.chance(30)) {
        statement.loops = random.range(2, 4);
        statement.dynamicLoops = random.chance(50);
    }
    statement.fill = random.pick<Fill>({Fill::Strided, Fill::Strided, Fill::FirstInvocation, Fill::Together});
    statement.handle = random.pick<Handle>(
        {Handle::Pointer, Handle::Pointer, Handle::Variable, Handle::CopiedVariable, Handle::EitherOf});
    statement.enqueue =
        random.pick<Enqueue>({Enqueue::Now, Enqueue::Now, Enqueue::Now, Enqueue::Later, Enqueue::Never});
    const uint64_t most = mostOf(statement, node);
    if (most > kMaxPayloadsPerWorkgroup / 2)
        statement.count =
            static_cast<uint32_t>(std::max<uint64_t>(1, statement.count * (kMaxPayloadsPerWorkgroup / 2) / most));
}

// Settings that exclude each other.
void settle(Statement& statement, const NodeSpec& node)
{
    const bool branches = statement.loops > 1 || statement.rarity > 1 || statement.guard == Guard::Branch ||
                          (node.kind == Kind::Coalescing && !node.perPayload);
    if (statement.enqueue == Enqueue::Later && branches)
        statement.enqueue = Enqueue::Now;
    if (statement.scope == Scope::Invocation && statement.guard == Guard::Branch && !statement.recursive)
        statement.guard = Guard::Select;  // the node index differs from invocation to invocation
}

// Base index, array size and node indices of an output.
void chooseIndices(Random& random, const Family& family, OutputSpec& output, Statement& statement)
{
    const uint32_t first = family.indices.front();
    const uint32_t last = family.indices.back();
    output.baseIndex = random.chance(50) ? first : 0;
    output.sparse = family.sparse || first > 0 || random.chance(15);
    if (output.sparse) {
        if (random.chance(60))
            output.arraySize = last + 1 + random.below(3);
    } else if (family.indices.size() > 1 || random.chance(60)) {
        output.arraySize = last + 1;  // dense from 0
    }
    for (uint32_t index : family.indices)
        statement.nodeIndices.push_back(index - output.baseIndex);
    if (output.sparse && random.chance(60)) {
        // Also ask for nodes that may not exist.
        const uint32_t end = output.arraySize ? *output.arraySize : last + 4;
        statement.nodeIndices.clear();
        for (uint32_t i = output.baseIndex; i < end; ++i)
            statement.nodeIndices.push_back(i - output.baseIndex);
        statement.guard = random.pick<Guard>({Guard::Branch, Guard::Select, Guard::CountOnly});
    } else if (random.chance(25)) {
        statement.guard = random.pick<Guard>({Guard::Branch, Guard::Select});
    }
}

// Makes the statement rare enough that the family it sends to receives no more than its share.
void limitRate(GraphSpec& graph, const NodeSpec& node, Statement& statement, uint32_t family)
{
    Family& target = graph.families[family];
    const double cap = std::min(static_cast<double>(graph.targetWorkgroups) / target.meanGrid,
                                kMaxExpectedBytes / (target.layout.size + 1.0));
    const double room = std::max(cap - target.expectedPayloads, cap / 20);
    const double wanted = unitsOf(graph, node) * meanOf(statement, node);
    if (wanted > room)
        statement.rarity = static_cast<uint32_t>(std::min(1e6, std::ceil(wanted / room)));
    target.expectedPayloads += unitsOf(graph, node) * meanOf(statement, node);
}

// A statement of this shape.
void addOutput(Random& random, GraphSpec& graph, NodeSpec& node, uint32_t targetFamily, Statement statement)
{
    OutputSpec output;
    output.family = targetFamily;
    output.decorateGrid = random.chance(40);
    chooseIndices(random, graph.families[targetFamily], output, statement);
    // A pool's own budget is that of its first type, so only those can be shared with.
    const bool mayShare = !graph.families[targetFamily].perPayload && !graph.families[targetFamily].isMate;
    if (mayShare && !node.outputs.empty() && random.chance(25)) {
        const uint32_t other = random.below(static_cast<uint32_t>(node.outputs.size()));
        if (node.outputs[other].sharesWith < 0)
            output.sharesWith = static_cast<int>(other);
    }
    statement.output = static_cast<uint32_t>(node.outputs.size());
    node.outputs.push_back(output);
    while (statement.count > 1 &&
           budgetWith(graph, node, statement.output, mostOf(statement, node)) > kMaxPayloadsPerWorkgroup)
        statement.count /= 2;
    if (budgetWith(graph, node, statement.output, mostOf(statement, node)) > kMaxPayloadsPerWorkgroup ||
        declaredBytes(graph, node) > kMaxDeclaredBytes) {
        node.outputs.pop_back();
        return;
    }
    limitRate(graph, node, statement, targetFamily);
    settle(statement, node);
    addBudget(node, statement.output, mostOf(statement, node));
    const uint32_t slack = random.chance(30) ? random.range(1, 8) : 0;
    if (budgetWith(graph, node, statement.output, slack) <= kMaxPayloadsPerWorkgroup)
        addBudget(node, statement.output, slack);
    node.statements.push_back(statement);
}

void chooseOutput(Random& random, GraphSpec& graph, NodeSpec& node, uint32_t targetFamily)
{
    Statement statement;
    chooseShape(random, statement, node);
    addOutput(random, graph, node, targetFamily, std::move(statement));
}

// An output that nothing is sent to.
void ignoreOutput(Random& random, GraphSpec& graph, NodeSpec& node, uint32_t targetFamily)
{
    OutputSpec output;
    output.family = targetFamily;
    output.decorateGrid = random.chance(40);
    output.budget = random.range(1, 8);
    Statement unused;
    chooseIndices(random, graph.families[targetFamily], output, unused);
    node.outputs.push_back(output);
    const auto last = static_cast<uint32_t>(node.outputs.size() - 1);
    if (budgetWith(graph, node, last, 0) > kMaxPayloadsPerWorkgroup || declaredBytes(graph, node) > kMaxDeclaredBytes)
        node.outputs.pop_back();
}

// Each level sends as many payloads and does nothing else: a tree with leaves of which none knows of another.
void chooseQuietTree(Random& random, Statement& statement, NodeSpec& node, double room)
{
    const auto leaves = [&](uint32_t count) { return std::pow(count, node.recursion); };
    node.isQuietAbove = true;
    statement.guard = Guard::Branch;
    statement.countKind = Count::Fixed;
    statement.rarity = 1;
    statement.count = random.range(2, 5);
    while (statement.count > 1 && leaves(statement.count) > std::max(room, 32.0))
        --statement.count;
}

}  // namespace

NodeSpec* findSender(Random& random, GraphSpec& graph)
{
    std::vector<NodeSpec*> senders;
    for (NodeSpec& node : graph.nodes) {
        // Nodes of one name may get one shader, which then sends from each of them.
        const bool alone = node.sharesIndex || graph.families[node.family].indices.size() == 1;
        const bool loops = node.kind == Kind::Coalescing && !(node.perPayload && node.invocations() == 1);
        if (alone && !loops && !node.finishes && !node.isEmpty && node.outputs.size() < 4)
            senders.insert(senders.end(), node.kind == Kind::Dynamic ? 3 : 1, &node);
    }
    return senders.empty() ? nullptr : random.pick(senders);
}

void chooseSingleOutput(Random& random, GraphSpec& graph, NodeSpec& node, uint32_t targetFamily)
{
    Statement statement;
    chooseShape(random, statement, node);
    if (!graph.families[targetFamily].isMate)
        statement.scope = Scope::Invocation;
    statement.loops = 1;
    statement.dynamicLoops = false;
    statement.count = random.pick<uint32_t>({1, 1, 1, 2, 3, 5});
    if (statement.handle == Handle::EitherOf && random.chance(80))
        statement.handle = Handle::Pointer;
    if (random.chance(80))
        statement.countKind = random.pick<Count>({Count::Fixed, Count::Chosen});
    if (random.chance(12))
        ignoreOutput(random, graph, node, targetFamily);
    addOutput(random, graph, node, targetFamily, std::move(statement));
}

void chooseCrowdOutput(Random& random, GraphSpec& graph, NodeSpec& node, uint32_t targetFamily)
{
    Statement statement;
    chooseShape(random, statement, node);
    statement.scope = Scope::Invocation;
    statement.loops = 1;
    statement.dynamicLoops = false;
    statement.count = random.range(1, 2);
    statement.countKind = random.pick<Count>({Count::Fixed, Count::Fixed, Count::Chosen});
    addOutput(random, graph, node, targetFamily, std::move(statement));
}

void chooseSingleRecursion(Random& random, GraphSpec& graph, uint32_t familyNumber)
{
    const Family& family = graph.families[familyNumber];
    for (NodeSpec& node : graph.nodes) {
        if (node.family != familyNumber || node.sharesIndex || node.isEmpty)
            continue;
        Statement statement;
        chooseShape(random, statement, node);
        statement.scope = Scope::Invocation;
        statement.loops = 1;
        statement.dynamicLoops = false;
        statement.recursive = true;
        statement.guard = random.pick<Guard>({Guard::Branch, Guard::CountOnly});
        statement.salt |= 1;  // on what remains, see NodeText::validity()
        statement.nodeIndices = {node.index};
        if (statement.handle == Handle::EitherOf)
            statement.handle = Handle::Pointer;
        const double room = static_cast<double>(graph.targetWorkgroups) / std::max(1.0, family.expectedPayloads);
        statement.count = family.recursion < 4 && room > 50 ? random.range(1, 3) : random.range(1, 2);
        statement.countKind = random.pick<Count>({Count::Fixed, Count::Fixed, Count::Chosen});
        if (room < 50)
            statement.rarity = 2;
        if (random.chance(60))
            chooseQuietTree(random, statement, node, room);
        statement.output = static_cast<uint32_t>(node.outputs.size());
        settle(statement, node);
        OutputSpec output;
        output.family = familyNumber;
        output.sparse = node.index > 0;
        node.outputs.push_back(output);
        addBudget(node, statement.output, mostOf(statement, node));
        node.statements.push_back(statement);
    }
}

double chooseRecursion(Random& random, GraphSpec& graph, uint32_t familyNumber)
{
    const Family& family = graph.families[familyNumber];
    if (family.recursion == 0)
        return 1;
    const double most = family.recursion <= 2 ? 2.5 : 1.4;
    const double room = static_cast<double>(graph.targetWorkgroups) / family.meanGrid /
                        std::max(1.0, family.expectedPayloads) / (family.recursion + 1);
    const double limit = std::clamp(room, 0.3, most);
    double highest = 0;
    for (NodeSpec& node : graph.nodes) {
        if (node.family != familyNumber || node.sharesIndex || node.isEmpty)
            continue;
        OutputSpec output;
        output.family = familyNumber;
        output.baseIndex = random.chance(60) ? node.index : 0;
        output.sparse = node.index > 0 || random.chance(30);
        if (random.chance(50))
            output.arraySize = node.index + 1;
        Statement statement;
        chooseShape(random, statement, node);
        statement.recursive = true;
        statement.nodeIndices = {node.index - output.baseIndex};
        statement.guard = random.pick<Guard>({Guard::Branch, Guard::Branch, Guard::CountOnly});
        while (statement.count > 1 && mostOf(statement, node) * family.receivers > 128)
            statement.count /= 2;
        if (mostOf(statement, node) * family.receivers > 200) {
            statement.scope = Scope::Workgroup;
            statement.loops = 1;
            if (mostOf(statement, node) * family.receivers > 200)
                continue;
        }
        const double perPayload = meanOf(statement, node) * (node.kind == Kind::Coalescing ? 1 : family.meanGrid);
        if (perPayload > limit)
            statement.rarity = static_cast<uint32_t>(std::ceil(perPayload / limit));
        settle(statement, node);
        highest = std::max(highest, perPayload / statement.rarity);
        node.outputs.push_back(output);
        addBudget(node, 0, mostOf(statement, node));
        node.statements.push_back(statement);
    }
    double factor = 0;
    for (uint32_t i = 0; i <= family.recursion; ++i)
        factor += std::pow(highest, i);
    return factor;
}

void chooseOutputs(Random& random, GraphSpec& graph, uint32_t familyNumber)
{
    const auto families = static_cast<uint32_t>(graph.families.size());
    if (familyNumber + 1 == families)
        return;
    for (NodeSpec& node : graph.nodes) {
        if (node.family != familyNumber)
            continue;
        const uint32_t outputs = random.pick<uint32_t>({1, 1, 1, 2, 2, 3, node.sharesIndex ? 0u : 1u});
        for (uint32_t i = 0; i < outputs; ++i) {
            // The next family more often than others, so that chains get long.
            const uint32_t target = random.chance(55) ? familyNumber + 1 : random.range(familyNumber + 1, families - 1);
            if (node.isEmpty || random.chance(8))
                ignoreOutput(random, graph, node, target);
            else
                chooseOutput(random, graph, node, target);
        }
        if (random.chance(10))
            for (Statement& statement : node.statements)
                statement.enqueue = Enqueue::Never;
    }
}

}  // namespace millrace::random
