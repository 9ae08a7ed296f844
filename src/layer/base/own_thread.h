// SPDX-License-Identifier: Apache-2.0
// Threads of the layer's: how they leave the driver alone when the process ends, and how commands learn that they are
// called on one, by a callback of the application's.
#pragma once

#include <functional>
#include <thread>

namespace millrace::layer {

// Runs `work` on a new thread of the layer's. False if the system has none.
bool startOwnThread(std::thread& thread, std::function<void()> work);

// True on such a thread. Nobody may wait there for what the thread itself has to do: Vulkan forbids callbacks to call
// commands, and some do.
bool isOwnThread();

// While a thread of the layer's is in the driver, or calls the application. When the process ends without having
// destroyed its devices, none goes in any more, and the process waits, not long, until all are out: drivers are taken
// apart next. Applications may still destroy devices then, in destructors of static objects, and wait for the threads.
class InDriver {
public:
    InDriver();
    ~InDriver();
    InDriver(const InDriver&) = delete;
    InDriver& operator=(const InDriver&) = delete;

    // False: the thread must use nothing of the driver's, destroy nothing of it, and call nobody.
    explicit operator bool() const { return m_isIn; }

private:
    bool m_isIn = true;
};

// True if a thread of the layer's has to come out of the driver. For between two calls that wait or submit, which then
// fail as if the device were lost.
bool mustLeaveDriver();

}  // namespace millrace::layer
