// SPDX-License-Identifier: Apache-2.0
// Streams that are recorded again where they are submitted: what they have in them, and another thread that records
// command buffers of the pool meanwhile.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "layer/commands/generated_objects.h"
#include "layer/fake_driver.h"
#include "layer/recording/command_buffer.h"

namespace millrace::layertest {

namespace {

constexpr uint32_t kTimes = 30;

class SecondaryCommandBuffer {
public:
    explicit SecondaryCommandBuffer(VkDevice device) : m_device(device)
    {
        const VkCommandPoolCreateInfo poolInfo{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
        FakeDriver::get<PFN_vkCreateCommandPool>("vkCreateCommandPool")(device, &poolInfo, nullptr, &m_pool);
        VkCommandBufferAllocateInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
        info.commandPool = m_pool;
        info.level = VK_COMMAND_BUFFER_LEVEL_SECONDARY;
        info.commandBufferCount = 1;
        FakeDriver::get<PFN_vkAllocateCommandBuffers>("vkAllocateCommandBuffers")(device, &info, &handle);
    }
    ~SecondaryCommandBuffer()
    {
        FakeDriver::get<PFN_vkDestroyCommandPool>("vkDestroyCommandPool")(m_device, m_pool, nullptr);
    }
    SecondaryCommandBuffer(const SecondaryCommandBuffer&) = delete;
    SecondaryCommandBuffer& operator=(const SecondaryCommandBuffer&) = delete;

    VkCommandBuffer handle = VK_NULL_HANDLE;

private:
    const VkDevice m_device;
    VkCommandPool m_pool = VK_NULL_HANDLE;
};

class LateStreams : public testing::Test {
protected:
    ~LateStreams() override
    {
        if (m_pass)
            FakeDriver::get<PFN_vkDestroyRenderPass>("vkDestroyRenderPass")(driver.handle(), m_pass, nullptr);
    }
    static void beginRendering(VkCommandBuffer cmd)
    {
        const VkRenderingInfo info{VK_STRUCTURE_TYPE_RENDERING_INFO};
        FakeDriver::get<PFN_vkCmdBeginRendering>("vkCmdBeginRendering")(cmd, &info);
    }
    static void endRendering(VkCommandBuffer cmd) { FakeDriver::get<PFN_vkCmdEndRendering>("vkCmdEndRendering")(cmd); }
    void beginPass(VkCommandBuffer cmd)
    {
        const VkSubpassDescription subpass{};
        VkRenderPassCreateInfo info{VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO};
        info.subpassCount = 1;
        info.pSubpasses = &subpass;
        FakeDriver::get<PFN_vkCreateRenderPass>("vkCreateRenderPass")(driver.handle(), &info, nullptr, &m_pass);
        VkRenderPassBeginInfo begin{VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO};
        begin.renderPass = m_pass;
        FakeDriver::get<PFN_vkCmdBeginRenderPass>("vkCmdBeginRenderPass")(cmd, &begin, VK_SUBPASS_CONTENTS_INLINE);
    }
    static void endPass(VkCommandBuffer cmd) { FakeDriver::get<PFN_vkCmdEndRenderPass>("vkCmdEndRenderPass")(cmd); }
    static void setLineWidth(VkCommandBuffer cmd, float width)
    {
        FakeDriver::get<PFN_vkCmdSetLineWidth>("vkCmdSetLineWidth")(cmd, width);
    }
    static void setDepthBounds(VkCommandBuffer cmd)
    {
        FakeDriver::get<PFN_vkCmdSetDepthBounds>("vkCmdSetDepthBounds")(cmd, 0.25f, 0.5f);
    }
    void push(VkCommandBuffer cmd, uint32_t word) const { push(cmd, word, objects.layout); }
    static void push(VkCommandBuffer cmd, uint32_t word, VkPipelineLayout layout)
    {
        FakeDriver::get<PFN_vkCmdPushConstants>("vkCmdPushConstants")(cmd, layout, VK_SHADER_STAGE_ALL, 8, sizeof word,
                                                                      &word);
    }
    static void clear(VkCommandBuffer cmd)
    {
        FakeDriver::get<PFN_vkCmdClearAttachments>("vkCmdClearAttachments")(cmd, 0, nullptr, 0, nullptr);
    }
    static void drawOrdinarily(VkCommandBuffer cmd) { FakeDriver::get<PFN_vkCmdDraw>("vkCmdDraw")(cmd, 3, 1, 0, 0); }
    static void waitForAll(VkCommandBuffer cmd)
    {
        FakeDriver::get<PFN_vkCmdPipelineBarrier>("vkCmdPipelineBarrier")(cmd, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                                                                          VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0,
                                                                          nullptr, 0, nullptr, 0, nullptr);
    }
    void draw(VkCommandBuffer cmd) const
    {
        beginRendering(cmd);
        objects.drawUnordered(cmd);
        endRendering(cmd);
    }
    // All that the driver's command buffers get, from the begin of one to the end.
    std::vector<Call> callsOf(const std::function<void(VkCommandBuffer)>& record)
    {
        FakeDriver::takeAllCalls();
        const VkCommandBuffer cmd = m_last = driver.begin();
        record(cmd);
        end(cmd);
        return FakeDriver::takeAllCalls();
    }
    // Of a secondary one.
    static std::vector<Call> callsIn(VkCommandBuffer cmd, const std::function<void(VkCommandBuffer)>& record)
    {
        FakeDriver::takeAllCalls();
        const VkCommandBufferInheritanceInfo inheritance{VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO};
        VkCommandBufferBeginInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
        info.pInheritanceInfo = &inheritance;
        FakeDriver::get<PFN_vkBeginCommandBuffer>("vkBeginCommandBuffer")(cmd, &info);
        record(cmd);
        end(cmd);
        return FakeDriver::takeCalls();
    }
    VkCommandBuffer lastRecorded() const { return m_last; }
    std::vector<Call> callsOfSubmission() const
    {
        FakeDriver::takeAllCalls();
        submit(m_last);
        return FakeDriver::takeCalls();
    }
    static size_t countOf(const std::vector<Call>& calls, const char* command)
    {
        return static_cast<size_t>(std::ranges::count(calls, command, &Call::command));
    }
    // Where commands with that name are, each target once, in their order.
    static std::vector<VkCommandBuffer> targetsOf(const std::vector<Call>& calls, const std::string& command)
    {
        std::vector<VkCommandBuffer> targets;
        for (const Call& call : calls)
            if (call.command == command && std::ranges::count(targets, call.target) == 0)
                targets.push_back(call.target);
        return targets;
    }
    // The arguments of what was set there, and "draws" for each pipeline that drew, which follow one another.
    static std::vector<std::string> orderIn(const std::vector<Call>& calls, VkCommandBuffer target)
    {
        std::vector<std::string> order;
        for (const Call& call : calls) {
            if (call.target != target)
                continue;
            if (call.command == "vkCmdSetLineWidth")
                order.push_back(call.arguments);
            else if (call.command == kDraw)
                order.emplace_back("draws");
        }
        return order;
    }
    static void end(VkCommandBuffer cmd)
    {
        EXPECT_EQ(FakeDriver::get<PFN_vkEndCommandBuffer>("vkEndCommandBuffer")(cmd), VK_SUCCESS);
    }
    void submit(VkCommandBuffer cmd) const
    {
        VkSubmitInfo info{VK_STRUCTURE_TYPE_SUBMIT_INFO};
        info.commandBufferCount = 1;
        info.pCommandBuffers = &cmd;
        EXPECT_EQ(FakeDriver::get<PFN_vkQueueSubmit>("vkQueueSubmit")(driver.queue(), 1, &info, VK_NULL_HANDLE),
                  VK_SUCCESS);
    }
    static std::vector<VkCommandBuffer> streamsOf(VkCommandBuffer cmd)
    {
        return FakeDriver::of(cmd).submittedStreams();
    }

