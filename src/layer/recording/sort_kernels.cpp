// SPDX-License-Identifier: Apache-2.0
#include "layer/recording/sort_kernels.h"

#include <algorithm>
#include <span>

#include "layer/loader/device.h"
#include "layer/objects/kernel_code.h"
#include "runtime/host_memory.h"
#include "shaders/commands.h"

namespace millrace::layer {

Kernels::~Kernels()
{
    for (VkPipeline pipeline : m_pipelines)
        m_device.table.DestroyPipeline(m_device.handle, pipeline, runtime::hostMemory());
    m_device.table.DestroyPipelineLayout(m_device.handle, m_layout, runtime::hostMemory());
}

VkResult Kernels::create()
{
    static constexpr const char* kNames[] = {
        "count sequences", "add up sequences",     "place sequences", "count, add up and place sequences",
        "write draws",     "write draws in order", "gather records"};
    const std::span<const uint32_t> code[] = {
        shaders::commands_count,  shaders::commands_scan,  shaders::commands_place, shaders::commands_sort,
        shaders::commands_expand, shaders::commands_order, shaders::commands_gather};
    static_assert(sizeof(abi::GatherArguments) <= sizeof(abi::SortArguments));
    VkResult result =
        createKernelLayout(m_device, sizeof(abi::SortArguments), "layout of kernels for sequences", m_layout);
    for (const Kernel kernel : {Count, Scan, Place, Sort, Expand, Order, Gather})
        if (result == VK_SUCCESS)
            result = createKernel(m_device, code[kernel], m_layout, kNames[kernel], m_pipelines[kernel]);
    return result;
}

template <typename Arguments>
void Kernels::bind(VkCommandBuffer commandBuffer, Kernel kernel, const Arguments& arguments) const
{
    const VkuDeviceDispatchTable& table = m_device.table;
    table.CmdBindPipeline(commandBuffer, VK_PIPELINE_BIND_POINT_COMPUTE, m_pipelines[kernel]);
    table.CmdPushConstants(commandBuffer, m_layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof arguments, &arguments);
}

namespace {

void barrier(const VkuDeviceDispatchTable& table, VkCommandBuffer commandBuffer)
{
    VkMemoryBarrier barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
    barrier.srcAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT;
    barrier.dstAccessMask =
        VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_INDIRECT_COMMAND_READ_BIT;
    table.CmdPipelineBarrier(commandBuffer, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                             VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT, 0, 1, &barrier,
                             0, nullptr, 0, nullptr);
}

}  // namespace

void Kernels::sort(VkCommandBuffer commandBuffer, const abi::SortArguments& arguments) const
{
    if (arguments.blockCount == 1) {
        bind(commandBuffer, Sort, arguments);
        m_device.table.CmdDispatch(commandBuffer, 1, 1, 1);
        return;
    }
    for (const Kernel kernel : {Count, Scan, Place}) {
        if (kernel != Count)
            barrier(m_device.table, commandBuffer);
        bind(commandBuffer, kernel, arguments);
        m_device.table.CmdDispatch(commandBuffer, kernel == Scan ? 1 : arguments.blockCount, 1, 1);
    }
}

void Kernels::expand(VkCommandBuffer commandBuffer, abi::SortArguments arguments, VkBuffer buffer,
                     VkDeviceSize dispatches) const
{
    barrier(m_device.table, commandBuffer);
    for (; arguments.pipeline < arguments.pipelineCount; ++arguments.pipeline) {
        bind(commandBuffer, Expand, arguments);
        m_device.table.CmdDispatchIndirect(commandBuffer, buffer,
                                           dispatches + arguments.pipeline * sizeof(abi::DispatchCommand));
    }
}

void Kernels::order(VkCommandBuffer commandBuffer, const abi::SortArguments& arguments) const
{
    constexpr uint64_t kInvocations = 128;
    const bool isPadded = arguments.drawCounts == 0;
    const uint64_t most = isPadded ? uint64_t{arguments.maxDrawCount} * arguments.pipelineCount
                                   : std::max(arguments.maxDrawCount, arguments.pipelineCount);
    const uint64_t groups = (arguments.maxSequenceCount * most + kInvocations - 1) / kInvocations;
    bind(commandBuffer, Order, arguments);
    m_device.table.CmdDispatch(commandBuffer, static_cast<uint32_t>(std::min<uint64_t>(groups, abi::kRowGroups)),
                               static_cast<uint32_t>((groups + abi::kRowGroups - 1) / abi::kRowGroups), 1);
}

void Kernels::gather(VkCommandBuffer commandBuffer, const abi::GatherArguments& arguments) const
{
    constexpr uint32_t kInvocations = 128;
    bind(commandBuffer, Gather, arguments);
    m_device.table.CmdDispatch(commandBuffer, (arguments.maxSequenceCount + kInvocations - 1) / kInvocations, 1, 1);
    barrier(m_device.table, commandBuffer);
}

}  // namespace millrace::layer
