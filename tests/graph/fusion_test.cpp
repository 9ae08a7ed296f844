// SPDX-License-Identifier: Apache-2.0
#include "graph/fusion.h"

#include <gmock/gmock.h>

#include "build_nodes.h"

namespace millrace::graph {
namespace {

// To nodes of this name, with invocation scope.
NodeOutput kept(std::string name)
{
    NodeOutput output = outputTo(std::move(name));
    output.perInvocation = true;
    output.constantIndex = 0;
    return output;
}

NodeOutput keptArray(std::string name, uint32_t size)
{
    NodeOutput output = arrayTo(std::move(name), size);
    output.perInvocation = true;
    return output;
}

Node packed(std::string name, uint32_t index)
{
    Node node = makePacked(std::move(name));
    node.declared.id.index = index;
    return node;
}

// Why the first output that allocates payloads is not fused; "" if it is.
std::string obstacle(std::vector<Node> nodes)
{
    const FusionPlan plan = planFusion(linkValid(std::move(nodes)));
    EXPECT_EQ(plan.fusions.size() + plan.others.size(), 1u);
    return plan.others.empty() ? "" : plan.others.front().why;
}

TEST(Fusion, OneConsumer)
{
    const Graph graph = linkValid({makeEntry("a", {kept("b")}), makePacked("b")});
    const FusionPlan plan = planFusion(graph);
    ASSERT_EQ(plan.fusions.size(), 1u);
    EXPECT_TRUE(plan.others.empty());
    EXPECT_EQ(plan.fusions[0].node, 0u);
    EXPECT_EQ(plan.fusions[0].output, 0u);
    ASSERT_EQ(plan.fusions[0].targets.size(), 1u);
    EXPECT_EQ(plan.fusions[0].targets[0].index, 0u);
    EXPECT_EQ(plan.fusions[0].targets[0].node, 1u);
}

TEST(Fusion, ArraysWithGaps)
{
    NodeOutput output = keptArray("b", 6);
    output.sparse = true;
    const Graph graph = linkValid({makeEntry("a", {output}), packed("b", 5), packed("b", 1), packed("b", 2)});
    const FusionPlan plan = planFusion(graph);
    ASSERT_EQ(plan.fusions.size(), 1u);
    std::vector<std::pair<uint32_t, uint32_t>> targets;
    for (const FusionTarget& target : plan.fusions[0].targets)
        targets.emplace_back(target.index, target.node);
    EXPECT_EQ(targets, (std::vector<std::pair<uint32_t, uint32_t>>{{1, 2}, {2, 3}, {5, 1}}));
}

TEST(Fusion, BaseIndex_IsIncluded)
{
    NodeOutput output = keptArray("b", 4);
    output.baseIndex = 2;
    output.sparse = true;
    const Graph graph = linkValid({makeEntry("a", {output}), packed("b", 2), packed("b", 3)});
    const FusionPlan plan = planFusion(graph);
    ASSERT_EQ(plan.fusions.size(), 1u);
    ASSERT_EQ(plan.fusions[0].targets.size(), 2u);
    EXPECT_EQ(plan.fusions[0].targets[0].index, 2u);
    EXPECT_EQ(plan.fusions[0].targets[1].index, 3u);
}

TEST(Fusion, ApiEntries_AreConsumersToo)
{
    Node b = makePacked("b");
    b.declared.apiEntry = true;
    EXPECT_EQ(obstacle({makeEntry("a", {kept("b")}), b}), "");
}

TEST(Fusion, OutputsThatAreOnlyQueried_DoNotMatter)
{
    NodeOutput query = kept("b");
    query.allocationSites = 0;
    const FusionPlan plan =
        planFusion(linkValid({makeEntry("a", {query}), makeEntry("c", {kept("b")}), makePacked("b")}));
    EXPECT_EQ(plan.fusions.size(), 1u);
    EXPECT_TRUE(plan.others.empty());
}

TEST(Fusion, ConsumersThatSend_ComeLater)
{
    std::vector<Node> nodes = {makeEntry("a", {kept("b")}), makePacked("b", {kept("c")}), makePacked("c")};
    FusionPlan plan = planFusion(linkValid(nodes));
    ASSERT_EQ(plan.fusions.size(), 1u);
    EXPECT_EQ(plan.fusions[0].node, 1u);
    ASSERT_EQ(plan.others.size(), 1u);
    EXPECT_EQ(plan.others[0].why, "'b'[0] sends payloads itself");
    nodes[1].declared.outputs.clear();
    plan = planFusion(linkValid(nodes));
    ASSERT_EQ(plan.fusions.size(), 1u);
    EXPECT_EQ(plan.fusions[0].node, 0u);
}

TEST(Fusion, RecursiveProducers)
{
    Node a = makeEntry("a", {kept("a"), kept("b")});
    a.declared.maxRecursion = 3;
    const FusionPlan plan = planFusion(linkValid({a, makePacked("b")}));
    ASSERT_EQ(plan.fusions.size(), 1u);
    EXPECT_EQ(plan.fusions[0].output, 1u);
    EXPECT_EQ(plan.others.size(), 1u);
}

TEST(Fusion, ProducersOfOtherKinds)
{
    NodeOutput workgroup = kept("b");
    workgroup.perInvocation = false;
    EXPECT_EQ(obstacle({makeEntry("a", {workgroup}), makePacked("b")}), "payloads are allocated by workgroups");

    NodeOutput twice = kept("b");
    twice.allocationSites = 2;
    EXPECT_EQ(obstacle({makeEntry("a", {twice}), makePacked("b")}), "");

    NodeOutput loop = kept("b");
    loop.allocatesInLoop = true;
    EXPECT_EQ(obstacle({makeEntry("a", {loop}), makePacked("b")}), "");

    EXPECT_EQ(obstacle({makeEntry("a", {kept("missing")})}), "there is nobody to receive payloads");

    Node library = makeEntry("a", {kept("b")});
    library.decided.anyGraph = true;
    EXPECT_EQ(obstacle({library, makePacked("b")}), "the producer is part of a pipeline library");
}

TEST(Fusion, TrackedPayloads)
{
    NodeOutput tracked = kept("b");
    tracked.tracksFinishWriting = true;
    Node b = makePacked("b");
    EXPECT_EQ(obstacle({makeEntry("a", {tracked}), b}), "payloads track finishing");
}

TEST(Fusion, SharedLimits)
{
    Node a = makeEntry("a", {kept("b"), kept("c")});
    a.declared.outputs[1].budgetPool = 0;
    const FusionPlan plan = planFusion(linkValid({a, makePacked("b"), makePacked("c")}));
    EXPECT_TRUE(plan.fusions.empty());
    ASSERT_EQ(plan.others.size(), 2u);
    for (const UnfusedOutput& other : plan.others)
        EXPECT_EQ(other.why, "the output shares its limit with another one");
}

TEST(Fusion, ConsumersOfOtherKinds)
{
    const Node a = makeEntry("a", {kept("b")});
    EXPECT_EQ(obstacle({a, makeNode("b")}), "'b'[0] is no coalescing node that works on each payload by itself");
    EXPECT_EQ(obstacle({a, makeCoalescing("b", 8)}),
              "'b'[0] is no coalescing node that works on each payload by itself");

    Node library = makePacked("b");
    library.decided.anyGraph = true;
    EXPECT_EQ(obstacle({a, library}), "'b'[0] is part of a pipeline library");

    Node recursive = makePacked("b");
    recursive.declared.maxRecursion = 1;
    EXPECT_EQ(obstacle({a, recursive}), "'b'[0] is recursive");

    Node writes = makePacked("b");
    writes.declared.writesInput = true;
    EXPECT_EQ(obstacle({a, writes}), "'b'[0] writes to its payload");

    EXPECT_EQ(obstacle({a, makePacked("b"), sharing(makeNode("s"), {"b", 0})}),
              "'b'[0] shares its input with other nodes");
}

// One member of an array stands for all of them.
// A static node of 8 invocations that sends `budget` payloads at most.
Node workgroups(std::string name, std::vector<NodeOutput> outputs, uint32_t width = 8)
{
    Node node = makeEntry(std::move(name), std::move(outputs));
    node.declared.localSize[0] = width;
    return node;
}

NodeOutput sentByWorkgroup(uint32_t budget)
{
    NodeOutput output = kept("b");
    output.perInvocation = false;
    output.budget = budget;
    return output;
}

TEST(Fusion, WorkgroupsOfOneShape)
{
    for (const bool perInvocation : {false, true}) {
        NodeOutput output = sentByWorkgroup(4);
        output.perInvocation = perInvocation;
        Node consumer = workgroups("b", {});
        consumer.declared.staticGrid[1] = 2;
        const FusionPlan plan = planFusion(linkValid({workgroups("a", {output}), consumer}));
        ASSERT_EQ(plan.fusions.size(), 1u);
        EXPECT_TRUE(plan.fusions[0].byWorkgroup);
    }
    EXPECT_FALSE(planFusion(linkValid({makeEntry("a", {kept("b")}), makePacked("b")})).fusions[0].byWorkgroup);
}

TEST(Fusion, WorkgroupsOfOtherShapes)
{
    EXPECT_THAT(obstacle({workgroups("a", {sentByWorkgroup(1)}), workgroups("b", {}, 16)}),
                testing::HasSubstr("'b'[0] has workgroups of another shape"));
    Node tall = workgroups("b", {}, 4);
    tall.declared.localSize[1] = 2;
    EXPECT_THAT(obstacle({workgroups("a", {sentByWorkgroup(1)}), tall}), testing::HasSubstr("another shape"));
    // A single invocation is no workgroup to share memory with.
    EXPECT_THAT(obstacle({makeEntry("a", {sentByWorkgroup(1)}), makeEntry("b")}),
                testing::HasSubstr("is no coalescing node"));
}

TEST(Fusion, WorkgroupsThatSendAgain)
{
    NodeOutput twice = sentByWorkgroup(1);
    twice.allocationSites = 2;
    EXPECT_EQ(obstacle({workgroups("a", {twice}), workgroups("b", {})}), "payloads are allocated more than once");
}

TEST(Fusion, ManyWorkgroups_StaySideBySide)
{
    EXPECT_EQ(obstacle({workgroups("a", {sentByWorkgroup(8)}), workgroups("b", {})}), "");
    EXPECT_THAT(obstacle({workgroups("a", {sentByWorkgroup(9)}), workgroups("b", {})}),
                testing::HasSubstr("may send to 9 workgroups of 'b'[0]"));
    Node wide = workgroups("b", {});
    wide.declared.staticGrid[0] = 3;
    EXPECT_THAT(obstacle({workgroups("a", {sentByWorkgroup(3)}), wide}), testing::HasSubstr("9 workgroups"));
}

TEST(Fusion, RecursionOfWorkgroups)
{
    NodeOutput again = sentByWorkgroup(2);
    again.targetName = "a";
    Node node = workgroups("a", {again});
    node.declared.maxRecursion = 3;
    const auto plan = planLastLevels(linkValid({node}));
    ASSERT_EQ(plan.size(), 1u);
    EXPECT_TRUE(plan[0].byWorkgroup);
    EXPECT_EQ(plan[0].why, "");
}

TEST(Fusion, OneMemberThatCannot)
{
    Node other = makeCoalescing("b", 8);
    other.declared.id.index = 1;
    EXPECT_EQ(obstacle({makeEntry("a", {keptArray("b", 2)}), packed("b", 0), other}),
              "'b'[1] is no coalescing node that works on each payload by itself");
}

TEST(Fusion, SeveralProducers)
{
    FusionPlan plan =
        planFusion(linkValid({makeEntry("a", {kept("c")}), makeEntry("b", {kept("c")}), makePacked("c")}));
    ASSERT_EQ(plan.fusions.size(), 2u);
    EXPECT_TRUE(plan.fusions[0].targets[0].isShared && plan.fusions[1].targets[0].isShared);
    // Two outputs of one node are two.
    plan = planFusion(linkValid({makeEntry("a", {kept("c"), kept("c")}), makePacked("c")}));
    ASSERT_EQ(plan.fusions.size(), 2u);
    EXPECT_TRUE(plan.fusions[0].targets[0].isShared);
    plan = planFusion(linkValid({makeEntry("a", {kept("c")}), makePacked("c")}));
    EXPECT_FALSE(plan.fusions[0].targets[0].isShared);
}

TEST(Fusion, EachOutputByItself)
{
    const FusionPlan plan = planFusion(linkValid(
        {makeEntry("a", {kept("b"), kept("c"), kept("d")}), makePacked("b"), makeNode("c"), makePacked("d")}));
    ASSERT_EQ(plan.fusions.size(), 2u);
    EXPECT_EQ(plan.fusions[0].output, 0u);
    EXPECT_EQ(plan.fusions[1].output, 2u);
    ASSERT_EQ(plan.others.size(), 1u);
    EXPECT_EQ(plan.others[0].output, 1u);
}

}  // namespace
}  // namespace millrace::graph
