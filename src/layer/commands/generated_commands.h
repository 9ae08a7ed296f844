// SPDX-License-Identifier: Apache-2.0
// What a device has that generates commands, beside its objects.
#pragma once

#include <vulkan/utility/vk_dispatch_table.h>
#include <vulkan/vulkan.h>

#include <cstdint>
#include <memory>

#include "layer/commands/indirect_layouts.h"
#include "layer/commands/kept_pipelines.h"
#include "layer/commands/prepared_memory.h"
#include "layer/commands/sequence_tally.h"
#include "layer/commands/shader_objects.h"
#include "layer/commands/token_checks.h"
#include "layer/loader/entry_points.h"
#include "layer/loader/support.h"
#include "layer/recording/sort_kernels.h"
#include "runtime/memory.h"

namespace millrace::layer {

class BoundState;

// What the properties say.
inline constexpr uint32_t kMaxPipelines = 4096;
inline constexpr uint32_t kMaxTokens = 16;
inline constexpr uint32_t kMaxTokenOffset = 2047;
inline constexpr uint32_t kMaxStride = 2048;

// Draws of all sequences are one multi-draw with a count, or several without: maxSequenceCount * maxDrawCount is below
// 2^24 (VUID 11078).
inline bool hasCountedDraws(const Support& support)
{
    const bool isOne = support.numbersDraws && support.countsDraws;
    return !isOne || support.maxDrawIndirectCount >= (1u << 24) - 1;
}

class GeneratedCommands {
public:
    explicit GeneratedCommands(Device& device)
        : kernels(device), pipelines(std::make_shared<KeptPipelines>(device)), shaders(device)
    {
    }
    VkResult create(Device& device);

    runtime::Memory memory;  // for copies of push constants
    // A count of draws that limits none, for drivers that keep the last one (Generation::forgetDrawCount()); else
    // empty.
    runtime::Buffer limitless;
    Kernels kernels;
    PreparedMemory prepared;
    std::unique_ptr<TokenChecks> checks;   // setting "validate"; else null
    std::unique_ptr<SequenceTally> tally;  // setting "trace"; else null
    const std::shared_ptr<KeptPipelines> pipelines;
    ShaderObjects shaders;
};

// Recorded draws at most, where they are not one for each pipeline.
inline constexpr uint64_t kMaxRecordedDraws = 1u << 20;

// Where several graphics pipelines keep the order of sequences there is a draw for each of both. Where nobody counts
// draws, there is one for each of both as well, and where commands draw one each, for each draw that there may be.
inline bool areDrawsFew(const commands::Layout& layout, const commands::Extent& extent)
{
    const uint64_t draws = extent.rows() * (extent.isOrdered ? extent.pipelineCount : 1);
    if (extent.isPadded && !layout.numbersDraws)
        return draws * extent.rowDraws() <= kMaxRecordedDraws;
    const bool isOneByOne = extent.isOrdered || (extent.isPadded && extent.pipelineCount > 1);
    return !isOneByOne || draws <= kMaxRecordedDraws;
}
// Whether memory for preprocessing is for a set's pipelines by themselves: however many draws a sequence has.
inline bool mayBeApart(const commands::Layout& layout, commands::Extent extent)
{
    extent.maxDrawCount = 1;
    return areDrawsFew(layout, extent);
}
// Of a layout as its tokens say it: what draws have to do without on this device, and the layouts that executions need
// instead (IndirectLayout::combined, IndirectLayout::counted). `isExplicit`: its kernels run in preprocessing.
void settleLayout(Device& device, IndirectLayout& layout, bool isExplicit);
// True if a command with so many sequences should draw with the choice's pipelines as one.
bool shouldCombine(const IndirectLayout& layout, const Choice& choice, uint32_t maxSequenceCount);
// As preprocessing needs for them: for pipelines by themselves, which may have to do later, wherever that can be.
VkDeviceSize sortBytes(const IndirectLayout& layout, uint32_t pipelineCount, uint32_t maxSequenceCount,
                       uint32_t maxDrawCount, bool isCombined);
// Makes the variants that commands with this layout will need, so that recording does not wait for it. What fails is
// told where it is recorded. True if all pipelines are drawn with as one.
bool compile(const IndirectLayout& layout, const Choice& choice, uint32_t maxSequenceCount);

// `pipelineCount`: of the execution set, 1 without one.
commands::Extent extentOf(const IndirectLayout& layout, uint32_t pipelineCount, uint32_t maxSequenceCount,
                          uint32_t maxDrawCount);
SortMemory sortMemory(const commands::Layout& layout, const commands::Extent& extent);
// Lowers maxDrawCount to the most whose memory has `bytes`. False if there is none.
bool fitDraws(const commands::Layout& layout, VkDeviceSize bytes, commands::Extent& extent);

// Tables are read and written as 16 bytes. The application's address may be any number: what is used begins at the next
// multiple of this, and the memory is larger by as much.
inline constexpr uint64_t kPreprocessAlignment = 16;
constexpr uint64_t alignPreprocess(uint64_t number)
{
    return (number + kPreprocessAlignment - 1) & ~(kPreprocessAlignment - 1);
}
// Of a buffer for preprocessing. The size is a multiple of the alignment of tables.
VkMemoryRequirements preprocessRequirements(const Device& device, VkDeviceSize bytes);

// What commands with these parameters run: what is in the set, or what is chained (VkGeneratedCommandsPipelineInfoEXT,
// VkGeneratedCommandsShaderInfoEXT), or else what is bound; `state` may be null. No pipelines if the layer does not
// know them, or the set's shader objects make too many together.
Choice choiceOf(const Device& device, const IndirectLayout& layout, VkIndirectExecutionSetEXT set, const void* chain,
                const BoundState* state);
// How many pipelines the shader objects of a set may make together, whichever are in it.
uint32_t mostCombinations(size_t setSize, VkShaderStageFlags stages);

// True if something runs in front of the render pass instances that commands with such a layout are in.
bool runsInFront(const GeneratedCommands& commands, const IndirectLayout& layout, bool isExplicit);

EntryPoints indirectLayoutEntryPoints();
EntryPoints executionSetEntryPoints();
EntryPoints shaderObjectEntryPoints();
EntryPoints generatedCommandEntryPoints();
// Of VK_NV_device_generated_commands.
EntryPoints streamLayoutEntryPoints();
EntryPoints streamCommandEntryPoints();

}  // namespace millrace::layer
