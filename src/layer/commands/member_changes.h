// SPDX-License-Identifier: Apache-2.0
// Which members of an execution set, or the like, have changed since commands were recorded with them. What was
// recorded has the members in it that there were then, because the driver binds pipelines there.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace millrace::layer {

// Thread-safe.
class MemberChanges {
public:
    explicit MemberChanges(size_t count) : m_members(count) {}
    MemberChanges(const MemberChanges&) = delete;
    MemberChanges& operator=(const MemberChanges&) = delete;

    // Grows with each change. No two objects have had the same. For who copies members: before it does.
    uint64_t version() const { return m_version; }
    // The same as it is later. Keeps what `changes` does.
    static std::shared_ptr<const std::atomic<uint64_t>> versionOf(const std::shared_ptr<MemberChanges>& changes)
    {
        return {changes, &changes->m_version};
    }
    // Behind the change of one. Requires: `index` below the count.
    void note(uint32_t index)
    {
        const std::lock_guard lock(m_mutex);
        m_members[index] = {next(), false};
        m_version = m_members[index].version;
    }
    // The indices of those that have changed since the version, each once for each of its changes.
    std::vector<uint32_t> takeNews(uint64_t version);

private:
    struct Member {
        uint64_t version = 0;
        bool isTold = false;
    };

    static uint64_t next()
    {
        static std::atomic<uint64_t> s_last{0};
        return ++s_last;
    }

    std::atomic<uint64_t> m_version{next()};
    std::mutex m_mutex;
    std::vector<Member> m_members;
};

}  // namespace millrace::layer
