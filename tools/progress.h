// SPDX-License-Identifier: Apache-2.0
// What takes longer than a second says so on standard error, if that is a terminal.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

namespace millrace::tools {

// For as long as it lives: "millrace: compiling 17 of 300, 4 s", in place. Only fail() and warn() may write to
// standard error meanwhile.
class Progress {
public:
    // `total`: how many steps there are; 0 if that is not known.
    explicit Progress(std::string activity, uint64_t total = 0);
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    void advance() { m_done++; }  // from any thread

private:
    void show();

    const std::string m_activity;
    const uint64_t m_total;
    std::atomic<uint64_t> m_done = 0;
    std::mutex m_mutex;
    std::condition_variable m_wake;
    bool m_isOver = false;
    std::thread m_thread;  // where there is a terminal
};

}  // namespace millrace::tools
