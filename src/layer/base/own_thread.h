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
// destroyed its devices, who begins then stops for ever, and the process waits, not long, until all others have ended:
// drivers are taken apart next.
class InDriver {
public:
    InDriver();
    ~InDriver();
    InDriver(const InDriver&) = delete;
    InDriver& operator=(const InDriver&) = delete;
};

// Between two calls of the driver inside of that. Does nothing on other threads.
void stopIfProcessEnds();

}  // namespace millrace::layer
