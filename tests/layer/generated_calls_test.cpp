// SPDX-License-Identifier: Apache-2.0
// What the driver is called with where commands that are generated follow each other.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "layer/commands/generated_objects.h"
#include "layer/fake_driver.h"

namespace millrace::layertest {

namespace {

constexpr VkPipelineBindPoint kGraphics = VK_PIPELINE_BIND_POINT_GRAPHICS;
constexpr uint32_t kDraws = GeneratedObjects::kDraws;
constexpr uint32_t kPipelines = GeneratedObjects::kPipelines;

class GeneratedCalls : public testing::Test {
protected:
    GeneratedCalls()
    {
        VkRenderingInfo rendering{VK_STRUCTURE_TYPE_RENDERING_INFO};
        call<PFN_vkCmdBeginRendering>("vkCmdBeginRendering", &rendering);
        bind();
        push(1);
    }

    template <typename Function, typename... Args>
    void call(const char* name, Args... args)
    {
        FakeDriver::get<Function>(name)(cmd, args...);
    }
    void bind()
    {
        call<PFN_vkCmdBindPipeline>("vkCmdBindPipeline", kGraphics, objects.pipelines[0]);
        const VkDescriptorSet own = fakeHandle<VkDescriptorSet>(77);
        call<PFN_vkCmdBindDescriptorSets>("vkCmdBindDescriptorSets", kGraphics, objects.layout, 0u, 1u, &own, 0u,
                                          nullptr);
    }
    void push(uint32_t word)
    {
        call<PFN_vkCmdPushConstants>("vkCmdPushConstants", objects.layout, kDrawnStages, 0u, 4u, &word);
    }
    void generate(uint32_t number) { objects.draw(cmd, number); }
    void generateInOrder() { objects.drawInOrder(cmd); }
    void draw() { call<PFN_vkCmdDraw>("vkCmdDraw", 3u, 1u, 0u, 0u); }

    template <typename Action>
    static std::vector<std::string> namesOf(const Action& action)
    {
        FakeDriver::takeAllCalls();
        action();
        std::vector<std::string> names;
        for (const Call& call : FakeDriver::takeAllCalls())
            names.push_back(call.command);
        return names;
    }

