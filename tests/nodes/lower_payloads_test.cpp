// SPDX-License-Identifier: Apache-2.0
#include "nodes/passes/lower_payloads.h"

#include "nodes/pass_test.h"
#include "nodes/passes/reflect_node.h"
#include "nodes/passes/reflect_outputs.h"
#include "nodes/passes/split_payload_copies.h"

namespace millrace::nodes {

namespace {

class LowerPayloads : public PassTest {
protected:
    void lower(const ModuleText& module)
    {
        load(module);
        run(reflectNode);
        run(splitPayloadCopies);
        run(reflectOutputs);
        run(lowerPayloads);
    }

    // Lowers a module with this body and compares the new body.
    void expect(const std::string& before, const std::string& after) { expect(ModuleText(), before, after); }
    void expectCoalescing(const std::string& before, const std::string& after)
    {
        ModuleText module;
        module.modes = "OpExecutionMode %main LocalSize 8 1 1\nOpExecutionMode %main CoalescingAMDX";
        expect(std::move(module), before, after);
    }

    void expect(ModuleText module, const std::string& before, const std::string& after)
    {
        module.body = before;
        lower(module);
        EXPECT_TRUE(isSameCode(functions(), "%main = OpFunction %void None %func\n%entry = OpLabel\n" + after +
                                                "\nOpReturn\nOpFunctionEnd\n"));
    }

    std::string failure(const std::string& before)
    {
        ModuleText module;
        module.body = before;
        load(module);
        run(reflectNode);
        run(reflectOutputs);
        return runAndFail(lowerPayloads);
    }
};

}  // namespace

TEST_F(LowerPayloads, NoModifyWithoutPayloads)
{
    const char* body = R"(
        %p = OpAccessChain %sb_uint %out %u0 %u1
        OpStore %p %u2)";
    expect(body, R"(
        %p = OpAccessChain %_ptr_StorageBuffer_uint %out %uint_0 %uint_1
        OpStore %p %uint_2)");
}

TEST_F(LowerPayloads, RemovesEverythingOfTheExtension)
{
    expect("", "");
    EXPECT_EQ(text().find("AMDX"), std::string::npos) << text();
    EXPECT_TRUE(has("OpMemoryModel PhysicalStorageBuffer64 GLSL450"));
    EXPECT_TRUE(has("OpCapability PhysicalStorageBufferAddresses"));
    EXPECT_TRUE(has("OpCapability Int64"));
    EXPECT_TRUE(has("OpEntryPoint GLCompute %main \"main\" %out %wgid %gid %lid %lidx"));
}

TEST_F(LowerPayloads, InputMember_LoadsFromAddress)
{
    expect(R"(
        %p = OpAccessChain %np_uint %input %u0 %u1
        %v = OpLoad %uint %p)",
           R"(
        %address = OpFunctionCall %ulong %mr_input_element %uint_0
        %payload = OpConvertUToPtr %_ptr_PhysicalStorageBuffer_Rec %address
        %p = OpAccessChain %_ptr_PhysicalStorageBuffer_uint %payload %uint_1
        %v = OpLoad %uint %p Aligned 4)");
}

TEST_F(LowerPayloads, WholePayload_IsOneConversion)
{
    expect(R"(
        %p = OpInBoundsAccessChain %np_Rec %input %u0
        %v = OpLoad %Rec %p
        %q = OpAccessChain %np_uint %p %u1
        OpStore %q %u7)",
           R"(
        %address = OpFunctionCall %ulong %mr_input_element %uint_0
        %p = OpConvertUToPtr %_ptr_PhysicalStorageBuffer_Rec %address
        %v = OpLoad %Rec %p Aligned 8
        %q = OpAccessChain %_ptr_PhysicalStorageBuffer_uint %p %uint_1
        OpStore %q %uint_7 Aligned 4)");
}

