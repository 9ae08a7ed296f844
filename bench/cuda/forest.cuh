// SPDX-License-Identifier: Apache-2.0
// The memory of a tree that grows on the device, and levels that the host launches.
#pragma once

#include "bench/cuda/measure.h"
#include "bench/cuda/tree.cuh"

namespace millrace::cuda {

template <class Tree>
class Forest {
public:
    using Record = typename Tree::Record;

    Forest(uint32_t* leaves, const std::vector<Record>& roots, uint32_t depth)
        : m_tree{leaves},
          m_depth(depth),
          m_count(static_cast<uint32_t>(roots.size())),
          m_roots(roots),
          // Sums of a geometric series: all levels with queues, which are those between roots and leaves.
          m_all(sizeof(Record) * (recordsTo(depth - 1) - m_count)),
          m_even(sizeof(Record) * recordsAt(depth - 1)),
          m_odd(sizeof(Record) * recordsAt(depth - 1)),
          m_counters(2 * 4 * Grown<Tree>::kStride * (depth + 1))
    {
    }

    const Tree& tree() const { return m_tree; }
    const Record* roots() const { return m_roots.as<Record>(); }
    uint32_t count() const { return m_count; }
    uint32_t depth() const { return m_depth; }
    uint64_t recordsAt(uint32_t level) const
    {
        uint64_t records = m_count;
        for (uint32_t i = 0; i < level; ++i)
            records *= Tree::kChildren;
        return records;
    }
    // On this level and those before it.
    uint64_t recordsTo(uint32_t level) const
    {
        uint64_t records = 0;
        for (uint32_t i = 0; i <= level; ++i)
            records += recordsAt(i);
        return records;
    }
    uint64_t records() const { return recordsTo(m_depth); }
    // Workgroups that have children with children of their own, which is how often oneGroup launches. Exact where
    // levels fill their workgroups or are in one.
    uint64_t groupLaunches() const
    {
        uint64_t launches = 0;
        for (uint32_t i = 0; i + 1 < m_depth; ++i)
            launches += (recordsAt(i) + kTreeBlock - 1) / kTreeBlock;
        return launches;
    }
    Grown<Tree> byGroups() const
    {
        return {m_tree, m_depth, {m_all.template as<Record>(), nullptr}, counts(), finished()};
    }
    Grown<Tree> byLevels() const
    {
        return {m_tree, m_depth, {m_even.template as<Record>(), m_odd.template as<Record>()}, counts(), finished()};
    }
    void prepare(cudaStream_t stream) const { m_counters.fill(stream, 0); }

    void plain(cudaStream_t stream) const
    {
        const Record* from = roots();
        for (uint32_t i = 0; i < m_depth; ++i) {
            Record* const to = i + 1 == m_depth ? nullptr : (i % 2 ? m_even : m_odd).template as<Record>();
            const auto count = static_cast<uint32_t>(recordsAt(i));
            plainLevel<Tree><<<groupsFor(count * Tree::kChildren, 256), 256, 0, stream>>>(m_tree, from, to, count);
            check(cudaGetLastError(), "plainLevel");
            from = to;
        }
    }

private:
    unsigned int* counts() const { return m_counters.as<unsigned int>(); }
    unsigned int* finished() const { return counts() + Grown<Tree>::kStride * (m_depth + 1); }

    Tree m_tree;
    uint32_t m_depth, m_count;
    Memory m_roots, m_all, m_even, m_odd, m_counters;
};

}  // namespace millrace::cuda
