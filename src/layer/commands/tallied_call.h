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
};

// One of them.
class RecordedCall final : public Watched {
public:
    // `counters`: what the device counts in, all 0. Empty: the host counts the executions that are complete.
    RecordedCall(std::shared_ptr<TalliedCall> call, runtime::Buffer counters)
        : m_call(std::move(call)), m_counters(std::move(counters)), m_told(m_call->words())
    {
    }

    void beforeSubmission() override;
    void report() noexcept override;

private:
    const std::shared_ptr<TalliedCall> m_call;
    const runtime::Buffer m_counters;
    std::mutex m_mutex;
    std::vector<uint32_t> m_told;  // of the counters
    uint64_t m_submitted = 0;      // and not told
};

}  // namespace millrace::layer
