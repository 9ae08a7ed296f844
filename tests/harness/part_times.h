// SPDX-License-Identifier: Apache-2.0
// Where the time of a test program goes, by part of its work.
#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace millrace::harness {

struct Seconds {
    double wall = 0;
    double processor = 0;  // of all threads of the process
};

// Parts may be inside each other: time counts for the innermost alone.
class PartTimes {
public:
    void enter(std::string part);
    void leave();
    // Of the parts that have ended, in the order in which they did first.
    const std::vector<std::pair<std::string, Seconds>>& parts() const { return m_parts; }

private:
    using Clock = std::chrono::steady_clock;

    void charge();

    std::vector<std::string> m_open;
    std::vector<std::pair<std::string, Seconds>> m_parts;
    Clock::time_point m_since;
    double m_processorSince = 0;
};

// Of this thread.
PartTimes& partTimes();

// Its scope is a part, or inside of one.
class Part {
public:
    explicit Part(const char* name) { partTimes().enter(name); }
    ~Part() { partTimes().leave(); }
    Part(const Part&) = delete;
    Part& operator=(const Part&) = delete;
};

// "oracle 1.2 s (processor 1.1 s), pipelines ...".
std::string describe(const std::vector<std::pair<std::string, Seconds>>& parts);

}  // namespace millrace::harness
