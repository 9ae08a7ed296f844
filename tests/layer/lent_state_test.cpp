// SPDX-License-Identifier: Apache-2.0
// What the layer has bound in the application's place, and when the application's is bound again.
#include "layer/recording/lent_state.h"

#include <gtest/gtest.h>

#include <new>

#include "layer/fake_driver.h"
#include "layer/recording/command_buffer.h"

namespace millrace::layertest {

namespace {

constexpr VkPipelineBindPoint kGraphics = VK_PIPELINE_BIND_POINT_GRAPHICS;
constexpr VkPipelineBindPoint kCompute = VK_PIPELINE_BIND_POINT_COMPUTE;

class Lent : public testing::Test {
protected:
    void bind(VkPipelineBindPoint bindPoint)
    {
        FakeDriver::get<PFN_vkCmdBindPipeline>("vkCmdBindPipeline")(cmd, bindPoint, VK_NULL_HANDLE);
    }
    void bindSets(uint32_t count = 1)
    {
        const VkDescriptorSet sets[2] = {};
        FakeDriver::get<PFN_vkCmdBindDescriptorSets>("vkCmdBindDescriptorSets")(cmd, kGraphics, VK_NULL_HANDLE, 0,
                                                                                count, sets, 0, nullptr);
    }
    static std::vector<std::string> namesOf(const std::vector<Call>& calls)
    {
        std::vector<std::string> names;
        for (const Call& call : calls)
            names.push_back(call.command);
        return names;
    }
    std::vector<std::string> draw()
    {
        FakeDriver::takeCalls();
        FakeDriver::get<PFN_vkCmdDraw>("vkCmdDraw")(cmd, 3, 1, 0, 0);
        return namesOf(FakeDriver::takeCalls());
    }
    layer::CommandBuffer& known() { return FakeDriver::of(cmd); }

    // A command that is newer than the headers, as the driver gets it behind `calls`.
    using Command = void(VKAPI_PTR*)(VkCommandBuffer);
    Command unknownDraw()
    {
        return reinterpret_cast<Command>(driver.device().unknownCommands.get(
            "vkCmdDrawTomorrowEXT", reinterpret_cast<PFN_vkVoidFunction>(drawTomorrow)));
    }
    static VKAPI_ATTR void VKAPI_CALL drawTomorrow(VkCommandBuffer stream)
    {
        drawnIn() = stream;
        inFront() = namesOf(FakeDriver::takeCalls());
    }
    static VkCommandBuffer& drawnIn()
    {
        static VkCommandBuffer last = VK_NULL_HANDLE;
        return last;
    }
    static std::vector<std::string>& inFront()
    {
        static std::vector<std::string> last;
        return last;
    }

    FakeDriver driver;
    VkCommandBuffer cmd = driver.begin();
    const VkPipelineLayout layout = reinterpret_cast<VkPipelineLayout>(uintptr_t{0x100});
};

TEST_F(Lent, BothBindPoints_SetAgainOnceForTheNextDraw)
{
    bind(kGraphics);
    bindSets();
    bind(kCompute);
    known().lent.lend(known().current, kCompute);
    known().lent.lend(known().current, kGraphics);
    EXPECT_EQ(draw(), (std::vector<std::string>{"vkCmdBindPipeline", "vkCmdBindDescriptorSets", "vkCmdBindPipeline",
                                                "vkCmdDraw"}));
    EXPECT_EQ(draw(), std::vector<std::string>{"vkCmdDraw"});
}

// It may draw.
TEST_F(Lent, UnknownCommand_FindsTheApplications)
{
    const Command draw = unknownDraw();
    bind(kGraphics);
    bindSets();
    known().lent.lend(known().current, kGraphics);
    FakeDriver::takeCalls();
    draw(cmd);
    EXPECT_EQ(drawnIn(), cmd);
    EXPECT_EQ(inFront(), (std::vector<std::string>{"vkCmdBindPipeline", "vkCmdBindDescriptorSets"}));
    EXPECT_FALSE(known().lent.isLent());
    draw(cmd);
    EXPECT_TRUE(inFront().empty());
}

// There is no memory for what was put off. Nothing is thrown into the application, which gets to know at the end.
TEST_F(Lent, UnknownCommandBehindWhatCannotBeRecorded_Fails)
{
    struct Throws final : layer::CurrentStream::PutOff {
        void record(VkCommandBuffer) override { throw std::bad_alloc(); }
    } putOff;
    const Command draw = unknownDraw();
    known().current.putOff(putOff);
    drawnIn() = VK_NULL_HANDLE;
    draw(cmd);
    EXPECT_EQ(drawnIn(), VkCommandBuffer{}) << "what it needs is missing";
    EXPECT_EQ(FakeDriver::get<PFN_vkEndCommandBuffer>("vkEndCommandBuffer")(cmd), VK_ERROR_OUT_OF_HOST_MEMORY);
}

TEST_F(Lent, WhatIsBoundMeanwhile_IsWhatTheDrawFinds)
{
    bindSets();
    known().lent.lend(known().current, kGraphics);
    bindSets(2);
    EXPECT_EQ(draw(), (std::vector<std::string>{"vkCmdBindDescriptorSets", "vkCmdBindDescriptorSets", "vkCmdDraw"}));
}

TEST_F(Lent, CommandBufferThatGoesOnInAnotherOfTheDrivers_HasAllThere)
{
    bind(kGraphics);
    known().lent.lend(known().current, kGraphics);
    driver.split(cmd);
    EXPECT_EQ(draw(), std::vector<std::string>{"vkCmdDraw"});
    EXPECT_FALSE(known().lent.isLent());
}

TEST_F(Lent, CommandBufferThatBeginsAnew_HasNothingLent)
{
    known().lent.lend(known().current, kGraphics);
    FakeDriver::get<PFN_vkResetCommandBuffer>("vkResetCommandBuffer")(cmd, 0);
    EXPECT_FALSE(known().lent.isLent());
}

TEST_F(Lent, Sets_AreThereUntilTheApplicationBindsOthersOrGetsItsOwnBack)
{
    const VkCommandBuffer stream = known().current;
    const auto has = [&] { return known().lent.hasSets(stream, layout, known().bound.setsOrder()); };
    bindSets();
    const auto lend = [&] { known().lent.lendSets(stream, layout, known().bound.setsOrder()); };
    EXPECT_FALSE(has());
    lend();
    EXPECT_TRUE(has());
    bind(kGraphics);
    EXPECT_TRUE(has()) << "a pipeline disturbs no sets";
    bindSets();
    EXPECT_FALSE(has());
    lend();
    draw();
    EXPECT_FALSE(has());
    lend();
    known().lent.lend(stream, kCompute);
    EXPECT_FALSE(has()) << "whoever lends may have bound others";
}

TEST_F(Lent, Pipeline_IsThereUntilTheApplicationBindsAnother)
{
    const VkCommandBuffer stream = known().current;
    const VkPipeline pipeline = reinterpret_cast<VkPipeline>(uintptr_t{0x200});
    const auto has = [&] { return known().lent.hasPipeline(stream, pipeline, known().bound.pipelineOrder()); };
    known().lent.lendPipeline(stream, pipeline, known().bound.pipelineOrder());
    known().lent.lendSets(stream, layout, known().bound.setsOrder());
    EXPECT_TRUE(has());
    bindSets();
    EXPECT_TRUE(has()) << "sets disturb no pipeline";
    bind(kGraphics);
    EXPECT_FALSE(has());
}

}  // namespace

}  // namespace millrace::layertest
