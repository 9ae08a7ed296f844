// SPDX-License-Identifier: Apache-2.0
// State behind a split, and commands that lead to more than their first command buffer, as the driver gets them.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "layer/commands/text.h"
#include "layer/fake_driver.h"
#include "layer/recording/command_buffer.h"
#include "layer/recording/update_templates.h"

namespace millrace::layertest {

namespace {

constexpr auto kGraphics = VK_PIPELINE_BIND_POINT_GRAPHICS;

// The place in `calls` of the last call of a command that has these arguments; the number of calls if there is none.
size_t lastOf(const std::vector<Call>& calls, const Call& wanted)
{
    const auto found = std::find_if(calls.rbegin(), calls.rend(), [&](const Call& call) {
        return call.command == wanted.command && call.arguments == wanted.arguments;
    });
    return found == calls.rend() ? calls.size() : static_cast<size_t>(calls.rend() - found) - 1;
}

size_t countOf(const std::vector<Call>& calls, const char* command)
{
    return static_cast<size_t>(std::ranges::count(calls, command, &Call::command));
}

class RecordedState : public testing::Test {
protected:
    // What `action` has the driver called with.
    template <typename Action>
    std::vector<Call> callsOf(const Action& action)
    {
        FakeDriver::takeCalls();
        action();
        return FakeDriver::takeCalls();
    }
    std::vector<Call> split()
    {
        return callsOf([this] { driver.split(cmd); });
    }

    FakeDriver driver;
    VkCommandBuffer cmd = driver.begin();
};

struct VertexBuffers {
    std::array<VkBuffer, 2> buffers;
    std::array<VkDeviceSize, 2> offsets{16, 32};
    std::array<VkDeviceSize, 2> strides{12, 20};

    explicit VertexBuffers(uintptr_t first) : buffers{fakeHandle<VkBuffer>(first), fakeHandle<VkBuffer>(first + 1)} {}

    void bind(VkCommandBuffer cmd) const
    {
        FakeDriver::get<PFN_vkCmdBindVertexBuffers>("vkCmdBindVertexBuffers")(cmd, 0, 2, buffers.data(),
                                                                              offsets.data());
    }
    void bind2(VkCommandBuffer cmd, const VkDeviceSize* withStrides) const
    {
        FakeDriver::get<PFN_vkCmdBindVertexBuffers2>("vkCmdBindVertexBuffers2")(cmd, 0, 2, buffers.data(),
                                                                                offsets.data(), nullptr, withStrides);
    }
};

// Strides that are dynamic stay where buffers are bound without.
TEST_F(RecordedState, BuffersBoundWithoutStrides_EarlierStridesSetBehindASplit)
{
    const VertexBuffers first(10), second(20);
    for (const bool newer : {false, true}) {
        const std::vector<Call> before = callsOf([&] {
            first.bind2(cmd, first.strides.data());
            newer ? second.bind2(cmd, nullptr) : second.bind(cmd);
        });
        ASSERT_EQ(before.size(), 2u);
        const std::vector<Call> behind = split();
        ASSERT_LT(lastOf(behind, before[0]), behind.size()) << "strides";
        ASSERT_LT(lastOf(behind, before[1]), behind.size()) << "buffers";
        EXPECT_LT(lastOf(behind, before[0]), lastOf(behind, before[1]));
    }
}

struct Push {
    VkDescriptorBufferInfo buffer;
    VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};

    Push(uintptr_t object, uint32_t binding, uint32_t element = 0)
        : buffer{fakeHandle<VkBuffer>(object), 0, VK_WHOLE_SIZE}
    {
        write.dstBinding = binding;
        write.dstArrayElement = element;
        write.descriptorCount = 1;
        write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
        write.pBufferInfo = &buffer;
    }
    Push(const Push&) = delete;
    Push& operator=(const Push&) = delete;

