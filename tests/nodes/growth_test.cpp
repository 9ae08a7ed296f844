// SPDX-License-Identifier: Apache-2.0
// What nodes take grows as their number and their code do: counted in bytes that are allocated, not in time.
#include <gtest/gtest.h>

#include "counted_bytes.h"
#include "nodes/fuse_graph.h"
#include "nodes/pass_test.h"
#include "nodes/source_module.h"
#include "spirv/many_entry_points.h"

namespace millrace::nodes {

namespace {

// All that prepare() and lower() make of it, and fusion where there is nothing to fuse.
size_t bytesOfNodes(uint32_t count)
{
    const auto words = spirv::assemble(spirv::test::manyEntryPoints(count));
    EXPECT_TRUE(words) << words.error().text();
    return bytesOf([&] {
        const SourceModule source(*words);
        std::vector<FusableNode> nodes;
        std::vector<graph::Node> declared;
        for (uint32_t n = 0; n < count; ++n) {
            Options options;
            options.request.entryPoint = "node_" + std::to_string(n);
            auto prepared = prepare(source, options);
            ASSERT_TRUE(prepared) << prepared.error().text();
            EXPECT_TRUE(lower(*prepared, options));
            declared.push_back(prepared->node);
            const spirv::SharedWords own = prepared->words;
            nodes.push_back({own, options, std::move(*prepared), n});
        }
        auto graph = graph::link(std::move(declared));
        ASSERT_TRUE(graph) << graph.error().text();
        std::vector<FusionOutcome> outcomes;
        EXPECT_TRUE(fuseGraph(nodes, std::move(*graph), false, outcomes));
    });
}

TEST(Growth, NodesOfOneModule_TakeMemoryAsTheirNumber)
{
    const size_t least = bytesOfNodes(400);
    EXPECT_LT(bytesOfNodes(800), 2.5 * least);
    EXPECT_LT(bytesOfNodes(1600), 5 * least);
}

// Where it is prepared again, nobody reads the others.
TEST(Growth, WordsOfANode_AreItsOwn)
{
    size_t words[2] = {};
    for (const uint32_t count : {2, 100}) {
        const auto all = spirv::assemble(spirv::test::manyEntryPoints(count));
        ASSERT_TRUE(all) << all.error().text();
        Options options;
        options.request.entryPoint = "node_1";
        const auto prepared = prepare(*all, options);
        ASSERT_TRUE(prepared && prepared->words);
        words[count == 100] = prepared->words->size();
        const auto again = prepare(*prepared->words, options);
        ASSERT_TRUE(again) << again.error().text();
        EXPECT_EQ(again->words, nullptr);
        EXPECT_EQ(finish(*lower(*again, options), {}, options).value(),
                  finish(*lower(*prepared, options), {}, options).value());
    }
    EXPECT_EQ(words[0], words[1]);
}

// A node that allocates so many times to one variable, and enqueues what is in it: at once, or where two branches meet
// of which each allocates. So compilers write it for GLSL.
spirv::Words allocations(uint32_t count, bool inBranches)
{
    const auto allocation = [](const std::string& name, const std::string& index) {
        return "%a" + name + " = OpAllocateNodePayloadsAMDX %np_ToRec %u2 %u1 " + index + "\n%v" + name +
               " = OpLoad %ToRec %a" + name + "\nOpStore %var %v" + name + "\n";
    };
    ModuleText module;
    module.body = "%var = OpVariable %fn_ToRec Function\n";
    for (uint32_t i = 0; i < count; ++i) {
        const std::string n = std::to_string(i);
        if (inBranches)
            module.body += "OpSelectionMerge %join" + n + " None\nOpBranchConditional %true %then" + n + " %else" + n +
                           "\n%then" + n + " = OpLabel\n" + allocation("t" + n, "%u0") + "OpBranch %join" + n +
                           "\n%else" + n + " = OpLabel\n" + allocation("e" + n, "%u1") + "OpBranch %join" + n +
                           "\n%join" + n + " = OpLabel\n";
        else
            module.body += allocation(n, "%u0");
        module.body += "OpEnqueueNodePayloadsAMDX %var\n";
    }
    return module.words();
}

TEST(Growth, AllocationsToOneVariable_TakeMemoryAsTheirNumber)
{
    for (const bool inBranches : {false, true}) {
        const auto bytes = [&](uint32_t count) {
            const spirv::Words words = allocations(count, inBranches);
            return bytesOf([&] { EXPECT_TRUE(compile(words, {})); });
        };
        const size_t least = bytes(32);
        EXPECT_LT(bytes(128), 5 * least);
        EXPECT_LT(bytes(512), 20 * least);
    }
}

// A node that adds up or writes so many members of a payload, one by one.
struct Members {
    bool isOutput;
    bool inBranches;
    bool coalescing;
};

spirv::Words membersOf(uint32_t count, const Members& members)
{
    ModuleText module;
    module.interface = "%big %out %wgid %gid %lid %lidx";
    if (members.coalescing)
        module.modes = "OpExecutionMode %main LocalSize 8 1 1\nOpExecutionMode %main CoalescingAMDX";
    module.globals = "%Big = OpTypeStruct";
    module.annotations =
        "OpDecorateId %BigArr NodeMaxPayloadsAMDX %u1\nOpDecorateId %ToBig NodeMaxPayloadsAMDX %u1\n"
        "OpDecorateId %ToBig PayloadNodeNameAMDX %name_target\n";
    std::string constants;
    if (members.isOutput)
        module.body = "%to = OpAllocateNodePayloadsAMDX %np_ToBig %u2 %u1 %u0\n";
    for (uint32_t i = 0; i < count; ++i) {
        const std::string n = std::to_string(i);
        module.globals += " %uint";
        module.annotations += "OpMemberDecorate %Big " + n + " Offset " + std::to_string(4 * i) + "\n";
        constants += "%m" + n + " = OpConstant %uint " + n + "\n";
        if (members.inBranches)
            module.body += "OpSelectionMerge %join" + n + " None\nOpBranchConditional %true %then" + n + " %join" + n +
                           "\n%then" + n + " = OpLabel\n";
        module.body += "%p" + n + " = OpAccessChain %np_uint " + (members.isOutput ? "%to" : "%big") + " %u0 %m" + n +
                       "\nOpStore %p" + n + " %u7\n";
        if (members.inBranches)
            module.body += "OpBranch %join" + n + "\n%join" + n + " = OpLabel\n";
    }
    if (members.isOutput)
        module.body += "OpEnqueueNodePayloadsAMDX %to\n";
    module.globals +=
        "\n%BigArr = OpTypeNodePayloadArrayAMDX %Big\n%ToBig = OpTypeNodePayloadArrayAMDX %Big\n"
        "%np_BigArr = OpTypePointer NodePayloadAMDX %BigArr\n"
        "%np_ToBig = OpTypePointer NodePayloadAMDX %ToBig\n"
        "%big = OpVariable %np_BigArr NodePayloadAMDX\n" +
        constants;
    return module.words();
}

// The validator looks at all members of what a pointer leads to, for each instruction that makes one.
TEST(Growth, MembersOfAPayload_TakeMemoryAsTheirNumber)
{
    Options options;
    options.checks.validate = true;
    for (const Members members :
         {Members{false, false, false}, Members{false, true, false}, Members{true, false, false},
          Members{true, true, false}, Members{false, false, true}, Members{false, true, true}}) {
        const auto bytes = [&](uint32_t count) {
            const spirv::Words words = membersOf(count, members);
            return bytesOf([&] {
                const auto compiled = compile(words, options);
                EXPECT_TRUE(compiled) << compiled.error().text();
            });
        };
        const size_t least = bytes(500);
        EXPECT_LT(bytes(2000), 5 * least) << members.isOutput << members.inBranches << members.coalescing;
        EXPECT_LT(bytes(4000), 10 * least) << members.isOutput << members.inBranches << members.coalescing;
    }
}

}  // namespace

}  // namespace millrace::nodes
