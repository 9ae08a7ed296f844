// SPDX-License-Identifier: Apache-2.0
// The random graphs are correct programs, and their results depend on no order.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>

#include "nodes/fuse_graph.h"
#include "oracle/assembler.h"
#include "random/random_graph.h"

namespace millrace::random {

namespace {

constexpr uint32_t kGraphs = 360;

uint32_t firstSeed()
{
    const char* text = std::getenv("MILLRACE_FIRST_SEED");
    return text ? static_cast<uint32_t>(std::strtoul(text, nullptr, 10)) : 0;
}

// What the other half of the suite compares the device with.
TEST(RandomGraphs, Results_DependOnNoOrder)
{
    const Effort effort{20'000, 30'000'000};
    for (uint32_t seed = firstSeed(); seed < firstSeed() + kGraphs; ++seed) {
        try {
            const auto [graph, expectation] = makeGraph(seed, effort);
            oracle::Options options;
            options.seed = seed + 77777;
            options.grouping = seed % 2 ? oracle::Grouping::Single : oracle::Grouping::Full;
            ASSERT_EQ(runOnOracle(graph, options).output, expectation.output) << describe(graph.spec);
        } catch (const std::exception& error) {
            FAIL() << "seed " << seed << ": " << error.what();
        }
    }
}

TEST(RandomGraphs, Modules_AreValid)
{
    uint32_t validated = 0;
    for (uint32_t seed = firstSeed(); seed < firstSeed() + kGraphs / 4; ++seed) {
        const RandomGraph graph = buildGraph(seed, 0);
        for (const GeneratedModule& module : graph.modules) {
            const std::string message = oracle::validate(module.words);
            // spirv-val up to 2025.1 rejects what the extension specifies for OpIsNodePayloadValidAMDX.
            if (module.specifiedValidity) {
                EXPECT_TRUE(message.empty() || message.find("cannot be a type") != std::string::npos)
                    << "seed " << seed << ": " << message;
                continue;
            }
            ASSERT_EQ(message, "") << "seed " << seed;
            ++validated;
        }
    }
    EXPECT_GT(validated, kGraphs / 4);
}

TEST(RandomGraphs, MeshNodes_AreValidAndDraw)
{
    Effort effort{20'000, 30'000'000};
    effort.withMesh = true;
    std::set<bool> drawn, shares;
    for (uint32_t seed = firstSeed(); seed < firstSeed() + kGraphs / 12; ++seed) {
        const auto [graph, expectation] = makeGraph(seed, effort);
        EXPECT_EQ(oracle::validate(graph.fragment), "");
        for (const GeneratedModule& module : graph.modules)
            if (!module.specifiedValidity)
                EXPECT_EQ(oracle::validate(module.words), "") << "seed " << seed;
        for (const NodeSpec& node : graph.spec.nodes)
            if (node.mesh)
                shares.insert(node.sharesIndex.has_value());
        const std::span picture = std::span(expectation.output).subspan(pictureWord(graph.spec));
        drawn.insert(std::ranges::any_of(picture, [](uint32_t word) { return word != 0; }));
        oracle::Options options;
        options.seed = seed + 999;
        EXPECT_EQ(runOnOracle(graph, options).output, expectation.output) << describe(graph.spec);
    }
    EXPECT_TRUE(drawn.contains(true));
    EXPECT_TRUE(shares.contains(true));
}

TEST(RandomGraphs, SameSeed_SameGraph)
{
    for (uint32_t seed = 0; seed < 20; ++seed) {
        const RandomGraph first = buildGraph(seed, 0);
        const RandomGraph second = buildGraph(seed, 0);
        ASSERT_EQ(first.modules.size(), second.modules.size());
        for (size_t i = 0; i < first.modules.size(); ++i)
            ASSERT_EQ(first.modules[i].text, second.modules[i].text);
        ASSERT_EQ(first.payloads, second.payloads);
    }
}

// Whether a node runs inside its producer.
std::vector<nodes::FusionOutcome> fuse(const RandomGraph& graph)
{
    std::vector<nodes::FusableNode> nodes;
    std::vector<graph::Node> linked;
    for (const NodeSpec& node : graph.spec.nodes) {
        const GeneratedModule& module = graph.modules[graph.moduleOfNode[node.id]];
        nodes::Options options{.request = {.argumentsOffsetBytes = 128}};
        options.request.entryPoint = node.entry;
        if (node.nameFromApi)
            options.request.nodeName = node.name;
        if (node.indexFromApi)
            options.request.shaderIndex = node.index;
        for (const auto& [id, value] : module.specialization) {
            const auto* bytes = reinterpret_cast<const uint8_t*>(&value);
            options.request.specialization.push_back({id, {bytes, bytes + 4}});
        }
        auto prepared = nodes::prepare(module.words, options);
        if (!prepared) {
            ADD_FAILURE() << "seed " << graph.spec.seed << ": " << prepared.error().text();
            return {};
        }
        linked.push_back(prepared->node);
        nodes.push_back({std::make_shared<const spirv::Words>(module.words), std::move(options), std::move(*prepared),
                         node.twinOf.value_or(node.id)});
    }
    auto whole = graph::link(std::move(linked));
    std::vector<nodes::FusionOutcome> outcomes;
    const bool done = whole && nodes::fuseGraph(nodes, std::move(*whole), true, outcomes);
    EXPECT_TRUE(done) << "seed " << graph.spec.seed;
    if (std::getenv("MILLRACE_SHOW_FUSION"))
        for (const nodes::FusionOutcome& outcome : outcomes)
            std::printf("%u %s -> %s: %s\n", static_cast<uint32_t>(graph.spec.seed), outcome.node.c_str(),
                        outcome.output.c_str(), outcome.fused ? "fused" : outcome.why.c_str());
    return outcomes;
}

// Whether the nodes have payloads of more numbers than functions are given one by one.
bool isWide(const GraphSpec& graph, const std::string& receivers)
{
    const auto family = std::ranges::find(graph.families, receivers, &Family::name);
    uint32_t numbers = 0;
    for (const Member& member : family->layout.members)
        numbers += member.elements();
    return family->perPayload && numbers > 64;
}

// Of the features that fusion has to keep or to see, those that a sender has into which others are fused.
std::set<std::string> featuresOfSenders(const GraphSpec& graph, const std::vector<nodes::FusionOutcome>& outcomes)
{
    std::set<std::string> out;
    for (const NodeSpec& node : graph.nodes) {
        const std::string name = "'" + node.name + "'[" + std::to_string(node.index) + "]";
        const auto isOwn = [&](const auto& outcome) { return outcome.fused && outcome.node == name; };
        if (std::ranges::none_of(outcomes, isOwn))
            continue;
        out.insert("a sender");
        if (std::ranges::any_of(outcomes, [&](const auto& o) { return isOwn(o) && isWide(graph, o.output); }))
            out.insert("payloads that stay where they are");
        if (node.ignoresInput())
            out.insert(node.kind == Kind::Dynamic ? "an unread grid" : "an unread payload");
        if (node.readMembers != ~0u && !node.ignoresInput())
            out.insert("a payload of which some is read");
        if (node.writesInput)
            out.insert("a written payload");
        if (node.earlyReturn || node.returnsBetween)
            out.insert("an early return");
        if (node.unused)
            out.insert("an unused declaration");
        for (uint32_t i = 0; i < node.outputs.size(); ++i)
            if (node.ignoresOutput(i))
                out.insert("an ignored output");
    }
    return out;
}

TEST(RandomGraphs, ManyGraphs_CanBeFused)
{
    uint32_t levelsInOne = 0, inParts = 0;
    std::map<std::string, uint32_t> graphs;
    constexpr uint32_t kFirst = 1000, kCount = 320;
    for (uint32_t seed = kFirst; seed < kFirst + kCount; ++seed) {
        const RandomGraph graph = buildGraph(seed, 0);
        const std::vector<nodes::FusionOutcome> outcomes = fuse(graph);
        for (const std::string& feature : featuresOfSenders(graph.spec, outcomes))
            ++graphs[feature];
        levelsInOne += std::ranges::any_of(outcomes, &nodes::FusionOutcome::levelsInOne);
        inParts += std::ranges::any_of(outcomes, [](const auto& outcome) { return outcome.parts > 1; });
    }
    EXPECT_GE(graphs["a sender"], kCount * 2 / 5);
    EXPECT_EQ(graphs.size(), 9u);
    for (const auto& [feature, count] : graphs)
        EXPECT_GE(count, 3u) << feature;
    EXPECT_GE(levelsInOne, 12u);
    EXPECT_GE(inParts, 6u);
    if (std::getenv("MILLRACE_SHOW_FUSION"))
        for (const auto& [feature, count] : graphs)
            std::printf("%u graphs with %s\n", count, feature.c_str());
}

// Each type of a grid, at each kind of place.
void countGrid(const Member& grid, std::map<std::string, uint32_t>& seen)
{
    const std::string type = std::to_string(grid.elements()) + " of " + std::to_string(grid.bits) + " bits";
    ++seen["grid of " + type];
    ++seen["grid of " + type + (grid.offset ? ", behind others" : ", at the beginning")];
    seen["grid of 16 bits in the middle of a word"] += grid.bits == 16 && grid.offset % 4 == 2;
    seen["nested grid, not at the beginning of its structure"] += grid.innerOffset > 0;
}

// What shaders do with what they declare.
void countHabits(const GraphSpec& graph, const NodeSpec& node, std::map<std::string, uint32_t>& seen)
{
    const Layout& layout = graph.families[node.family].layout;
    uint32_t read = 0;
    for (uint32_t i = 0; i < layout.members.size(); ++i)
        read += node.reads(i);
    const std::string kind = node.kind == Kind::Dynamic  ? "dynamic"
                             : node.kind == Kind::Static ? "static"
                                                         : "coalescing";
    seen["input of which nothing is read, " + kind] += node.ignoresInput();
    seen["input of which some is read, " + kind] += read > 0 && read < layout.members.size();
    seen["input of which all is read, " + kind] += read > 0 && read == layout.members.size();
    if (kind != "dynamic")
        seen["written input, " + kind] += node.writesInput;
    seen["written input, per payload"] += node.writesInput && node.perPayload;
    seen["written input that is not read"] += node.writesInput && node.readMembers == 0;
    const auto isNever = [](const Statement& statement) { return statement.enqueue == Enqueue::Never; };
    seen["enqueues nothing"] += !node.statements.empty() && std::ranges::all_of(node.statements, isNever);
    seen["empty, " + kind] += node.isEmpty;
    seen["empty, outputs ignored"] += node.isEmpty && !node.outputs.empty();
    seen["early return"] += node.earlyReturn && !node.perPayload;
    seen["early return, per payload"] += node.earlyReturn && node.perPayload;
    seen["return between what is sent"] += node.returnsBetween && node.statements.size() > 1;
    seen["unused resources"] += (node.unused & kUnusedResources) != 0;
    seen["unused variables"] += (node.unused & kUnusedVariables) != 0;
    seen["unused workgroup memory"] += (node.unused & kUnusedWorkgroupMemory) != 0;
    seen["unused function"] += (node.unused & kUnusedFunction) != 0;
    seen["unused payload"] += (node.unused & kUnusedPayload) != 0;
}

// As Vulkan has it for devices without scalarBlockLayout ("Offset and Stride Assignment"), of the base alignment.
void expectBaseAlignment(const Layout& layout, uint64_t seed, std::map<std::string, uint32_t>& seen)
{
    std::map<uint32_t, uint32_t> placed;  // where each member begins, and where the next may
    for (const Member& member : layout.members) {
        constexpr uint32_t kNumbers[] = {0, 1, 2, 4, 4};  // by the components of a vector
        const uint32_t alignment = member.bits / 8 * kNumbers[member.components];
        const bool isWhole = member.nested || member.length > 0;
        EXPECT_EQ(member.offset % alignment, 0u) << seed;
        EXPECT_EQ(member.innerOffset % alignment, 0u) << seed;
        EXPECT_EQ(member.strideBytes % alignment, 0u) << seed;
        const uint32_t end = member.offset + member.bytes();
        placed[member.offset - member.innerOffset] = isWhole ? (end + alignment - 1) / alignment * alignment : end;
        ++seen[member.components > 1 ? "vectors" : "numbers"];
        ++seen[member.length > 0 && member.components == 3 ? "arrays with gaps" : "others"];
        ++seen[member.innerOffset > 0 ? "nested" : "others"];
    }
    uint32_t behind = 0;
    for (const auto& [begin, end] : placed) {
        EXPECT_GE(begin, behind) << seed;
        behind = end;
    }
}

TEST(RandomGraphs, WithoutScalarLayout_MembersHaveBaseAlignment)
{
    std::map<std::string, uint32_t> seen;
    for (uint32_t seed = 0; seed < 200; ++seed)
        for (const Family& family : chooseGraph(seed, 0, {.hasScalarLayout = false}).families)
            expectBaseAlignment(family.layout, seed, seen);
    EXPECT_EQ(seen.size(), 5u);
    for (const auto& [kind, count] : seen)
        EXPECT_GE(count, 3u) << kind;
}

// The generator must not lose a feature without anybody noticing.
TEST(RandomGraphs, Features_AreAllDrawn)
{
    std::map<std::string, uint32_t> seen;
    for (uint32_t seed = 0; seed < 200; ++seed) {
        const GraphSpec graph = chooseGraph(seed, 0);
        for (const Family& family : graph.families) {
            seen["sparse array"] += family.sparse;
            seen["dense array"] += !family.sparse && family.indices.size() > 1;
            seen["recursion"] += family.recursion > 0;
            seen["empty records"] += family.layout.size == 0;
            seen["large records"] += family.layout.size > 2000;
            seen["finish tracking"] += family.layout.trackFinish;
            seen["work per payload"] += family.perPayload;
            seen["workgroups of their sender's shape"] += family.isMate;
            seen["crowd"] += family.name.starts_with("crowd");
            for (const Member& member : family.layout.members) {
                seen["64-bit member"] += member.bits == 64;
                seen["16-bit member"] += member.bits == 16;
                seen["nested grid"] += member.nested;
                seen["16-bit grid"] += member.role == Role::Grid && member.bits == 16;
                seen["8-bit grid"] += member.role == Role::Grid && member.bits == 8;
                seen["grid array"] += member.role == Role::Grid && member.length > 0;
                if (member.role == Role::Grid)
                    countGrid(member, seen);
            }
            const bool isAlone = family.layout.members.size() == 1 && family.layout.find(Role::Grid);
            seen["grid alone, not at the beginning"] += isAlone && family.layout.members[0].offset > 0;
        }
        for (const NodeSpec& node : graph.nodes) {
            seen["sends when finished"] += node.sendsWhenFinished && !node.statements.empty();
            seen["sharer"] += node.sharesIndex.has_value();
            seen["thread launch"] += node.kind == Kind::Coalescing && node.maxPayloads == 1 && node.invocations() == 1;
            seen["coalescing"] += node.kind == Kind::Coalescing && node.maxPayloads > 1;
            seen["implicit grid"] += !node.inputVariable && node.kind == Kind::Dynamic;
            seen["structure input"] += node.structInput;
            seen["quiet recursion"] += node.isQuietAbove;
            seen["shared shader"] += node.twinOf.has_value();
            seen["push constants"] += node.usesPushConstants;
            seen["zeroed workgroup memory"] += node.zeroWorkgroupMemory;
            seen["device address"] += node.usesAddress;
            countHabits(graph, node, seen);
            for (uint32_t i = 0; i < node.outputs.size(); ++i) {
                seen["shared budget"] += node.outputs[i].sharesWith >= 0;
                seen["ignored output"] += node.ignoresOutput(i);
            }
            for (const Statement& statement : node.statements) {
                seen["never enqueued"] += statement.enqueue == Enqueue::Never;
                seen["enqueued later"] += statement.enqueue == Enqueue::Later;
                seen["loop"] += statement.loops > 1;
                seen["invocation scope"] += statement.scope == Scope::Invocation;
                seen["either of two"] += statement.handle == Handle::EitherOf;
                seen["missing nodes asked for"] += statement.guard != Guard::None && !statement.recursive;
            }
        }
        for (const ModuleSpec& module : graph.modules) {
            seen["several entry points"] += module.nodes.size() > 1;
            seen["Vulkan memory model"] += module.vulkanMemoryModel;
            seen["specialization"] += module.specConstants;
        }
        seen["moved push constants"] += graph.pushConstantBytes > 96;
    }
    EXPECT_EQ(seen.size(), 92u);
    for (const auto& [feature, count] : seen)
        EXPECT_GE(count, 3u) << feature;
}

}  // namespace

}  // namespace millrace::random
