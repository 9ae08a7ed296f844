// SPDX-License-Identifier: Apache-2.0
#include "layer/base/own_thread.h"

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <system_error>

namespace millrace::layer {

namespace {

// A driver that takes longer for one call has lost its device.
constexpr std::chrono::seconds kLongestCall{5};

struct Process {
    std::mutex mutex;
    std::condition_variable changed;
    uint32_t inDriver = 0;  // threads
    bool ends = false;
};

// Never destroyed: threads use it until the process is gone.
Process& process()
{
    static Process& all = *new Process;
    return all;
}

thread_local bool t_isOwn = false;

// Drivers have registered theirs before, so this is called first.
void endProcess()
{
    Process& all = process();
    std::unique_lock lock(all.mutex);
    all.ends = true;
    all.changed.wait_for(lock, kLongestCall, [&] { return all.inDriver == 0; });
}

}  // namespace

bool startOwnThread(std::thread& thread, std::function<void()> work)
{
    static const int registered = std::atexit(endProcess);
    static_cast<void>(registered);
    try {
        thread = std::thread([work = std::move(work)] {
            t_isOwn = true;
            work();
        });
        return true;
    } catch (const std::system_error&) {
        return false;
    }
}

bool isOwnThread()
{
    return t_isOwn;
}

InDriver::InDriver()
{
    Process& all = process();
    std::lock_guard lock(all.mutex);
    m_isIn = !all.ends || !t_isOwn;
    all.inDriver += m_isIn;
}

InDriver::~InDriver()
{
    Process& all = process();
    {
        std::lock_guard lock(all.mutex);
        all.inDriver -= m_isIn;
    }
    all.changed.notify_all();
}

bool mustLeaveDriver()
{
    Process& all = process();
    std::lock_guard lock(all.mutex);
    return all.ends && t_isOwn;
}

}  // namespace millrace::layer