    // All that draws in it, in that order.
    static std::vector<std::string> drawsIn(const std::vector<Call>& calls, VkCommandBuffer target)
    {
        std::vector<std::string> draws;
        for (const Call& call : calls)
            if (call.target == target && call.command.starts_with("vkCmdDraw"))
                draws.push_back(call.command);
        return draws;
    }
    void bindPipeline(VkCommandBuffer cmd, size_t index) const
    {
        FakeDriver::get<PFN_vkCmdBindPipeline>("vkCmdBindPipeline")(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS,
                                                                    objects.pipelines[index]);
    }
    void bindSet(VkCommandBuffer cmd, uintptr_t number) const
    {
        const auto set = fakeHandle<VkDescriptorSet>(number);
        FakeDriver::get<PFN_vkCmdBindDescriptorSets>("vkCmdBindDescriptorSets")(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS,
                                                                                objects.layout, 0, 1, &set, 0, nullptr);
    }
    VkPipelineLayout createLayout(const VkAllocationCallbacks* callbacks) const
    {
        const VkPushConstantRange range{VK_SHADER_STAGE_ALL, 0, GeneratedObjects::kPushBytes};
        VkPipelineLayoutCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
        info.pushConstantRangeCount = 1;
        info.pPushConstantRanges = &range;
        VkPipelineLayout layout = VK_NULL_HANDLE;
        FakeDriver::get<PFN_vkCreatePipelineLayout>("vkCreatePipelineLayout")(driver.handle(), &info, callbacks,
                                                                              &layout);
        return layout;
    }
    void destroyLayout(VkPipelineLayout layout, const VkAllocationCallbacks* callbacks) const
    {
        FakeDriver::get<PFN_vkDestroyPipelineLayout>(kDestroyLayout)(driver.handle(), layout, callbacks);
    }

