// SPDX-License-Identifier: Apache-2.0
// What the layer says of generated commands, and what it refuses: with a message that names it.
#include <gtest/gtest.h>

#include <cstring>
#include <stdexcept>
#include <string>

#include "commands/dispatches.h"
#include "commands/generated_device.h"

namespace millrace::commandtest {

namespace {

using layertest::Message;

VkIndirectCommandsLayoutTokenEXT tokenOf(VkIndirectCommandsTokenTypeEXT type, uint32_t offset = 0)
{
    VkIndirectCommandsLayoutTokenEXT token{VK_STRUCTURE_TYPE_INDIRECT_COMMANDS_LAYOUT_TOKEN_EXT};
    token.type = type;
    token.offset = offset;
    return token;
}

class Refusals : public testing::Test {
protected:
    VkResult create(std::vector<VkIndirectCommandsLayoutTokenEXT> tokens, VkShaderStageFlags stages,
                    VkPipelineLayout pipelineLayout = VK_NULL_HANDLE)
    {
        VkIndirectCommandsLayoutCreateInfoEXT info{VK_STRUCTURE_TYPE_INDIRECT_COMMANDS_LAYOUT_CREATE_INFO_EXT};
        info.shaderStages = stages;
        info.indirectStride = 64;
        info.pipelineLayout = pipelineLayout;
        info.tokenCount = static_cast<uint32_t>(tokens.size());
        info.pTokens = tokens.data();
        return generated.createLayout(device.handle, &info, nullptr, &layout);
    }

    // One message, which has `part`.
    void expectMessage(const std::string& part)
    {
        const std::vector<Message> messages = device.instance.takeMessages();
        ASSERT_EQ(messages.size(), 1u);
        EXPECT_EQ(messages[0].id, "Millrace-generated-commands");
        EXPECT_NE(messages[0].text.find(part), std::string::npos) << messages[0].text;
    }

