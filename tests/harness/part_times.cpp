// SPDX-License-Identifier: Apache-2.0
#include "harness/part_times.h"

#include <algorithm>
#include <cstdio>
#include <ctime>

namespace millrace::harness {

namespace {

double processorSeconds()
{
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

}  // namespace

void PartTimes::enter(std::string part)
{
    charge();
    m_open.push_back(std::move(part));
}

void PartTimes::leave()
{
    charge();
    m_open.pop_back();
}

// What has passed since the last call goes to the innermost part.
void PartTimes::charge()
{
    const Clock::time_point now = Clock::now();
    const double processor = processorSeconds();
    if (!m_open.empty()) {
        auto part = std::ranges::find(m_parts, m_open.back(), &std::pair<std::string, Seconds>::first);
        if (part == m_parts.end())
            part = m_parts.insert(part, {m_open.back(), {}});
        part->second.wall += std::chrono::duration<double>(now - m_since).count();
        part->second.processor += processor - m_processorSince;
    }
    m_since = now;
    m_processorSince = processor;
}

PartTimes& partTimes()
{
    thread_local PartTimes all;
    return all;
}

std::string describe(const std::vector<std::pair<std::string, Seconds>>& parts)
{
    std::string out;
    for (const auto& [name, seconds] : parts) {
        char text[64];
        std::snprintf(text, sizeof text, " %.2f s (processor %.2f s)", seconds.wall, seconds.processor);
        out += (out.empty() ? "" : ", ") + name + text;
    }
    return out;
}

}  // namespace millrace::harness