    static constexpr char kDraw[] = "vkCmdDrawIndirectCount";
    static constexpr char kOrdinary[] = "vkCmdDraw";
    static constexpr char kDestroyLayout[] = "vkDestroyPipelineLayout";

    FakeDriver driver{Version::All, Provided::GeneratedCommands};
    GeneratedObjects objects{driver};

private:
    VkCommandBuffer m_last = VK_NULL_HANDLE;
    VkRenderPass m_pass = VK_NULL_HANDLE;
};

TEST_F(LateStreams, SetThatHasChanged_RecordedAgainOnce)
{
    const VkCommandBuffer cmd = driver.begin();
    draw(cmd);
    end(cmd);
    EXPECT_GT(streamsOf(cmd).size(), 2u);
    const auto binds = [&] {
        FakeDriver::takeAllCalls();
        submit(cmd);
        return std::ranges::count(FakeDriver::takeCalls(), "vkCmdBindPipeline", &Call::command);
    };
    EXPECT_EQ(binds(), 0);
    objects.changeSet(0);
    EXPECT_GT(binds(), 0);
    EXPECT_EQ(binds(), 0);
}

TEST_F(LateStreams, DrawsInARow_OneStream)
{
    const auto drawTimes = [&](uint32_t times) {
        return callsOf([&](VkCommandBuffer cmd) {
            beginRendering(cmd);
            for (uint32_t i = 0; i < times; ++i)
                objects.drawUnordered(cmd);
            endRendering(cmd);
        });
    };
    const std::vector<Call> once = drawTimes(1);
    const std::vector<Call> often = drawTimes(kTimes);
    for (const char* name : {"vkBeginCommandBuffer", "vkEndCommandBuffer", "vkCmdBeginRendering", "vkCmdEndRendering"})
        EXPECT_EQ(countOf(often, name), countOf(once, name)) << name;
    EXPECT_EQ(countOf(often, kDraw), kTimes * countOf(once, kDraw));
    EXPECT_EQ(targetsOf(often, kDraw).size(), 1u);
    // Kernels are all in front of the instance.
    const std::vector<VkCommandBuffer> kernels = targetsOf(often, "vkCmdDispatch");
    ASSERT_EQ(kernels.size(), 1u);
    EXPECT_NE(kernels[0], targetsOf(often, kDraw)[0]);
}

// Nothing goes on behind the last one.
TEST_F(LateStreams, DrawsAreLastInAnInstance_ItHasTwoParts)
{
    const std::vector<Call> calls = callsOf([&](VkCommandBuffer cmd) { draw(cmd); });
    EXPECT_EQ(countOf(calls, "vkCmdBeginRendering"), 2u);
    EXPECT_EQ(countOf(calls, "vkCmdEndRendering"), 2u);
}

TEST_F(LateStreams, StateBetweenDraws_SetBetweenThem)
{
    const std::vector<Call> calls = callsOf([&](VkCommandBuffer cmd) {
        setDepthBounds(cmd);
        beginRendering(cmd);
        for (uint32_t i = 0; i < kTimes; ++i) {
            setLineWidth(cmd, 1 + static_cast<float>(i));
            objects.drawUnordered(cmd);
        }
        endRendering(cmd);
    });
    const std::vector<VkCommandBuffer> targets = targetsOf(calls, kDraw);
    ASSERT_EQ(targets.size(), 1u);
    const std::vector<std::string> order = orderIn(calls, targets[0]);
    ASSERT_EQ(order.size(), kTimes * (1 + GeneratedObjects::kPipelines));
    std::set<std::string> widths;
    for (size_t i = 0; i < order.size(); ++i) {
        const bool isDraw = i % (1 + GeneratedObjects::kPipelines) != 0;
        EXPECT_EQ(order[i] == "draws", isDraw) << i;
        if (!isDraw)
            widths.insert(order[i]);
    }
    EXPECT_EQ(widths.size(), kTimes);
    // What stays is set once.
    EXPECT_EQ(std::ranges::count_if(
                  calls,
                  [&](const Call& call) { return call.target == targets[0] && call.command == "vkCmdSetDepthBounds"; }),
              1);
}

// Each draw has its own push constants and the sets that were bound for it.
TEST_F(LateStreams, BindingsBetweenDraws_AreThoseOfEach)
{
    const auto record = [&](VkCommandBuffer cmd) {
        beginRendering(cmd);
        for (uint32_t i = 0; i < 3; ++i) {
            bindSet(cmd, 100 + i);
            push(cmd, i);
            objects.drawUnordered(cmd);
        }
        endRendering(cmd);
    };
    const std::vector<Call> calls = callsOf(record);
    const std::vector<VkCommandBuffer> targets = targetsOf(calls, kDraw);
    ASSERT_EQ(targets.size(), 1u);
    const auto boundIn = [](const std::vector<Call>& all, VkCommandBuffer target) {
        std::vector<std::string> bound;
        for (const Call& call : all)
            if (call.target == target && call.command == "vkCmdBindDescriptorSets")
                bound.push_back(call.arguments);
        return bound;
    };
    const std::vector<std::string> bound = boundIn(calls, targets[0]);
    EXPECT_EQ(bound.size(), 3u);
    EXPECT_EQ(std::set(bound.begin(), bound.end()).size(), bound.size());
    // What is pushed leads to three copies.
    std::set<std::string> pushed;
    for (const Call& call : calls)
        if (call.target == targets[0] && call.command == "vkCmdPushConstants")
            pushed.insert(call.arguments);
    EXPECT_EQ(pushed.size(), 3 * GeneratedObjects::kPipelines);
    // And the same again.
    objects.changeSet(0);
    EXPECT_EQ(boundIn(callsOfSubmission(), targets[0]), bound);
}

TEST_F(LateStreams, OneOfTwoSetsHasChanged_AllAgainInTheirOrder)
{
    const std::vector<Call> calls = callsOf([&](VkCommandBuffer cmd) {
        beginRendering(cmd);
        setLineWidth(cmd, 2);
        objects.drawUnordered(cmd);
        setLineWidth(cmd, 3);
        objects.drawUnorderedOfOther(cmd);
        setLineWidth(cmd, 4);
        objects.drawUnordered(cmd);
        setLineWidth(cmd, 5);  // behind all of them
        endRendering(cmd);
    });
    const std::vector<VkCommandBuffer> targets = targetsOf(calls, kDraw);
    ASSERT_EQ(targets.size(), 1u);
    const std::vector<std::string> order = orderIn(calls, targets[0]);
    EXPECT_EQ(order.size(), 3 * (1 + GeneratedObjects::kPipelines));
    EXPECT_TRUE(callsOfSubmission().empty());
    for (const auto& change : {&GeneratedObjects::changeSet, &GeneratedObjects::changeOtherSet}) {
        (objects.*change)(0);
        const std::vector<Call> again = callsOfSubmission();
        EXPECT_EQ(orderIn(again, targets[0]), order);
        EXPECT_EQ(targetsOf(again, kDraw), targets);
        EXPECT_TRUE(callsOfSubmission().empty());
    }
}

// What was recorded with the set as it was is outdated before the command buffer has ended.
TEST_F(LateStreams, SetChangesBetweenTwoDraws_RecordedAgain)
{
    callsOf([&](VkCommandBuffer cmd) {
        beginRendering(cmd);
        objects.drawUnordered(cmd);
        objects.changeSet(0);
        objects.drawUnordered(cmd);
        endRendering(cmd);
    });
    EXPECT_EQ(countOf(callsOfSubmission(), kDraw), 2 * GeneratedObjects::kPipelines);
    EXPECT_TRUE(callsOfSubmission().empty());
}

// They are part of the row, so that nothing is divided for them.
TEST_F(LateStreams, OrdinaryDrawsBetween_InTheSameStream)
{
    const std::vector<Call> calls = callsOf([&](VkCommandBuffer cmd) {
        beginRendering(cmd);
        for (uint32_t i = 0; i < kTimes; ++i) {
            objects.drawUnordered(cmd);
            drawOrdinarily(cmd);
        }
        endRendering(cmd);
    });
    const std::vector<VkCommandBuffer> targets = targetsOf(calls, kDraw);
    ASSERT_EQ(targets.size(), 1u);
    EXPECT_EQ(targetsOf(calls, kOrdinary), targets);
    EXPECT_EQ(countOf(calls, "vkCmdBeginRendering"), 2u);
    const std::vector<std::string> order = drawsIn(calls, targets[0]);
    ASSERT_EQ(order.size(), kTimes * (1 + GeneratedObjects::kPipelines));
    for (size_t i = 0; i < order.size(); ++i) {
        const bool isOrdinary = i % (1 + GeneratedObjects::kPipelines) == GeneratedObjects::kPipelines;
        EXPECT_EQ(order[i], isOrdinary ? kOrdinary : kDraw) << i;
    }
    EXPECT_TRUE(callsOfSubmission().empty());
    objects.changeSet(0);
    EXPECT_EQ(drawsIn(callsOfSubmission(), targets[0]), order);
}

// Whatever says how many they draw.
TEST_F(LateStreams, OrdinaryDrawsOfAllKindsBetween_InTheSameStream)
{
    const auto buffer = fakeHandle<VkBuffer>(100);
    const auto count = fakeHandle<VkBuffer>(101);
    const std::vector<Call> calls = callsOf([&](VkCommandBuffer cmd) {
        beginRendering(cmd);
        objects.drawUnordered(cmd);
        drawOrdinarily(cmd);
        FakeDriver::get<PFN_vkCmdDrawIndexed>("vkCmdDrawIndexed")(cmd, 3, 1, 0, 0, 0);
        FakeDriver::get<PFN_vkCmdDrawIndirect>("vkCmdDrawIndirect")(cmd, buffer, 4, 2, 16);
        FakeDriver::get<PFN_vkCmdDrawIndexedIndirect>("vkCmdDrawIndexedIndirect")(cmd, buffer, 8, 2, 20);
        for (const char* name :
             {"vkCmdDrawIndirectCountKHR", "vkCmdDrawIndexedIndirectCount", "vkCmdDrawIndexedIndirectCountKHR"})
            FakeDriver::get<PFN_vkCmdDrawIndirectCount>(name)(cmd, buffer, 0, count, 4, 3, 20);
        FakeDriver::get<PFN_vkCmdDrawMeshTasksEXT>("vkCmdDrawMeshTasksEXT")(cmd, 1, 2, 3);
        FakeDriver::get<PFN_vkCmdDrawMeshTasksIndirectEXT>("vkCmdDrawMeshTasksIndirectEXT")(cmd, buffer, 0, 2, 12);
        FakeDriver::get<PFN_vkCmdDrawMeshTasksIndirectCountEXT>("vkCmdDrawMeshTasksIndirectCountEXT")(cmd, buffer, 0,
                                                                                                      count, 4, 3, 12);
        objects.drawUnordered(cmd);
        endRendering(cmd);
    });
    const std::vector<VkCommandBuffer> targets = targetsOf(calls, kDraw);
    ASSERT_EQ(targets.size(), 1u);
    const std::vector<std::string> order = drawsIn(calls, targets[0]);
    EXPECT_EQ(order.size(), 2 * GeneratedObjects::kPipelines + 10);
    objects.changeSet(0);
    EXPECT_EQ(drawsIn(callsOfSubmission(), targets[0]), order);
}

// What the first one reads is bound again, of the next ones what is set in front of them.
TEST_F(LateStreams, OrdinaryDrawsBetween_HaveWhatIsBound)
{
    const std::vector<Call> calls = callsOf([&](VkCommandBuffer cmd) {
        beginRendering(cmd);
        bindPipeline(cmd, 1);
        bindSet(cmd, 100);
        push(cmd, 7);
        objects.drawUnordered(cmd);
        drawOrdinarily(cmd);
        drawOrdinarily(cmd);
        bindPipeline(cmd, 2);
        drawOrdinarily(cmd);
        push(cmd, 8);
        bindSet(cmd, 101);
        objects.drawUnordered(cmd);
        push(cmd, 9);
        drawOrdinarily(cmd);
        endRendering(cmd);
    });
    const std::vector<VkCommandBuffer> targets = targetsOf(calls, kDraw);
    ASSERT_EQ(targets.size(), 1u);
    const auto beforeDraws = [&](const std::vector<Call>& all) {
        std::vector<std::set<std::string>> before(1);
        for (const Call& call : all) {
            if (call.target != targets[0])
                continue;
            if (call.command == kOrdinary)
                before.emplace_back();
            else if (call.command == kDraw)
                before.back().clear();
            else if (call.command.starts_with("vkCmdBind") || call.command.starts_with("vkCmdPush"))
                before.back().insert(call.command + " " + call.arguments);
        }
        return before;
    };
    const std::vector<std::set<std::string>> before = beforeDraws(calls);
    ASSERT_EQ(before.size(), 5u);
    EXPECT_EQ(before[0].size(), 3u);
    EXPECT_EQ(before[1].size(), 0u);
    EXPECT_EQ(before[2].size(), 1u);
    EXPECT_EQ(before[3].size(), 3u);
    // Other sets and constants, and the pipeline that was bound last.
    EXPECT_EQ(std::ranges::count_if(before[3], [&](const std::string& one) { return before[0].contains(one); }), 0);
    EXPECT_TRUE(before[3].contains(*before[2].begin()));
    objects.changeSet(0);
    EXPECT_EQ(beforeDraws(callsOfSubmission()), before);
}

// So that a row has an end where an application executes generated commands once, and then draws by itself.
TEST_F(LateStreams, ManyOrdinaryDrawsBehind_MostOfThemBehindTheStream)
{
    constexpr size_t kMost = 32;
    const std::vector<Call> calls = callsOf([&](VkCommandBuffer cmd) {
        beginRendering(cmd);
        for (uint32_t k = 0; k < 2; ++k) {
            objects.drawUnordered(cmd);
            for (uint32_t i = 0; i < kMost; ++i)
                drawOrdinarily(cmd);
        }
        for (uint32_t i = 0; i < 3; ++i)
            drawOrdinarily(cmd);
        objects.drawUnordered(cmd);
        endRendering(cmd);
    });
    const std::vector<VkCommandBuffer> generated = targetsOf(calls, kDraw);
    const std::vector<VkCommandBuffer> ordinary = targetsOf(calls, kOrdinary);
    ASSERT_EQ(generated.size(), 2u);
    ASSERT_EQ(ordinary.size(), 2u);
    EXPECT_EQ(ordinary[0], generated[0]);
    EXPECT_EQ(drawsIn(calls, generated[0]).size(), 2 * (GeneratedObjects::kPipelines + kMost));
    EXPECT_EQ(drawsIn(calls, ordinary[1]).size(), 3u);
    const std::vector<VkCommandBuffer> streams = streamsOf(lastRecorded());
    const auto placeOf = [&](VkCommandBuffer one) { return std::ranges::find(streams, one) - streams.begin(); };
    EXPECT_LT(placeOf(generated[0]), placeOf(ordinary[1]));
    EXPECT_LT(placeOf(ordinary[1]), placeOf(generated[1]));
    EXPECT_LT(placeOf(generated[1]), static_cast<std::ptrdiff_t>(streams.size()));
}

// Each of these is in force for what follows, so it cannot be in a stream that is recorded again.
TEST_F(LateStreams, ScopeThatBeginsBehindAnOrdinaryDraw_EndsTheRow)
{
    const auto pool = fakeHandle<VkQueryPool>(100);
    const std::function<void(VkCommandBuffer)> scopes[] = {
        [&](VkCommandBuffer cmd) { FakeDriver::get<PFN_vkCmdBeginQuery>("vkCmdBeginQuery")(cmd, pool, 0, 0); },
        [&](VkCommandBuffer cmd) {
            const VkConditionalRenderingBeginInfoEXT info{VK_STRUCTURE_TYPE_CONDITIONAL_RENDERING_BEGIN_INFO_EXT};
            FakeDriver::get<PFN_vkCmdBeginConditionalRenderingEXT>("vkCmdBeginConditionalRenderingEXT")(cmd, &info);
        },
        [&](VkCommandBuffer cmd) {
            FakeDriver::get<PFN_vkCmdBeginTransformFeedbackEXT>("vkCmdBeginTransformFeedbackEXT")(cmd, 0, 0, nullptr,
                                                                                                  nullptr);
        }};
    for (const auto& begin : scopes) {
        const std::vector<Call> calls = callsOf([&](VkCommandBuffer cmd) {
            beginRendering(cmd);
            objects.drawUnordered(cmd);
            drawOrdinarily(cmd);
            begin(cmd);
            drawOrdinarily(cmd);
        });
        const std::vector<VkCommandBuffer> targets = targetsOf(calls, kOrdinary);
        ASSERT_EQ(targets.size(), 2u);
        EXPECT_EQ(targets[0], targetsOf(calls, kDraw)[0]);
        // With the scope, behind it.
        std::vector<std::string> behind;
        for (const Call& call : calls)
            if (call.target == targets[1])
                behind.push_back(call.command);
        const auto drawn = std::ranges::find(behind, kOrdinary);
        ASSERT_NE(drawn, behind.begin());
        EXPECT_TRUE((drawn - 1)->starts_with("vkCmdBegin") && *(drawn - 1) != "vkCmdBeginRendering") << *(drawn - 1);
        FakeDriver::get<PFN_vkResetCommandBuffer>("vkResetCommandBuffer")(lastRecorded(), 0);
    }
}

// Where nothing is in force that a part of the instance has not got.
TEST_F(LateStreams, ConditionAroundTheInstance_AroundOrdinaryDrawsToo)
{
    const std::vector<Call> calls = callsOf([&](VkCommandBuffer cmd) {
        const VkConditionalRenderingBeginInfoEXT info{VK_STRUCTURE_TYPE_CONDITIONAL_RENDERING_BEGIN_INFO_EXT};
        FakeDriver::get<PFN_vkCmdBeginConditionalRenderingEXT>("vkCmdBeginConditionalRenderingEXT")(cmd, &info);
        beginRendering(cmd);
        objects.drawUnordered(cmd);
        drawOrdinarily(cmd);
        endRendering(cmd);
        FakeDriver::get<PFN_vkCmdEndConditionalRenderingEXT>("vkCmdEndConditionalRenderingEXT")(cmd);
    });
    const std::vector<VkCommandBuffer> targets = targetsOf(calls, kOrdinary);
    ASSERT_EQ(targets.size(), 1u);
    EXPECT_EQ(targets, targetsOf(calls, kDraw));
    std::vector<std::string> order;
    for (const Call& call : calls)
        if (call.target == targets[0] && (call.command == kOrdinary || call.command.ends_with("RenderingEXT")))
            order.push_back(call.command);
    EXPECT_EQ(order, std::vector<std::string>(
                         {"vkCmdBeginConditionalRenderingEXT", kOrdinary, "vkCmdEndConditionalRenderingEXT"}));
}

// The application may destroy it when it has been recorded with. The driver's is needed longer.
TEST_F(LateStreams, LayoutDestroyedBehindRecording_StaysForOrdinaryDraws)
{
    const VkPipelineLayout layout = createLayout(nullptr);
    const std::vector<Call> calls = callsOf([&](VkCommandBuffer cmd) {
        beginRendering(cmd);
        objects.drawUnordered(cmd);
        push(cmd, 1, layout);
        drawOrdinarily(cmd);
        endRendering(cmd);
    });
    EXPECT_EQ(targetsOf(calls, kOrdinary), targetsOf(calls, kDraw));
    FakeDriver::takeAllCalls();
    destroyLayout(layout, nullptr);
    EXPECT_EQ(countOf(FakeDriver::takeAllCalls(), kDestroyLayout), 0u);
    objects.changeSet(0);
    EXPECT_EQ(countOf(callsOfSubmission(), kOrdinary), 1u);
    FakeDriver::takeAllCalls();
    FakeDriver::get<PFN_vkResetCommandBuffer>("vkResetCommandBuffer")(lastRecorded(), 0);
    EXPECT_GE(countOf(FakeDriver::takeAllCalls(), kDestroyLayout), 1u);
}

// With callbacks of the application's it has to go when the application says so.
TEST_F(LateStreams, LayoutWithAllocationCallbacks_OrdinaryDrawsEndTheRow)
{
    VkAllocationCallbacks callbacks{};
    const VkPipelineLayout layout = createLayout(&callbacks);
    const std::vector<Call> calls = callsOf([&](VkCommandBuffer cmd) {
        beginRendering(cmd);
        objects.drawUnordered(cmd);
        drawOrdinarily(cmd);
        push(cmd, 1, layout);
        drawOrdinarily(cmd);
        endRendering(cmd);
    });
    const std::vector<VkCommandBuffer> targets = targetsOf(calls, kOrdinary);
    ASSERT_EQ(targets.size(), 2u);
    EXPECT_EQ(targets[0], targetsOf(calls, kDraw)[0]);
    FakeDriver::takeAllCalls();
    destroyLayout(layout, &callbacks);
    EXPECT_GE(countOf(FakeDriver::takeAllCalls(), kDestroyLayout), 1u);
}

// Outside of instances alone.
TEST_F(LateStreams, StackSizeInFrontOfAnInstance_NotSetInItsParts)
{
    constexpr char kSet[] = "vkCmdSetRayTracingPipelineStackSizeKHR";
    const std::vector<Call> calls = callsOf([&](VkCommandBuffer cmd) {
        FakeDriver::get<PFN_vkCmdSetRayTracingPipelineStackSizeKHR>(kSet)(cmd, 1024);
        beginRendering(cmd);
        objects.drawUnordered(cmd);
        endRendering(cmd);
    });
    const std::vector<VkCommandBuffer> targets = targetsOf(calls, kDraw);
    ASSERT_EQ(targets.size(), 1u);
    EXPECT_EQ(std::ranges::count(targetsOf(calls, kSet), targets[0]), 0);
}

TEST_F(LateStreams, DispatchesInARow_OneStreamUntilABarrier)
{
    const std::vector<Call> calls = callsOf([&](VkCommandBuffer cmd) {
        for (uint32_t i = 0; i < 3; ++i) {
            push(cmd, i);
            objects.dispatchOfSet(cmd);
        }
        waitForAll(cmd);
        objects.dispatchOfSet(cmd);
    });
    EXPECT_EQ(targetsOf(calls, "vkCmdDispatchIndirect").size(), 2u);
}

TEST_F(LateStreams, InAnInstanceOfARenderPass_OneStreamWithAPartOfIt)
{
    const std::vector<Call> calls = callsOf([&](VkCommandBuffer cmd) {
        beginPass(cmd);
        for (uint32_t i = 0; i < kTimes; ++i) {
            setLineWidth(cmd, 1 + static_cast<float>(i));
            objects.drawUnordered(cmd);
            drawOrdinarily(cmd);
        }
        clear(cmd);
        endPass(cmd);
    });
    const std::vector<VkCommandBuffer> targets = targetsOf(calls, kDraw);
    ASSERT_EQ(targets.size(), 1u);
    EXPECT_EQ(targetsOf(calls, kOrdinary), targets);
    EXPECT_EQ(countOf(calls, kOrdinary), kTimes);
    EXPECT_EQ(orderIn(calls, targets[0]).size(), kTimes * (1 + GeneratedObjects::kPipelines));
    EXPECT_EQ(countOf(calls, "vkCmdBeginRenderPass"), 3u);
    EXPECT_EQ(countOf(calls, "vkCmdEndRenderPass"), 3u);
    objects.changeSet(0);
    const std::vector<Call> again = callsOfSubmission();
    EXPECT_EQ(orderIn(again, targets[0]), orderIn(calls, targets[0]));
    EXPECT_EQ(countOf(again, "vkCmdBeginRenderPass"), 1u);
}

TEST_F(LateStreams, DrawsAreLastInARenderPass_ItHasTwoParts)
{
    const std::vector<Call> calls = callsOf([&](VkCommandBuffer cmd) {
        beginPass(cmd);
        objects.drawUnordered(cmd);
        endPass(cmd);
        waitForAll(cmd);
    });
    EXPECT_EQ(countOf(calls, "vkCmdBeginRenderPass"), 2u);
    EXPECT_EQ(countOf(calls, "vkCmdEndRenderPass"), 2u);
    EXPECT_NE(targetsOf(calls, "vkCmdEndRenderPass").back(), targetsOf(calls, "vkCmdPipelineBarrier").back());
}

// It is recorded as it is now, and anew in those that execute it.
TEST_F(LateStreams, InASecondaryCommandBuffer_OneStreamInEachPrimary)
{
    const SecondaryCommandBuffer secondary(driver.handle());
    const std::vector<Call> own = callsIn(secondary.handle, [&](VkCommandBuffer cmd) {
        for (uint32_t i = 0; i < 3; ++i) {
            push(cmd, i);
            objects.dispatchOfSet(cmd);
        }
        waitForAll(cmd);
    });
    EXPECT_EQ(targetsOf(own, "vkCmdDispatchIndirect").size(), 1u);
    std::set<VkCommandBuffer> streams;
    for (uint32_t i = 0; i < 2; ++i) {
        const std::vector<Call> calls = callsOf([&](VkCommandBuffer cmd) {
            FakeDriver::get<PFN_vkCmdExecuteCommands>("vkCmdExecuteCommands")(cmd, 1, &secondary.handle);
        });
        const std::vector<VkCommandBuffer> targets = targetsOf(calls, "vkCmdDispatchIndirect");
        ASSERT_EQ(targets.size(), 1u);
        streams.insert(targets[0]);
        EXPECT_EQ(countOf(calls, "vkCmdDispatchIndirect"), countOf(own, "vkCmdDispatchIndirect"));
        // In front of it and behind it.
        EXPECT_EQ(countOf(calls, "vkCmdExecuteCommands"), 2u);
    }
    EXPECT_EQ(streams.size(), 2u);
}

// Whatever was open: nothing of it is left.
TEST_F(LateStreams, ResetInARow_BeginsAnew)
{
    const VkCommandBuffer cmd = driver.begin();
    beginRendering(cmd);
    objects.drawUnordered(cmd);
    objects.drawUnordered(cmd);
    FakeDriver::get<PFN_vkResetCommandBuffer>("vkResetCommandBuffer")(cmd, 0);
    EXPECT_EQ(streamsOf(cmd).size(), 1u);
    const VkCommandBufferBeginInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    FakeDriver::get<PFN_vkBeginCommandBuffer>("vkBeginCommandBuffer")(cmd, &info);
    FakeDriver::takeAllCalls();
    draw(cmd);
    end(cmd);
    EXPECT_EQ(countOf(FakeDriver::takeCalls(), kDraw), GeneratedObjects::kPipelines);
}

// Pending command buffers, so that streams are replaced, not recorded anew.
TEST_F(LateStreams, SubmittedWhileOthersOfThePoolAreRecorded_EachHasItsOwn)
{
    std::vector<VkCommandBuffer> submitted;
    for (uint32_t i = 0; i < 2; ++i) {
        const VkCommandBuffer cmd = submitted.emplace_back(driver.begin(VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT));
        draw(cmd);
        end(cmd);
    }
    std::vector<VkCommandBuffer> recorded;
    std::thread recorder([&] {
        for (uint32_t i = 0; i < kTimes; ++i) {
            const VkCommandBuffer cmd = recorded.emplace_back(driver.begin());
            objects.dispatchOfSet(cmd);
            if (i % 3 == 0)
                FakeDriver::get<PFN_vkResetCommandBuffer>("vkResetCommandBuffer")(cmd, 0);
            else
                end(cmd);
        }
    });
    for (uint32_t i = 0; i < kTimes; ++i) {
        objects.changeSet(i);
        submit(submitted[i % 2]);
    }
    recorder.join();
    std::set<VkCommandBuffer> different;
    size_t count = 0;
    for (const std::vector<VkCommandBuffer>* list : {&submitted, &recorded})
        for (VkCommandBuffer cmd : *list) {
            const std::vector<VkCommandBuffer> streams = streamsOf(cmd);
            different.insert(streams.begin(), streams.end());
            count += streams.size();
        }
    EXPECT_EQ(different.size(), count);
}

}  // namespace

}  // namespace millrace::layertest