    GeneratedDevice generated{Provider::Layer};
    layertest::TestDevice& device = generated.device;
    VkIndirectCommandsLayoutEXT layout = VK_NULL_HANDLE;
};

TEST_F(Refusals, TokenThatIsNotThere_LayoutRefusedByItsName)
{
    const std::pair<VkIndirectCommandsTokenTypeEXT, const char*> absent[] = {
        {VK_INDIRECT_COMMANDS_TOKEN_TYPE_DRAW_MESH_TASKS_NV_EXT, "token DRAW_MESH_TASKS_NV"},
        {VK_INDIRECT_COMMANDS_TOKEN_TYPE_TRACE_RAYS2_EXT, "token TRACE_RAYS2"},
    };
    for (const auto& [type, name] : absent) {
        EXPECT_EQ(create({tokenOf(type), tokenOf(VK_INDIRECT_COMMANDS_TOKEN_TYPE_DRAW_EXT, 16)},
                         VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT),
                  VK_ERROR_FEATURE_NOT_PRESENT);
        EXPECT_EQ(layout, VkIndirectCommandsLayoutEXT{VK_NULL_HANDLE});
        expectMessage(name);
    }
}

TEST_F(Refusals, TwoActions_BothNamed)
{
    EXPECT_EQ(create({tokenOf(VK_INDIRECT_COMMANDS_TOKEN_TYPE_DRAW_EXT),
                      tokenOf(VK_INDIRECT_COMMANDS_TOKEN_TYPE_DRAW_INDEXED_EXT, 16)},
                     VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT),
              VK_ERROR_VALIDATION_FAILED_EXT);
    expectMessage("two tokens say what to do, DRAW and DRAW_INDEXED");
}

TEST_F(Refusals, PushConstantsWithoutAPipelineLayout_Refused)
{
    VkIndirectCommandsPushConstantTokenEXT push{{VK_SHADER_STAGE_COMPUTE_BIT, 0, 4}};
    VkIndirectCommandsLayoutTokenEXT token = tokenOf(VK_INDIRECT_COMMANDS_TOKEN_TYPE_PUSH_CONSTANT_EXT);
    token.data.pPushConstant = &push;
    EXPECT_EQ(create({token, tokenOf(VK_INDIRECT_COMMANDS_TOKEN_TYPE_DISPATCH_EXT, 4)}, VK_SHADER_STAGE_COMPUTE_BIT),
              VK_ERROR_VALIDATION_FAILED_EXT);
    expectMessage("dynamicGeneratedPipelineLayout");
}

TEST_F(Refusals, SetOfUnknownShaderObjects_Refused)
{
    const VkShaderEXT shader{};
    VkIndirectExecutionSetShaderInfoEXT shaders{VK_STRUCTURE_TYPE_INDIRECT_EXECUTION_SET_SHADER_INFO_EXT};
    shaders.shaderCount = 1;
    shaders.pInitialShaders = &shader;
    shaders.maxShaderCount = 1;
    VkIndirectExecutionSetCreateInfoEXT info{VK_STRUCTURE_TYPE_INDIRECT_EXECUTION_SET_CREATE_INFO_EXT};
    info.type = VK_INDIRECT_EXECUTION_SET_INFO_TYPE_SHADER_OBJECTS_EXT;
    info.info.pShaderInfo = &shaders;
    VkIndirectExecutionSetEXT set = VK_NULL_HANDLE;
    EXPECT_EQ(generated.createSet(device.handle, &info, nullptr, &set), VK_ERROR_FEATURE_NOT_PRESENT);
    expectMessage("shader objects");
}

// Before anything is made for them.
TEST_F(Refusals, SetOfTooManyPlaces_RefusedWithTheMaximum)
{
    const uint32_t most = generated.properties.maxIndirectPipelineCount;
    VkIndirectExecutionSetPipelineInfoEXT pipelines{VK_STRUCTURE_TYPE_INDIRECT_EXECUTION_SET_PIPELINE_INFO_EXT};
    pipelines.maxPipelineCount = most + 1;
    VkIndirectExecutionSetCreateInfoEXT info{VK_STRUCTURE_TYPE_INDIRECT_EXECUTION_SET_CREATE_INFO_EXT};
    info.type = VK_INDIRECT_EXECUTION_SET_INFO_TYPE_PIPELINES_EXT;
    info.info.pPipelineInfo = &pipelines;
    VkIndirectExecutionSetEXT set = VK_NULL_HANDLE;
    EXPECT_EQ(generated.createSet(device.handle, &info, nullptr, &set), VK_ERROR_FEATURE_NOT_PRESENT);
    expectMessage("the set has " + std::to_string(most + 1) + " places, and at most " + std::to_string(most));
}

TEST_F(Refusals, PipelineBehindTheSet_NamedAndDropped)
{
    Dispatches dispatches(Provider::Layer);
    dispatches.put(17, 1);
    const std::vector<Message> messages = dispatches.generated.device.instance.takeMessages();
    ASSERT_EQ(messages.size(), 1u);
    EXPECT_EQ(messages[0].id, "Millrace-generated-commands");
    const uint32_t places = std::size(kSalts) + 1;
    EXPECT_NE(messages[0].text.find("index 17 is beyond the execution set, which has " + std::to_string(places)),
              std::string::npos)
        << messages[0].text;
}

// With more than it has, of which all are named.
TEST_F(Refusals, MoreInitialShadersThanPlaces_Refused)
{
    const VkShaderEXT shaders[2] = {};
    VkIndirectExecutionSetShaderInfoEXT objects{VK_STRUCTURE_TYPE_INDIRECT_EXECUTION_SET_SHADER_INFO_EXT};
    objects.shaderCount = 2;
    objects.pInitialShaders = shaders;
    objects.maxShaderCount = 1;
    VkIndirectExecutionSetCreateInfoEXT info{VK_STRUCTURE_TYPE_INDIRECT_EXECUTION_SET_CREATE_INFO_EXT};
    info.type = VK_INDIRECT_EXECUTION_SET_INFO_TYPE_SHADER_OBJECTS_EXT;
    info.info.pShaderInfo = &objects;
    VkIndirectExecutionSetEXT set = VK_NULL_HANDLE;
    EXPECT_EQ(generated.createSet(device.handle, &info, nullptr, &set), VK_ERROR_FEATURE_NOT_PRESENT);
    expectMessage("the set has 1 place, and is given 2 shader objects");
}

TEST_F(Refusals, NoPipelineBound_CommandLeftOut)
{
    ASSERT_EQ(create({tokenOf(VK_INDIRECT_COMMANDS_TOKEN_TYPE_DISPATCH_EXT)}, VK_SHADER_STAGE_COMPUTE_BIT), VK_SUCCESS);
    const layertest::Buffer stream = generated.createStream(std::vector<uint32_t>(16, 1));
    VkGeneratedCommandsInfoEXT info{VK_STRUCTURE_TYPE_GENERATED_COMMANDS_INFO_EXT};
    info.shaderStages = VK_SHADER_STAGE_COMPUTE_BIT;
    info.indirectCommandsLayout = layout;
    info.indirectAddress = stream.address;
    info.indirectAddressSize = 64;
    info.maxSequenceCount = 1;
    const VkCommandBuffer cmd = device.begin();
    generated.cmdExecute(cmd, VK_FALSE, &info);
    generated.cmdExecute(cmd, VK_FALSE, &info);  // told once
    device.submitAndWait(cmd);
    expectMessage("no pipeline");
    generated.destroyLayout(device.handle, layout, nullptr);
}

// Kernels would read there.
TEST_F(Refusals, StreamInNoBuffer_CommandLeftOut)
{
    Dispatches dispatches(Provider::Layer);
    DispatchCase drawn(0);
    drawn.streamBytes = VkDeviceSize{1} << 40;
    Sums sums(kOutWords);
    addOwn(sums, drawn);
    EXPECT_EQ(dispatches.run(drawn), sums);
    for (const Message& message : dispatches.generated.device.instance.takeMessages())
        EXPECT_NE(message.text.find("all of the stream"), std::string::npos) << message.text;
}

// The driver below knows nothing of the handle.
TEST_F(Refusals, LayoutNamedAndTagged_AnsweredByTheLayer)
{
    ASSERT_EQ(create({tokenOf(VK_INDIRECT_COMMANDS_TOKEN_TYPE_DISPATCH_EXT)}, VK_SHADER_STAGE_COMPUTE_BIT), VK_SUCCESS);
    VkDebugUtilsObjectNameInfoEXT name{VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT};
    name.objectType = VK_OBJECT_TYPE_INDIRECT_COMMANDS_LAYOUT_EXT;
    name.objectHandle = reinterpret_cast<uint64_t>(layout);
    name.pObjectName = "layout";
    MILLRACE_CHECK(
        device.instance.get<PFN_vkSetDebugUtilsObjectNameEXT>("vkSetDebugUtilsObjectNameEXT")(device.handle, &name));
    const VkPrivateDataSlotCreateInfo slotInfo{VK_STRUCTURE_TYPE_PRIVATE_DATA_SLOT_CREATE_INFO};
    VkPrivateDataSlot slot = VK_NULL_HANDLE;
    MILLRACE_CHECK(vkCreatePrivateDataSlot(device.handle, &slotInfo, nullptr, &slot));
    MILLRACE_CHECK(vkSetPrivateData(device.handle, name.objectType, name.objectHandle, slot, 17));
    uint64_t value = 0;
    vkGetPrivateData(device.handle, name.objectType, name.objectHandle, slot, &value);
    EXPECT_EQ(value, 17u);
    generated.destroyLayout(device.handle, layout, nullptr);
    vkDestroyPrivateDataSlot(device.handle, slot, nullptr);
}

TEST_F(Refusals, Properties_SayWhatThereIs)
{
    const bool hasObjects = driverHas(VK_EXT_SHADER_OBJECT_EXTENSION_NAME);
    EXPECT_EQ(generated.properties.maxIndirectShaderObjectCount > 0, hasObjects);
    const bool hasDraws = generated.properties.supportedIndirectCommandsShaderStages & VK_SHADER_STAGE_VERTEX_BIT;
    EXPECT_EQ(generated.properties.supportedIndirectCommandsInputModes, hasDraws ? 3u : 0u);
    EXPECT_EQ(generated.properties.supportedIndirectCommandsShaderStagesPipelineBinding,
              generated.properties.supportedIndirectCommandsShaderStages);
    EXPECT_EQ(generated.properties.supportedIndirectCommandsShaderStagesShaderBinding,
              hasObjects ? generated.properties.supportedIndirectCommandsShaderStages : 0);
    EXPECT_EQ(generated.properties.deviceGeneratedCommandsMultiDrawIndirectCount, hasDraws);
    EXPECT_GE(generated.properties.maxIndirectSequenceCount, 1u << 20);
}

TEST_F(Refusals, StagesThatTheDeviceLacks_AreNotListed)
{
    VkPhysicalDeviceFeatures features;
    vkGetPhysicalDeviceFeatures(device.physical, &features);
    constexpr VkShaderStageFlags kTessellation =
        VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT | VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT;
    const VkShaderStageFlags stages = generated.properties.supportedIndirectCommandsShaderStages;
    EXPECT_EQ(stages & kTessellation, features.tessellationShader ? kTessellation : 0);
    EXPECT_EQ(stages & VK_SHADER_STAGE_GEOMETRY_BIT, features.geometryShader ? VK_SHADER_STAGE_GEOMETRY_BIT : 0);
}

TEST_F(Refusals, Draws_WhereTheirStagesAreSupported)
{
    const bool has = generated.properties.supportedIndirectCommandsShaderStages & VK_SHADER_STAGE_VERTEX_BIT;
    EXPECT_EQ(create({tokenOf(VK_INDIRECT_COMMANDS_TOKEN_TYPE_DRAW_EXT)}, VK_SHADER_STAGE_VERTEX_BIT),
              has ? VK_SUCCESS : VK_ERROR_FEATURE_NOT_PRESENT);
    if (has)
        generated.destroyLayout(device.handle, layout, nullptr);
    else
        expectMessage("shaderDrawParameters");
}

// The driver below does not know the stage, and the validation layer would say so.
TEST_F(Refusals, SemaphoreAwaitedAtThePreprocessingStage_PassedOnWithAnother)
{
    const VkSemaphore semaphore = device.createSemaphore(true);
    VkSemaphoreSubmitInfo signal{VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO};
    signal.semaphore = semaphore;
    signal.value = 1;
    signal.stageMask = VK_PIPELINE_STAGE_2_COMMAND_PREPROCESS_BIT_EXT;
    VkSubmitInfo2 first{VK_STRUCTURE_TYPE_SUBMIT_INFO_2};
    first.signalSemaphoreInfoCount = 1;
    first.pSignalSemaphoreInfos = &signal;
    VkSubmitInfo2 second{VK_STRUCTURE_TYPE_SUBMIT_INFO_2};
    second.waitSemaphoreInfoCount = 1;
    second.pWaitSemaphoreInfos = &signal;
    const VkSubmitInfo2 both[] = {first, second};
    MILLRACE_CHECK(vkQueueSubmit2(device.queue, 2, both, VK_NULL_HANDLE));
    const uint64_t value = 1;
    VkTimelineSemaphoreSubmitInfo values{VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO};
    values.waitSemaphoreValueCount = 1;
    values.pWaitSemaphoreValues = &value;
    const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_COMMAND_PREPROCESS_BIT_EXT;
    VkSubmitInfo old{VK_STRUCTURE_TYPE_SUBMIT_INFO, &values};
    old.waitSemaphoreCount = 1;
    old.pWaitSemaphores = &semaphore;
    old.pWaitDstStageMask = &stage;
    MILLRACE_CHECK(vkQueueSubmit(device.queue, 1, &old, VK_NULL_HANDLE));
    MILLRACE_CHECK(vkQueueWaitIdle(device.queue));
}

struct Said {
    VkPhysicalDeviceDeviceGeneratedCommandsPropertiesEXT properties{};
    VkPhysicalDeviceDeviceGeneratedCommandsFeaturesEXT features{};
    bool isListed = false;
};

Said ask(const layertest::InstanceOptions& options)
{
    const layertest::TestInstance instance(options);
    Said said;
    said.properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DEVICE_GENERATED_COMMANDS_PROPERTIES_EXT;
    said.features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DEVICE_GENERATED_COMMANDS_FEATURES_EXT;
    VkPhysicalDeviceProperties2 properties{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &said.properties};
    vkGetPhysicalDeviceProperties2(instance.physical, &properties);
    VkPhysicalDeviceFeatures2 features{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &said.features};
    vkGetPhysicalDeviceFeatures2(instance.physical, &features);
    said.isListed = layertest::lists(layertest::deviceExtensions(instance.physical),
                                     VK_EXT_DEVICE_GENERATED_COMMANDS_EXTENSION_NAME);
    return said;
}

TEST(GeneratedCommandsSetting, Off_AsWithoutTheLayer)
{
    layertest::InstanceOptions without;
    without.emulation = false;
    layertest::InstanceOptions off;
    off.settings = {{"force_enable", "true"}};
    const Said driver = ask(without);
    const Said layer = ask(off);
    EXPECT_EQ(layer.isListed, driver.isListed);
    EXPECT_EQ(layer.features.deviceGeneratedCommands, driver.features.deviceGeneratedCommands);
    EXPECT_EQ(layer.properties.maxIndirectSequenceCount, driver.properties.maxIndirectSequenceCount);
    EXPECT_EQ(layer.properties.supportedIndirectCommandsInputModes,
              driver.properties.supportedIndirectCommandsInputModes);
}

TEST(GeneratedCommandsSetting, On_DriversOwnStaysUnlessForced)
{
    layertest::InstanceOptions without;
    without.emulation = false;
    layertest::InstanceOptions on;
    on.settings = {{"enable", "generated_commands"}};
    const Said driver = ask(without);
    const Said layer = ask(on);
    EXPECT_TRUE(layer.isListed);
    EXPECT_TRUE(layer.features.deviceGeneratedCommands);
    if (driver.isListed)
        EXPECT_EQ(layer.properties.maxIndirectSequenceCount, driver.properties.maxIndirectSequenceCount);
    else
        EXPECT_GE(layer.properties.maxIndirectSequenceCount, 1u << 20);
}

// What a test would do with it has no function behind it.
TEST(TestDevice, RefusedByTheDriver_EndsTheTest)
{
    EXPECT_THROW(layertest::TestDevice({.debugUtils = false}, {.extensions = {"VK_EXT_that_nobody_has"}}),
                 std::runtime_error);
}

}  // namespace

}  // namespace millrace::commandtest
