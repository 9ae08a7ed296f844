// SPDX-License-Identifier: Apache-2.0
// What real modules do although the extension says otherwise; each must compile and mean what their compilers meant.
#include "nodes/pass_test.h"

namespace millrace::nodes {

namespace {

class Quirks : public testing::Test {
protected:
    CompiledNode lower(const ModuleText& module)
    {
        options.checks.validate = true;
        options.checks.afterPass = [this](std::string_view pass, std::span<const uint32_t> words) {
            if (pass == "wrapEntryPoint") {
                const auto text = spirv::disassemble(words);
                wrapped = text ? *text : text.error().text();
            }
        };
        auto result = compile(module.words(), options);
        EXPECT_TRUE(result) << result.error().text();
        return result ? *result : CompiledNode();
    }

    bool calls(const std::string& function) const { return wrapped.find("%" + function) != std::string::npos; }

    Options options;
    std::string wrapped;  // before linking: device functions are calls, not code
};

}  // namespace

// 1: -Od code passes records to functions and copies handles between variables.
TEST_F(Quirks, HandlesPassThroughFunctions)
{
    ModuleText module;
    module.globals = R"(
        %ftype = OpTypeFunction %void %fn_ToArr %fn_uint
        %gtype = OpTypeFunction %uint %np_InArr %uint)";
    module.body = R"(
        %a = OpVariable %fn_ToArr Function
        %b = OpVariable %fn_ToArr Function
        %h = OpAllocateNodePayloadsAMDX %np_ToArr %u2 %u2 %u0
        %v = OpLoad %ToArr %h
        OpStore %a %v
        %w = OpLoad %ToArr %a
        OpStore %b %w
        %member = OpAccessChain %fn_uint %b %u1 %u1
        %x = OpFunctionCall %void %fill %b %member
        %n = OpFunctionCall %uint %get %input %u3
        OpEnqueueNodePayloadsAMDX %b)";
    module.functions = R"(
        %fill = OpFunction %void None %ftype
        %to = OpFunctionParameter %fn_ToArr
        %where = OpFunctionParameter %fn_uint
        %f1 = OpLabel
        %p = OpAccessChain %fn_uint %to %u0 %u1
        OpStore %p %u5
        OpStore %where %u6
        OpReturn
        OpFunctionEnd
        %get = OpFunction %uint None %gtype
        %from = OpFunctionParameter %np_InArr
        %i = OpFunctionParameter %uint
        %g1 = OpLabel
        %q = OpAccessChain %np_uint %from %i %u0
        %r = OpLoad %uint %q
        OpReturnValue %r
        OpFunctionEnd)";
    lower(module);
    EXPECT_TRUE(calls("mr_output_element"));
    EXPECT_TRUE(calls("mr_input_element"));
    EXPECT_EQ(wrapped.find("pending_handle"), std::string::npos) << "the enqueue is found";
}

// 2: the specified form and DXC's.
TEST_F(Quirks, ValidityOfTypeVariableOrValue)
{
    for (const char* operand : {"%ToArr", "%var", "%value", "%handle"}) {
        ModuleText module;
        module.body = std::string(R"(
            %var = OpVariable %fn_ToArr Function
            %handle = OpAllocateNodePayloadsAMDX %np_ToArr %u2 %u1 %u0
            %value = OpLoad %ToArr %var
            %ok = OpIsNodePayloadValidAMDX %bool )") +
                      operand + R"( %u0
            %x = OpSelect %uint %ok %u1 %u2
            %p = OpAccessChain %sb_uint %out %u0 %u0
            OpStore %p %x)";
        lower(module);
        EXPECT_TRUE(calls("mr_is_valid")) << operand;
    }
}

// 3: DXC counts the index of a NodeID twice in queries; the specified sum is all that can be computed.
TEST_F(Quirks, ValidityAddsTheBaseIndex)
{
    ModuleText module;
    module.annotations = "OpDecorateId %ToArr PayloadNodeBaseIndexAMDX %u3";
    module.body = R"(
        %ok = OpIsNodePayloadValidAMDX %bool %ToArr %u3
        %x = OpSelect %uint %ok %u1 %u2
        %p = OpAccessChain %sb_uint %out %u0 %u0
        OpStore %p %x)";
    EXPECT_EQ(lower(module).node.declared.outputs[0].constantIndex, 6u);
}

