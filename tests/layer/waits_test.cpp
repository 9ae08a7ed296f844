// SPDX-License-Identifier: Apache-2.0
// Waits for what a driver will never signal, since the work that would is held by the layer and fails.
#include <gtest/gtest.h>

#include <future>

#include "layer/fake_driver.h"
#include "layer/submission/held_work.h"
#include "layer/submission/queue.h"

namespace millrace::layertest {

namespace {

class Waits : public testing::Test {
protected:
    // Of a wait that the driver has begun before the work fails. The fake driver gives up after some seconds.
    template <typename Wait>
    VkResult waitWhileTheDeviceIsLost(const Wait& wait)
    {
        FakeDriver::takeCalls();
        layer::Queue queue(driver.device(), VK_NULL_HANDLE, nullptr);
        std::promise<void> waits;
        queue.enqueue(
            [&] {
                waits.get_future().wait();
                return VK_ERROR_OUT_OF_DEVICE_MEMORY;
            },
            {}, VK_NULL_HANDLE);
        std::future<VkResult> result = std::async(std::launch::async, wait);
        FakeDriver::waitForWait();
        waits.set_value();
        return result.get();
    }

    FakeDriver driver;
};

TEST_F(Waits, DeviceLostWhileATimelineIsWaitedFor_Ends)
{
    const auto semaphore = fakeHandle<VkSemaphore>(5);
    const uint64_t value = 1;
    VkSemaphoreWaitInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO};
    info.semaphoreCount = 1;
    info.pSemaphores = &semaphore;
    info.pValues = &value;
    EXPECT_EQ(waitWhileTheDeviceIsLost([&] {
                  return FakeDriver::get<PFN_vkWaitSemaphores>("vkWaitSemaphores")(driver.handle(), &info, UINT64_MAX);
              }),
              VK_ERROR_DEVICE_LOST);
}

TEST_F(Waits, DeviceLostWhileAFenceIsWaitedForThatIsSubmittedLater_Ends)
{
    const auto fence = fakeHandle<VkFence>(5);
    EXPECT_EQ(waitWhileTheDeviceIsLost([&] {
                  return FakeDriver::get<PFN_vkWaitForFences>("vkWaitForFences")(driver.handle(), 1, &fence, VK_TRUE,
                                                                                 UINT64_MAX);
              }),
              VK_ERROR_DEVICE_LOST);
}

TEST_F(Waits, NothingSignaled_TimeOutAfterOneLook)
{
    const auto fence = fakeHandle<VkFence>(5);
    EXPECT_EQ(FakeDriver::get<PFN_vkWaitForFences>("vkWaitForFences")(driver.handle(), 1, &fence, VK_TRUE, 0),
              VK_TIMEOUT);
}

}  // namespace

}  // namespace millrace::layertest
