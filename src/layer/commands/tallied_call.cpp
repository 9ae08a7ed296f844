// SPDX-License-Identifier: Apache-2.0
#include "layer/commands/tallied_call.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace millrace::layer {

namespace {

constexpr size_t kExecutions = offsetof(abi::TallyCounters, executions) / sizeof(uint32_t);
constexpr size_t kSequences = offsetof(abi::TallyCounters, sequences) / sizeof(uint32_t);
constexpr size_t kHeadWords = sizeof(abi::TallyCounters) / sizeof(uint32_t);

}  // namespace

TalliedCall::TalliedCall(trace::GeneratedCall described, std::vector<uint32_t> numbers, uint32_t pipelineCount)
    : m_described(std::move(described)),
      m_numbers(std::move(numbers)),
      m_pipelineCount(pipelineCount),
      m_sums(kHeadWords + (m_described.hasSet ? size_t{pipelineCount} + 1 : 0))
{
}

void TalliedCall::addWhole(uint64_t executions)
{
    add(kExecutions, executions);
    add(kSequences, executions * m_described.maxSequences);
}

std::optional<trace::GeneratedWork> TalliedCall::take()
{
    const std::lock_guard lock(m_mutex);
    if (std::ranges::all_of(m_sums, [](uint64_t sum) { return sum == 0; }))
        return std::nullopt;
    const std::vector<uint64_t> sums = std::exchange(m_sums, std::vector<uint64_t>(m_sums.size()));
    trace::GeneratedWork work;
    work.call = m_described.id;
    work.executions = sums[kExecutions];
    work.times = std::exchange(m_times, {});
    std::ranges::sort(work.times, {}, &trace::Span::begin);
    if (!m_described.unknown.empty())
        return work;
    work.sequences = sums[kSequences];
    if (!m_described.hasSet) {
        work.byPipeline = {sums[kSequences]};
        return work;
    }
    for (size_t i = kHeadWords; i < sums.size(); ++i)
        work.leftOut += sums[i];
    for (const uint32_t number : m_numbers) {
        work.byPipeline.push_back(sums[kHeadWords + number]);
        work.leftOut -= work.byPipeline.back();
    }
    return work;
}

void RecordedCall::beforeSubmission()
{
    const std::lock_guard lock(m_mutex);
    ++m_submitted;
}

void RecordedCall::reportTime()
{
    try {
        if (const std::optional<trace::Span> time = m_time->takeNews())
            m_call->add(*time);
    } catch (...) {
    }
}

// Counters are modulo 2^32.
void RecordedCall::report() noexcept
{
    const std::lock_guard lock(m_mutex);
    const uint64_t executions = std::exchange(m_submitted, 0);
    if (m_time && executions > 0)
        reportTime();
    if (!m_counters.data()) {
        m_call->addWhole(executions);
        return;
    }
    for (size_t i = 0; i < m_told.size(); ++i) {
        uint32_t now = 0;
        std::memcpy(&now, m_counters.data() + i * sizeof now, sizeof now);
        m_call->add(i, now - std::exchange(m_told[i], now));
    }
}

}  // namespace millrace::layer