// 4 and 5: sizes unknown, sharing types with a budget of 1.
TEST_F(Quirks, SharingType_HasTheOtherBudget)
{
    ModuleText module;
    module.globals = R"(
        %ToShared = OpTypeNodePayloadArrayAMDX %Rec
        %np_ToShared = OpTypePointer NodePayloadAMDX %ToShared)";
    module.annotations = R"(
        OpDecorateId %ToShared NodeMaxPayloadsAMDX %u1
        OpDecorateId %ToShared NodeSharesPayloadLimitsWithAMDX %ToArr
        OpDecorateId %ToShared PayloadNodeNameAMDX %name_other)";
    module.body = R"(
        %a = OpAllocateNodePayloadsAMDX %np_ToShared %u2 %u1 %u0
        OpEnqueueNodePayloadsAMDX %a
        %b = OpAllocateNodePayloadsAMDX %np_ToArr %u2 %u1 %u0
        OpEnqueueNodePayloadsAMDX %b)";
    const auto outputs = lower(module).node.declared.outputs;
    ASSERT_EQ(outputs.size(), 2u);
    EXPECT_EQ(outputs[0].targetName, "target");
    EXPECT_EQ(outputs[1].budget, 8u);
    EXPECT_EQ(outputs[1].budgetPool, 0u);
    EXPECT_FALSE(outputs[1].arraySize);
}

// 6: counts are allocated and never enqueued.
TEST_F(Quirks, ForgottenPayloads_AreEnqueuedAtTheEnd)
{
    ModuleText module;
    module.body = "%a = OpAllocateNodePayloadsAMDX %np_ToArr %u2 %u1 %u0";
    lower(module);
    const size_t body = wrapped.find("OpFunctionCall %void %node_main");
    ASSERT_NE(body, std::string::npos);
    EXPECT_NE(wrapped.find("%mr_enqueue", body), std::string::npos) << wrapped;
}

// 7: sharing nodes without IsApiEntryAMDX and NonWritable, or with NonWritable on the variable.
TEST_F(Quirks, SharingNode_IsNoApiEntry)
{
    ModuleText module;
    module.globals = "%base = OpConstantStringAMDX \"base\"";
    module.modes += "\nOpExecutionModeId %main SharesInputWithAMDX %base %u0";
    EXPECT_FALSE(lower(module).node.declared.apiEntry);
    module.annotations = "OpDecorate %input NonWritable";
    const graph::Node node = lower(module).node;
    EXPECT_FALSE(node.declared.apiEntry);
    EXPECT_EQ(node.declared.sharesInputWith, (graph::NodeId{"base", 0}));
}

// 8: the input as a plain structure, also of a coalescing node.
TEST_F(Quirks, InputStructure_IsAccepted)
{
    ModuleText module;
    module.globals = "%plain = OpVariable %np_Rec NodePayloadAMDX";
    module.interface = "%plain %out";
    module.body = R"(
        %p = OpAccessChain %np_uint %plain %u1
        %v = OpLoad %uint %p
        %n = OpNodePayloadArrayLengthAMDX %uint %plain2
        %sum = OpIAdd %uint %v %n
        %q = OpAccessChain %sb_uint %out %u0 %u0
        OpStore %q %sum)";
    // The length is asked of arrays only.
    module.body.erase(module.body.find("%n ="), module.body.find("%sum") - module.body.find("%n ="));
    module.body.replace(module.body.find("%v %n"), 5, "%v %v");
    for (const char* mode :
         {"OpExecutionModeId %main StaticNumWorkgroupsAMDX %u4 %u1 %u1", "OpExecutionMode %main CoalescingAMDX"}) {
        module.modes = std::string("OpExecutionMode %main LocalSize 1 1 1\n") + mode;
        EXPECT_EQ(lower(module).node.declared.payloadBytes, 8u);
    }
}

// 9: producers do not decorate the grid; nothing depends on it.
TEST_F(Quirks, UndecoratedProducer_StillEnqueues)
{
    ModuleText module;
    module.body = R"(
        %a = OpAllocateNodePayloadsAMDX %np_ToRec %u2 %u1 %u0
        OpEnqueueNodePayloadsAMDX %a)";
    lower(module);
    EXPECT_TRUE(calls("mr_enqueue"));
}

// 11 is in compile_test.cpp. 12: entry points with an input each.
TEST_F(Quirks, EntryPoints_HaveInputsOfTheirOwn)
{
    ModuleText module;
    module.globals = "%second = OpVariable %np_Rec NodePayloadAMDX\n%other_modes = OpConstant %uint 77";
    module.functions = R"(
        %other = OpFunction %void None %func
        %o1 = OpLabel
        %p = OpAccessChain %np_uint %second %u1
        OpStore %p %u5
        OpReturn
        OpFunctionEnd)";
    module.modes =
        "OpExecutionMode %main LocalSize 8 1 1\nOpExecutionModeId %main StaticNumWorkgroupsAMDX %u4 %u1 %u1\n"
        "OpExecutionMode %other LocalSize 2 1 1\nOpExecutionMode %other CoalescingAMDX";
    module.interface += "\nOpEntryPoint GLCompute %other \"other\" %second";
    EXPECT_EQ(lower(module).node.declared.mode, graph::LaunchMode::Static);
    options.request.entryPoint = "other";
    const graph::Node node = lower(module).node;
    EXPECT_EQ(node.declared.mode, graph::LaunchMode::Coalescing);
    EXPECT_TRUE(node.declared.writesInput);
    EXPECT_EQ(node.declared.localSize[0], 2u);
}

