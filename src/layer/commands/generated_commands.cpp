// SPDX-License-Identifier: Apache-2.0
#include "layer/commands/generated_commands.h"

#include <algorithm>
#include <cstring>

#include "layer/loader/device.h"
#include "layer/recording/borrowed_sets.h"

namespace millrace::layer {

namespace {

constexpr VkBufferUsageFlags2 kPreprocessUsage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
                                                 VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT |
                                                 VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT;

bool keepsDrawCounts(const Device& device)
{
    VkPhysicalDeviceDriverProperties driver{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES};
    VkPhysicalDeviceProperties2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &driver};
    device.instance.table.GetPhysicalDeviceProperties2(device.physical, &all);
    return driver.driverID == VK_DRIVER_ID_MESA_LLVMPIPE;
}

}  // namespace

VkResult GeneratedCommands::create(Device& device)
{
    device.borrowing = borrowingTable(device.table);
    VkResult result = memory.create(device.instance.handle, device.physical, device.handle, device.instance.table,
                                    device.table, device.names);
    if (result == VK_SUCCESS && device.support.countsDraws && keepsDrawCounts(device)) {
        result = memory.createBuffer(runtime::BufferUse::Upload, sizeof(uint32_t), limitless);
        if (result == VK_SUCCESS)
            std::memset(limitless.data(), 0xff, sizeof(uint32_t));
    }
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
    extent.isPadded = hasDrawTable(layout.layout) && !layout.layout.countsDraws;
    extent.isOrdered = hasDrawTable(layout.layout) && !extent.isPadded && !layout.isUnordered && pipelineCount > 1;
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

bool runsInFront(const GeneratedCommands& commands, const IndirectLayout& layout, bool isExplicit)
{
    if (layout.layout.action == commands::Action::Dispatch)
        return false;
    const bool hasKernels = layout.gathering || hasDrawTable(layout.layout) || commands.checks;
    return commands.tally || (hasKernels && !isExplicit);
}

VkDeviceSize sortBytes(const IndirectLayout& layout, uint32_t pipelineCount, uint32_t maxSequenceCount,
                       uint32_t maxDrawCount, bool isCombined)
{
    const auto bytesOf = [&](const IndirectLayout& one, uint32_t pipelines) {
        const IndirectLayout& most = one.counted ? *one.counted : one;
        return sortMemory(most.layout, extentOf(most, pipelines, maxSequenceCount, maxDrawCount)).bytes;
    };
    if (!isCombined || mayBeApart(layout.layout, extentOf(layout, pipelineCount, maxSequenceCount, maxDrawCount)))
        return bytesOf(layout, pipelineCount);
    return bytesOf(*layout.combined, 1);
}

// Where any order will do, each pipeline runs its own sequences faster than all together run them. But a pipeline takes
// its time without sequences as well.
bool shouldCombine(const IndirectLayout& layout, const Choice& choice, uint32_t maxSequenceCount)
{
    return layout.combined && choice.combination && choice.pipelines.size() > 1 &&
           (!layout.isUnordered || maxSequenceCount <= choice.pipelines.size());
}

namespace {

bool compileCombined(const IndirectLayout& layout, const Choice& choice, uint32_t maxSequenceCount)
{
    const std::shared_ptr<CombinedPipelines> combined =
        shouldCombine(layout, choice, maxSequenceCount) ? choice.combination->of(choice.pipelines) : nullptr;
    if (!combined)
        return false;
    if (combined->hasDynamicInput() && pullsVertices(layout.layout))
        return true;  // recording knows the input
    return combined->find(layout.combined->layout, combined->staticInput()) != nullptr;
}

}  // namespace

bool compile(const IndirectLayout& layout, const Choice& choice, uint32_t maxSequenceCount)
{
    if (compileCombined(layout, choice, maxSequenceCount))
        return true;
    for (const std::shared_ptr<KeptPipeline>& pipeline : choice.pipelines) {
        const VariantHandles* variant = nullptr;
        const bool isKnown = pipeline && !(pipeline->hasDynamicInput() && pullsVertices(layout.layout));
        if (isKnown && pipeline->bindPoint() == layout.bindPoint())
            pipeline->get(layout.layout, {}, variant);
    }
    return false;
}

bool fitDraws(const commands::Layout& layout, VkDeviceSize bytes, commands::Extent& extent)
{
    uint32_t fitting = 0, tooMany = extent.maxDrawCount + 1;
    commands::Extent tried = extent;
    while (tooMany - fitting > 1) {
        tried.maxDrawCount = fitting + (tooMany - fitting) / 2;
        (sortMemory(layout, tried).bytes <= bytes ? fitting : tooMany) = tried.maxDrawCount;
    }
    if (fitting == 0)
        return false;
    extent.maxDrawCount = fitting;
    return true;
}

VkMemoryRequirements preprocessRequirements(const Device& device, VkDeviceSize bytes)
{
    VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
    info.size = std::max<VkDeviceSize>(bytes, 1);
    info.usage = static_cast<VkBufferUsageFlags>(kPreprocessUsage);
    VkDeviceBufferMemoryRequirements ask{VK_STRUCTURE_TYPE_DEVICE_BUFFER_MEMORY_REQUIREMENTS};
    ask.pCreateInfo = &info;
    VkMemoryRequirements2 answer{VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2};
    device.table.GetDeviceBufferMemoryRequirements(device.handle, &ask, &answer);
    answer.memoryRequirements.size = alignPreprocess(bytes);
    answer.memoryRequirements.alignment =
        std::max<VkDeviceSize>(answer.memoryRequirements.alignment, kPreprocessAlignment);
    return answer.memoryRequirements;
}

}  // namespace millrace::layer
