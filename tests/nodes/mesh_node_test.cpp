// SPDX-License-Identifier: Apache-2.0
#include "nodes/mesh_node.h"

#include <gtest/gtest.h>

#include <map>

#include "abi/mesh_nodes.h"
#include "spirv/module.h"
#include "spirv/tools.h"

namespace millrace::nodes {

namespace {

constexpr uint32_t kMaxGroups = 1u << 22;

// A mesh node whose payload has a grid, a word and a float.
struct MeshText {
    std::string modes = "OpExecutionModeId %main MaxNumWorkgroupsAMDX %u64 %u1 %u1";
    std::string grid =
        "OpMemberDecorate %Payload 0 Offset 0\nOpMemberDecorate %Payload 0 PayloadDispatchIndirectAMDX\n"
        "OpMemberDecorate %Payload 1 Offset 12\nOpMemberDecorate %Payload 2 Offset 16";
    std::string payload = "%Payload = OpTypeStruct %uint3 %uint %float";
    std::string capabilities;
    std::string interface = "%positions %indices %input %color";
    std::string annotations;
    std::string globals;
    std::string body = R"(
        %p = OpAccessChain %payload_float %input %u0 %i2
        %x = OpLoad %float %p
        %at = OpAccessChain %output_float4 %positions %u0 %i0
        %vertex = OpCompositeConstruct %float4 %x %x %f0 %f1
        OpStore %at %vertex)";

    std::string text() const
    {
        return R"(
        OpCapability MeshShadingEXT
        OpCapability ShaderEnqueueAMDX
        )" + capabilities +
               R"(
        OpExtension "SPV_EXT_mesh_shader"
        OpExtension "SPV_AMDX_shader_enqueue"
        OpMemoryModel Logical GLSL450
        OpEntryPoint MeshEXT %main "blade" )" +
               interface + R"(
        OpExecutionMode %main LocalSize 32 1 1
        OpExecutionMode %main OutputVertices 3
        OpExecutionMode %main OutputPrimitivesEXT 1
        OpExecutionMode %main OutputTrianglesEXT
        )" + modes +
               R"(
        OpDecorate %Vertex Block
        OpMemberDecorate %Vertex 0 BuiltIn Position
        OpDecorate %indices BuiltIn PrimitiveTriangleIndicesEXT
        OpDecorate %color Location 0
        OpDecorateId %array NodeMaxPayloadsAMDX %u1
        )" + grid +
               "\n" + annotations + R"(
        %void = OpTypeVoid
        %function = OpTypeFunction %void
        %bool = OpTypeBool
        %int = OpTypeInt 32 1
        %uint = OpTypeInt 32 0
        %uint2 = OpTypeVector %uint 2
        %uint3 = OpTypeVector %uint 3
        %float = OpTypeFloat 32
        %float4 = OpTypeVector %float 4
        %i0 = OpConstant %int 0
        %i2 = OpConstant %int 2
        %u0 = OpConstant %uint 0
        %u1 = OpConstant %uint 1
        %u2 = OpConstant %uint 2
        %u3 = OpConstant %uint 3
        %u64 = OpConstant %uint 64
        %f0 = OpConstant %float 0
        %f1 = OpConstant %float 1
        %Vertex = OpTypeStruct %float4
        %vertices = OpTypeArray %Vertex %u3
        %output_vertices = OpTypePointer Output %vertices
        %positions = OpVariable %output_vertices Output
        %triangles = OpTypeArray %uint3 %u1
        %output_triangles = OpTypePointer Output %triangles
        %indices = OpVariable %output_triangles Output
        %colors = OpTypeArray %float4 %u3
        %output_colors = OpTypePointer Output %colors
        %color = OpVariable %output_colors Output
        %output_float4 = OpTypePointer Output %float4
        )" + payload +
               R"(
        %array = OpTypeNodePayloadArrayAMDX %Payload
        %payload_array = OpTypePointer NodePayloadAMDX %array
        %payload_float = OpTypePointer NodePayloadAMDX %float
        %input = OpVariable %payload_array NodePayloadAMDX
        )" + globals +
               R"(
        %main = OpFunction %void None %function
        %start = OpLabel
        )" + body +
               R"(
        OpSetMeshOutputsEXT %u3 %u1
        OpReturn
        OpFunctionEnd)";
    }
};

Options options()
{
    Options options;
    options.request.entryPoint = "blade";
    options.request.argumentsOffsetBytes = 16;
    return options;
}

Result<MeshNode> compileText(const MeshText& text, const Options& with = options())
{
    const auto words = spirv::assemble(text.text());
    EXPECT_TRUE(words) << words.error().text();
    return words ? compileMeshNode(*words, with, kMaxGroups) : words.error();
}

std::string refusal(const MeshText& text)
{
    const auto node = compileText(text);
    return node ? "it was compiled" : node.error().text();
}

