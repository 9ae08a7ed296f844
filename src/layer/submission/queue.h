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

#include "layer/loader/device.h"
#include "layer/recording/boundary.h"
#include "layer/submission/ends.h"
#include "layer/submission/gate.h"
#include "layer/submission/held_work.h"
#include "layer/submission/side_queue.h"
#include "layer/submission/status_watch.h"

namespace millrace::layer {

struct Queue {
    // `ownSide`: of its family, or null.
    Queue(Device& owner, VkQueue own, SideQueue* ownSide)
        : device(owner), handle(own), side(ownSide), m_ends(owner), m_gate(owner), m_endsBeside(owner)
    {
    }
    ~Queue();

    Device& device;
    const VkQueue handle;
    SideQueue* const side;

    // True while the thread has work. Then the driver's queue is the thread's: everything else follows behind it.
    // Only the application's own submissions to this queue, which it must not make in parallel, set it.
    bool busy() const { return m_waiting > 0; }

    // Runs `work` on the thread behind all other work, once everything it depends on is with the driver. On this
    // thread, before it returns, if the system gives us none. `promised` are the values that it would give timelines.
    void enqueue(std::function<VkResult()> work, std::span<const VkSemaphore> semaphores, VkFence fence,
                 std::vector<StatusWatch::SemaphoreValue> promised = {});
    // Waits until the thread is idle; not on the thread itself.
    void drain();

    // A call of the driver's that takes the queue. Whoever may call while the thread has work does so here: a queue is
    // one thread's at a time.
    template <typename Call>
    auto use(const Call& call)
    {
        const std::lock_guard lock(m_use);
        return call();
    }

    // What follows is for the thread or, while that has no work, for who is about to give it some.
    //
    // The driver's vkQueueSubmit2.
    VkResult submit(std::span<const VkSubmitInfo2> submits, VkFence fence);
    // Of what is submitted; and waits for one, or until what it stands in front of is decided, if that is before.
    Ends& ends() { return m_ends; }
    VkResult wait(uint64_t end, const Continuation* behind = nullptr);
    // With a side queue, what follows can be with the driver before what is in front of it is complete: behind a gate.
    bool canGoAhead() const { return side != nullptr; }
    Gate& gate() { return m_gate; }
    // Submits more of what is in front of a closed gate, which has ended, or else of what was submitted last; and waits
    // for the end of it.
    VkResult submitMore(const VkSubmitInfo2& submit);

private:
    struct Item {
        std::function<VkResult()> work;
        std::shared_ptr<Token> token;
        std::vector<std::shared_ptr<Token>> after;
        std::vector<StatusWatch::SemaphoreValue> promised;
    };

    uint32_t spinUs();
    void run();
    void execute(Item& item);
    void leave(Item& item);
    void tellFailure(VkResult result) noexcept;

    std::atomic<uint32_t> m_waiting{0};  // items not finished
    std::recursive_mutex m_use;          // a driver may call the application back, which may call again
    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::deque<Item> m_items;
    std::vector<std::function<VkResult()>> m_left;  // undone
    bool m_stop = false;
    std::thread m_thread;
    uint32_t m_spinUs = 0;  // 0: nobody has asked
    Ends m_ends;
    Gate m_gate;
    Ends m_endsBeside;  // on the side queue
};

// For work that will never be done: whatever waits for these values, here or in the driver, has to end.
void signalOnHost(const Device& device, std::span<const StatusWatch::SemaphoreValue> values) noexcept;

}  // namespace millrace::layer
