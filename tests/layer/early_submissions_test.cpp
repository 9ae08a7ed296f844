// SPDX-License-Identifier: Apache-2.0
// What follows a graph that may be continued is with the driver before the graph is complete, where there is a queue to
// continue it on: it waits there for the host.
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <mutex>
#include <span>
#include <thread>

#include "layer/fake_driver.h"
#include "layer/recording/command_buffer.h"
#include "layer/submission/held_work.h"
#include "layer/submission/queue.h"

namespace millrace::layertest {

namespace {

// What the driver is called with, and what it answers. What is submitted ends when the test says so.
struct Driver {
    std::mutex mutex;
    std::vector<std::string> calls;
    std::map<VkSemaphore, uint64_t> byHost, byDevice;  // the values that they were signaled with
    VkQueue side = VK_NULL_HANDLE;
    std::atomic<bool> isDone{false};
    std::atomic<VkResult> sideResult{VK_SUCCESS};

    std::vector<std::string> take()
    {
        const std::lock_guard lock(mutex);
        return std::exchange(calls, {});
    }
};

Driver*& driverOfTest()
{
    static Driver* current = nullptr;
    return current;
}

// The queue, and of each batch the value that it waits for.
VKAPI_ATTR VkResult VKAPI_CALL queueSubmit2(VkQueue queue, uint32_t count, const VkSubmitInfo2* submits, VkFence)
{
    Driver& driver = *driverOfTest();
    const std::lock_guard lock(driver.mutex);
    const bool isSide = queue == driver.side;
    std::string text = isSide ? "side:" : "queue:";
    for (const VkSubmitInfo2& batch : std::span(submits, count)) {
        text += batch.waitSemaphoreInfoCount > 0 ? " behind " + std::to_string(batch.pWaitSemaphoreInfos[0].value)
                                                 : std::string(" now");
        for (uint32_t i = 0; i < batch.signalSemaphoreInfoCount; ++i)
            driver.byDevice[batch.pSignalSemaphoreInfos[i].semaphore] = batch.pSignalSemaphoreInfos[i].value;
    }
    driver.calls.push_back(text);
    return isSide ? driver.sideResult.load() : VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL signalSemaphore(VkDevice, const VkSemaphoreSignalInfo* info)
{
    Driver& driver = *driverOfTest();
    const std::lock_guard lock(driver.mutex);
    driver.calls.push_back("signal " + std::to_string(info->value));
    driver.byHost[info->semaphore] = info->value;
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL getSemaphoreCounterValue(VkDevice, VkSemaphore semaphore, uint64_t* value)
{
    Driver& driver = *driverOfTest();
    const std::lock_guard lock(driver.mutex);
    *value =
        driver.isDone && driver.byDevice.contains(semaphore) ? driver.byDevice[semaphore] : driver.byHost[semaphore];
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL waitSemaphores(VkDevice device, const VkSemaphoreWaitInfo* info, uint64_t)
{
    std::this_thread::yield();
    uint64_t value = 0;
    getSemaphoreCounterValue(device, info->pSemaphores[0], &value);
    return value >= info->pValues[0] ? VK_SUCCESS : VK_TIMEOUT;
}

// Complete behind a number of sweeps.
class Sweeps final : public layer::Continuation {
public:
    Sweeps(uint32_t count, bool isSoon, std::vector<size_t>& asked) : m_left(count), m_isSoon(isSoon), m_asked(asked) {}

    bool isComplete() const override { return m_left == 0; }
    bool isSoonComplete() const override { return m_isSoon; }
    size_t prepare(size_t most) override
    {
        m_asked.push_back(most);
        --m_left;
        return 1;
    }
    Progress progress() const override { return {m_left, 0, 0}; }
    void tellStalled() const override {}
    void report() noexcept override {}

private:
    std::atomic<uint32_t> m_left;
    const bool m_isSoon;
    std::vector<size_t>& m_asked;
};

class EarlySubmissions : public testing::Test {
protected:
    explicit EarlySubmissions(const std::vector<VkLayerSettingEXT>& settings = {})
        : fake(Version::All, Provided::Graphs, settings)
    {
        driverOfTest() = &driver;
        VkuDeviceDispatchTable& table = fake.device().table;
        table.GetDeviceQueue(fake.handle(), 0, FakeDriver::kQueueCount, &driver.side);
        table.QueueSubmit2 = queueSubmit2;
        table.SignalSemaphore = signalSemaphore;
        table.GetSemaphoreCounterValue = getSemaphoreCounterValue;
        table.WaitSemaphores = waitSemaphores;
    }
    ~EarlySubmissions() override { finish(); }

    // Divided once for each of `sweeps`, which need so many more.
    VkCommandBuffer record(std::initializer_list<uint32_t> sweeps, bool isSoon = true)
    {
        const VkCommandBuffer handle = fake.begin();
        layer::CommandBuffer& commandBuffer = FakeDriver::of(handle);
        for (uint32_t count : sweeps) {
            const VkCommandBuffer more = commandBuffer.beginHidden("sweep");
            commandBuffer.divide({std::make_shared<Sweeps>(count, isSoon, asked), {more}, false}, "behind a graph");
        }
        FakeDriver::get<PFN_vkEndCommandBuffer>("vkEndCommandBuffer")(handle);
        return handle;
    }
    void submit(VkCommandBuffer commandBuffer)
    {
        VkSubmitInfo info{VK_STRUCTURE_TYPE_SUBMIT_INFO};
        info.commandBufferCount = 1;
        info.pCommandBuffers = &commandBuffer;
        EXPECT_EQ(FakeDriver::get<PFN_vkQueueSubmit>("vkQueueSubmit")(fake.queue(), 1, &info, VK_NULL_HANDLE),
                  VK_SUCCESS);
    }
    // Until the layer's thread has nothing to do.
    void finish()
    {
        driver.isDone = true;
        fake.device().queues.find(layer::handleId(fake.queue()))->drain();
    }

    using Calls = std::vector<std::string>;

    Driver driver;
    FakeDriver fake;
    std::vector<size_t> asked;  // how many sweeps at most, by the layer's thread
};

TEST_F(EarlySubmissions, WhatFollows_WithTheDriverBeforeTheGraphIsComplete)
{
    submit(record({0}));
    EXPECT_EQ(driver.take(), (Calls{"queue: now behind 2"}));
    finish();
    EXPECT_EQ(driver.take(), (Calls{"signal 2"}));
}

TEST_F(EarlySubmissions, MoreSweeps_OnTheSideQueueInFrontOfTheGate)
{
    submit(record({2}));
    driver.take();
    finish();
    EXPECT_EQ(driver.take(), (Calls{"signal 1", "side: behind 1", "side: behind 1", "signal 2"}));
}

TEST_F(EarlySubmissions, ThatTakesLongBehindItsDecision_NothingWaits)
{
    submit(record({1}, false));
    EXPECT_EQ(driver.take(), (Calls{"queue: now"}));
    finish();
    EXPECT_EQ(driver.take(), (Calls{"queue: now", "queue: now"}));
}

TEST_F(EarlySubmissions, SeveralGraphs_OneGateAfterTheOther)
{
    submit(record({0, 1, 0}));
    finish();
    EXPECT_EQ(driver.take(), (Calls{"queue: now behind 2", "signal 2", "queue: behind 4", "signal 3", "side: behind 3",
                                    "signal 4", "queue: behind 6", "signal 6"}));
}

TEST_F(EarlySubmissions, SubmissionBehindAnother_InOrder)
{
    submit(record({0}));
    submit(record({0}));
    EXPECT_EQ(driver.take(), (Calls{"queue: now behind 2"}));
    finish();
    EXPECT_EQ(driver.take(), (Calls{"signal 2", "queue: now behind 4", "signal 4"}));
}

TEST_F(EarlySubmissions, SweepThatFails_TheGateOpensAllTheSame)
{
    driver.sideResult = VK_ERROR_OUT_OF_DEVICE_MEMORY;
    submit(record({1}));
    finish();
    EXPECT_EQ(driver.take(), (Calls{"queue: now behind 2", "signal 1", "side: behind 1", "signal 2"}));
    EXPECT_TRUE(fake.device().held->lost());
}

TEST_F(EarlySubmissions, DeviceThatIsLostMeanwhile_TheGateOpensAllTheSame)
{
    submit(record({0}));
    fake.device().held->setLost();
    finish();
    const Calls calls = driver.take();
    ASSERT_FALSE(calls.empty());
    EXPECT_EQ(calls.back(), "signal 2");
}

// However fast the device is.
TEST_F(EarlySubmissions, SweepsBetweenTwoLooks_OneAtFirst)
{
    submit(record({1, 1}));
    finish();
    EXPECT_EQ(asked, (std::vector<size_t>{1, 1}));
}

constexpr const char* kFive = "first_sweeps=5";
constexpr const char* kMoreThanAllowed = "first_sweeps=5,sweeps_per_wait=3";

class FirstSweeps : public EarlySubmissions, public testing::WithParamInterface<std::pair<const char*, size_t>> {
protected:
    FirstSweeps() : EarlySubmissions({setTo("traits", GetParam().first)}) {}
};

TEST_P(FirstSweeps, SweepsBetweenTwoLooks_AsManyAtFirst)
{
    submit(record({1, 1}));
    finish();
    EXPECT_EQ(asked, (std::vector<size_t>{GetParam().second, GetParam().second}));
}

INSTANTIATE_TEST_SUITE_P(Traits, FirstSweeps,
                         testing::Values(std::pair(kFive, size_t{5}), std::pair(kMoreThanAllowed, size_t{3})));

TEST_F(EarlySubmissions, QueueThatGoesWhileItsGateIsClosed_OpensIt)
{
    {
        layer::Queue queue(fake.device(), fake.queue(), nullptr);
        EXPECT_EQ(queue.gate().close(), VK_SUCCESS);
        EXPECT_TRUE(driver.take().empty());
    }
    EXPECT_EQ(driver.take(), (Calls{"signal 2"}));
}

// The queues that the application asks for, of families with `of` queues each, and one more where there is one.
class QueuesOfDevice : public testing::Test {
protected:
    std::vector<uint32_t> countsOf(VkQueueFlags runs, uint32_t of, std::vector<VkDeviceQueueCreateInfo> infos)
    {
        VkDeviceCreateInfo create{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO};
        create.queueCreateInfoCount = static_cast<uint32_t>(infos.size());
        create.pQueueCreateInfos = infos.data();
        const VkQueueFamilyProperties family{runs, of, 64, {1, 1, 1}};
        const layer::QueuesWithSide queues(create, {&family, 1});
        added = queues.added();
        std::vector<uint32_t> counts;
        for (const VkDeviceQueueCreateInfo& info : queues.infos()) {
            counts.push_back(info.queueCount);
            EXPECT_EQ(info.pQueuePriorities[info.queueCount - 1], 0.25f);
        }
        return counts;
    }
    static VkDeviceQueueCreateInfo wanted(uint32_t count, VkDeviceQueueCreateFlags flags = 0)
    {
        static constexpr float kPriorities[] = {0.25f, 0.25f, 0.25f};
        VkDeviceQueueCreateInfo info{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
        info.flags = flags;
        info.queueCount = count;
        info.pQueuePriorities = kPriorities;
        return info;
    }

    std::map<uint32_t, uint32_t> added;
    using Counts = std::vector<uint32_t>;
};

TEST_F(QueuesOfDevice, FamilyWithASpareOne_OneMore)
{
    EXPECT_EQ(countsOf(VK_QUEUE_COMPUTE_BIT, 3, {wanted(2)}), Counts{3});
    EXPECT_EQ(added, (std::map<uint32_t, uint32_t>{{0, 2}}));
}

TEST_F(QueuesOfDevice, NoneToSpareOrOfNoUse_AsTheApplicationWants)
{
    constexpr VkQueueFlags kCompute = VK_QUEUE_COMPUTE_BIT;
    constexpr VkDeviceQueueCreateFlags kProtected = VK_DEVICE_QUEUE_CREATE_PROTECTED_BIT;
    EXPECT_EQ(countsOf(kCompute, 2, {wanted(2)}), Counts{2});
    EXPECT_EQ(countsOf(kCompute, 2, {wanted(1), wanted(1, kProtected)}), (Counts{1, 1})) << "both are of the family";
    EXPECT_EQ(countsOf(kCompute, 3, {wanted(1, kProtected)}), Counts{1});
    EXPECT_EQ(countsOf(VK_QUEUE_TRANSFER_BIT, 3, {wanted(1)}), Counts{1});
    EXPECT_TRUE(added.empty());
}

}  // namespace

}  // namespace millrace::layertest
