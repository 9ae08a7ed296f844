// SPDX-License-Identifier: Apache-2.0
// Generated commands of the layer's beside an extension that is newer than its headers: the driver gets structures that
// pipelines and shader objects are created with, and a message says that what the layer makes of them goes without.
#include <gtest/gtest.h>

#include "commands/dispatches.h"
#include "commands/draws.h"
#include "layer/tomorrow.h"
#include "shaders/generated_test_shaders.h"

namespace millrace::commandtest {

namespace {

using layertest::kTomorrowValue;
using layertest::takeArrivals;
using layertest::valuesOf;

// What came with the command, each time the structure that it was given.
size_t arrived(const char* command)
{
    const std::multiset<uint64_t> values = valuesOf(takeArrivals(), command);
    EXPECT_EQ(values.count(kTomorrowValue), values.size());
    return values.size();
}

// One call, of pipelines or shader objects that are not in a set.
void expectDispatches(bool objects, const char* command)
{
    Dispatches dispatches(Provider::Layer, {.objects = objects, .tomorrow = true});
    layertest::TestInstance& instance = dispatches.generated.device.instance;
    instance.expectMessage("Millrace-unknown-extension");
    EXPECT_EQ(arrived(command), std::size(kSalts));
    for (uint32_t seed = 0; seed < 4; ++seed) {
        DispatchCase drawn(seed);
        Sums expected = drawn.expected();
        addOwn(expected, drawn);
        EXPECT_EQ(dispatches.run(drawn), expected);
        if (seed == 0)
            instance.expectMessage("Millrace-unknown-structure");
    }
    EXPECT_TRUE(instance.takeMessages().empty()) << "once";
}

TEST(GeneratedTomorrow, ComputePipelines_SayWhatVariantsGoWithout)
{
    expectDispatches(false, "vkCreateComputePipelines");
}

TEST(GeneratedTomorrow, ShaderObjects_SayWhatVariantsGoWithout)
{
    if (!driverHas(VK_EXT_SHADER_OBJECT_EXTENSION_NAME))
        GTEST_SKIP() << "the driver lacks VK_EXT_shader_object";
    expectDispatches(true, "vkCreateShadersEXT");
}

void expectDraws(Maker maker, const GeneratedOptions& with, const char* command)
{
    Draws draws(Provider::Layer, maker, with);
    layertest::TestInstance& instance = draws.generated.device.instance;
    std::vector<layertest::Message> messages = instance.takeMessages();
    ASSERT_FALSE(messages.empty());
    EXPECT_EQ(messages[0].id, "Millrace-unknown-extension");
    messages.erase(messages.begin());
    EXPECT_GT(arrived(command), 0u);
    for (uint32_t seed = 0; seed < 3; ++seed) {
        DrawCase drawn(seed, maker);
        const Pixels pixels = draws.run(drawn);
        EXPECT_TRUE(drawn.expected().allows(pixels, drawn.isUnordered || drawn.hasTasks));
        for (layertest::Message& message : instance.takeMessages())
            messages.push_back(std::move(message));
    }
    ASSERT_EQ(messages.size(), 1u);
    EXPECT_EQ(messages[0].id, "Millrace-unknown-structure");
    EXPECT_NE(messages[0].text.find(std::to_string(VK_STRUCTURE_TYPE_TOMORROW_EXT)), std::string::npos);
}

TEST(GeneratedTomorrow, GraphicsPipelines_SayWhatVariantsGoWithout)
{
    expectDraws(Maker::Whole, {.tomorrow = true}, "vkCreateGraphicsPipelines");
}

TEST(GeneratedTomorrow, Libraries_SayWhatVariantsGoWithout)
{
    if (!driverHas(VK_EXT_GRAPHICS_PIPELINE_LIBRARY_EXTENSION_NAME))
        GTEST_SKIP() << "the driver lacks VK_EXT_graphics_pipeline_library";
    expectDraws(Maker::Libraries, {.tomorrow = true}, "vkCreateGraphicsPipelines");
}

TEST(GeneratedTomorrow, GraphicsShaderObjects_SayWhatVariantsGoWithout)
{
    if (!driverHas(VK_EXT_SHADER_OBJECT_EXTENSION_NAME))
        GTEST_SKIP() << "the driver lacks VK_EXT_shader_object";
    expectDraws(Maker::Objects, {.tomorrow = true}, "vkCreateShadersEXT");
}

TEST(GeneratedTomorrow, PipelinesOfTheLayersMeshShaders_SayWhatVariantsGoWithout)
{
    expectDraws(Maker::Mesh, {.ownMesh = true, .tomorrow = true}, "vkCreateGraphicsPipelines");
}

// Variants of shader objects have set layouts of the layer's, which are copies.
TEST(GeneratedTomorrow, SetLayoutOfAShaderObject_IsCopiedWithout)
{
    if (!driverHas(VK_EXT_SHADER_OBJECT_EXTENSION_NAME))
        GTEST_SKIP() << "the driver lacks VK_EXT_shader_object";
    GeneratedDevice generated(Provider::Layer, {.objects = true, .tomorrow = true});
    const VkDevice device = generated.device.handle;
    generated.device.instance.expectMessage("Millrace-unknown-extension");
    const VkTomorrowEXT chain = layertest::tomorrow();
    const VkDescriptorSetLayoutBinding binding{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT};
    VkDescriptorSetLayoutCreateInfo setInfo{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, &chain};
    setInfo.bindingCount = 1;
    setInfo.pBindings = &binding;
    VkDescriptorSetLayout set = VK_NULL_HANDLE;
    MILLRACE_CHECK(vkCreateDescriptorSetLayout(device, &setInfo, nullptr, &set));
    EXPECT_EQ(arrived("vkCreateDescriptorSetLayout"), 1u);
    EXPECT_TRUE(generated.device.instance.takeMessages().empty());
    const VkPushConstantRange range{VK_SHADER_STAGE_COMPUTE_BIT, 0, kPushWords * 4};
    VkShaderCreateInfoEXT info{VK_STRUCTURE_TYPE_SHADER_CREATE_INFO_EXT};
    info.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    info.codeType = VK_SHADER_CODE_TYPE_SPIRV_EXT;
    info.codeSize = shaders::accumulate.size_bytes();
    info.pCode = shaders::accumulate.data();
    info.pName = "main";
    info.setLayoutCount = 1;
    info.pSetLayouts = &set;
    info.pushConstantRangeCount = 1;
    info.pPushConstantRanges = &range;
    VkShaderEXT shader = VK_NULL_HANDLE;
    MILLRACE_CHECK(generated.createShaders(device, 1, &info, nullptr, &shader));
    generated.device.instance.expectMessage("Millrace-unknown-structure");
    generated.destroyShader(device, shader, nullptr);
    vkDestroyDescriptorSetLayout(device, set, nullptr);
}

// Nobody but the layer makes a layout.
TEST(GeneratedTomorrow, Layout_SaysThatItHasNoUseForIt)
{
    GeneratedDevice generated(Provider::Layer, {.tomorrow = true});
    generated.device.instance.expectMessage("Millrace-unknown-extension");
    VkIndirectCommandsLayoutTokenEXT token{VK_STRUCTURE_TYPE_INDIRECT_COMMANDS_LAYOUT_TOKEN_EXT};
    token.type = VK_INDIRECT_COMMANDS_TOKEN_TYPE_DISPATCH_EXT;
    const VkTomorrowEXT chain = layertest::tomorrow();
    VkIndirectCommandsLayoutCreateInfoEXT info{VK_STRUCTURE_TYPE_INDIRECT_COMMANDS_LAYOUT_CREATE_INFO_EXT, &chain};
    info.shaderStages = VK_SHADER_STAGE_COMPUTE_BIT;
    info.indirectStride = sizeof(VkDispatchIndirectCommand);
    info.tokenCount = 1;
    info.pTokens = &token;
    VkIndirectCommandsLayoutEXT layout = VK_NULL_HANDLE;
    MILLRACE_CHECK(generated.createLayout(generated.device.handle, &info, nullptr, &layout));
    generated.destroyLayout(generated.device.handle, layout, nullptr);
    generated.device.instance.expectMessage("Millrace-unknown-structure");
}

}  // namespace

}  // namespace millrace::commandtest
