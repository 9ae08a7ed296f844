// SPDX-License-Identifier: Apache-2.0
// What the layer has bound in the application's place, and when the application's is bound again.
#include "layer/recording/lent_state.h"

#include <gtest/gtest.h>

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