// Of the collector as the runtime gives it to the driver.
Result<CompiledNode> compileCollector(const MeshNode& node)
{
    Options with;
    with.request.pushConstantsInMemory = true;
    with.request.argumentsOffsetBytes = 16;
    with.request.nodeName = node.declared.id.name;
    with.request.shaderIndex = node.declared.id.index;
    with.checks.validate = true;
    return compile(node.collector, with);
}

bool has(const spirv::Words& words, const std::string& text)
{
    return spirv::disassemble(words)->find(text) != std::string::npos;
}

// That the entry point lists.
size_t countOutputs(const spirv::Words& words)
{
    const auto module = spirv::read(words);
    const spirv::Instruction& entryPoint = module->section(spirv::Section::EntryPoints).at(0);
    size_t count = 0;
    for (size_t o = 3; o < entryPoint.operandCount(); ++o)
        count += module->storageOf(module->typeOf(entryPoint.id(o))) == spv::StorageClass::Output ? 1 : 0;
    return count;
}

}  // namespace

TEST(MeshNode, Declarations_AreThoseOfTheShader)
{
    const auto node = compileText({});
    ASSERT_TRUE(node) << node.error().text();
    EXPECT_EQ(node->declared.id, (graph::NodeId{"blade", 0}));
    EXPECT_EQ(node->declared.mode, graph::LaunchMode::Dynamic);
    EXPECT_EQ(node->declared.maxGrid[0], 64u);
    EXPECT_EQ(node->declared.payloadBytes, 20u);
    EXPECT_EQ(node->strideBytes, 32u);
}

TEST(MeshNode, Shader_IsAnOrdinaryMeshShader)
{
    const auto node = compileText({});
    ASSERT_TRUE(node) << node.error().text();
    const Status status = spirv::validate(node->shader);
    EXPECT_TRUE(status) << status.error().text();
    EXPECT_FALSE(has(node->shader, "AMDX"));
    EXPECT_FALSE(has(node->shader, "Linkage"));
    EXPECT_TRUE(has(node->shader, "BuiltIn DrawIndex"));
    EXPECT_TRUE(has(node->shader, "OpMemberDecorate %NodeArguments 0 Offset 16"));
    // Stages declare outputs for each other, written or not.
    EXPECT_EQ(countOutputs(node->shader), 3u);
}

TEST(MeshNode, WithoutLongIntegers_NeedsNone)
{
    Options with = options();
    with.target.longIntegers = false;
    const auto node = compileText({}, with);
    ASSERT_TRUE(node) << node.error().text();
    const Status status = spirv::validate(node->shader);
    EXPECT_TRUE(status) << status.error().text();
    EXPECT_FALSE(has(node->shader, "Int64"));
}

TEST(MeshNode, Collector_IsANodeOfTheSamePayload)
{
    const auto node = compileText({});
    ASSERT_TRUE(node) << node.error().text();
    const auto collector = compileCollector(*node);
    ASSERT_TRUE(collector) << collector.error().text();
    EXPECT_EQ(collector->node.declared.id, node->declared.id);
    EXPECT_EQ(collector->node.declared.payloadBytes, node->declared.payloadBytes);
    EXPECT_TRUE(graph::isPacked(collector->node));
    EXPECT_TRUE(graph::isLeaf(collector->node.declared));
    EXPECT_TRUE(collector->node.declared.apiEntry);
}

TEST(MeshNode, StaticGrid_NeedsNoPayload)
{
    MeshText text;
    text.modes = "OpExecutionModeId %main StaticNumWorkgroupsAMDX %u2 %u3 %u1";
    text.grid = "";
    text.payload = "%Payload = OpTypeStruct";
    text.body = "";
    const auto node = compileText(text);
    ASSERT_TRUE(node) << node.error().text();
    EXPECT_EQ(node->declared.payloadBytes, 0u);
    const auto collector = compileCollector(*node);
    ASSERT_TRUE(collector) << collector.error().text();
    EXPECT_EQ(collector->node.declared.payloadBytes, 0u);
}

TEST(MeshNode, SmallGridMembers_AreTakenOutOfTheirWords)
{
    MeshText text;
    text.grid =
        "OpMemberDecorate %Payload 0 Offset 2\nOpMemberDecorate %Payload 0 PayloadDispatchIndirectAMDX\n"
        "OpMemberDecorate %Payload 1 Offset 4\nOpMemberDecorate %Payload 2 Offset 8";
    text.payload = "%ushort = OpTypeInt 16 0\n%Payload = OpTypeStruct %ushort %uint %float";
    std::string module = text.text();
    module.insert(module.find("OpCapability"), "OpCapability Int16\n");
    const auto words = spirv::assemble(module);
    ASSERT_TRUE(words) << words.error().text();
    const auto node = compileMeshNode(*words, options(), kMaxGroups);
    ASSERT_TRUE(node) << node.error().text();
    EXPECT_EQ(node->declared.grid.componentBytes, 2u);
    const auto collector = compileCollector(*node);
    ASSERT_TRUE(collector) << collector.error().text();
    EXPECT_TRUE(has(collector->words, "OpBitFieldUExtract"));
}