    void push(VkCommandBuffer cmd, uint32_t set) const
    {
        FakeDriver::get<PFN_vkCmdPushDescriptorSet>("vkCmdPushDescriptorSet")(
            cmd, kGraphics, fakeHandle<VkPipelineLayout>(7), set, 1, &write);
    }
    void pushWithoutLayout(VkCommandBuffer cmd) const
    {
        const VkPipelineLayoutCreateInfo layout{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
        VkPushDescriptorSetInfo info{VK_STRUCTURE_TYPE_PUSH_DESCRIPTOR_SET_INFO, &layout};
        info.stageFlags = VK_SHADER_STAGE_FRAGMENT_BIT;
        info.descriptorWriteCount = 1;
        info.pDescriptorWrites = &write;
        FakeDriver::get<PFN_vkCmdPushDescriptorSet2>("vkCmdPushDescriptorSet2")(cmd, &info);
    }
};

TEST_F(RecordedState, PushesToOtherBindingsAndElements_AllSetBehindASplit)
{
    // Pairs that would be equal if numbers were cut to parts of a word.
    const std::pair<uint32_t, uint32_t> places[] = {{0, 0}, {1, 0},        {1u << 24, 0},
                                                    {0, 1}, {0, 1u << 16}, {0, 1u << 31}};
    uintptr_t object = 10;
    std::vector<Call> before;
    for (const auto& [binding, element] : places) {
        const Push push(++object, binding, element);
        for (uint32_t set : {0u, 1u, 256u}) {
            const std::vector<Call> calls = callsOf([&] { push.push(cmd, set); });
            before.insert(before.end(), calls.begin(), calls.end());
        }
    }
    const std::vector<Call> behind = split();
    for (const Call& call : before)
        EXPECT_LT(lastOf(behind, call), behind.size());
    EXPECT_EQ(countOf(behind, "vkCmdPushDescriptorSet"), before.size());
}

TEST_F(RecordedState, PushesWithoutALayout_AllSetBehindASplit)
{
    const Push one(10, 0), another(11, 1), instead(12, 0);
    const std::vector<Call> before = callsOf([&] {
        for (const Push* push : {&one, &another, &instead})
            push->pushWithoutLayout(cmd);
    });
    const std::vector<Call> behind = split();
    ASSERT_EQ(before.size(), 3u);
    EXPECT_EQ(lastOf(behind, before[0]), behind.size()) << "replaced";
    EXPECT_LT(lastOf(behind, before[1]), behind.size());
    EXPECT_LT(lastOf(behind, before[2]), behind.size());
}

TEST_F(RecordedState, PushWithATemplateAndWithoutALayout_SetBehindASplit)
{
    const auto handle = fakeHandle<VkDescriptorUpdateTemplate>(5);
    auto known = std::make_shared<layer::UpdateTemplate>();
    known->entries = {{3, 0, 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 0, sizeof(VkDescriptorBufferInfo)}};
    driver.device().updateTemplates.insert(5, known);
    const Push push(10, 3);
    VkPipelineLayoutCreateInfo layout{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    VkPushDescriptorSetWithTemplateInfo info{VK_STRUCTURE_TYPE_PUSH_DESCRIPTOR_SET_WITH_TEMPLATE_INFO, &layout};
    info.descriptorUpdateTemplate = handle;
    info.pData = &push.buffer;
    FakeDriver::get<PFN_vkCmdPushDescriptorSetWithTemplate2>("vkCmdPushDescriptorSetWithTemplate2")(cmd, &info);
    const std::vector<Call> behind = split();
    ASSERT_EQ(countOf(behind, "vkCmdPushDescriptorSet2"), 1u);
    EXPECT_NE(behind[0].arguments.find(" buffer=" + textOfHandle(push.buffer.buffer)), std::string::npos)
        << behind[0].arguments;
}

// VK_SHADER_STAGE_ALL names stages of bind points that the device, or the queues of the pool, may not have.
TEST_F(RecordedState, AllStages_SetBehindASplitForTheBindPointsThatThereAre)
{
    VkPipelineLayoutCreateInfo layoutInfo{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    VkPipelineLayout layout = VK_NULL_HANDLE;
    FakeDriver::get<PFN_vkCreatePipelineLayout>("vkCreatePipelineLayout")(driver.handle(), &layoutInfo, nullptr,
                                                                          &layout);
    const Push push(10, 0);
    const auto set = fakeHandle<VkDescriptorSet>(11);
    const uint32_t index = 0;
    const VkDeviceSize offset = 0;
    const auto bindAll = [&](VkCommandBuffer to) {
        VkBindDescriptorSetsInfo sets{VK_STRUCTURE_TYPE_BIND_DESCRIPTOR_SETS_INFO};
        sets.stageFlags = VK_SHADER_STAGE_ALL;
        sets.layout = layout;
        sets.descriptorSetCount = 1;
        sets.pDescriptorSets = &set;
        FakeDriver::get<PFN_vkCmdBindDescriptorSets2>("vkCmdBindDescriptorSets2")(to, &sets);
        VkPushDescriptorSetInfo pushed{VK_STRUCTURE_TYPE_PUSH_DESCRIPTOR_SET_INFO};
        pushed.stageFlags = VK_SHADER_STAGE_ALL;
        pushed.layout = layout;
        pushed.set = 1;
        pushed.descriptorWriteCount = 1;
        pushed.pDescriptorWrites = &push.write;
        FakeDriver::get<PFN_vkCmdPushDescriptorSet2>("vkCmdPushDescriptorSet2")(to, &pushed);
        VkSetDescriptorBufferOffsetsInfoEXT offsets{VK_STRUCTURE_TYPE_SET_DESCRIPTOR_BUFFER_OFFSETS_INFO_EXT};
        offsets.stageFlags = VK_SHADER_STAGE_ALL;
        offsets.layout = layout;
        offsets.firstSet = 2;
        offsets.setCount = 1;
        offsets.pBufferIndices = &index;
        offsets.pOffsets = &offset;
        FakeDriver::get<PFN_vkCmdSetDescriptorBufferOffsets2EXT>("vkCmdSetDescriptorBufferOffsets2EXT")(to, &offsets);
        VkBindDescriptorBufferEmbeddedSamplersInfoEXT samplers{
            VK_STRUCTURE_TYPE_BIND_DESCRIPTOR_BUFFER_EMBEDDED_SAMPLERS_INFO_EXT};
        samplers.stageFlags = VK_SHADER_STAGE_ALL;
        samplers.layout = layout;
        samplers.set = 3;
        FakeDriver::get<PFN_vkCmdBindDescriptorBufferEmbeddedSamplers2EXT>(
            "vkCmdBindDescriptorBufferEmbeddedSamplers2EXT")(to, &samplers);
    };
    const auto expectPoints = [&](size_t points) {
        const VkCommandBuffer to = driver.begin();
        bindAll(to);
        FakeDriver::takeCalls();
        driver.split(to);
        const std::vector<Call> behind = FakeDriver::takeCalls();
        for (const char* command :
             {"vkCmdBindDescriptorSets", "vkCmdPushDescriptorSet", "vkCmdSetDescriptorBufferOffsetsEXT",
              "vkCmdBindDescriptorBufferEmbeddedSamplersEXT"})
            EXPECT_EQ(countOf(behind, command), points) << command;
    };
    layer::Device& device = driver.device();
    expectPoints(2);
    device.enabled.rayTracing = true;
    expectPoints(3);
    device.enabled.subpassShading = true;
    expectPoints(4);
    device.queueFamilies[0].queueFlags = VK_QUEUE_COMPUTE_BIT;
    expectPoints(2);
    device.enabled = {};
    expectPoints(1);
    FakeDriver::get<PFN_vkDestroyPipelineLayout>("vkDestroyPipelineLayout")(driver.handle(), layout, nullptr);
}

// Push constants of two stages are two, also where the bytes are the same.
TEST_F(RecordedState, PushConstantsOfSeveralStagesWithoutALayout_AllSetBehindASplit)
{
    const uint32_t values[] = {1, 2};
    const VkPipelineLayoutCreateInfo layout{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    const std::vector<Call> before = callsOf([&] {
        for (VkShaderStageFlags stages : {VK_SHADER_STAGE_VERTEX_BIT, VK_SHADER_STAGE_FRAGMENT_BIT}) {
            VkPushConstantsInfo info{VK_STRUCTURE_TYPE_PUSH_CONSTANTS_INFO, &layout};
            info.stageFlags = stages;
            info.size = sizeof(uint32_t);
            info.pValues = &values[stages == VK_SHADER_STAGE_VERTEX_BIT ? 0 : 1];
            FakeDriver::get<PFN_vkCmdPushConstants2>("vkCmdPushConstants2")(cmd, &info);
        }
    });
    const std::vector<Call> behind = split();
    ASSERT_EQ(before.size(), 2u);
    for (const Call& call : before)
        EXPECT_LT(lastOf(behind, call), behind.size());
}

TEST_F(RecordedState, StagesWhoseBitsAreFarApart_PushConstantsOfBothSetBehindASplit)
{
    const uint32_t values[] = {1, 2};
    const auto push = FakeDriver::get<PFN_vkCmdPushConstants>("vkCmdPushConstants");
    const auto layout = fakeHandle<VkPipelineLayout>(7);
    const std::vector<Call> before = callsOf([&] {
        push(cmd, layout, VK_SHADER_STAGE_GEOMETRY_BIT, 0, 4, &values[0]);
        push(cmd, layout, VK_SHADER_STAGE_CLUSTER_CULLING_BIT_HUAWEI, 0, 4, &values[1]);
    });
    const std::vector<Call> behind = split();
    ASSERT_EQ(before.size(), 2u);
    for (const Call& call : before)
        EXPECT_LT(lastOf(behind, call), behind.size());
}

// The same again and again, with other values each time, and with more or fewer of them than quick calls take: the
// driver gets each, and behind a split the last of each.
class SetAgain : public RecordedState {
protected:
    static constexpr uint32_t kTimes = 4;

    // `set(time)` gives commands that set the same each time.
    template <typename Set>
    void expectLast(const Set& set, size_t commands, const std::string& what)
    {
        std::vector<Call> last;
        for (uint32_t time = 0; time < kTimes; ++time) {
            std::vector<Call> calls = callsOf([&] { set(time); });
            ASSERT_EQ(calls.size(), commands) << what;
            for (size_t i = 0; i < commands && time > 0; ++i)
                EXPECT_NE(calls[i].arguments, last[i].arguments) << what;
            last = std::move(calls);
        }
        const std::vector<Call> behind = split();
        for (const Call& call : last) {
            EXPECT_LT(lastOf(behind, call), behind.size()) << what << ": " << call.command;
            EXPECT_EQ(countOf(behind, call.command.c_str()), 1u) << what;
        }
        FakeDriver::get<PFN_vkResetCommandBuffer>("vkResetCommandBuffer")(cmd, 0);
        FakeDriver::takeAllCalls();
    }
    // So many numbers that differ from those of another time.
    template <typename Number>
    static std::vector<Number> numbers(size_t count, uint32_t time)
    {
        std::vector<Number> out(count);
        for (size_t i = 0; i < count; ++i)
            out[i] = static_cast<Number>(100 * (time + 1) + i);
        return out;
    }
    template <typename Handle>
    static std::vector<Handle> handles(size_t count, uint32_t time)
    {
        std::vector<Handle> out;
        for (const uintptr_t number : numbers<uintptr_t>(count, time))
            out.push_back(fakeHandle<Handle>(number));
        return out;
    }
};

TEST_F(SetAgain, Pipelines)
{
    expectLast(
        [&](uint32_t time) {
            FakeDriver::get<PFN_vkCmdBindPipeline>("vkCmdBindPipeline")(cmd, kGraphics,
                                                                        fakeHandle<VkPipeline>(10 + time));
        },
        1, "a pipeline");
}

// Each stage by itself.
TEST_F(SetAgain, Shaders)
{
    const VkShaderStageFlagBits stages[] = {VK_SHADER_STAGE_VERTEX_BIT, VK_SHADER_STAGE_COMPUTE_BIT,
                                            VK_SHADER_STAGE_FRAGMENT_BIT};
    const auto bind = FakeDriver::get<PFN_vkCmdBindShadersEXT>("vkCmdBindShadersEXT");
    std::vector<Call> last;
    for (uint32_t time = 0; time < kTimes; ++time) {
        const std::vector<VkShaderEXT> shaders = handles<VkShaderEXT>(3, time);
        const std::vector<Call> together = callsOf([&] { bind(cmd, 3, stages, shaders.data()); });
        ASSERT_EQ(together.size(), 1u);
        EXPECT_NE(together[0].arguments.find(textOfHandle(shaders[2])), std::string::npos);
        last = callsOf([&] {
            bind(cmd, 1, &stages[0], nullptr);
            for (size_t i = 1; i < 3; ++i)
                bind(cmd, 1, &stages[i], &shaders[i]);
        });
    }
    const std::vector<Call> behind = split();
    EXPECT_EQ(countOf(behind, "vkCmdBindShadersEXT"), 3u);
    ASSERT_EQ(last.size(), 3u);
    for (size_t i = 1; i < 3; ++i)
        EXPECT_LT(lastOf(behind, last[i]), behind.size());
}

TEST_F(SetAgain, DescriptorSets)
{
    for (const uint32_t sets : {1u, 4u, 5u, 9u})
        for (const uint32_t offsets : {0u, 1u, 4u, 5u})
            expectLast(
                [&](uint32_t time) {
                    FakeDriver::get<PFN_vkCmdBindDescriptorSets>("vkCmdBindDescriptorSets")(
                        cmd, kGraphics, fakeHandle<VkPipelineLayout>(7), 2, sets,
                        handles<VkDescriptorSet>(sets, time).data(), offsets, numbers<uint32_t>(offsets, time).data());
                },
                1, std::to_string(sets) + " sets, " + std::to_string(offsets) + " offsets");
}

TEST_F(SetAgain, PushConstants)
{
    for (uint32_t words = 1; words <= 64; ++words)
        expectLast(
            [&](uint32_t time) {
                FakeDriver::get<PFN_vkCmdPushConstants>("vkCmdPushConstants")(cmd, fakeHandle<VkPipelineLayout>(7),
                                                                              VK_SHADER_STAGE_ALL, 4, 4 * words,
                                                                              numbers<uint32_t>(words, time).data());
            },
            1, std::to_string(words) + " words");
}

TEST_F(SetAgain, VertexBuffers)
{
    for (const uint32_t count : {1u, 2u, 4u, 5u, 16u})
        expectLast(
            [&](uint32_t time) {
                FakeDriver::get<PFN_vkCmdBindVertexBuffers>("vkCmdBindVertexBuffers")(
                    cmd, 1, count, handles<VkBuffer>(count, time).data(), numbers<VkDeviceSize>(count, time).data());
            },
            1, std::to_string(count) + " buffers");
}

TEST_F(SetAgain, VertexBuffersWithSizesAndStrides)
{
    for (const uint32_t count : {1u, 4u, 5u})
        for (const bool hasSizes : {false, true})
            for (const bool hasStrides : {false, true})
                expectLast(
                    [&](uint32_t time) {
                        const std::vector<VkDeviceSize> bytes = numbers<VkDeviceSize>(count, time);
                        FakeDriver::get<PFN_vkCmdBindVertexBuffers2>("vkCmdBindVertexBuffers2")(
                            cmd, 1, count, handles<VkBuffer>(count, time).data(), bytes.data(),
                            hasSizes ? bytes.data() : nullptr, hasStrides ? bytes.data() : nullptr);
                    },
                    1,
                    std::to_string(count) + " buffers" + (hasSizes ? ", sizes" : "") + (hasStrides ? ", strides" : ""));
}

TEST_F(SetAgain, ValuesAndArrays)
{
    for (const uint32_t count : {1u, 4u, 5u})
        expectLast(
            [&](uint32_t time) {
                const std::vector<VkViewport> viewports(count, VkViewport{0, 0, 1 + static_cast<float>(time), 1, 0, 1});
                FakeDriver::get<PFN_vkCmdSetViewport>("vkCmdSetViewport")(cmd, 0, count, viewports.data());
                FakeDriver::get<PFN_vkCmdBindIndexBuffer>("vkCmdBindIndexBuffer")(cmd, fakeHandle<VkBuffer>(5),
                                                                                  16 * time, VK_INDEX_TYPE_UINT32);
                FakeDriver::get<PFN_vkCmdSetLineWidth>("vkCmdSetLineWidth")(cmd, 1 + static_cast<float>(time));
                FakeDriver::get<PFN_vkCmdSetStencilReference>("vkCmdSetStencilReference")(
                    cmd, VK_STENCIL_FACE_FRONT_BIT, time);
            },
            4, std::to_string(count) + " viewports");
}

// Commands take turns, so that what was set last is not what is set next.
TEST_F(SetAgain, InTurn)
{
    const auto bind = FakeDriver::get<PFN_vkCmdBindDescriptorSets>("vkCmdBindDescriptorSets");
    std::vector<Call> last;
    for (uint32_t time = 0; time < kTimes; ++time)
        last = callsOf([&] {
            for (const uint32_t first : {2u, 1u, 2u, 0u, 2u, 1u})
                bind(cmd, kGraphics, fakeHandle<VkPipelineLayout>(7), first, 1,
                     handles<VkDescriptorSet>(1, 10 * first + time).data(), 0, nullptr);
        });
    const std::vector<Call> behind = split();
    EXPECT_EQ(countOf(behind, "vkCmdBindDescriptorSets"), 3u);
    for (const Call& call : last)
        EXPECT_LT(lastOf(behind, call), behind.size());
}

// What a command's structures lead to belongs to what the log has of it, and goes with that.
TEST_F(RecordedState, StateSetAgainAndAgain_NothingOfTheFirstIsKept)
{
    const VkSampleLocationEXT location{0.25f, 0.5f};
    VkSampleLocationsInfoEXT locations{VK_STRUCTURE_TYPE_SAMPLE_LOCATIONS_INFO_EXT};
    locations.sampleLocationsCount = 1;
    locations.pSampleLocations = &location;
    const VkDepthBiasRepresentationInfoEXT representation{VK_STRUCTURE_TYPE_DEPTH_BIAS_REPRESENTATION_INFO_EXT};
    const VkDepthBiasInfoEXT bias{VK_STRUCTURE_TYPE_DEPTH_BIAS_INFO_EXT, &representation};
    const VkDescriptorBufferBindingInfoEXT buffer{VK_STRUCTURE_TYPE_DESCRIPTOR_BUFFER_BINDING_INFO_EXT};
    const Push push(10, 0);
    for (uint32_t i = 0; i < 100; ++i) {
        push.push(cmd, 0);
        push.pushWithoutLayout(cmd);
        FakeDriver::get<PFN_vkCmdSetSampleLocationsEXT>("vkCmdSetSampleLocationsEXT")(cmd, &locations);
        FakeDriver::get<PFN_vkCmdSetDepthBias2EXT>("vkCmdSetDepthBias2EXT")(cmd, &bias);
        FakeDriver::get<PFN_vkCmdBindDescriptorBuffersEXT>("vkCmdBindDescriptorBuffersEXT")(cmd, 1, &buffer);
    }
    EXPECT_EQ(FakeDriver::of(cmd).keepAlive.size(), 0u);
    EXPECT_EQ(split().size(), 5u);
}

// Wherever in the chain a structure is, and though the application's memory is something else by then.
TEST_F(RecordedState, ChainsOfState_SetBehindASplitAsTheyWere)
{
    VkDepthBiasRepresentationInfoEXT representation{VK_STRUCTURE_TYPE_DEPTH_BIAS_REPRESENTATION_INFO_EXT, nullptr,
                                                    VK_DEPTH_BIAS_REPRESENTATION_FLOAT_EXT, VK_TRUE};
    VkDeviceGroupSubmitInfo first{VK_STRUCTURE_TYPE_DEVICE_GROUP_SUBMIT_INFO, &representation};
    VkDepthBiasInfoEXT bias{VK_STRUCTURE_TYPE_DEPTH_BIAS_INFO_EXT, &first, 1, 2, 3};
    const std::vector<Call> before =
        callsOf([&] { FakeDriver::get<PFN_vkCmdSetDepthBias2EXT>("vkCmdSetDepthBias2EXT")(cmd, &bias); });
    std::memset(&representation, 0xee, sizeof representation);
    std::memset(&first, 0xee, sizeof first);
    std::memset(&bias, 0xee, sizeof bias);
    const std::vector<Call> behind = split();
    ASSERT_EQ(before.size(), 1u);
    ASSERT_EQ(behind.size(), 1u);
    EXPECT_EQ(behind[0].arguments, before[0].arguments);
}

TEST_F(RecordedState, StateOfASplitCommandBuffer_OfTheOneThatRecordsNow)
{
    const VkCommandBuffer source = driver.begin();
    driver.split(source);
    const auto preprocess =
        FakeDriver::get<PFN_vkCmdPreprocessGeneratedCommandsEXT>("vkCmdPreprocessGeneratedCommandsEXT");
    const VkGeneratedCommandsInfoEXT info{VK_STRUCTURE_TYPE_GENERATED_COMMANDS_INFO_EXT};
    const std::vector<Call> calls = callsOf([&] { preprocess(cmd, &info, source); });
    ASSERT_EQ(calls.size(), 1u);
    const VkCommandBuffer now = FakeDriver::of(source).current;
    ASSERT_NE(now, source);
    EXPECT_TRUE(calls[0].arguments.ends_with(" stateCommandBuffer=" + textOfHandle(now) + "}")) << calls[0].arguments;
}

// The attachments that the first part of an interrupted instance stores are those that the second loads.
TEST_F(RecordedState, InterruptedInstance_SecondPartWaitsForTheAttachmentsOfTheFirst)
{
    const VkRenderingInfo info{VK_STRUCTURE_TYPE_RENDERING_INFO};
    FakeDriver::get<PFN_vkCmdBeginRendering>("vkCmdBeginRendering")(cmd, &info);
    layer::CommandBuffer& known = FakeDriver::of(cmd);
    const std::vector<Call> calls = callsOf([&] {
        interruptRendering(known, true);
        resumeRendering(known, true);
    });
    ASSERT_EQ(calls.size(), 3u);
    EXPECT_EQ(calls[0].command, "vkCmdEndRendering");
    EXPECT_EQ(calls[1].command, "vkCmdPipelineBarrier");
    EXPECT_EQ(calls[2].command, "vkCmdBeginRendering");
}

}  // namespace

}  // namespace millrace::layertest
