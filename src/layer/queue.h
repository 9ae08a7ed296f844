// SPDX-License-Identifier: Apache-2.0
// A queue, and the thread that feeds it while a graph on it may need another sweep.
#pragma once

#include <vulkan/vulkan.h>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "layer/device.h"
#include "layer/held_work.h"

namespace millrace::layer {

struct Queue {
    Queue(Device& owner, VkQueue own) : device(owner), handle(own) {}
    ~Queue();

    Device& device;
    const VkQueue handle;

    // True while the thread has work. Then the driver's queue is the thread's: everything else follows behind it.
    // Only the application's own submissions to this queue, which it must not make in parallel, set it.
    bool busy() const { return m_waiting > 0; }

    // Runs `work` on the thread behind all other work, once everything it depends on is with the driver. On this
    // thread, before it returns, if the system gives us none.
    void enqueue(std::function<VkResult()> work, std::span<const VkSemaphore> semaphores, VkFence fence);
    // Waits until the thread is idle; not on the thread itself.
    void drain();

    // For the thread or, while that has no work, for who is about to give it some: submits what wait() waits for, once
    // for each time.
    VkResult submit(std::span<const VkSubmitInfo2> submits);
    VkResult wait();

private:
    struct Item {
        std::function<VkResult()> work;
        std::shared_ptr<Token> token;
        std::vector<std::shared_ptr<Token>> after;
    };

    void run();
    void execute(Item& item);
    void tellFailure(VkResult result) noexcept;

    std::atomic<uint32_t> m_waiting{0};  // items not finished
    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::deque<Item> m_items;
    bool m_stop = false;
    std::thread m_thread;
    VkFence m_fence = VK_NULL_HANDLE;
    bool m_isSignaled = false;
};

}  // namespace millrace::layer
