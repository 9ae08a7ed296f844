// SPDX-License-Identifier: Apache-2.0
// Dispatches of which the device knows all work, where every node that the API may send to is a leaf: they need no
// scheduler either, only a dispatch for each of these nodes that fills the device (docs/leaf-dispatches.md, "Inputs of
// the device").
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "abi/dispatch.h"
#include "graph/graph.h"
#include "runtime/leaf_dispatch.h"

namespace millrace::runtime {

// Choices, not measured by themselves. Each launch costs a dispatch, whether its node has work or not, and each of its
// workgroups reads all infos, one after the other.
inline constexpr size_t kMostFedLaunches = 8;
inline constexpr uint32_t kMostFedInfos = 16;

// Where the infos are, of vkCmdDispatchGraphIndirectAMDX and ...IndirectCountAMDX.
struct DeviceInfos {
    uint64_t address = 0;
    uint32_t count = abi::kCountOnDevice;  // that: `address` is of a VkDispatchGraphCountInfoAMDX
    uint64_t stride = 0;
};

struct FedLeaves {
    // One vkCmdDispatch.
    struct Launch {
        uint32_t slot = 0;
        uint32_t groups[3] = {0, 1, 1};
        abi::FedLeafArguments arguments{};  // but for the address of what follows
        abi::FedLeaf leaf{};                // but for those of status and nodes
    };
    std::vector<Launch> launches;
    std::vector<uint32_t> apiNodes;  // abi::FedLeaf::apiNodes
};

// None if the scheduler has to run it: a node that the API may send to is no leaf or takes its grid from its payload,
// there are many of them or many infos, or the scratch memory has no room for a copy of what one workgroup receives.
// `scratch`: its address, behind whose tables copies are.
std::optional<FedLeaves> prepareFedLeaves(const graph::Graph& graph, const DeviceInfos& infos, uint64_t scratch,
                                          uint64_t scratchBytes, const FullGroups& fullGroups);

// Nodes of the graph that dispatches may run so.
std::vector<uint32_t> fedNodes(const graph::Graph& graph);

}  // namespace millrace::runtime
