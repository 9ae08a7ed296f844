// SPDX-License-Identifier: Apache-2.0
#include "runtime/inputs.h"

#include <algorithm>
#include <cstring>

#include "graph/saturating.h"

namespace millrace::runtime {

namespace {

// `bytes` (1, 2 or 4) bytes of a grid.
uint32_t readComponent(const std::byte* at, uint32_t bytes)
{
    uint32_t value = 0;
    std::memcpy(&value, at, bytes);  // little-endian, as the device's
    return value;
}

// Workgroups that one payload asks for; what is out of bounds will be dropped on the device.
uint64_t groupsOf(const graph::NodeDeclaration& node, const std::byte* payload)
{
    uint64_t groups = 1;
    for (uint32_t i = 0; i < node.grid.components; ++i) {
        const std::byte* at = payload + node.grid.offsetBytes + size_t{i} * node.grid.componentBytes;
        const uint32_t size = readComponent(at, node.grid.componentBytes);
        if (size > node.maxGrid[i])
            return 0;
        groups *= size;
    }
    return groups <= graph::kMaxGroups ? groups : 0;
}

// Of all payloads.
uint64_t groupsOf(const graph::NodeDeclaration& node, const HostInfo& info)
{
    uint64_t groups = 0;
    const std::byte* payload = info.payloads;
    for (uint32_t i = 0; i < info.payloadCount; ++i, payload += info.stride)
        groups += groupsOf(node, payload);
    return groups;
}

bool isEntry(const graph::Graph& graph, uint32_t node)
{
    return node < graph.nodes.size() && graph.apiQueues[node] != abi::kNoQueue;
}

}  // namespace

std::optional<Grid> readGrid(const abi::StreamInfo& stream, const std::byte* payload)
{
    uint32_t size[3] = {1, 1, 1};
    for (uint32_t c = 0; c < stream.gridComponents; ++c)
        size[c] = readComponent(payload + stream.gridOffset + size_t{c} * stream.gridComponentBytes,
                                stream.gridComponentBytes);
    const Grid grid{size[0], size[1], size[2]};
    const bool isEmpty = grid.x == 0 || grid.y == 0 || grid.z == 0;
    const bool isInside = grid.x <= stream.maxX && grid.y <= stream.maxY && grid.z <= stream.maxZ;
    return isEmpty || (isInside && grid.groups() <= stream.maxGroups) ? std::optional(grid) : std::nullopt;
}

uint64_t hostInputBytes(const graph::Graph& graph, const VkDispatchGraphCountInfoAMDX& countInfo, uint64_t most)
{
    uint64_t bytes = 0;
    const auto* at = static_cast<const std::byte*>(countInfo.infos.hostAddress);
    for (uint32_t i = 0; i < countInfo.count && bytes <= most; ++i, at += countInfo.stride) {
        VkDispatchGraphInfoAMDX info;
        std::memcpy(&info, at, sizeof info);
        if (isEntry(graph, info.nodeIndex))
            bytes += graph::roundUp(uint64_t{graph.nodes[info.nodeIndex].declared.payloadBytes}, 4) * info.payloadCount;
    }
    return bytes;
}

HostInputs readHostInputs(const graph::Graph& graph, const VkDispatchGraphCountInfoAMDX& countInfo)
{
    HostInputs out;
    const auto* at = static_cast<const std::byte*>(countInfo.infos.hostAddress);
    for (uint32_t i = 0; i < countInfo.count; ++i, at += countInfo.stride) {
        VkDispatchGraphInfoAMDX info;
        std::memcpy(&info, at, sizeof info);
        HostInfo& own = out.infos.emplace_back(HostInfo{info.nodeIndex, info.payloadCount});
        out.chunks += (uint64_t{info.payloadCount} + abi::kFeedChunkPayloads - 1) / abi::kFeedChunkPayloads;
        if (!isEntry(graph, info.nodeIndex))
            continue;  // feed.comp reports it
        own.payloads = static_cast<const std::byte*>(info.payloads.hostAddress);
        own.stride = info.payloadStride;
        own.payloadBytes = graph.nodes[info.nodeIndex].declared.payloadBytes;
    }
    return out;
}

std::vector<graph::KnownInput> knownInputs(const graph::Graph& graph, const HostInputs& inputs)
{
    std::vector<graph::KnownInput> known;
    for (const HostInfo& info : inputs.infos) {
        if (!isEntry(graph, info.node))
            continue;
        graph::KnownInput& input = known.emplace_back(graph::KnownInput{info.node, info.payloadCount, std::nullopt});
        const graph::Node& node = graph.nodes[info.node];
        if (node.declared.mode == graph::LaunchMode::Dynamic)
            input.groupCount = groupsOf(node.declared, info);
    }
    return known;
}

uint64_t PayloadPlaces::add(const HostInputs& inputs, size_t info, uint32_t stride)
{
    m_end = bytes();
    append(inputs, info, stride);
    return m_places.back().begin;
}

void PayloadPlaces::append(const HostInputs& inputs, size_t info, uint32_t stride)
{
    m_places.push_back({info, stride, m_end});
    m_end += uint64_t{stride} * inputs.infos[info].payloadCount;
}

// In order, as memory that is not cached wants it.
void PayloadPlaces::write(const HostInputs& inputs, std::byte* to) const
{
    std::byte* at = to;
    const auto clearUpTo = [&](uint64_t end) {
        const uint64_t left = end - static_cast<uint64_t>(at - to);
        std::memset(at, 0, left);
        at += left;
    };
    for (const Place& place : m_places) {
        clearUpTo(place.begin);
        const HostInfo& info = inputs.infos[place.info];
        const size_t bytes = std::min(info.payloadBytes, place.stride);
        if (bytes == 0) {
            std::memset(at, 0, uint64_t{place.stride} * info.payloadCount);
        } else if (bytes == place.stride && info.stride == bytes) {
            std::memcpy(at, info.payloads, bytes * info.payloadCount);
        } else {
            for (uint64_t i = 0; i < info.payloadCount; ++i) {
                std::memcpy(at + i * place.stride, info.payloads + i * info.stride, bytes);
                std::memset(at + i * place.stride + bytes, 0, place.stride - bytes);
            }
        }
        at += uint64_t{place.stride} * info.payloadCount;
    }
    clearUpTo(bytes());
}

}  // namespace millrace::runtime