// The input of a coalescing node may be several, of which blocks ask for those that they need.
TEST_F(LowerPayloads, OneElementInABlock_IsAskedForOnce)
{
    const char* before = R"(
        %a = OpAllocateNodePayloadsAMDX %np_ToArr %u2 %u3 %u1
        %p = OpAccessChain %np_uint %input %u2 %u1
        %q = OpAccessChain %np_uint %input %u2 %u0
        %r = OpAccessChain %np_uint %input %u3 %u0
        %s = OpAccessChain %np_uint %a %u2 %u1
        %t = OpAccessChain %np_uint %a %u2 %u1
        OpBranch %next
        %next = OpLabel
        %u = OpAccessChain %np_uint %input %u2 %u1)";
    expectCoalescing(before, R"(
        %a = OpFunctionCall %v4uint %mr_allocate_workgroup %uint_0 %uint_3 %uint_1
        %a2 = OpFunctionCall %ulong %mr_input_element %uint_2
        %p2 = OpConvertUToPtr %_ptr_PhysicalStorageBuffer_Rec %a2
        %p = OpAccessChain %_ptr_PhysicalStorageBuffer_uint %p2 %uint_1
        %q = OpAccessChain %_ptr_PhysicalStorageBuffer_uint %p2 %uint_0
        %a3 = OpFunctionCall %ulong %mr_input_element %uint_3
        %p3 = OpConvertUToPtr %_ptr_PhysicalStorageBuffer_Rec %a3
        %r = OpAccessChain %_ptr_PhysicalStorageBuffer_uint %p3 %uint_0
        %ao = OpFunctionCall %ulong %mr_output_element %a %uint_2
        %po = OpConvertUToPtr %_ptr_PhysicalStorageBuffer_Grid %ao
        %s = OpAccessChain %_ptr_PhysicalStorageBuffer_uint %po %uint_1
        %t = OpAccessChain %_ptr_PhysicalStorageBuffer_uint %po %uint_1
        OpBranch %next
        %next = OpLabel
        %a4 = OpFunctionCall %ulong %mr_input_element %uint_2
        %p4 = OpConvertUToPtr %_ptr_PhysicalStorageBuffer_Rec %a4
        %u = OpAccessChain %_ptr_PhysicalStorageBuffer_uint %p4 %uint_1)");
}

// With few blocks each asks by itself, as in the test above.
TEST_F(LowerPayloads, OneElementInManyBlocks_IsAskedForBehindItsArray)
{
    const auto blocks = [](const std::string& block) {
        std::string text;
        for (uint32_t b = 0; b < 17; ++b) {
            const std::string n = std::to_string(b);
            text += "OpBranch %b" + n + "\n%b" + n + " = OpLabel\n";
            for (const char c : block)
                text += c == '#' ? n : std::string(1, c);
        }
        return text;
    };
    // An output, and what is chosen of two. The index of the last is known where it is used.
    expectCoalescing(R"(
        %i = OpLoad %uint %lidx
        %a = OpAllocateNodePayloadsAMDX %np_ToArr %u2 %u3 %u1
        %c = OpAllocateNodePayloadsAMDX %np_ToArr %u2 %u3 %u1
        OpBranch %join
        %join = OpLabel
        %d = OpPhi %np_ToArr %a %entry
        %f = OpPhi %np_ToArr %c %entry
)" + blocks(R"(
        %p# = OpAccessChain %np_uint %input %u2 %u1
        %q# = OpAccessChain %np_uint %a %u2 %u1
        %r# = OpAccessChain %np_uint %d %u1 %u1
        %s# = OpAccessChain %np_uint %a %i %u1
)"),
                     R"(
        %ai = OpFunctionCall %ulong %mr_input_element %uint_2
        %pi = OpConvertUToPtr %_ptr_PhysicalStorageBuffer_Rec %ai
        %i = OpLoad %uint %lidx
        %a = OpFunctionCall %v4uint %mr_allocate_workgroup %uint_0 %uint_3 %uint_1
        %ao = OpFunctionCall %ulong %mr_output_element %a %uint_2
        %po = OpConvertUToPtr %_ptr_PhysicalStorageBuffer_Grid %ao
        %c = OpFunctionCall %v4uint %mr_allocate_workgroup %uint_0 %uint_3 %uint_1
        OpBranch %join
        %join = OpLabel
        %d = OpPhi %v4uint %a %entry
        %f = OpPhi %v4uint %c %entry
        %ad = OpFunctionCall %ulong %mr_output_element %d %uint_1
        %pd = OpConvertUToPtr %_ptr_PhysicalStorageBuffer_Grid %ad
)" + blocks(R"(
        %p# = OpAccessChain %_ptr_PhysicalStorageBuffer_uint %pi %uint_1
        %q# = OpAccessChain %_ptr_PhysicalStorageBuffer_uint %po %uint_1
        %r# = OpAccessChain %_ptr_PhysicalStorageBuffer_uint %pd %uint_1
        %as# = OpFunctionCall %ulong %mr_output_element %a %i
        %ps# = OpConvertUToPtr %_ptr_PhysicalStorageBuffer_Grid %as#
        %s# = OpAccessChain %_ptr_PhysicalStorageBuffer_uint %ps# %uint_1
)"));
}

