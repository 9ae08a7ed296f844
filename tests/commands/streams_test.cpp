// SPDX-License-Identifier: Apache-2.0
// VK_NV_device_generated_commands and VK_NV_device_generated_commands_compute, which the layer provides.
#include <gtest/gtest.h>

#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "commands/dispatches.h"
#include "commands/draws.h"
#include "commands/stream_layout.h"

namespace millrace::commandtest {

namespace {

TEST(DispatchesOfStreams, RandomLayouts_AsALoopOnTheHost)
{
    Dispatches dispatches(Provider::Layer, {.streams = true});
    for (uint32_t seed = 0; seed < 80 && !testing::Test::HasFailure(); ++seed) {
        DispatchCase drawn(firstSeed() + seed, true);
        Sums expected = drawn.expected();
        addOwn(expected, drawn);
        EXPECT_EQ(dispatches.runStreams(drawn), expected) << "seed " << firstSeed() + seed;
    }
}

// A shader group by itself, and a command without a token for groups behind it: both run what is bound.
TEST(GroupsOfStreams, BoundByThemselves_DrawAsTheirPipelines)
{
    Draws draws(Provider::Layer, Maker::Streams);
    for (uint32_t seed = 0, done = 0; done < 12 && !testing::Test::HasFailure(); ++seed) {
        DrawCase drawn(seed, Maker::Streams);
        if (drawn.hasSet)
            continue;
        drawn.boundGroup = ++done % static_cast<uint32_t>(std::size(kDrawSalts));
        const Pixels pixels = draws.run(drawn);
        EXPECT_TRUE(drawn.expected().allows(pixels, drawn.isUnordered)) << "seed " << seed;
    }
}

class StreamRefusals : public testing::Test {
protected:
    // Each token is in the next stream, from `stream` on; the layout has `streamCount` streams.
    VkResult create(std::vector<VkIndirectCommandsTokenTypeNV> types, VkPipelineBindPoint bindPoint,
                    uint32_t stream = 0, uint32_t streamCount = 8)
    {
        std::vector<VkIndirectCommandsLayoutTokenNV> tokens;
        for (VkIndirectCommandsTokenTypeNV type : types) {
            VkIndirectCommandsLayoutTokenNV& token = tokens.emplace_back();
            token.sType = VK_STRUCTURE_TYPE_INDIRECT_COMMANDS_LAYOUT_TOKEN_NV;
            token.tokenType = type;
            token.stream = stream++;
            token.pushconstantSize = 4;
            token.pushconstantShaderStageFlags = VK_SHADER_STAGE_COMPUTE_BIT;
        }
        const std::vector<uint32_t> strides(streamCount, 64);
        VkIndirectCommandsLayoutCreateInfoNV info{VK_STRUCTURE_TYPE_INDIRECT_COMMANDS_LAYOUT_CREATE_INFO_NV};
        info.pipelineBindPoint = bindPoint;
        info.tokenCount = static_cast<uint32_t>(tokens.size());
        info.pTokens = tokens.data();
        info.streamCount = streamCount;
        info.pStreamStrides = strides.data();
        const auto call = device().get<PFN_vkCreateIndirectCommandsLayoutNV>("vkCreateIndirectCommandsLayoutNV");
        layout = VK_NULL_HANDLE;
        const VkResult result = call(device().handle, &info, nullptr, &layout);
        EXPECT_EQ(layout == VK_NULL_HANDLE, result != VK_SUCCESS);
        return result;
    }

    // One message, which has `part`.
    void expectMessage(const std::string& part)
    {
        const std::vector<layertest::Message> messages = device().instance.takeMessages();
        ASSERT_EQ(messages.size(), 1u);
        EXPECT_EQ(messages[0].id, "Millrace-generated-commands");
        EXPECT_NE(messages[0].text.find(part), std::string::npos) << messages[0].text;
    }

    layertest::TestDevice& device() { return m_generated.device; }

