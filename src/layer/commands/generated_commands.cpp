// SPDX-License-Identifier: Apache-2.0
#include "layer/commands/generated_commands.h"

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

SortMemory sortMemory(const commands::Layout& layout, uint32_t maxSequenceCount, uint32_t pipelineCount)
{
    const commands::PreprocessMemory shared = commands::preprocessMemory(layout, maxSequenceCount, pipelineCount);
    SortMemory memory{shared.dispatches, shared.tables, shared.entries, shared.bytes, shared.bytes, 0};
    if (shared.bytes == 0)
        return memory;
    memory.blockCount = (maxSequenceCount + abi::kBlockSequences - 1) / abi::kBlockSequences;
    memory.bytes += (uint64_t{memory.blockCount} * pipelineCount + 1) * sizeof(abi::BlockSum);
    return memory;
}

}  // namespace millrace::layer