TEST(MeshNode, Sharing_IsTheCollectors)
{
    MeshText text;
    text.modes += "\nOpExecutionModeId %main SharesInputWithAMDX %base %u1025";
    text.globals = "%base = OpConstantStringAMDX \"a \\\"base\\\"\"\n%u1025 = OpConstant %uint 1025";
    const auto node = compileText(text);
    ASSERT_TRUE(node) << node.error().text();
    const auto collector = compileCollector(*node);
    ASSERT_TRUE(collector) << collector.error().text();
    ASSERT_TRUE(collector->node.declared.sharesInputWith);
    EXPECT_EQ(*collector->node.declared.sharesInputWith, (graph::NodeId{"a \"base\"", 1025}));
    EXPECT_FALSE(collector->node.declared.apiEntry);
}

TEST(MeshNode, ShaderIndex_IsAConstant)
{
    MeshText text;
    text.interface += " %index";
    text.annotations = "OpDecorate %index BuiltIn ShaderIndexAMDX";
    text.globals = "%input_uint = OpTypePointer Input %uint\n%index = OpVariable %input_uint Input";
    text.body += "\n%read = OpLoad %uint %index";
    Options with = options();
    with.request.shaderIndex = 7;
    const auto node = compileText(text, with);
    ASSERT_TRUE(node) << node.error().text();
    const Status status = spirv::validate(node->shader);
    EXPECT_TRUE(status) << status.error().text();
    EXPECT_EQ(node->declared.id.index, 7u);
    EXPECT_TRUE(has(node->shader, "OpVariable %_ptr_Private_uint Private %uint_7"));
}

TEST(MeshNode, PayloadOfNoWholeWords_IsCollectedWhole)
{
    struct Case {
        std::string members;
        std::string offsets;
        uint32_t bytes;
    };
    const std::string third = "\nOpMemberDecorate %Payload 3 Offset 20";
    const std::string fourth = "\nOpMemberDecorate %Payload 4 Offset 22";
    for (const Case& each :
         {Case{" %ushort", third, 22}, {" %uchar", third, 21}, {" %ushort %uchar", third + fourth, 23}}) {
        MeshText text;
        text.capabilities = "OpCapability Int16\nOpCapability Int8";
        text.payload = "%ushort = OpTypeInt 16 0\n%uchar = OpTypeInt 8 0\n" + text.payload + each.members;
        text.grid += each.offsets;
        const auto node = compileText(text);
        ASSERT_TRUE(node) << node.error().text();
        EXPECT_EQ(node->declared.payloadBytes, each.bytes);
        const auto collector = compileCollector(*node);
        ASSERT_TRUE(collector) << collector.error().text();
        EXPECT_EQ(collector->node.declared.payloadBytes, each.bytes);
    }
}

TEST(MeshNode, WhatMeshNodesCannotDo_IsRefusedByName)
{
    MeshText coalescing;
    coalescing.modes = "OpExecutionMode %main CoalescingAMDX";
    EXPECT_NE(refusal(coalescing).find("CoalescingAMDX"), std::string::npos) << refusal(coalescing);

    MeshText drawIndex;
    drawIndex.interface += " %draw";
    drawIndex.annotations = "OpDecorate %draw BuiltIn DrawIndex";
    drawIndex.globals = "%input_uint = OpTypePointer Input %uint\n%draw = OpVariable %input_uint Input";
    drawIndex.body += "\n%read = OpLoad %uint %draw";
    EXPECT_NE(refusal(drawIndex).find("must not use DrawIndex"), std::string::npos) << refusal(drawIndex);

    MeshText sending;
    sending.annotations = "OpDecorateId %array PayloadNodeNameAMDX %name";
    sending.globals = "%name = OpConstantStringAMDX \"next\"";
    sending.body += "\n%sent = OpAllocateNodePayloadsAMDX %payload_array %u2 %u1 %u0\nOpEnqueueNodePayloadsAMDX %sent";
    EXPECT_NE(refusal(sending).find("must not send payloads"), std::string::npos) << refusal(sending);

    MeshText finishing;
    finishing.body += "\n%last = OpFinishWritingNodePayloadAMDX %bool %input";
    EXPECT_NE(refusal(finishing).find("OpFinishWritingNodePayloadAMDX"), std::string::npos) << refusal(finishing);
}

TEST(MeshNode, ComputeNode_IsNone)
{
    Options with = options();
    with.request.entryPoint = "other";
    const auto node = compileText({}, with);
    ASSERT_FALSE(node);
    EXPECT_NE(node.error().text().find("there is no mesh entry point of this name"), std::string::npos);
}

}  // namespace millrace::nodes