    VkIndirectCommandsLayoutNV layout = VK_NULL_HANDLE;

private:
    GeneratedDevice m_generated{Provider::Layer, {.streams = true}};
};

TEST_F(StreamRefusals, TokenThatIsNotThere_LayoutRefusedByItsName)
{
    const std::pair<VkIndirectCommandsTokenTypeNV, const char*> absent[] = {
        {VK_INDIRECT_COMMANDS_TOKEN_TYPE_STATE_FLAGS_NV,
         "token 0, STATE_FLAGS, has other state flags"},  // none of them
        {VK_INDIRECT_COMMANDS_TOKEN_TYPE_DRAW_TASKS_NV, "token DRAW_TASKS"},
    };
    for (const auto& [type, name] : absent) {
        EXPECT_EQ(create({type, VK_INDIRECT_COMMANDS_TOKEN_TYPE_DRAW_NV}, VK_PIPELINE_BIND_POINT_GRAPHICS),
                  VK_ERROR_FEATURE_NOT_PRESENT);
        expectMessage(name);
    }
}

TEST_F(StreamRefusals, ActionOfAnotherBindPoint_Refused)
{
    EXPECT_EQ(create({VK_INDIRECT_COMMANDS_TOKEN_TYPE_DRAW_NV}, VK_PIPELINE_BIND_POINT_COMPUTE),
              VK_ERROR_VALIDATION_FAILED_EXT);
    expectMessage("token 0, DRAW, is of another bind point");
    EXPECT_EQ(create({VK_INDIRECT_COMMANDS_TOKEN_TYPE_PUSH_CONSTANT_NV, VK_INDIRECT_COMMANDS_TOKEN_TYPE_DISPATCH_NV},
                     VK_PIPELINE_BIND_POINT_GRAPHICS),
              VK_ERROR_VALIDATION_FAILED_EXT);
    expectMessage("token 1, DISPATCH, is of another bind point");
}

TEST_F(StreamRefusals, TwoActions_BothNamed)
{
    EXPECT_EQ(create({VK_INDIRECT_COMMANDS_TOKEN_TYPE_DRAW_INDEXED_NV, VK_INDIRECT_COMMANDS_TOKEN_TYPE_PUSH_CONSTANT_NV,
                      VK_INDIRECT_COMMANDS_TOKEN_TYPE_DRAW_NV},
                     VK_PIPELINE_BIND_POINT_GRAPHICS),
              VK_ERROR_VALIDATION_FAILED_EXT);
    expectMessage("token 0, DRAW_INDEXED, and token 2, DRAW (");
}

TEST_F(StreamRefusals, AnyTokenInAStreamThatIsNotThere_NamedWithIt)
{
    const std::pair<VkIndirectCommandsTokenTypeNV, const char*> names[] = {
        {VK_INDIRECT_COMMANDS_TOKEN_TYPE_SHADER_GROUP_NV, "SHADER_GROUP"},
        {VK_INDIRECT_COMMANDS_TOKEN_TYPE_STATE_FLAGS_NV, "STATE_FLAGS"},
        {VK_INDIRECT_COMMANDS_TOKEN_TYPE_INDEX_BUFFER_NV, "INDEX_BUFFER"},
        {VK_INDIRECT_COMMANDS_TOKEN_TYPE_VERTEX_BUFFER_NV, "VERTEX_BUFFER"},
        {VK_INDIRECT_COMMANDS_TOKEN_TYPE_PUSH_CONSTANT_NV, "PUSH_CONSTANT"},
        {VK_INDIRECT_COMMANDS_TOKEN_TYPE_DRAW_INDEXED_NV, "DRAW_INDEXED"},
        {VK_INDIRECT_COMMANDS_TOKEN_TYPE_DRAW_NV, "DRAW"},
        {VK_INDIRECT_COMMANDS_TOKEN_TYPE_DRAW_TASKS_NV, "DRAW_TASKS"},
        {VK_INDIRECT_COMMANDS_TOKEN_TYPE_DRAW_MESH_TASKS_NV, "DRAW_MESH_TASKS"},
        {VK_INDIRECT_COMMANDS_TOKEN_TYPE_PIPELINE_NV, "PIPELINE"},
        {VK_INDIRECT_COMMANDS_TOKEN_TYPE_DISPATCH_NV, "DISPATCH"},
        {static_cast<VkIndirectCommandsTokenTypeNV>(99), "99"},
    };
    for (const auto& [type, name] : names) {
        EXPECT_EQ(
            create({VK_INDIRECT_COMMANDS_TOKEN_TYPE_PUSH_CONSTANT_NV, type}, VK_PIPELINE_BIND_POINT_GRAPHICS, 1, 2),
            VK_ERROR_VALIDATION_FAILED_EXT);
        expectMessage(std::string("token 1, ") + name + ", is in stream 2, which the layout does not have");
    }
}

TEST_F(StreamRefusals, NoToken_Refused)
{
    EXPECT_EQ(create({}, VK_PIPELINE_BIND_POINT_COMPUTE), VK_ERROR_VALIDATION_FAILED_EXT);
    expectMessage("no token");
}

TEST_F(StreamRefusals, StreamThatTheLayoutDoesNotHave_Refused)
{
    constexpr uint32_t kFarAway = 100000000;  // behind all memory
    EXPECT_EQ(create({VK_INDIRECT_COMMANDS_TOKEN_TYPE_DISPATCH_NV}, VK_PIPELINE_BIND_POINT_COMPUTE, kFarAway),
              VK_ERROR_VALIDATION_FAILED_EXT);
    expectMessage("token 0, DISPATCH, is in stream 100000000, which the layout does not have: there are 8");
}

TEST_F(StreamRefusals, FewerStreamsThanTheLayoutHas_CommandLeftOut)
{
    ASSERT_EQ(create({VK_INDIRECT_COMMANDS_TOKEN_TYPE_PUSH_CONSTANT_NV, VK_INDIRECT_COMMANDS_TOKEN_TYPE_DISPATCH_NV},
                     VK_PIPELINE_BIND_POINT_COMPUTE, 0, 2),
              VK_SUCCESS);
    const layertest::Buffer memory = device().createBuffer(4096, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT);
    const VkIndirectCommandsStreamNV stream{memory.handle, 0};
    VkGeneratedCommandsInfoNV info{VK_STRUCTURE_TYPE_GENERATED_COMMANDS_INFO_NV};
    info.pipelineBindPoint = VK_PIPELINE_BIND_POINT_COMPUTE;
    info.indirectCommandsLayout = layout;
    info.streamCount = 1;
    info.pStreams = &stream;
    info.sequencesCount = 1;
    info.preprocessBuffer = memory.handle;
    info.preprocessOffset = 256;
    info.preprocessSize = 2048;
    const VkCommandBuffer cmd = device().begin();
    device().get<PFN_vkCmdExecuteGeneratedCommandsNV>("vkCmdExecuteGeneratedCommandsNV")(cmd, VK_FALSE, &info);
    device().submitAndWait(cmd);
    expectMessage("fewer streams");
    const auto destroy = device().get<PFN_vkDestroyIndirectCommandsLayoutNV>("vkDestroyIndirectCommandsLayoutNV");
    destroy(device().handle, layout, nullptr);
}

TEST(StreamProperties, FeaturesAndLimits_AsTheDocumentsSay)
{
    const layertest::TestInstance instance(instanceOptions(Provider::Layer));
    VkPhysicalDeviceDeviceGeneratedCommandsComputeFeaturesNV compute{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DEVICE_GENERATED_COMMANDS_COMPUTE_FEATURES_NV};
    VkPhysicalDeviceDeviceGeneratedCommandsFeaturesNV streams{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DEVICE_GENERATED_COMMANDS_FEATURES_NV, &compute};
    VkPhysicalDeviceFeatures2 features{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &streams};
    vkGetPhysicalDeviceFeatures2(instance.physical, &features);
    EXPECT_TRUE(streams.deviceGeneratedCommands);
    EXPECT_TRUE(compute.deviceGeneratedCompute);
    EXPECT_TRUE(compute.deviceGeneratedComputePipelines);
    EXPECT_FALSE(compute.deviceGeneratedComputeCaptureReplay);
    VkPhysicalDeviceDeviceGeneratedCommandsPropertiesNV own{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DEVICE_GENERATED_COMMANDS_PROPERTIES_NV};
    VkPhysicalDeviceProperties2 properties{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &own};
    vkGetPhysicalDeviceProperties2(instance.physical, &properties);
    // The specification's table of required limits.
    EXPECT_GE(own.maxGraphicsShaderGroupCount, 1u << 12);
    EXPECT_GE(own.maxIndirectSequenceCount, 1u << 20);
    EXPECT_GE(own.maxIndirectCommandsTokenCount, 16u);
    EXPECT_GE(own.maxIndirectCommandsStreamCount, 16u);
    EXPECT_GE(own.maxIndirectCommandsTokenOffset, 2047u);
    EXPECT_GE(own.maxIndirectCommandsStreamStride, 2048u);
    EXPECT_LE(own.minSequencesCountBufferOffsetAlignment, 256u);
    EXPECT_LE(own.minSequencesIndexBufferOffsetAlignment, 256u);
    EXPECT_LE(own.minIndirectCommandsBufferOffsetAlignment, 256u);
}

}  // namespace

}  // namespace millrace::commandtest
