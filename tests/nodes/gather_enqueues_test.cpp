// SPDX-License-Identifier: Apache-2.0
#include "nodes/passes/gather_enqueues.h"

#include <set>

#include "nodes/pass_test.h"
#include "nodes/passes/enqueue_forgotten_payloads.h"
#include "nodes/passes/lower_payloads.h"
#include "nodes/passes/lower_push_constants.h"
#include "nodes/passes/narrow_enqueues.h"
#include "nodes/passes/reflect_node.h"
#include "nodes/passes/reflect_outputs.h"
#include "nodes/passes/wrap_entry_point.h"
#include "spirv/tools.h"

namespace millrace::nodes {

namespace {

class GatherEnqueues : public PassTest {
protected:
    void apply(const ModuleText& module)
    {
        load(module);
        runAll(
            {reflectNode, reflectOutputs, lowerPayloads, enqueueForgottenPayloads, lowerPushConstants, wrapEntryPoint});
        ASSERT_TRUE(narrowEnqueues(shader, {}));
        before = functions();
        ASSERT_TRUE(gatherEnqueues(shader));
        const Status valid = spirv::validate(spirv::write(shader.module));
        EXPECT_TRUE(valid) << valid.error().text();
    }

    void apply(const std::string& body)
    {
        ModuleText module;
        module.body = body;
        apply(module);
    }

    // The function of that name, as text.
    std::string function(const std::string& name) const
    {
        const std::string all = functions();
        const size_t first = all.find("%" + name + " = OpFunction ");
        EXPECT_NE(first, std::string::npos) << all;
        return first == std::string::npos ? "" : all.substr(first, all.find("OpFunctionEnd", first) - first);
    }

    size_t count(const std::string& text) const
    {
        const std::string all = functions();
        size_t found = 0;
        for (size_t at = all.find(text); at != std::string::npos; at = all.find(text, at + 1))
            ++found;
        return found;
    }

    std::string before;
};

constexpr const char* kTwoByWorkgroup = R"(
    %a = OpAllocateNodePayloadsAMDX %np_ToArr %u2 %u1 %u0
    OpEnqueueNodePayloadsAMDX %a
    %b = OpAllocateNodePayloadsAMDX %np_ToRec %u2 %u1 %u0
    OpEnqueueNodePayloadsAMDX %b)";

}  // namespace

