// SPDX-License-Identifier: Apache-2.0
#include "layer/commands/generated_commands.h"

#include <algorithm>

#include "layer/loader/device.h"
#include "layer/recording/borrowed_sets.h"

namespace millrace::layer {

VkResult GeneratedCommands::create(Device& device)
{
    device.borrowing = borrowingTable(device.table);
    const VkResult result = memory.create(device.instance.handle, device.physical, device.handle, device.instance.table,
                                          device.table, device.names);
    return result == VK_SUCCESS ? kernels.create() : result;
}

commands::Extent extentOf(const IndirectLayout& layout, uint32_t pipelineCount, uint32_t maxSequenceCount,
                          uint32_t maxDrawCount)
{
    const bool isCounted = commands::isCounted(layout.layout.action);
    commands::Extent extent;
    extent.maxSequenceCount = maxSequenceCount;
    extent.pipelineCount = pipelineCount;
    extent.maxDrawCount = isCounted ? std::max(maxDrawCount, 1u) : 1;
    extent.isOrdered = hasDrawTable(layout.layout) && !layout.isUnordered && pipelineCount > 1;
    return extent;
}

SortMemory sortMemory(const commands::Layout& layout, const commands::Extent& extent)
{
    const commands::PreprocessMemory shared = commands::preprocessMemory(layout, extent);
    SortMemory memory;
    static_cast<commands::PreprocessMemory&>(memory) = shared;
    memory.sums = shared.bytes;
    if (shared.bytes == 0)
        return memory;
    memory.blockCount = (extent.maxSequenceCount + abi::kBlockSequences - 1) / abi::kBlockSequences;
    memory.bytes += (uint64_t{memory.blockCount} * extent.pipelineCount + 1) * sizeof(abi::BlockSum);
    return memory;
}

}  // namespace millrace::layer