// Other nodes have one input, whatever the index is.
TEST_F(LowerPayloads, OnlyInput_IsAskedForAtTheStart)
{
    expect(R"(
        %var = OpVariable %fn_uint Function
        OpBranch %next
        %next = OpLabel
        %p = OpAccessChain %np_uint %input %u0 %u1
        OpBranch %last
        %last = OpLabel
        %q = OpAccessChain %np_uint %input %u0 %u0)",
           R"(
        %var = OpVariable %_ptr_Function_uint Function
        %a = OpFunctionCall %ulong %mr_input_element %uint_0
        %payload = OpConvertUToPtr %_ptr_PhysicalStorageBuffer_Rec %a
        OpBranch %next
        %next = OpLabel
        %p = OpAccessChain %_ptr_PhysicalStorageBuffer_uint %payload %uint_1
        OpBranch %last
        %last = OpLabel
        %q = OpAccessChain %_ptr_PhysicalStorageBuffer_uint %payload %uint_0)");
}

TEST_F(LowerPayloads, AllocateAndEnqueue_AreCalls)
{
    expect(R"(
        %a = OpAllocateNodePayloadsAMDX %np_ToArr %u2 %u3 %u1
        %p = OpAccessChain %np_uint %a %u2 %u1
        OpStore %p %u5
        OpEnqueueNodePayloadsAMDX %a
        %b = OpAllocateNodePayloadsAMDX %np_ToRec %u4 %u1 %u0
        OpEnqueueNodePayloadsAMDX %b)",
           R"(
        %a = OpFunctionCall %v4uint %mr_allocate_workgroup %uint_0 %uint_3 %uint_1
        %address = OpFunctionCall %ulong %mr_output_element %a %uint_2
        %payload = OpConvertUToPtr %_ptr_PhysicalStorageBuffer_Grid %address
        %p = OpAccessChain %_ptr_PhysicalStorageBuffer_uint %payload %uint_1
        OpStore %p %uint_5 Aligned 4
        %1 = OpFunctionCall %void %mr_enqueue %a
        %b = OpFunctionCall %v4uint %mr_allocate_invocation %uint_1 %uint_1 %uint_0
        %2 = OpFunctionCall %void %mr_enqueue %b)");
}

TEST_F(LowerPayloads, ArrayInFunctionVariable_IsAHandle)
{
    expect(R"(
        %var = OpVariable %fn_ToArr Function
        %a = OpAllocateNodePayloadsAMDX %np_ToArr %u2 %u1 %u0
        %v = OpLoad %ToArr %a
        OpStore %var %v
        %p = OpAccessChain %fn_uint %var %u0 %u1
        OpStore %p %u5
        %n = OpNodePayloadArrayLengthAMDX %uint %var
        OpEnqueueNodePayloadsAMDX %var)",
           R"(
        %var = OpVariable %_ptr_Function_v4uint Function
        %a = OpFunctionCall %v4uint %mr_allocate_workgroup %uint_0 %uint_1 %uint_0
        %v = OpCopyObject %v4uint %a
        OpStore %var %v
        %handle = OpLoad %v4uint %var
        %address = OpFunctionCall %ulong %mr_output_element %handle %uint_0
        %payload = OpConvertUToPtr %_ptr_PhysicalStorageBuffer_Grid %address
        %p = OpAccessChain %_ptr_PhysicalStorageBuffer_uint %payload %uint_1
        OpStore %p %uint_5 Aligned 4
        %h2 = OpLoad %v4uint %var
        %n = OpFunctionCall %uint %mr_array_length %h2
        %h3 = OpLoad %v4uint %var
        %1 = OpFunctionCall %void %mr_enqueue %h3)");
}

TEST_F(LowerPayloads, InputCopiedToVariable_StaysTheInput)
{
    expect(R"(
        %var = OpVariable %fn_InArr Function
        %v = OpLoad %InArr %input
        OpStore %var %v
        %p = OpAccessChain %fn_Rec %var %u1
        %q = OpAccessChain %fn_uint %p %u0
        %x = OpLoad %uint %q
        %n = OpNodePayloadArrayLengthAMDX %uint %var)",
           R"(
        %var = OpVariable %_ptr_Function_v4uint Function
        %input_handle = OpFunctionCall %v4uint %mr_input_handle
        %v = OpCopyObject %v4uint %input_handle
        OpStore %var %v
        %address = OpFunctionCall %ulong %mr_input_element %uint_1
        %p = OpConvertUToPtr %_ptr_PhysicalStorageBuffer_Rec %address
        %q = OpAccessChain %_ptr_PhysicalStorageBuffer_uint %p %uint_0
        %x = OpLoad %uint %q Aligned 8
        %n = OpFunctionCall %uint %mr_input_count)");
}