    FakeDriver driver{Version::All, Provided::GeneratedCommands};
    GeneratedObjects objects{driver};
    VkCommandBuffer cmd = driver.begin();
};

using Names = std::vector<std::string>;

// The driver has the pipeline, the sets and the application's push constants already.
TEST_F(GeneratedCalls, OneBehindAnother_PushWhereTheStreamIsAndDraw)
{
    generate(0);
    for (uint32_t i = 1; i < GeneratedObjects::kCalls; ++i)
        ASSERT_EQ(namesOf([&] { generate(i); }), (Names{"vkCmdPushConstants", "vkCmdDrawIndirect"})) << i;
}

TEST_F(GeneratedCalls, TheFirst_BindsItsOwnOnce)
{
    const Names names = namesOf([&] { generate(0); });
    for (const char* name : {"vkCmdBindPipeline", "vkCmdBindDescriptorSets", "vkCmdPushConstants", "vkCmdDrawIndirect"})
        EXPECT_EQ(std::ranges::count(names, name), 1) << name;
}

// A copy of them is what shaders read.
TEST_F(GeneratedCalls, BehindOtherPushConstants_AreCopiedAnew)
{
    generate(0);
    push(2);
    const Names names = namesOf([&] { generate(0); });
    EXPECT_EQ(std::ranges::count(names, "vkCmdPushConstants"), 1);
    EXPECT_EQ(std::ranges::count(names, "vkCmdBindPipeline"), 0);
}

TEST_F(GeneratedCalls, BehindADraw_AllIsBoundAgain)
{
    generate(0);
    draw();
    const Names names = namesOf([&] { generate(0); });
    for (const char* name : {"vkCmdBindPipeline", "vkCmdBindDescriptorSets", "vkCmdPushConstants"})
        EXPECT_EQ(std::ranges::count(names, name), 1) << name;
}

// Command buffers of a family of queues, by the layer.
class FamilyPool {
public:
    FamilyPool(VkDevice device, uint32_t family) : m_device(device)
    {
        VkCommandPoolCreateInfo info{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
        info.queueFamilyIndex = family;
        FakeDriver::get<PFN_vkCreateCommandPool>("vkCreateCommandPool")(device, &info, nullptr, &m_pool);
    }
    ~FamilyPool() { FakeDriver::get<PFN_vkDestroyCommandPool>("vkDestroyCommandPool")(m_device, m_pool, nullptr); }
    FamilyPool(const FamilyPool&) = delete;
    FamilyPool& operator=(const FamilyPool&) = delete;

    VkCommandBuffer begin() const
    {
        VkCommandBufferAllocateInfo allocation{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
        allocation.commandPool = m_pool;
        allocation.commandBufferCount = 1;
        VkCommandBuffer out = VK_NULL_HANDLE;
        FakeDriver::get<PFN_vkAllocateCommandBuffers>("vkAllocateCommandBuffers")(m_device, &allocation, &out);
        const VkCommandBufferBeginInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
        FakeDriver::get<PFN_vkBeginCommandBuffer>("vkBeginCommandBuffer")(out, &info);
        return out;
    }

private:
    const VkDevice m_device;
    VkCommandPool m_pool = VK_NULL_HANDLE;
};

// Who executes out of it only reads it, so that neither waits for the other (docs/generated-commands.md says what the
// specification does).
TEST(GeneratedQueues, MemoryPreprocessedOnce_ExecutedOnTwoQueuesAtTheSameTime)
{
    const FakeDriver driver(Version::All, Provided::GeneratedCommands);
    const GeneratedObjects objects(driver);
    const FamilyPool pools[] = {{driver.handle(), 0}, {driver.handle(), 1}};
    const auto end = FakeDriver::get<PFN_vkEndCommandBuffer>("vkEndCommandBuffer");
    const auto countOf = [](const std::vector<Call>& calls, const char* command) {
        return std::ranges::count(calls, command, &Call::command);
    };
    const VkCommandBuffer preprocessing = pools[0].begin();
    FakeDriver::takeAllCalls();
    objects.preprocess(preprocessing);
    EXPECT_GT(countOf(FakeDriver::takeCalls(), "vkCmdDispatch"), 0);
    EXPECT_EQ(end(preprocessing), VK_SUCCESS);
    VkCommandBuffer executing[2];
    for (uint32_t family = 0; family < 2; ++family) {
        executing[family] = pools[family].begin();
        FakeDriver::takeAllCalls();
        objects.dispatchPreprocessed(executing[family]);
        const std::vector<Call> calls = FakeDriver::takeCalls();
        EXPECT_EQ(countOf(calls, "vkCmdDispatchIndirect"), 1);
        for (const char* writing : {"vkCmdDispatch", "vkCmdPipelineBarrier", "vkCmdFillBuffer", "vkCmdUpdateBuffer"})
            EXPECT_EQ(countOf(calls, writing), 0) << writing;
        EXPECT_EQ(end(executing[family]), VK_SUCCESS);
    }
    const VkQueue queues[] = {driver.queue(0), driver.queue(1)};
    FakeDriver::takeAllCalls();
    for (uint32_t family = 0; family < 2; ++family) {
        VkSubmitInfo info{VK_STRUCTURE_TYPE_SUBMIT_INFO};
        info.commandBufferCount = 1;
        info.pCommandBuffers = &executing[family];
        EXPECT_EQ(FakeDriver::get<PFN_vkQueueSubmit>("vkQueueSubmit")(queues[family], 1, &info, VK_NULL_HANDLE),
                  VK_SUCCESS);
    }
    const std::vector<Call> calls = FakeDriver::takeAllCalls();
    EXPECT_EQ(countOf(calls, "vkQueueSubmit"), 2);
    EXPECT_EQ(calls.size(), 2u);
}

// While the device is created.
class Disabled {
public:
    explicit Disabled(const char* words) { setenv("VK_MILLRACE_EMULATION_DISABLE", words, 1); }
    ~Disabled() { unsetenv("VK_MILLRACE_EMULATION_DISABLE"); }
};

// Without streams of their own, in which all is bound for them.
class GeneratedCallsInPlace : Disabled, public GeneratedCalls {
protected:
    GeneratedCallsInPlace() : Disabled("late_members") {}
};

// The pipelines become one, and the sequences one command.
TEST_F(GeneratedCallsInPlace, InOrderOfASet_OneDraw)
{
    const Names names = namesOf([&] { generateInOrder(); });
    for (const char* name : {"vkCmdBindPipeline", "vkCmdBindDescriptorSets", "vkCmdPushConstants", "vkCmdDrawIndirect"})
        EXPECT_EQ(std::ranges::count(names, name), 1) << name;
    EXPECT_EQ(std::ranges::count(names, "vkCmdDrawIndirectCount"), 0);
}

class GeneratedCallsSeparately : Disabled, public GeneratedCalls {
protected:
    GeneratedCallsSeparately() : Disabled("combined_sets, late_members") {}
};

// A draw for each sequence and pipeline, of which all but one are of nothing. Neighbours share what they can.
TEST_F(GeneratedCallsSeparately, InOrderOfASet_EachSequencePushedOnceAndItsFirstPipelineIsBound)
{
    const Names names = namesOf([&] { generateInOrder(); });
    EXPECT_EQ(std::ranges::count(names, "vkCmdDrawIndirectCount"), kDraws * kPipelines);
    EXPECT_EQ(std::ranges::count(names, "vkCmdPushConstants"), kDraws);
    EXPECT_EQ(std::ranges::count(names, "vkCmdBindPipeline"), kDraws * (kPipelines - 1) + 1);
    EXPECT_EQ(std::ranges::count(names, "vkCmdBindDescriptorSets"), 1);
}

}  // namespace

}  // namespace millrace::layertest
