// SPDX-License-Identifier: Apache-2.0
#include "runtime/inputs.h"

#include <algorithm>
#include <cstring>

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
uint64_t groupsOf(const graph::Node& node, const std::byte* payload)
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

uint64_t strideOf(const graph::Node& node)
{
    return (node.payloadBytes + 3u) & ~3u;
}

void copyPayloads(const graph::Node& node, const VkDispatchGraphInfoAMDX& info, HostInputs& out)
{
    abi::DispatchInfo& copy = out.infos.back();
    copy.payloads = out.payloads.size();
    copy.payloadStride = strideOf(node);
    graph::KnownInput& known = out.known.back();
    if (node.mode == graph::LaunchMode::Dynamic)
        known.groupCount = 0;
    const auto* from = static_cast<const std::byte*>(info.payloads.hostAddress);
    out.payloads.resize(out.payloads.size() + copy.payloadStride * info.payloadCount);
    std::byte* to = out.payloads.data() + copy.payloads;
    for (uint32_t i = 0; i < info.payloadCount; ++i) {
        if (node.payloadBytes > 0)
            std::memcpy(to, from, node.payloadBytes);
        if (known.groupCount)
            *known.groupCount += groupsOf(node, from);
        to += copy.payloadStride;
        from += info.payloadStride;
    }
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
        if (info.nodeIndex < graph.nodes.size() && graph.apiQueues[info.nodeIndex] != abi::kNoQueue)
            bytes += strideOf(graph.nodes[info.nodeIndex]) * info.payloadCount;
    }
    return bytes;
}

HostInputs copyHostInputs(const graph::Graph& graph, const VkDispatchGraphCountInfoAMDX& countInfo)
{
    HostInputs out;
    const auto* at = static_cast<const std::byte*>(countInfo.infos.hostAddress);
    for (uint32_t i = 0; i < countInfo.count; ++i, at += countInfo.stride) {
        VkDispatchGraphInfoAMDX info;
        std::memcpy(&info, at, sizeof info);
        out.infos.push_back({info.nodeIndex, info.payloadCount, 0, 0});
        out.chunks += (uint64_t{info.payloadCount} + abi::kFeedChunkPayloads - 1) / abi::kFeedChunkPayloads;
        if (info.nodeIndex >= graph.nodes.size() || graph.apiQueues[info.nodeIndex] == abi::kNoQueue)
            continue;  // feed.comp reports it
        out.known.push_back({info.nodeIndex, info.payloadCount, std::nullopt});
        copyPayloads(graph.nodes[info.nodeIndex], info, out);
    }
    return out;
}

void placePayloads(const HostInputs& inputs, const abi::DispatchInfo& info, uint32_t stride, std::byte* to)
{
    const uint64_t bytes = std::min<uint64_t>(info.payloadStride, stride);
    const std::byte* from = inputs.payloads.data() + info.payloads;
    for (uint32_t i = 0; bytes > 0 && i < info.payloadCount; ++i, from += info.payloadStride, to += stride)
        std::memcpy(to, from, bytes);
}

}  // namespace millrace::runtime