TEST_F(LowerPayloads, InputOrOutput_IsAskedOfTheHandle)
{
    ModuleText module;
    // Both of one type: only the handle knows.
    module.globals = "%np_var = OpVariable %np_ToRec NodePayloadAMDX";
    module.interface = "%np_var %out %lidx";
    module.body = R"(
        %i = OpLoad %uint %lidx
        %c = OpIEqual %bool %i %u0
        %a = OpAllocateNodePayloadsAMDX %np_ToRec %u2 %u1 %u0
        OpSelectionMerge %join None
        OpBranchConditional %c %then %join
        %then = OpLabel
        OpBranch %join
        %join = OpLabel
        %h = OpPhi %np_ToRec %a %entry %np_var %then
        %p = OpAccessChain %np_uint %h %u0 %u1
        OpStore %p %u5)";
    lower(module);
    EXPECT_TRUE(isSameCode(functions(), R"(
        %main = OpFunction %void None %func
        %entry = OpLabel
        %input = OpFunctionCall %v4uint %mr_input_handle
        %i = OpLoad %uint %lidx
        %c = OpIEqual %bool %i %uint_0
        %a = OpFunctionCall %v4uint %mr_allocate_workgroup %uint_0 %uint_1 %uint_0
        OpSelectionMerge %join None
        OpBranchConditional %c %then %join
        %then = OpLabel
        OpBranch %join
        %join = OpLabel
        %h = OpPhi %v4uint %a %entry %input %then
        %address = OpFunctionCall %ulong %mr_element %h %uint_0
        %payload = OpConvertUToPtr %_ptr_PhysicalStorageBuffer_Rec %address
        %p = OpAccessChain %_ptr_PhysicalStorageBuffer_uint %payload %uint_1
        OpStore %p %uint_5 Aligned 4
        OpReturn
        OpFunctionEnd)"));
}

TEST_F(LowerPayloads, ArrayOfHandles_IsWalkedToTheHandle)
{
    ModuleText module;
    module.globals = R"(
        %Handles = OpTypeArray %ToArr %u2
        %Box = OpTypeStruct %uint %Handles
        %fn_Box = OpTypePointer Function %Box)";
    module.names = "OpName %Box \"Box\"";
    module.body = R"(
        %box = OpVariable %fn_Box Function
        %a = OpAllocateNodePayloadsAMDX %np_ToArr %u2 %u1 %u0
        %v = OpLoad %ToArr %a
        %slot = OpAccessChain %fn_ToArr %box %u1 %u1
        OpStore %slot %v
        %p = OpAccessChain %fn_uint %box %u1 %u1 %u0 %u1
        OpStore %p %u5)";
    lower(module);
    EXPECT_TRUE(isSameCode(functions(), R"(
        %main = OpFunction %void None %func
        %entry = OpLabel
        %box = OpVariable %_ptr_Function_Box Function
        %a = OpFunctionCall %v4uint %mr_allocate_workgroup %uint_0 %uint_1 %uint_0
        %v = OpCopyObject %v4uint %a
        %slot = OpAccessChain %_ptr_Function_v4uint %box %uint_1 %uint_1
        OpStore %slot %v
        %from = OpAccessChain %_ptr_Function_v4uint %box %uint_1 %uint_1
        %handle = OpLoad %v4uint %from
        %address = OpFunctionCall %ulong %mr_output_element %handle %uint_0
        %payload = OpConvertUToPtr %_ptr_PhysicalStorageBuffer_Grid %address
        %p = OpAccessChain %_ptr_PhysicalStorageBuffer_uint %payload %uint_1
        OpStore %p %uint_5 Aligned 4
        OpReturn
        OpFunctionEnd)"));
}

TEST_F(LowerPayloads, UndefAndNullHandles_AreValues)
{
    ModuleText module;
    module.globals = "%null = OpConstantNull %ToArr\n%undef = OpUndef %ToArr";
    module.body = R"(
        %var = OpVariable %fn_ToArr Function %null
        %local = OpUndef %ToArr
        %c = OpCopyObject %ToArr %undef
        OpStore %var %c)";
    lower(module);
    EXPECT_TRUE(isSameCode(functions(), R"(
        %main = OpFunction %void None %func
        %entry = OpLabel
        %var = OpVariable %_ptr_Function_v4uint Function %null
        %local = OpUndef %v4uint
        %c = OpCopyObject %v4uint %undef
        OpStore %var %c
        OpReturn
        OpFunctionEnd)"));
}

