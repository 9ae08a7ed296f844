// SPDX-License-Identifier: Apache-2.0
// Streams in front of render pass instances: what the driver gets, and how it is submitted.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "layer/commands/text.h"
#include "layer/fake_driver.h"
#include "layer/loader/device.h"
#include "layer/objects/query_pools.h"
#include "layer/recording/command_buffer.h"

namespace millrace::layertest {

namespace {

class Fronts : public testing::Test {
protected:
    Fronts()
    {
        driver.device().uses |= layer::kUseMesh;
        driver.device().needsFronts = true;
    }

    template <typename Action>
    std::vector<Call> callsOf(const Action& action)
    {
        FakeDriver::takeAllCalls();
        action();
        return FakeDriver::takeAllCalls();
    }

    void begin(VkRenderingFlags flags = 0)
    {
        VkRenderingInfo info{VK_STRUCTURE_TYPE_RENDERING_INFO};
        info.flags = flags;
        FakeDriver::get<PFN_vkCmdBeginRendering>("vkCmdBeginRendering")(cmd, &info);
    }
    void end() { FakeDriver::get<PFN_vkCmdEndRendering>("vkCmdEndRendering")(cmd); }
    void draw() { FakeDriver::get<PFN_vkCmdDraw>("vkCmdDraw")(cmd, 3, 1, 0, 0); }
    void setWidth() { FakeDriver::get<PFN_vkCmdSetLineWidth>("vkCmdSetLineWidth")(cmd, 2.0f); }

    layer::CommandBuffer& known() { return FakeDriver::of(cmd); }