// 14: empty payloads, with accesses that lead nowhere.
TEST_F(Quirks, EmptyPayloads)
{
    ModuleText module;
    module.annotations = R"(
        OpDecorateId %ToEmpty NodeMaxPayloadsAMDX %u8
        OpDecorateId %ToEmpty PayloadNodeNameAMDX %name_other
        OpDecorateId %InEmpty NodeMaxPayloadsAMDX %u4)";
    module.globals = R"(
        %Empty = OpTypeStruct
        %ToEmpty = OpTypeNodePayloadArrayAMDX %Empty
        %InEmpty = OpTypeNodePayloadArrayAMDX %Empty
        %np_ToEmpty = OpTypePointer NodePayloadAMDX %ToEmpty
        %np_InEmpty = OpTypePointer NodePayloadAMDX %InEmpty
        %np_Empty = OpTypePointer NodePayloadAMDX %Empty
        %empties = OpVariable %np_InEmpty NodePayloadAMDX)";
    module.modes = "OpExecutionMode %main LocalSize 2 1 1\nOpExecutionMode %main CoalescingAMDX";
    module.interface = "%empties %out";
    module.body = R"(
        %n = OpNodePayloadArrayLengthAMDX %uint %empties
        %q = OpAccessChain %sb_uint %out %u0 %u0
        OpStore %q %n
        %a = OpAllocateNodePayloadsAMDX %np_ToEmpty %u4 %n %u0)";
    const graph::Node node = lower(module).node;
    EXPECT_EQ(node.declared.payloadBytes, 0u);
    EXPECT_EQ(node.declared.maxInputPayloads, 4u);
    EXPECT_EQ(node.declared.outputs[0].payloadBytes, 0u);
    EXPECT_EQ(wrapped.find("pending_handle"), std::string::npos);
}

// -Od: the operand of OpFinishWriting is a parameter.
TEST_F(Quirks, FinishWritingOfAParameter)
{
    ModuleText module;
    module.annotations = "OpDecorate %Rec TrackFinishWritingAMDX";
    module.globals = "%ftype = OpTypeFunction %bool %np_InArr";
    module.body = R"(
        %last = OpFunctionCall %bool %finish %input
        %x = OpSelect %uint %last %u1 %u2
        %p = OpAccessChain %sb_uint %out %u0 %u0
        OpStore %p %x)";
    module.functions = R"(
        %finish = OpFunction %bool None %ftype
        %payload = OpFunctionParameter %np_InArr
        %f1 = OpLabel
        %done = OpFinishWritingNodePayloadAMDX %bool %payload
        OpReturnValue %done
        OpFunctionEnd)";
    EXPECT_TRUE(lower(module).node.declared.usesFinishWriting);
    EXPECT_TRUE(calls("mr_finish_writing"));
}

// Barriers of HLSL on node memory: OutputMemory for outputs, nothing for inputs.
TEST_F(Quirks, BarriersOnNodeMemory_OrderBuffers)
{
    ModuleText module;
    module.globals = "%acqrel_out = OpConstant %uint 4104\n%acqrel = OpConstant %uint 8";
    module.body = "OpControlBarrier %u2 %u2 %acqrel_out\nOpMemoryBarrier %u1 %acqrel";
    lower(module);
    EXPECT_NE(wrapped.find("OpControlBarrier %uint_2 %uint_2 %uint_72"), std::string::npos) << wrapped;
    EXPECT_NE(wrapped.find("OpMemoryBarrier %uint_1 %uint_72"), std::string::npos);
}

// HLSL records with interlocked operations, which spirv-val refuses on payloads.
TEST_F(Quirks, AtomicsOnPayloads)
{
    ModuleText module;
    module.body = R"(
        %a = OpAllocateNodePayloadsAMDX %np_ToArr %u2 %u1 %u0
        %p = OpAccessChain %np_uint %a %u0 %u1
        %old = OpAtomicUMax %uint %p %u1 %u0 %u5
        %q = OpAccessChain %np_uint %input %u0 %u1
        %old2 = OpAtomicOr %uint %q %u1 %u0 %u5
        OpEnqueueNodePayloadsAMDX %a)";
    EXPECT_TRUE(lower(module).node.declared.writesInput);
}

// Two workgroups' worth of names: the entry point's name is not the node's.
TEST_F(Quirks, NodeNameComesFromTheApi)
{
    options.request.nodeName = "entry";
    options.request.shaderIndex = 4;
    const graph::Node node = lower({}).node;
    EXPECT_EQ(node.declared.id, (graph::NodeId{"entry", 4}));
    EXPECT_EQ(node.declared.entryPoint, "main");
}

}  // namespace millrace::nodes
