// SPDX-License-Identifier: Apache-2.0
#include "runtime/prepared_feed.h"

#include <algorithm>

#include "graph/saturating.h"

namespace millrace::runtime {

namespace {

class Feed {
public:
    Feed(const graph::Graph& graph, const HostInputs& inputs, graph::DispatchPlan& plan)
        : m_graph(graph), m_inputs(inputs), m_plan(plan), m_streams(graph.streams.size())
    {
    }

    // False if feed.comp has to do it.
    bool add(size_t number);
    bool fits() const;  // the entries; add() has seen to the payloads
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

    void publishRun(uint32_t stream, uint32_t location, uint32_t count);
    bool publishGrids(uint32_t stream, const HostInfo& input, uint32_t stride, uint32_t location);

    const graph::Graph& m_graph;
    const HostInputs& m_inputs;
    graph::DispatchPlan& m_plan;
    PayloadPlaces m_region;  // of level 0
    std::vector<Stream> m_streams;
};

bool Feed::add(size_t number)
{
    const HostInfo& info = m_inputs.infos[number];
    const bool isEntry = info.node < m_graph.apiQueues.size() && m_graph.apiQueues[info.node] != abi::kNoQueue;
    if (!isEntry || info.payloadCount > abi::kMaxApiPayloads)
        return false;
    if (info.payloadCount == 0)
        return true;
    const graph::Queue& queue = m_graph.queues[m_graph.apiQueues[info.node]];
    const uint64_t at = m_region.add(m_inputs, number, queue.stride);
    const auto location = static_cast<uint32_t>(m_plan.levels[0].begin + at / abi::kGranuleBytes);
    if (!m_plan.fits && m_region.bytes() / abi::kGranuleBytes > m_plan.levels[0].size)
        return false;
    for (uint32_t stream : queue.streams)
        if (m_graph.streams[stream].kind == abi::kStreamIndexed)
            publishRun(stream, location, info.payloadCount);
        else if (!publishGrids(stream, info, queue.stride, location))
            return false;
    return true;
}

void Feed::publishRun(uint32_t stream, uint32_t location, uint32_t count)
{
    Stream& out = m_streams[stream];
    if (out.count == 0)
        out.firstLocation = location;
    out.append(abi::IndexedEntry{location, static_cast<uint32_t>(out.units)}, count);
}

bool Feed::publishGrids(uint32_t stream, const HostInfo& input, uint32_t stride, uint32_t location)
{
    const abi::StreamInfo info = graph::streamInfo(m_graph, m_graph.streams[stream]);
    Stream& out = m_streams[stream];
    const std::byte* payload = input.payloads;
    for (uint32_t i = 0; i < input.payloadCount; ++i, payload += input.stride) {
        const uint64_t offset = uint64_t{i} * stride;
        const std::optional<Grid> grid = readGrid(info, payload);
        if (!grid)
            return false;
        if (grid->groups() == 0)
            continue;
        const auto more = static_cast<uint32_t>(grid->z | offset % abi::kGranuleBytes << 16 | out.units >> 32 << 20);
        out.append(abi::DynamicEntry{static_cast<uint32_t>(location + offset / abi::kGranuleBytes),
                                     grid->x | grid->y << 16, more, static_cast<uint32_t>(out.units)},
                   grid->groups());
    }
    return true;
}

bool Feed::fits() const
{
    const uint32_t quota = m_plan.levels[0].entryQuota;
    return m_plan.fits || std::ranges::all_of(m_streams, [&](const Stream& stream) { return stream.count <= quota; });
}

PreparedFeed Feed::finish()
{
    PreparedFeed feed;
    const auto append = [&](uint32_t to, uint64_t bytes) {
        if (bytes > 0)
            feed.parts.push_back({to, static_cast<uint32_t>(bytes / abi::kGranuleBytes)});
    };
    m_plan.levels[0].used = static_cast<uint32_t>(m_region.bytes() / abi::kGranuleBytes);
    append(m_plan.levels[0].begin, m_region.bytes());
    feed.payloads = std::move(m_region);
    for (size_t s = 0; s < m_streams.size(); ++s) {
        abi::StreamPlan& plan = m_plan.streams[s];
        plan.counter = m_streams[s].count << abi::kUnitBits | m_streams[s].units;
        plan.firstLocation = m_streams[s].firstLocation;
        std::vector<std::byte>& entries = m_streams[s].entries;
        entries.resize(graph::roundUp(entries.size(), abi::kGranuleBytes));
        append(plan.table, entries.size());
        feed.entries.insert(feed.entries.end(), entries.begin(), entries.end());
    }
    return feed;
}

}  // namespace

std::optional<PreparedFeed> prepareFeed(const graph::Graph& graph, const HostInputs& inputs, graph::DispatchPlan& plan)
{
    Feed feed(graph, inputs, plan);
    for (size_t i = 0; i < inputs.infos.size(); ++i)
        if (!feed.add(i))
            return std::nullopt;
    if (!feed.fits())
        return std::nullopt;
    return feed.finish();
}

}  // namespace millrace::runtime
