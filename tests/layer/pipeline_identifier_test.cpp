// SPDX-License-Identifier: Apache-2.0
// vkGetPipelinePropertiesEXT, which few drivers have: what two execution graphs have to differ in.
#include <gtest/gtest.h>

#include <array>

#include "layer/fake_driver.h"
#include "layer/graphs/pipelines.h"
#include "spirv/tools.h"

namespace millrace::layertest {

namespace {

using Identifier = std::array<uint8_t, VK_UUID_SIZE>;

// Stores the value of a specialization constant.
layer::SharedWords shader(uint32_t specId)
{
    const auto words = spirv::assemble(R"(
        OpCapability Shader
        OpMemoryModel Logical GLSL450
        OpEntryPoint GLCompute %main "main" %out
        OpExecutionMode %main LocalSize 1 1 1
        OpDecorate %out DescriptorSet 0
        OpDecorate %out Binding 0
        OpDecorate %Out Block
        OpMemberDecorate %Out 0 Offset 0
        OpDecorate %value SpecId )" + std::to_string(specId) +
                                       R"(
        %void = OpTypeVoid
        %func = OpTypeFunction %void
        %uint = OpTypeInt 32 0
        %zero = OpConstant %uint 0
        %value = OpSpecConstant %uint 5
        %Out = OpTypeStruct %uint
        %sb_Out = OpTypePointer StorageBuffer %Out
        %sb_uint = OpTypePointer StorageBuffer %uint
        %out = OpVariable %sb_Out StorageBuffer
        %main = OpFunction %void None %func
        %entry = OpLabel
        %at = OpAccessChain %sb_uint %out %zero
        OpStore %at %value
        OpReturn
        OpFunctionEnd
    )");
    EXPECT_TRUE(words) << words.error().text();
    return std::make_shared<const spirv::Words>(*words);
}

class PipelineIdentifier : public testing::Test {
protected:
    static layer::NodeRequest request()
    {
        layer::NodeRequest out;
        out.words = shader(3);
        out.options.request.entryPoint = "main";
        out.options.request.nodeName = "node";
        out.options.request.shaderIndex = 0;
        return out;
    }

    Identifier of(const layer::NodeRequest& request, VkPipelineCreateFlags2 flags = 0)
    {
        layer::NodeBuilder builder(driver.device(), VK_NULL_HANDLE, flags,
                                   std::make_shared<layer::GraphLayout>(driver.device()), {request});
        auto object = std::make_shared<layer::GraphObject>();
        object->flags = flags;
        for (const layer::NodeResult& result : builder.prepare()) {
            EXPECT_EQ(result.result, VK_SUCCESS) << result.message;
            object->nodes.push_back(result.node);
        }
        VkPipelineInfoEXT info{VK_STRUCTURE_TYPE_PIPELINE_INFO_EXT};
        info.pipeline = layer::publish(driver.device(), object);
        VkPipelinePropertiesIdentifierEXT out{VK_STRUCTURE_TYPE_PIPELINE_PROPERTIES_IDENTIFIER_EXT};
        EXPECT_EQ(FakeDriver::get<PFN_vkGetPipelinePropertiesEXT>("vkGetPipelinePropertiesEXT")(
                      driver.handle(), &info, reinterpret_cast<VkBaseOutStructure*>(&out)),
                  VK_SUCCESS);
        Identifier identifier;
        std::ranges::copy(out.pipelineIdentifier, identifier.begin());
        return identifier;
    }

    FakeDriver driver;
};

TEST_F(PipelineIdentifier, SameGraphTwice_Equal)
{
    EXPECT_EQ(of(request()), of(request()));
}

TEST_F(PipelineIdentifier, OtherCode_Differs)
{
    layer::NodeRequest other = request();
    other.words = shader(4);
    EXPECT_NE(of(request()), of(other));
}

TEST_F(PipelineIdentifier, OtherSpecialization_Differs)
{
    layer::NodeRequest other = request();
    other.options.request.specialization = {{3, {7, 0, 0, 0}}};
    EXPECT_NE(of(request()), of(other));
}

TEST_F(PipelineIdentifier, OtherNameIndexOrFlags_Differs)
{
    layer::NodeRequest other = request();
    other.options.request.nodeName = "another";
    EXPECT_NE(of(request()), of(other));
    other = request();
    other.options.request.shaderIndex = 1;
    EXPECT_NE(of(request()), of(other));
    EXPECT_NE(of(request()), of(request(), VK_PIPELINE_CREATE_2_DISABLE_OPTIMIZATION_BIT));
}

}  // namespace

}  // namespace millrace::layertest
