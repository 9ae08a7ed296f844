// SPDX-License-Identifier: Apache-2.0
#include "runtime/prepared_feed.h"

#include <algorithm>
#include <cstring>

#include "graph/saturating.h"

namespace millrace::runtime {

namespace {

// Workgroups of a grid, 0 if it is empty; none if it is above the limits.
std::optional<uint64_t> groupsOf(const abi::StreamInfo& stream, const uint32_t (&grid)[3])
{
    if (grid[0] == 0 || grid[1] == 0 || grid[2] == 0)
        return 0;
    const bool isInside = grid[0] <= stream.maxX && grid[1] <= stream.maxY && grid[2] <= stream.maxZ;
    const uint64_t groups = uint64_t{grid[0]} * grid[1] * grid[2];
    return isInside && groups <= stream.maxGroups ? std::optional(groups) : std::nullopt;
}

class Feed {
public:
    Feed(const graph::Graph& graph, const HostInputs& inputs, graph::DispatchPlan& plan)
        : m_graph(graph), m_inputs(inputs), m_plan(plan), m_streams(graph.streams.size())
    {
    }

    // False if feed.comp has to do it.
    bool add(const abi::DispatchInfo& info);
    PreparedFeed finish();

private:
    struct Stream {
        std::vector<std::byte> entries;
        uint64_t count = 0;
        uint64_t units = 0;
        uint32_t firstLocation = 0;

        template <typename Entry>
        void append(const Entry& entry, uint64_t entryUnits)
        {
            const auto* bytes = reinterpret_cast<const std::byte*>(&entry);
            entries.insert(entries.end(), bytes, bytes + sizeof entry);
            ++count;
            units += entryUnits;
        }
    };

    void copyPayloads(const abi::DispatchInfo& info, const graph::Queue& queue);
    void publishRun(uint32_t stream, uint32_t location, uint32_t count);
    bool publishGrids(uint32_t stream, const std::byte* payloads, uint32_t stride, uint32_t location, uint32_t count);

    const graph::Graph& m_graph;
    const HostInputs& m_inputs;
    graph::DispatchPlan& m_plan;
    std::vector<std::byte> m_region;  // of level 0
    std::vector<Stream> m_streams;
};

bool Feed::add(const abi::DispatchInfo& info)
{
    const bool isEntry =
        info.nodeIndex < m_graph.apiQueues.size() && m_graph.apiQueues[info.nodeIndex] != abi::kNoQueue;
    if (!isEntry || info.payloadCount > abi::kMaxApiPayloads)
        return false;
    if (info.payloadCount == 0)
        return true;
    const graph::Queue& queue = m_graph.queues[m_graph.apiQueues[info.nodeIndex]];
    const size_t at = m_region.size();
    const auto location = static_cast<uint32_t>(m_plan.levels[0].begin + at / abi::kGranuleBytes);
    copyPayloads(info, queue);
    for (uint32_t stream : queue.streams) {
        if (m_graph.streams[stream].kind == abi::kStreamIndexed)
            publishRun(stream, location, info.payloadCount);
        else if (!publishGrids(stream, m_region.data() + at, queue.stride, location, info.payloadCount))
            return false;
    }
    return true;
}

// Finish counters and padding are 0.
void Feed::copyPayloads(const abi::DispatchInfo& info, const graph::Queue& queue)
{
    const size_t at = m_region.size();
    m_region.resize(at + graph::roundUp(uint64_t{queue.stride} * info.payloadCount, abi::kGranuleBytes));
    const uint64_t bytes = std::min<uint64_t>(info.payloadStride, queue.stride);
    for (uint32_t i = 0; bytes > 0 && i < info.payloadCount; ++i)
        std::memcpy(m_region.data() + at + uint64_t{i} * queue.stride,
                    m_inputs.payloads.data() + info.payloads + i * info.payloadStride, bytes);
}

void Feed::publishRun(uint32_t stream, uint32_t location, uint32_t count)
{
    Stream& out = m_streams[stream];
    if (out.count == 0)
        out.firstLocation = location;
    out.append(abi::IndexedEntry{location, static_cast<uint32_t>(out.units)}, count);
}

bool Feed::publishGrids(uint32_t stream, const std::byte* payloads, uint32_t stride, uint32_t location, uint32_t count)
{
    const abi::StreamInfo info = graph::streamInfo(m_graph, m_graph.streams[stream]);
    Stream& out = m_streams[stream];
    for (uint32_t i = 0; i < count; ++i) {
        const uint64_t offset = uint64_t{i} * stride;
        uint32_t grid[3] = {1, 1, 1};
        for (uint32_t c = 0; c < info.gridComponents; ++c)
            grid[c] = readComponent(payloads + offset + info.gridOffset + uint64_t{c} * info.gridComponentBytes,
                                    info.gridComponentBytes);
        const std::optional<uint64_t> groups = groupsOf(info, grid);
        if (!groups)
            return false;
        if (*groups == 0)
            continue;
        const auto more = static_cast<uint32_t>(grid[2] | offset % abi::kGranuleBytes << 16 | out.units >> 32 << 20);
        out.append(abi::DynamicEntry{static_cast<uint32_t>(location + offset / abi::kGranuleBytes),
                                     grid[0] | grid[1] << 16, more, static_cast<uint32_t>(out.units)},
                   *groups);
    }
    return true;
}

PreparedFeed Feed::finish()
{
    PreparedFeed feed;
    const auto append = [&](uint32_t to, std::vector<std::byte>& bytes) {
        if (bytes.empty())
            return;
        bytes.resize(graph::roundUp(bytes.size(), abi::kGranuleBytes));
        feed.parts.push_back({to, static_cast<uint32_t>(bytes.size() / abi::kGranuleBytes)});
        feed.bytes.insert(feed.bytes.end(), bytes.begin(), bytes.end());
    };
    m_plan.levels[0].used = static_cast<uint32_t>(m_region.size() / abi::kGranuleBytes);
    append(m_plan.levels[0].begin, m_region);
    for (size_t s = 0; s < m_streams.size(); ++s) {
        abi::StreamPlan& plan = m_plan.streams[s];
        plan.counter = m_streams[s].count << abi::kUnitBits | m_streams[s].units;
        plan.firstLocation = m_streams[s].firstLocation;
        append(plan.table, m_streams[s].entries);
    }
    return feed;
}

}  // namespace

std::optional<PreparedFeed> prepareFeed(const graph::Graph& graph, const HostInputs& inputs, graph::DispatchPlan& plan)
{
    if (!plan.fits)
        return std::nullopt;
    Feed feed(graph, inputs, plan);
    for (const abi::DispatchInfo& info : inputs.infos)
        if (!feed.add(info))
            return std::nullopt;
    return feed.finish();
}

}  // namespace millrace::runtime
