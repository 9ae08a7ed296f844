// SPDX-License-Identifier: Apache-2.0
// The random graphs are correct programs, and their results depend on no order.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "compiler/fuse_graph.h"
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
std::vector<compiler::FusionOutcome> fuse(const RandomGraph& graph)
{
    std::vector<compiler::FusableNode> nodes;
    std::vector<graph::Node> linked;
    for (const NodeSpec& node : graph.spec.nodes) {
        const GeneratedModule& module = graph.modules[graph.moduleOfNode[node.id]];
        compiler::Options options{.argumentsOffsetBytes = 128};
        options.entryPoint = node.entry;
        if (node.nameFromApi)
            options.nodeName = node.name;
        if (node.indexFromApi)
            options.shaderIndex = node.index;
        for (const auto& [id, value] : module.specialization) {
            const auto* bytes = reinterpret_cast<const uint8_t*>(&value);
            options.specialization.push_back({id, {bytes, bytes + 4}});
        }
        auto prepared = compiler::prepare(module.words, options);
        if (!prepared) {
            ADD_FAILURE() << "seed " << graph.spec.seed << ": " << prepared.error().text();
            return {};
        }
        linked.push_back(prepared->node);
        nodes.push_back({module.words, std::move(options), std::move(*prepared), node.twinOf.value_or(node.id)});
    }
    auto whole = graph::link(std::move(linked));
    std::vector<compiler::FusionOutcome> outcomes;
    const bool done = whole && compiler::fuseGraph(nodes, std::move(*whole), true, outcomes);
    EXPECT_TRUE(done) << "seed " << graph.spec.seed;
    if (std::getenv("MILLRACE_SHOW_FUSION"))
        for (const compiler::FusionOutcome& outcome : outcomes)
            std::printf("%u %s -> %s: %s\n", static_cast<uint32_t>(graph.spec.seed), outcome.node.c_str(),
                        outcome.output.c_str(), outcome.fused ? "fused" : outcome.why.c_str());
    return outcomes;
}

TEST(RandomGraphs, ManyGraphs_CanBeFused)
{
    uint32_t fused = 0, levelsInOne = 0, inParts = 0;
    constexpr uint32_t kFirst = 1000, kCount = 40;
    for (uint32_t seed = kFirst; seed < kFirst + kCount; ++seed) {
        const std::vector<compiler::FusionOutcome> outcomes = fuse(buildGraph(seed, 0));
        fused += std::ranges::any_of(outcomes, &compiler::FusionOutcome::fused);
        levelsInOne += std::ranges::any_of(outcomes, &compiler::FusionOutcome::levelsInOne);
        inParts += std::ranges::any_of(outcomes, [](const auto& outcome) { return outcome.parts > 1; });
    }
    EXPECT_GE(fused, kCount * 2 / 5);
    EXPECT_GE(levelsInOne, 4u);
    EXPECT_GE(inParts, 2u);
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
            }
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
            seen["written input"] += node.writesInput;
            for (const OutputSpec& output : node.outputs)
                seen["shared budget"] += output.sharesWith >= 0;
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
    EXPECT_EQ(seen.size(), 38u);
    for (const auto& [feature, count] : seen)
        EXPECT_GE(count, 3u) << feature;
}

}  // namespace

}  // namespace millrace::random
