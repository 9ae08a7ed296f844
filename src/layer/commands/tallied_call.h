// SPDX-License-Identifier: Apache-2.0
// A recorded call that executes generated commands, and what its sequences ran with once the device is done (setting
// "trace").
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "abi/tally.h"
#include "layer/recording/timestamps.h"
#include "layer/recording/watched.h"
#include "runtime/memory.h"
#include "trace/trace.h"

namespace millrace::layer {

// Calls that were recorded alike, which are added up. Thread-safe.
class TalliedCall {
public:
    // `numbers`: of the pipelines that are described, among `pipelineCount`.
    TalliedCall(trace::GeneratedCall described, std::vector<uint32_t> numbers, uint32_t pipelineCount);

    const trace::GeneratedCall& described() const { return m_described; }
    uint32_t pipelineCount() const { return m_pipelineCount; }
    // Of abi::TallyCounters and what is behind it.
    size_t words() const { return m_sums.size(); }

    // What word number `word` has become more by.
    void add(size_t word, uint64_t more)
    {
        const std::lock_guard lock(m_mutex);
        m_sums[word] += more;
    }
    void add(const trace::Span& time)
    {
        const std::lock_guard lock(m_mutex);
        m_times.push_back(time);
    }
    // So many executions of all sequences that there may be.
    void addWhole(uint64_t executions);
    // What was added since, if anything was.
    std::optional<trace::GeneratedWork> take();

private:
    const trace::GeneratedCall m_described;
    const std::vector<uint32_t> m_numbers;
    const uint32_t m_pipelineCount;
    std::mutex m_mutex;
    std::vector<uint64_t> m_sums;
    std::vector<trace::Span> m_times;
};

// One of them.
class RecordedCall final : public Watched {
public:
    // `counters`: what the device counts in, all 0. Empty: the host counts the executions that are complete. `time`:
    // null if nobody takes it.
    RecordedCall(std::shared_ptr<TalliedCall> call, runtime::Buffer counters, std::shared_ptr<TimedPart> time)
        : m_call(std::move(call)), m_counters(std::move(counters)), m_time(std::move(time)), m_told(m_call->words())
    {
    }

    void beforeSubmission() override;
    void report() noexcept override;

private:
    // Without memory for it there is none.
    void reportTime();

    const std::shared_ptr<TalliedCall> m_call;
    const runtime::Buffer m_counters;
    const std::shared_ptr<TimedPart> m_time;
    std::mutex m_mutex;
    std::vector<uint32_t> m_told;  // of the counters
    uint64_t m_submitted = 0;      // and not told
};

}  // namespace millrace::layer