TEST_F(LowerPayloads, CopyMemoryBetweenHandleVariables_Copies)
{
    expect(R"(
        %x = OpVariable %fn_ToArr Function
        %y = OpVariable %fn_ToArr Function
        %a = OpAllocateNodePayloadsAMDX %np_ToArr %u2 %u1 %u0
        OpCopyMemory %x %a
        OpCopyMemory %y %x
        OpEnqueueNodePayloadsAMDX %y)",
           R"(
        %x = OpVariable %_ptr_Function_v4uint Function
        %y = OpVariable %_ptr_Function_v4uint Function
        %a = OpFunctionCall %v4uint %mr_allocate_workgroup %uint_0 %uint_1 %uint_0
        %v = OpCopyObject %v4uint %a
        OpStore %x %v
        %w = OpLoad %v4uint %x
        OpStore %y %w
        %h = OpLoad %v4uint %y
        %1 = OpFunctionCall %void %mr_enqueue %h)");
}

TEST_F(LowerPayloads, Atomics_WorkOnPayloads)
{
    expect(R"(
        %p = OpAccessChain %np_uint %input %u0 %u1
        %old = OpAtomicIAdd %uint %p %u1 %u0 %u5)",
           R"(
        %address = OpFunctionCall %ulong %mr_input_element %uint_0
        %payload = OpConvertUToPtr %_ptr_PhysicalStorageBuffer_Rec %address
        %p = OpAccessChain %_ptr_PhysicalStorageBuffer_uint %payload %uint_1
        %old = OpAtomicIAdd %uint %p %uint_1 %uint_0 %uint_5)");
}

TEST_F(LowerPayloads, SignedIndices_AreConverted)
{
    ModuleText module;
    module.globals = "%i2 = OpConstant %int 2\n%long = OpTypeInt 64 1\n%l1 = OpConstant %long 1";
    module.capabilities = "OpCapability Int64";
    module.body = R"(
        %a = OpAllocateNodePayloadsAMDX %np_ToRec %u2 %i2 %i2
        %p = OpAccessChain %np_uint %a %l1 %u1
        OpStore %p %u5)";
    lower(module);
    EXPECT_TRUE(isSameCode(functions(), R"(
        %main = OpFunction %void None %func
        %entry = OpLabel
        %count = OpBitcast %uint %int_2
        %index = OpBitcast %uint %int_2
        %a = OpFunctionCall %v4uint %mr_allocate_workgroup %uint_0 %count %index
        %narrow = OpSConvert %int %long_1
        %element = OpBitcast %uint %narrow
        %address = OpFunctionCall %ulong %mr_output_element %a %element
        %payload = OpConvertUToPtr %_ptr_PhysicalStorageBuffer_Rec %address
        %p = OpAccessChain %_ptr_PhysicalStorageBuffer_uint %payload %uint_1
        OpStore %p %uint_5 Aligned 4
        OpReturn
        OpFunctionEnd)"));
}

TEST_F(LowerPayloads, BaseIndex_IsAdded)
{
    ModuleText module;
    module.annotations =
        "OpDecorateId %ToRec PayloadNodeBaseIndexAMDX %u3\nOpDecorate %ToRec PayloadNodeSparseArrayAMDX";
    module.body = R"(
        %i = OpLoad %uint %lidx
        %ok = OpIsNodePayloadValidAMDX %bool %ToRec %i
        %a = OpAllocateNodePayloadsAMDX %np_ToRec %u4 %u1 %i)";
    lower(module);
    EXPECT_TRUE(isSameCode(functions(), R"(
        %main = OpFunction %void None %func
        %entry = OpLabel
        %i = OpLoad %uint %lidx
        %sum = OpIAdd %uint %i %uint_3
        %ok = OpFunctionCall %bool %mr_is_valid %uint_0 %sum
        %sum2 = OpIAdd %uint %i %uint_3
        %a = OpFunctionCall %v4uint %mr_allocate_invocation %uint_0 %uint_1 %sum2
        OpReturn
        OpFunctionEnd)"));
}

