// SPDX-License-Identifier: Apache-2.0
#include "runtime/fed_leaves.h"

#include <algorithm>

#include "graph/plan.h"
#include "graph/saturating.h"

namespace millrace::runtime {

namespace {

static_assert(sizeof(abi::FedLeaf) == abi::kFedLeafBytes && abi::kFedLeafBytes % 16 == 0);
static_assert(sizeof(abi::FedLeafArguments) == sizeof(abi::LeafArguments));

// What the code of a node expects of addresses of its payload.
uint32_t alignmentOf(const graph::NodeDeclaration& node)
{
    return std::max(node.payloadAlignment, graph::payloadAlignment(node.payloadBytes));
}

// Payloads that one workgroup of ours looks at, at most.
uint64_t payloadsPerGroup(const graph::Node& node)
{
    const uint64_t units = graph::unitsPerGroup(node);
    uint64_t unitsPerPayload = 1;
    if (node.declared.mode == graph::LaunchMode::Static)
        unitsPerPayload =
            uint64_t{node.declared.staticGrid[0]} * node.declared.staticGrid[1] * node.declared.staticGrid[2];
    else if (graph::isPacked(node))
        unitsPerPayload = node.decided.parts;
    return (units - 1) / unitsPerPayload + (unitsPerPayload > 1 ? 2 : 1);
}

// Copies for a node of the Vulkan memory model would have to be declared visible to its loads. Of an empty grid nobody
// can say which payload a workgroup has.
bool canBeFed(const graph::Node& node)
{
    const bool isEmpty =
        node.declared.mode == graph::LaunchMode::Static && std::ranges::count(node.declared.staticGrid, 0u) > 0;
    return graph::isLeaf(node.declared) && !isEmpty && node.declared.mode != graph::LaunchMode::Dynamic &&
           !node.declared.vulkanMemoryModel && !node.declared.drawn && node.decided.depthFirst == 0;
}

struct Receiver {
    uint32_t apiNode = 0;
    uint32_t slot = 0;
};

// All that may receive something; none if the scheduler has to run some, or tell that nobody does.
std::optional<std::vector<Receiver>> receiversOf(const graph::Graph& graph)
{
    std::vector<Receiver> receivers;
    for (uint32_t i = 0; i < graph.apiQueues.size(); ++i) {
        if (graph.apiQueues[i] == abi::kNoQueue)
            continue;
        for (const uint32_t slot : graph.queues[graph.apiQueues[i]].slots) {
            if (receivers.size() == kMostFedLaunches || !canBeFed(graph.nodes[graph.slots[slot].node]))
                return std::nullopt;
            receivers.push_back({i, slot});
        }
    }
    return receivers.empty() ? std::nullopt : std::optional(receivers);
}

FedLeaves::Launch launchOf(const graph::Graph& graph, const Receiver& receiver, const DeviceInfos& infos)
{
    const graph::Slot& slot = graph.slots[receiver.slot];
    const graph::Node& node = graph.nodes[slot.node];
    FedLeaves::Launch launch{.slot = receiver.slot};
    launch.arguments.infos = infos.address;
    launch.arguments.count = infos.count;
    launch.arguments.stride = static_cast<uint32_t>(infos.stride);
    launch.arguments.nodeAndAlignment = receiver.apiNode | alignmentOf(node.declared) << 16;
    launch.arguments.remainingAndIndex = slot.remaining | node.declared.id.index << 16;
    launch.leaf.payloadBytes = node.declared.payloadBytes;
    launch.leaf.payloadStride = graph.queues[slot.queue].stride;
    launch.leaf.copyBytes =
        static_cast<uint32_t>(graph::roundUp(payloadsPerGroup(node) * launch.leaf.payloadStride, abi::kGranuleBytes));
    return launch;
}

}  // namespace

std::vector<uint32_t> fedNodes(const graph::Graph& graph)
{
    std::vector<uint32_t> nodes;
    for (const Receiver& receiver : receiversOf(graph).value_or(std::vector<Receiver>()))
        nodes.push_back(graph.slots[receiver.slot].node);
    return nodes;
}

std::optional<FedLeaves> prepareFedLeaves(const graph::Graph& graph, const DeviceInfos& infos, uint64_t scratch,
                                          uint64_t scratchBytes, const FullGroups& fullGroups)
{
    const std::optional<std::vector<Receiver>> receivers = receiversOf(graph);
    const bool areFew = infos.count == abi::kCountOnDevice || infos.count <= kMostFedInfos;
    if (!receivers || !areFew || infos.stride > UINT32_MAX || graph.apiQueues.size() > graph::kMaxNodeIndex)
        return std::nullopt;
    const uint64_t tables = graph::roundUp(graph::fixedBytes(graph), abi::kGranuleBytes);
    const uint64_t granules = (std::max(scratchBytes, tables) - tables) / abi::kGranuleBytes;
    const uint64_t share = granules / receivers->size() * abi::kGranuleBytes;
    FedLeaves out;
    for (const Receiver& receiver : *receivers) {
        FedLeaves::Launch& launch = out.launches.emplace_back(launchOf(graph, receiver, infos));
        launch.groups[0] = fullGroups(graph::invocationsPerGroup(graph.nodes[graph.slots[receiver.slot].node]));
        launch.leaf.copies = scratch + tables + (out.launches.size() - 1) * share;
        const uint64_t each = std::max(launch.leaf.copyBytes, abi::kGranuleBytes);
        launch.leaf.copyCount = static_cast<uint32_t>(std::min<uint64_t>(share / each, launch.groups[0]));
        if (launch.leaf.copyCount == 0)
            return std::nullopt;
    }
    for (const uint32_t queue : graph.apiQueues)
        out.apiNodes.push_back(queue != abi::kNoQueue);
    return out;
}

}  // namespace millrace::runtime
