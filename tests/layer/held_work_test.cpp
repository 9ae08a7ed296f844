// SPDX-License-Identifier: Apache-2.0
// Order between queues, which lavapipe with its single queue cannot show.
#include "layer/submission/held_work.h"

#include <gtest/gtest.h>

#include <thread>

namespace millrace::layer {

namespace {

using namespace std::chrono_literals;

VkSemaphore semaphore(uintptr_t number)
{
    return reinterpret_cast<VkSemaphore>(number);
}
VkFence fence(uintptr_t number)
{
    return reinterpret_cast<VkFence>(number);
}

TEST(HeldWork, SharedSemaphore_LaterWorkComesAfterEarlier)
{
    HeldWork held;
    const VkSemaphore first[] = {semaphore(1), semaphore(2)};
    const VkSemaphore second[] = {semaphore(2)};
    const VkSemaphore third[] = {semaphore(3)};
    std::vector<std::shared_ptr<Token>> after;
    const auto one = held.hold(first, VK_NULL_HANDLE, after);
    EXPECT_TRUE(after.empty());
    const auto two = held.hold(second, VK_NULL_HANDLE, after);
    EXPECT_EQ(after, (std::vector{one}));
    after.clear();
    const auto three = held.hold(third, VK_NULL_HANDLE, after);
    EXPECT_TRUE(after.empty());

    EXPECT_TRUE(held.usesAny(first));
    held.finish(one);
    EXPECT_FALSE(held.usesAny({first, 1}));
    EXPECT_TRUE(held.usesAny(second)) << "the second work uses it still";
    held.finish(two);
    held.finish(three);
    EXPECT_FALSE(held.any());
    EXPECT_FALSE(held.usesAny(first));
}

TEST(HeldWork, SameSemaphoreTwiceInOneWork_DoesNotWaitForItself)
{
    HeldWork held;
    const VkSemaphore both[] = {semaphore(1), semaphore(1)};
    std::vector<std::shared_ptr<Token>> after;
    held.finish(held.hold(both, VK_NULL_HANDLE, after));
    EXPECT_TRUE(after.empty());
}

TEST(HeldWork, Fence_IsWithTheDriverWhenItsWorkIs)
{
    HeldWork held;
    std::vector<std::shared_ptr<Token>> after;
    const VkFence fences[] = {fence(1), fence(2)};
    const auto work = held.hold({}, fences[0], after);
    const auto soon = HeldWork::Clock::now() + 20ms;
    EXPECT_FALSE(held.waitFences(fences, true, soon));
    EXPECT_TRUE(held.waitFences(fences, false, soon)) << "the second is not held";
    std::jthread finisher([&] {
        std::this_thread::sleep_for(20ms);
        held.finish(work);
    });
    EXPECT_TRUE(held.waitFences(fences, true, HeldWork::Clock::time_point::max()));
}

TEST(HeldWork, Wait_EndsWithTheTokens)
{
    HeldWork held;
    std::vector<std::shared_ptr<Token>> after;
    const VkSemaphore one[] = {semaphore(1)};
    const auto work = held.hold(one, VK_NULL_HANDLE, after);
    std::jthread finisher([&] {
        std::this_thread::sleep_for(20ms);
        held.finish(work);
    });
    held.waitSemaphores(one);
    held.wait({&work, 1});
    EXPECT_TRUE(work->done);
}

}  // namespace

}  // namespace millrace::layer
