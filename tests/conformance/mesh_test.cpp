// SPDX-License-Identifier: Apache-2.0
// Section 5: without shaderMeshEnqueue there are no mesh nodes, and the layer says so.
#include "conformance/graph_test.h"
#include "oracle/assembler.h"

namespace millrace::conformance {

namespace {

class Mesh : public GraphTest {};

TEST_F(Mesh, Feature_IsReportedAbsent)
{
    EXPECT_EQ(device().enqueueFeatures.shaderEnqueue, VK_TRUE);
    EXPECT_EQ(device().enqueueFeatures.shaderMeshEnqueue, VK_FALSE);
}

TEST_F(Mesh, NodeOfAGraph_IsRefused)
{
    Stage stage;
    stage.entry = "mesh";
    stage.words = oracle::assemble(R"(
        OpCapability Shader
        OpCapability MeshShadingEXT
        OpCapability ShaderEnqueueAMDX
        OpExtension "SPV_EXT_mesh_shader"
        OpExtension "SPV_AMDX_shader_enqueue"
        OpMemoryModel Logical GLSL450
        OpEntryPoint MeshEXT %main "mesh"
        OpExecutionMode %main LocalSize 1 1 1
        OpExecutionMode %main OutputVertices 3
        OpExecutionMode %main OutputPrimitivesEXT 1
        OpExecutionMode %main OutputTrianglesEXT
        %void = OpTypeVoid
        %function = OpTypeFunction %void
        %uint = OpTypeInt 32 0
        %zero = OpConstant %uint 0
        %main = OpFunction %void None %function
        %entry = OpLabel
        OpSetMeshOutputsEXT %zero %zero
        OpReturn
        OpFunctionEnd
    )");
    expectRefused({stage}, "this is a mesh node, which a graphics pipeline is made of");
}

}  // namespace

}  // namespace millrace::conformance