    FakeDriver driver;
    VkCommandBuffer cmd = driver.begin();
};

size_t placeOf(const std::vector<Call>& calls, const char* command)
{
    return static_cast<size_t>(std::ranges::find(calls, command, &Call::command) - calls.begin());
}

TEST_F(Fronts, BeginRendering_RecordsInAnotherCommandBufferWithTheStateSetAgain)
{
    setWidth();
    const std::vector<Call> calls = callsOf([&] {
        begin();
        draw();
    });
    EXPECT_EQ(known().front.stream, cmd);
    const VkCommandBuffer inside = known().current;
    EXPECT_NE(inside, cmd);
    const size_t width = placeOf(calls, "vkCmdSetLineWidth");
    const size_t instance = placeOf(calls, "vkCmdBeginRendering");
    const size_t drawn = placeOf(calls, "vkCmdDraw");
    ASSERT_LT(drawn, calls.size());
    EXPECT_LT(width, instance);
    for (size_t at : {width, instance, drawn})
        EXPECT_EQ(calls[at].target, inside);
    EXPECT_EQ(placeOf(calls, "vkEndCommandBuffer"), calls.size()) << "the front takes commands";
}

TEST_F(Fronts, EndRendering_EndsTheFrontBehindABarrierIfItWasUsed)
{
    for (const bool isUsed : {false, true}) {
        begin();
        const VkCommandBuffer front = known().front.stream;
        known().front.isUsed = isUsed;
        const std::vector<Call> calls = callsOf([&] { end(); });
        const size_t barrier = placeOf(calls, "vkCmdPipelineBarrier");
        const size_t ended = placeOf(calls, "vkEndCommandBuffer");
        ASSERT_LT(ended, calls.size());
        EXPECT_NE(calls[ended].arguments.find(textOfHandle(front)), std::string::npos) << calls[ended].arguments;
        EXPECT_EQ(barrier < calls.size(), isUsed);
        if (isUsed) {
            EXPECT_LT(barrier, ended);
            EXPECT_EQ(calls[barrier].target, front);
        }
        EXPECT_EQ(known().front.stream, VkCommandBuffer{});
    }
}

TEST_F(Fronts, LegacyPass_AlsoHasAFront)
{
    const VkRenderPassBeginInfo info{VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO};
    FakeDriver::get<PFN_vkCmdBeginRenderPass>("vkCmdBeginRenderPass")(cmd, &info, VK_SUBPASS_CONTENTS_INLINE);
    EXPECT_TRUE(known().front.isOpen());
    EXPECT_NE(known().current, cmd);
    FakeDriver::get<PFN_vkCmdEndRenderPass>("vkCmdEndRenderPass")(cmd);
    EXPECT_FALSE(known().front.isOpen());
    EXPECT_EQ(known().streams.size(), 2u);
}

VKAPI_ATTR void VKAPI_CALL nothing(VkCommandBuffer) {}

class UnknownFronts : public Fronts {
protected:
    // Commands that are newer than the headers.
    void call(const char* name)
    {
        const auto command = driver.device().unknownCommands.get(name, reinterpret_cast<PFN_vkVoidFunction>(nothing));
        reinterpret_cast<void(VKAPI_PTR*)(VkCommandBuffer)>(command)(cmd);
    }
};

TEST_F(UnknownFronts, UnknownEnd_EndsTheFront)
{
    begin();
    EXPECT_TRUE(known().front.isOpen());
    call("vkCmdEndRendering3EXT");
    EXPECT_FALSE(known().front.isOpen());
    EXPECT_FALSE(known().rendering.inside());
}

TEST_F(UnknownFronts, UnknownEndOfTheFirstPartOfASuspendedInstance_LeavesIt)
{
    begin(VK_RENDERING_SUSPENDING_BIT);
    const VkCommandBuffer front = known().front.stream;
    call("vkCmdEndRendering3EXT");
    begin(VK_RENDERING_RESUMING_BIT);
    EXPECT_EQ(known().front.stream, front);
}

TEST_F(UnknownFronts, UnknownBegin_HasNoneAndBeginsQueries)
{
    const auto pool = fakeHandle<VkQueryPool>(4);
    driver.device().queryPools.insert(layer::handleId(pool),
                                      std::make_shared<layer::QueryPool>(layer::QueryPool{VK_QUERY_TYPE_OCCLUSION, 0}));
    FakeDriver::get<PFN_vkCmdBeginQuery>("vkCmdBeginQuery")(cmd, pool, 0, 0);
    const std::vector<Call> calls = callsOf([&] { call("vkCmdBeginRendering3EXT"); });
    EXPECT_LT(placeOf(calls, "vkCmdBeginQuery"), calls.size());
    EXPECT_FALSE(known().front.isOpen());
    EXPECT_NE(known().front.obstacle, nullptr);
    EXPECT_TRUE(known().rendering.inside());
}

// They would record into the application's command buffer, which is the front.
TEST_F(UnknownFronts, MoreUnknownCommandsThanAreRedirected_NothingIsDivided)
{
    for (size_t i = 0; i <= layer::UnknownCommands::kMost; ++i)
        driver.device().unknownCommands.get("vkCmdTomorrow" + std::to_string(i),
                                            reinterpret_cast<PFN_vkVoidFunction>(nothing));
    begin();
    EXPECT_FALSE(known().front.isOpen());
    EXPECT_NE(known().front.obstacle, nullptr);
    EXPECT_EQ(known().streams.size(), 1u);
}

TEST_F(Fronts, NothingNeedsThem_NothingIsDivided)
{
    driver.device().needsFronts = false;
    begin();
    draw();
    end();
    EXPECT_EQ(known().streams.size(), 1u);
}

TEST_F(Fronts, ResumedInstance_GoesOnWithTheFrontOfTheSuspendedOne)
{
    begin(VK_RENDERING_SUSPENDING_BIT);
    const VkCommandBuffer front = known().front.stream;
    end();
    begin(VK_RENDERING_RESUMING_BIT);
    EXPECT_TRUE(known().front.isOpen());
    EXPECT_EQ(known().front.stream, front);
    EXPECT_EQ(known().streams.size(), 2u);
    end();
    EXPECT_FALSE(known().front.isOpen());
}

TEST_F(Fronts, InstanceThatResumesOneOfAnotherCommandBuffer_HasNone)
{
    begin(VK_RENDERING_RESUMING_BIT);
    EXPECT_FALSE(known().front.isOpen());
    EXPECT_NE(known().front.obstacle, nullptr);
    EXPECT_EQ(known().streams.size(), 1u);
}

TEST_F(Fronts, QueryThatIsActive_HasNone)
{
    FakeDriver::get<PFN_vkCmdBeginQuery>("vkCmdBeginQuery")(cmd, fakeHandle<VkQueryPool>(3), 0, 0);
    begin();
    EXPECT_FALSE(known().front.isOpen());
    EXPECT_NE(known().front.obstacle, nullptr);
    EXPECT_EQ(known().streams.size(), 1u);
}

// The driver has no query that begins in one command buffer and ends in another.
TEST_F(Fronts, QueryOfDraws_BeginsBehindTheFront)
{
    const auto pool = fakeHandle<VkQueryPool>(4);
    driver.device().queryPools.insert(layer::handleId(pool),
                                      std::make_shared<layer::QueryPool>(layer::QueryPool{VK_QUERY_TYPE_OCCLUSION, 0}));
    const std::vector<Call> early =
        callsOf([&] { FakeDriver::get<PFN_vkCmdBeginQuery>("vkCmdBeginQuery")(cmd, pool, 0, 0); });
    EXPECT_EQ(placeOf(early, "vkCmdBeginQuery"), early.size());
    const std::vector<Call> calls = callsOf([&] { begin(); });
    EXPECT_TRUE(known().front.isOpen());
    const size_t begun = placeOf(calls, "vkCmdBeginQuery");
    ASSERT_LT(begun, calls.size());
    EXPECT_EQ(calls[begun].target, known().current);
    EXPECT_LT(begun, placeOf(calls, "vkCmdBeginRendering"));
    const std::vector<Call> late = callsOf([&] { FakeDriver::get<PFN_vkCmdEndQuery>("vkCmdEndQuery")(cmd, pool, 0); });
    EXPECT_EQ(placeOf(late, "vkCmdBeginQuery"), late.size());
    EXPECT_EQ(late.at(placeOf(late, "vkCmdEndQuery")).target, known().current);
}

TEST_F(Fronts, QueryOfDrawsWhereNothingNeedsFronts_BeginsAtOnce)
{
    driver.device().needsFronts = false;
    const auto pool = fakeHandle<VkQueryPool>(6);
    driver.device().queryPools.insert(layer::handleId(pool),
                                      std::make_shared<layer::QueryPool>(layer::QueryPool{VK_QUERY_TYPE_OCCLUSION, 0}));
    const std::vector<Call> calls =
        callsOf([&] { FakeDriver::get<PFN_vkCmdBeginQuery>("vkCmdBeginQuery")(cmd, pool, 0, 0); });
    EXPECT_LT(placeOf(calls, "vkCmdBeginQuery"), calls.size());
}

// Statistics of compute shaders count what is dispatched before the instance.
TEST_F(Fronts, QueryOfDispatches_BeginsAtOnce)
{
    const auto pool = fakeHandle<VkQueryPool>(5);
    driver.device().queryPools.insert(
        layer::handleId(pool),
        std::make_shared<layer::QueryPool>(layer::QueryPool{
            VK_QUERY_TYPE_PIPELINE_STATISTICS, VK_QUERY_PIPELINE_STATISTIC_CLIPPING_INVOCATIONS_BIT |
                                                   VK_QUERY_PIPELINE_STATISTIC_COMPUTE_SHADER_INVOCATIONS_BIT}));
    const std::vector<Call> calls =
        callsOf([&] { FakeDriver::get<PFN_vkCmdBeginQuery>("vkCmdBeginQuery")(cmd, pool, 0, 0); });
    EXPECT_LT(placeOf(calls, "vkCmdBeginQuery"), calls.size());
    begin();
    EXPECT_FALSE(known().front.isOpen());
}

TEST_F(Fronts, ConditionalRendering_IsInForceInTheInstance)
{
    const VkConditionalRenderingBeginInfoEXT info{VK_STRUCTURE_TYPE_CONDITIONAL_RENDERING_BEGIN_INFO_EXT};
    FakeDriver::get<PFN_vkCmdBeginConditionalRenderingEXT>("vkCmdBeginConditionalRenderingEXT")(cmd, &info);
    const std::vector<Call> calls = callsOf([&] { begin(); });
    const size_t ended = placeOf(calls, "vkCmdEndConditionalRenderingEXT");
    const size_t begun = placeOf(calls, "vkCmdBeginConditionalRenderingEXT");
    ASSERT_LT(ended, calls.size());
    ASSERT_LT(begun, calls.size());
    EXPECT_EQ(calls[ended].target, cmd);
    EXPECT_EQ(calls[begun].target, known().current);
}

// What is drawn behind the graph may read what that writes.
TEST_F(Fronts, GraphInsideTheInstance_HasAnotherFrontBehindIt)
{
    begin();
    const VkCommandBuffer before = known().front.stream;
    const VkCommandBuffer interrupted = known().current;
    driver.bindGraph(cmd);
    driver.dispatchGraph(cmd, true);
    ASSERT_TRUE(known().front.isOpen());
    EXPECT_NE(known().front.stream, before);
    EXPECT_NE(known().current, interrupted);
    EXPECT_NE(known().current, known().front.stream);
    const std::vector<Call> calls = callsOf([&] { draw(); });
    EXPECT_EQ(calls.at(0).target, known().current);
    end();
    EXPECT_FALSE(known().front.isOpen());
}

TEST_F(Fronts, Submission_HasAllStreamsInOrderAndNoWait)
{
    begin();
    end();
    begin();
    end();
    ASSERT_EQ(known().streams.size(), 3u);
    VkSubmitInfo first{VK_STRUCTURE_TYPE_SUBMIT_INFO};
    first.commandBufferCount = 1;
    first.pCommandBuffers = &cmd;
    VkCommandBufferSubmitInfo commandBuffer{VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO};
    commandBuffer.commandBuffer = cmd;
    VkSubmitInfo2 second{VK_STRUCTURE_TYPE_SUBMIT_INFO_2};
    second.commandBufferInfoCount = 1;
    second.pCommandBufferInfos = &commandBuffer;
    const VkQueue queue = driver.queue();
    for (const char* command : {"vkQueueSubmit", "vkQueueSubmit2"}) {
        const std::vector<Call> calls = callsOf([&] {
            if (std::string_view(command) == "vkQueueSubmit")
                FakeDriver::get<PFN_vkQueueSubmit>(command)(queue, 1, &first, VK_NULL_HANDLE);
            else
                FakeDriver::get<PFN_vkQueueSubmit2>(command)(queue, 1, &second, VK_NULL_HANDLE);
        });
        ASSERT_EQ(calls.size(), 1u) << "no fence, no wait";
        EXPECT_EQ(calls[0].command, command);
        size_t last = 0;
        for (VkCommandBuffer stream : known().streams) {
            const size_t at = calls[0].arguments.find(textOfHandle(stream), last);
            ASSERT_NE(at, std::string::npos) << calls[0].arguments;
            last = at;
        }
    }
    EXPECT_FALSE(known().isSplit());
}

// The masks are as many as the command buffers (VUID-VkDeviceGroupSubmitInfo-commandBufferCount-00083).
TEST_F(Fronts, SubmissionWithDeviceMasks_HasOneForEachStream)
{
    begin();
    end();
    const uint32_t mask = 0x155;
    VkDeviceGroupSubmitInfo group{VK_STRUCTURE_TYPE_DEVICE_GROUP_SUBMIT_INFO};
    group.commandBufferCount = 1;
    group.pCommandBufferDeviceMasks = &mask;
    VkSubmitInfo info{VK_STRUCTURE_TYPE_SUBMIT_INFO, &group};
    info.commandBufferCount = 1;
    info.pCommandBuffers = &cmd;
    const VkQueue queue = driver.queue();
    const std::vector<Call> calls =
        callsOf([&] { FakeDriver::get<PFN_vkQueueSubmit>("vkQueueSubmit")(queue, 1, &info, VK_NULL_HANDLE); });
    ASSERT_EQ(calls.size(), 1u);
    EXPECT_NE(calls[0].arguments.find("pCommandBufferDeviceMasks=[0155,0155,]"), std::string::npos)
        << calls[0].arguments;
}

// Streams behind a split may follow each other as well.
TEST_F(Fronts, SplitCommandBuffer_WaitsAtTheSplitAlone)
{
    begin();
    end();
    driver.split(cmd);
    begin();
    end();
    ASSERT_EQ(known().streams.size(), 4u);
    EXPECT_TRUE(known().isSplit());
    using Kind = layer::Boundary::Kind;
    EXPECT_EQ(known().boundaries[0].kind(), Kind::Follows);
    EXPECT_EQ(known().boundaries[1].kind(), Kind::Waits);
    EXPECT_EQ(known().boundaries[2].kind(), Kind::Follows);
}

}  // namespace

}  // namespace millrace::layertest
