// SPDX-License-Identifier: Apache-2.0
#include "tools/progress.h"

#include <unistd.h>

#include <chrono>

#include "tools/console.h"

namespace millrace::tools {

Progress::Progress(std::string activity, uint64_t total) : m_activity(std::move(activity)), m_total(total)
{
    if (isCapableTerminal(STDERR_FILENO))
        m_thread = std::thread([this] { show(); });
}

Progress::~Progress()
{
    if (!m_thread.joinable())
        return;
    {
        const std::lock_guard lock(m_mutex);
        m_isOver = true;
    }
    m_wake.notify_one();
    m_thread.join();
}

void Progress::show()
{
    using namespace std::chrono_literals;
    const auto start = std::chrono::steady_clock::now();
    std::unique_lock lock(m_mutex);
    if (m_wake.wait_for(lock, 1s, [this] { return m_isOver; }))
        return;
    do {
        const auto seconds =
            std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - start).count();
        const std::string steps = m_total == 0 ? "" : " " + std::to_string(m_done) + " of " + std::to_string(m_total);
        showStatus("millrace: " + m_activity + steps + ", " + std::to_string(seconds) + " s");
    } while (!m_wake.wait_for(lock, 200ms, [this] { return m_isOver; }));
    showStatus("");
}

}  // namespace millrace::tools
