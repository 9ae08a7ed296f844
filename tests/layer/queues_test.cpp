// SPDX-License-Identifier: Apache-2.0
// Queues whose work the layer holds back: what must not wait for it, and what ends when it fails.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <map>

#include "layer/fake_driver.h"
#include "layer/submission/held_work.h"
#include "layer/submission/queue.h"

namespace millrace::layertest {

namespace {

std::map<VkSemaphore, uint64_t>& counters()
{
    static std::map<VkSemaphore, uint64_t> all;
    return all;
}

VKAPI_ATTR VkResult VKAPI_CALL getCounterValue(VkDevice, VkSemaphore semaphore, uint64_t* value)
{
    *value = counters()[semaphore];
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL signalSemaphore(VkDevice, const VkSemaphoreSignalInfo* info)
{
    counters()[info->semaphore] = info->value;
    return VK_SUCCESS;
}

class Queues : public testing::Test {
protected:
    Queues()
    {
        counters().clear();
        driver.device().table.GetSemaphoreCounterValue = getCounterValue;
        driver.device().table.SignalSemaphore = signalSemaphore;
    }

    layer::Queue& known(VkQueue queue) { return *driver.device().queues.find(layer::handleId(queue)); }

    // Holds work back that waits for what the application does behind `command`, with the semaphores that it uses.
    // Returns whether it was done before the work gave up.
    template <typename Command>
    bool isDoneInFrontOfHeldWork(std::span<const VkSemaphore> semaphores, const Command& command)
    {
        std::promise<void> done;
        std::promise<bool> wasDone;
        known(driver.queue())
            .enqueue(
                [&] {
                    constexpr std::chrono::seconds kForEver{5};
                    wasDone.set_value(done.get_future().wait_for(kForEver) == std::future_status::ready);
                    return VK_SUCCESS;
                },
                semaphores, VK_NULL_HANDLE);
        command();
        done.set_value();
        const bool result = wasDone.get_future().get();
        known(driver.queue()).drain();
        return result;
    }

    VkSemaphore createTimeline()
    {
        VkSemaphoreTypeCreateInfo type{VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO};
        type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
        const VkSemaphoreCreateInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, &type};
        VkSemaphore out = VK_NULL_HANDLE;
        FakeDriver::get<PFN_vkCreateSemaphore>("vkCreateSemaphore")(driver.handle(), &info, nullptr, &out);
        return out;
    }

    VkResult submitSignal(VkQueue queue, VkSemaphore semaphore, uint64_t value)
    {
        VkTimelineSemaphoreSubmitInfo timeline{VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO};
        timeline.signalSemaphoreValueCount = 1;
        timeline.pSignalSemaphoreValues = &value;
        VkSubmitInfo info{VK_STRUCTURE_TYPE_SUBMIT_INFO, &timeline};
        info.signalSemaphoreCount = 1;
        info.pSignalSemaphores = &semaphore;
        return FakeDriver::get<PFN_vkQueueSubmit>("vkQueueSubmit")(queue, 1, &info, VK_NULL_HANDLE);
    }

    static uint64_t valueOf(VkSemaphore semaphore) { return counters()[semaphore]; }

    static size_t presents()
    {
        const std::vector<Call> calls = FakeDriver::takeAllCalls();
        return static_cast<size_t>(std::ranges::count(calls, "vkQueuePresentKHR", &Call::command));
    }

    void loseDevice()
    {
        known(driver.queue()).enqueue([] { return VK_ERROR_OUT_OF_DEVICE_MEMORY; }, {}, VK_NULL_HANDLE);
        known(driver.queue()).drain();
        ASSERT_TRUE(driver.device().held->lost());
    }

    FakeDriver driver;
};

TEST_F(Queues, PresentWithoutASemaphoreOfHeldWork_DoesNotWaitForIt)
{
    const auto used = fakeHandle<VkSemaphore>(100), other = fakeHandle<VkSemaphore>(101);
    for (uint32_t index : {0u, 1u}) {
        VkPresentInfoKHR info{VK_STRUCTURE_TYPE_PRESENT_INFO_KHR};
        info.waitSemaphoreCount = 1;
        info.pWaitSemaphores = &other;
        EXPECT_TRUE(isDoneInFrontOfHeldWork({&used, 1}, [&] {
            FakeDriver::get<PFN_vkQueuePresentKHR>("vkQueuePresentKHR")(driver.queue(0, index), &info);
        }));
    }
}

TEST_F(Queues, PresentWithASemaphoreOfHeldWork_WaitsForIt)
{
    const auto used = fakeHandle<VkSemaphore>(100);
    VkPresentInfoKHR info{VK_STRUCTURE_TYPE_PRESENT_INFO_KHR};
    info.waitSemaphoreCount = 1;
    info.pWaitSemaphores = &used;
    std::promise<void> begins;
    size_t before = 1;
    presents();
    known(driver.queue())
        .enqueue(
            [&] {
                begins.get_future().wait();
                before = presents();
                return VK_SUCCESS;
            },
            {&used, 1}, VK_NULL_HANDLE);
    begins.set_value();
    FakeDriver::get<PFN_vkQueuePresentKHR>("vkQueuePresentKHR")(driver.queue(), &info);
    EXPECT_EQ(before, 0u);
    EXPECT_EQ(presents(), 1u);
}

TEST_F(Queues, QuestionsAboutAQueue_DoNotWaitForHeldWork)
{
    EXPECT_TRUE(isDoneInFrontOfHeldWork({}, [&] {
        uint32_t count = 0;
        FakeDriver::get<PFN_vkGetQueueCheckpointDataNV>("vkGetQueueCheckpointDataNV")(driver.queue(), &count, nullptr);
        FakeDriver::get<PFN_vkGetQueueCheckpointData2NV>("vkGetQueueCheckpointData2NV")(driver.queue(), &count,
                                                                                        nullptr);
        const VkOutOfBandQueueTypeInfoNV info{VK_STRUCTURE_TYPE_OUT_OF_BAND_QUEUE_TYPE_INFO_NV};
        FakeDriver::get<PFN_vkQueueNotifyOutOfBandNV>("vkQueueNotifyOutOfBandNV")(driver.queue(), &info);
    }));
}

// What is with the driver on the second queue may wait for it, where nobody of the layer's looks.
TEST_F(Queues, HeldWorkThatIsNotDone_ItsTimelinesAreSignaledAllTheSame)
{
    const VkSemaphore semaphore = createTimeline();
    std::promise<void> fails;
    known(driver.queue())
        .enqueue(
            [&] {
                fails.get_future().wait();
                return VK_ERROR_OUT_OF_DEVICE_MEMORY;
            },
            {}, VK_NULL_HANDLE);
    EXPECT_EQ(submitSignal(driver.queue(), semaphore, 5), VK_SUCCESS);
    EXPECT_EQ(valueOf(semaphore), 0u);
    fails.set_value();
    known(driver.queue()).drain();
    EXPECT_EQ(valueOf(semaphore), 5u);
}

TEST_F(Queues, SubmissionToALostDevice_ItsTimelinesAreSignaledAllTheSame)
{
    const VkSemaphore semaphore = createTimeline();
    loseDevice();
    EXPECT_EQ(submitSignal(driver.queue(0, 1), semaphore, 5), VK_ERROR_DEVICE_LOST);
    EXPECT_EQ(valueOf(semaphore), 5u);
    EXPECT_EQ(submitSignal(driver.queue(0, 1), semaphore, 4), VK_ERROR_DEVICE_LOST);
    EXPECT_EQ(valueOf(semaphore), 5u) << "values only rise";
}

TEST_F(Queues, SparseBindingOnALostDevice_ItsTimelinesAreSignaledAllTheSame)
{
    const VkSemaphore semaphore = createTimeline();
    loseDevice();
    const uint64_t value = 5;
    VkTimelineSemaphoreSubmitInfo timeline{VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO};
    timeline.signalSemaphoreValueCount = 1;
    timeline.pSignalSemaphoreValues = &value;
    VkBindSparseInfo info{VK_STRUCTURE_TYPE_BIND_SPARSE_INFO, &timeline};
    info.signalSemaphoreCount = 1;
    info.pSignalSemaphores = &semaphore;
    const auto bind = FakeDriver::get<PFN_vkQueueBindSparse>("vkQueueBindSparse");
    EXPECT_EQ(bind(driver.queue(0, 1), 1, &info, VK_NULL_HANDLE), VK_ERROR_DEVICE_LOST);
    EXPECT_EQ(valueOf(semaphore), 5u);
}

}  // namespace

}  // namespace millrace::layertest
