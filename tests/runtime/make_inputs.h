// SPDX-License-Identifier: Apache-2.0
// Inputs of vkCmdDispatchGraphAMDX for tests of what the host makes of them.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/inputs.h"

namespace millrace::runtime {

struct Input {
    uint32_t node;
    std::vector<uint32_t> words;  // of all payloads
    uint32_t payloads;
};

// They refer to `inputs`.
inline HostInputs hostInputs(const graph::Graph& graph, const std::vector<Input>& inputs)
{
    std::vector<VkDispatchGraphInfoAMDX> infos;
    for (const Input& input : inputs) {
        VkDispatchGraphInfoAMDX& info = infos.emplace_back();
        info.nodeIndex = input.node;
        info.payloadCount = input.payloads;
        info.payloads.hostAddress = input.words.data();
        info.payloadStride = input.payloads > 0 ? input.words.size() * 4 / input.payloads : 0;
    }
    VkDispatchGraphCountInfoAMDX countInfo{};
    countInfo.count = static_cast<uint32_t>(infos.size());
    countInfo.infos.hostAddress = infos.data();
    countInfo.stride = sizeof infos[0];
    return readHostInputs(graph, countInfo);
}

}  // namespace millrace::runtime