TEST_F(LowerPayloads, FinishWriting_IsACall)
{
    ModuleText module;
    module.annotations = "OpDecorate %Rec TrackFinishWritingAMDX";
    module.body = "%last = OpFinishWritingNodePayloadAMDX %bool %input";
    lower(module);
    EXPECT_TRUE(isSameCode(functions(), R"(
        %main = OpFunction %void None %func
        %entry = OpLabel
        %last = OpFunctionCall %bool %mr_finish_writing
        OpReturn
        OpFunctionEnd)"));
}

TEST_F(LowerPayloads, InputStructure_IsElementZero)
{
    ModuleText module;
    module.globals = "%plain = OpVariable %np_Rec NodePayloadAMDX";
    module.interface = "%plain %out";
    module.body = R"(
        %p = OpAccessChain %np_uint %plain %u1
        %v = OpLoad %uint %p
        %whole = OpLoad %Rec %plain)";
    lower(module);
    EXPECT_TRUE(isSameCode(functions(), R"(
        %main = OpFunction %void None %func
        %entry = OpLabel
        %address = OpFunctionCall %ulong %mr_input_element %uint_0
        %plain = OpConvertUToPtr %_ptr_PhysicalStorageBuffer_Rec %address
        %p = OpAccessChain %_ptr_PhysicalStorageBuffer_uint %plain %uint_1
        %v = OpLoad %uint %p Aligned 4
        %whole = OpLoad %Rec %plain Aligned 4
        OpReturn
        OpFunctionEnd)"));
}

TEST_F(LowerPayloads, SmallAndLargeScalars_AreAlignedNaturally)
{
    ModuleText module;
    module.capabilities = "OpCapability Int64\nOpCapability Int16\nOpCapability Int8";
    module.annotations = R"(
        OpMemberDecorate %Mixed 0 Offset 0
        OpMemberDecorate %Mixed 1 Offset 8
        OpMemberDecorate %Mixed 2 Offset 10)";
    module.globals = R"(
        %ulong = OpTypeInt 64 0
        %ushort = OpTypeInt 16 0
        %uchar = OpTypeInt 8 0
        %Mixed = OpTypeStruct %ulong %ushort %uchar
        %np_Mixed = OpTypePointer NodePayloadAMDX %Mixed
        %np_ulong = OpTypePointer NodePayloadAMDX %ulong
        %np_ushort = OpTypePointer NodePayloadAMDX %ushort
        %np_uchar = OpTypePointer NodePayloadAMDX %uchar
        %mixed = OpVariable %np_Mixed NodePayloadAMDX)";
    module.interface = "%mixed";
    module.body = R"(
        %p = OpAccessChain %np_ulong %mixed %u0
        %a = OpLoad %ulong %p Volatile|Aligned 32
        %q = OpAccessChain %np_ushort %mixed %u1
        %b = OpLoad %ushort %q
        %r = OpAccessChain %np_uchar %mixed %u2
        %c = OpLoad %uchar %r Nontemporal
        %d = OpLoad %Mixed %mixed)";
    lower(module);
    EXPECT_EQ(shader.node.declared.payloadBytes, 11u);
    EXPECT_EQ(shader.node.declared.payloadAlignment, 8u);
    EXPECT_NE(text().find("Volatile|Aligned 8"), std::string::npos) << text();
    EXPECT_NE(text().find("Aligned 2"), std::string::npos);
    EXPECT_NE(text().find("Aligned|Nontemporal 1"), std::string::npos);
    EXPECT_TRUE(has("OpCapability StorageBuffer16BitAccess"));
    EXPECT_TRUE(has("OpCapability StorageBuffer8BitAccess"));
}

TEST_F(LowerPayloads, StoreOfWholeArray_IsRefused)
{
    const std::string message = failure(R"(
        %a = OpAllocateNodePayloadsAMDX %np_ToArr %u2 %u1 %u0
        %b = OpAllocateNodePayloadsAMDX %np_ToArr %u2 %u1 %u0
        %v = OpLoad %ToArr %a
        OpStore %b %v)");
    EXPECT_NE(message.find("lowerPayloads: stores a whole payload array"), std::string::npos) << message;
}

TEST_F(LowerPayloads, ComparisonOfPointers_IsRefused)
{
    const std::string message = failure(R"(
        %p = OpAccessChain %np_uint %input %u0 %u1
        %c = OpPtrEqual %bool %p %p)");
    EXPECT_NE(message.find("cannot be lowered for a pointer into a payload"), std::string::npos) << message;
}

}  // namespace millrace::nodes