TEST_F(GatherEnqueues, TwoPlaces_KeepTheirHandles)
{
    apply(kTwoByWorkgroup);
    EXPECT_TRUE(isSameCode(function("node_main"), R"(
        %node_main = OpFunction %void None %func
        %entry = OpLabel
        %a = OpFunctionCall %v4uint %mr_allocate_workgroup %uint_0 %uint_1 %uint_0
        OpStore %enqueued_handle %a
        %b = OpFunctionCall %v4uint %mr_allocate_workgroup %uint_1 %uint_1 %uint_0
        OpStore %enqueued_handle_0 %b
        OpReturn)"));
    EXPECT_TRUE(isSameCode(function("enqueue_gathered"), R"(
        %enqueue_gathered = OpFunction %void None %func
        %start = OpLabel
        OpBranch %head
        %head = OpLabel
        %i = OpPhi %uint %uint_0 %start %more %next
        OpLoopMerge %after %next DontUnroll
        OpBranch %check
        %check = OpLabel
        %inside = OpULessThan %bool %i %uint_2
        OpBranchConditional %inside %body %after
        %body = OpLabel
        %first = OpLoad %v4uint %enqueued_handle
        %is_second = OpIEqual %bool %i %uint_1
        %second = OpLoad %v4uint %enqueued_handle_0
        %handle = OpSelect %v4uint %is_second %second %first
        %x = OpFunctionCall %void %mr_enqueue_workgroup %handle
        OpBranch %next
        %next = OpLabel
        %more = OpIAdd %uint %i %uint_1
        OpBranch %head
        %after = OpLabel
        OpStore %enqueued_handle %null
        OpStore %enqueued_handle_0 %null
        OpReturn)"));
    const std::string main = function("main");
    EXPECT_LT(main.find("%node_main"), main.find("%enqueue_gathered"));
}

// Tools make names unique, and may look at all that have the same.
TEST_F(GatherEnqueues, ManyPlaces_HaveOneNameAndEachNumberOnce)
{
    constexpr uint32_t kPlaces = 60;
    std::string body;
    for (uint32_t p = 0; p < kPlaces; ++p) {
        const std::string payload = "%a" + std::to_string(p);
        body += payload + " = OpAllocateNodePayloadsAMDX %np_ToArr %u2 %u1 %u0\nOpEnqueueNodePayloadsAMDX " + payload +
                "\n";
    }
    apply(body);
    EXPECT_EQ(count(" = OpSelect "), kPlaces - 1);
    uint32_t names = 0;
    for (const spirv::Instruction& i : shader.module.section(spirv::Section::DebugNames))
        names += i.op == spv::Op::OpName && i.string(1) == "enqueued_handle";
    EXPECT_EQ(names, 1u);
    const spirv::Id uint = shader.module.getIntType(32, false);
    std::multiset<uint32_t> numbers;
    for (const spirv::Instruction& i : shader.module.section(spirv::Section::Globals))
        if (i.op == spv::Op::OpConstant && i.type == uint)
            numbers.insert(i.literal(0));
    for (uint32_t n = 0; n <= kPlaces; ++n)
        EXPECT_EQ(numbers.count(n), 1u) << n;
}

TEST_F(GatherEnqueues, NoModifyOnePlace)
{
    apply(R"(
        %a = OpAllocateNodePayloadsAMDX %np_ToArr %u2 %u1 %u0
        OpEnqueueNodePayloadsAMDX %a)");
    EXPECT_EQ(functions(), before);
}

TEST_F(GatherEnqueues, PlaceInALoop_Stays)
{
    ModuleText module;
    module.body = std::string(kTwoByWorkgroup) + R"(
        OpBranch %again
        %again = OpLabel
        OpLoopMerge %done %next None
        OpBranch %inside
        %inside = OpLabel
        %c = OpAllocateNodePayloadsAMDX %np_ToRec %u2 %u1 %u0
        OpEnqueueNodePayloadsAMDX %c
        %lane = OpLoad %uint %lidx
        %more = OpULessThan %bool %lane %u0
        OpBranchConditional %more %next %done
        %next = OpLabel
        OpBranch %again
        %done = OpLabel)";
    apply(module);
    EXPECT_NE(function("node_main").find("%mr_enqueue_workgroup "), std::string::npos) << functions();
    EXPECT_EQ(count("%mr_enqueue_workgroup "), 2u) << "that one, and the gathered ones";
}

// Allocated by invocations and by the workgroup: the handle says it.
TEST_F(GatherEnqueues, DifferentScopes)
{
    apply(R"(
        %a = OpAllocateNodePayloadsAMDX %np_ToArr %u4 %u1 %u0
        OpEnqueueNodePayloadsAMDX %a
        %b = OpAllocateNodePayloadsAMDX %np_ToRec %u2 %u1 %u0
        OpEnqueueNodePayloadsAMDX %b)");
    EXPECT_EQ(count("%mr_enqueue "), 1u) << functions();
    EXPECT_EQ(count("%mr_enqueue_"), 0u) << functions();
}

TEST_F(GatherEnqueues, ForgottenPayloads_AreAmongThem)
{
    apply(R"(
        %a = OpAllocateNodePayloadsAMDX %np_ToArr %u2 %u1 %u0
        %b = OpAllocateNodePayloadsAMDX %np_ToRec %u2 %u1 %u0)");
    EXPECT_EQ(count("%mr_enqueue_workgroup "), 1u) << functions();
    EXPECT_EQ(count("OpLoad %v4uint %pending_handle"), 4u) << "what wrapEntryPoint loaded is not used any more";
    EXPECT_EQ(function("enqueue_gathered").find("OpStore"), std::string::npos) << "each workgroup begins with none";
}

// A function that is called twice has room for one handle.
TEST_F(GatherEnqueues, PlaceInARepeatedFunction_Stays)
{
    ModuleText module;
    module.body = std::string(kTwoByWorkgroup) + R"(
        %x = OpFunctionCall %void %send
        %y = OpFunctionCall %void %send)";
    module.functions = R"(
        %send = OpFunction %void None %func
        %s = OpLabel
        %c = OpAllocateNodePayloadsAMDX %np_ToRec %u2 %u1 %u0
        OpEnqueueNodePayloadsAMDX %c
        OpReturn
        OpFunctionEnd)";
    apply(module);
    EXPECT_EQ(count("%mr_enqueue_workgroup "), 2u) << functions();
}

}  // namespace millrace::nodes
