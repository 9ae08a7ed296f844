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
        DispatchCase drawn(seed, true);
        Sums expected = drawn.expected();
        addOwn(expected, drawn);
        EXPECT_EQ(dispatches.runStreams(drawn), expected) << "seed " << seed;
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
    VkResult create(std::vector<VkIndirectCommandsTokenTypeNV> types, VkPipelineBindPoint bindPoint)
    {
        std::vector<VkIndirectCommandsLayoutTokenNV> tokens;
        for (VkIndirectCommandsTokenTypeNV type : types) {
            VkIndirectCommandsLayoutTokenNV& token = tokens.emplace_back();
            token.sType = VK_STRUCTURE_TYPE_INDIRECT_COMMANDS_LAYOUT_TOKEN_NV;
            token.tokenType = type;
        }
        const uint32_t stride = 64;
        VkIndirectCommandsLayoutCreateInfoNV info{VK_STRUCTURE_TYPE_INDIRECT_COMMANDS_LAYOUT_CREATE_INFO_NV};
        info.pipelineBindPoint = bindPoint;
        info.tokenCount = static_cast<uint32_t>(tokens.size());
        info.pTokens = tokens.data();
        info.streamCount = 1;
        info.pStreamStrides = &stride;
        VkIndirectCommandsLayoutNV layout = VK_NULL_HANDLE;
        const auto call =
            m_generated.device.get<PFN_vkCreateIndirectCommandsLayoutNV>("vkCreateIndirectCommandsLayoutNV");
        const VkResult result = call(m_generated.device.handle, &info, nullptr, &layout);
        EXPECT_EQ(layout, VkIndirectCommandsLayoutNV{VK_NULL_HANDLE});
        return result;
    }

    // One message, which has `part`.
    void expectMessage(const std::string& part)
    {
        const std::vector<layertest::Message> messages = m_generated.device.instance.takeMessages();
        ASSERT_EQ(messages.size(), 1u);
        EXPECT_EQ(messages[0].id, "Millrace-generated-commands");
        EXPECT_NE(messages[0].text.find(part), std::string::npos) << messages[0].text;
    }

private:
    GeneratedDevice m_generated{Provider::Layer, {.streams = true}};
};

TEST_F(StreamRefusals, TokenThatIsNotThere_LayoutRefusedByItsName)
{
    const std::pair<VkIndirectCommandsTokenTypeNV, const char*> absent[] = {
        {VK_INDIRECT_COMMANDS_TOKEN_TYPE_STATE_FLAGS_NV, "state flags"},  // none of them
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
    expectMessage("bind point");
    EXPECT_EQ(create({VK_INDIRECT_COMMANDS_TOKEN_TYPE_DISPATCH_NV}, VK_PIPELINE_BIND_POINT_GRAPHICS),
              VK_ERROR_VALIDATION_FAILED_EXT);
    expectMessage("bind point");
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
