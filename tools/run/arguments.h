// SPDX-License-Identifier: Apache-2.0
// What a dispatch command reads: nodes, payload counts and payloads, in memory of the host or of the device.
#pragma once

#include <vector>

#include "tools/run/memory.h"
#include "tools/run/pipeline.h"
#include "tools/run/work.h"

namespace millrace::tools::run {

class Arguments {
public:
    // Keeps pointers into the dispatch for the host form. Throws DeviceError.
    Arguments(Memory& memory, const Pipeline& pipeline, const Dispatch& dispatch, DispatchForm form);

    void record(VkCommandBuffer commands, const GraphFunctions& graphs, VkDeviceAddress scratch,
                VkDeviceSize scratchBytes) const;

private:
    void moveToDevice(Memory& memory, const Dispatch& dispatch);

    DispatchForm m_form;
    std::vector<VkDispatchGraphInfoAMDX> m_infos;
    VkDispatchGraphCountInfoAMDX m_countInfo{};
    Buffer m_buffer;
};

}  // namespace millrace::tools::run
