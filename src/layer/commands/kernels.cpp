// SPDX-License-Identifier: Apache-2.0
#include "layer/commands/kernels.h"

#include <span>

#include "layer/loader/device.h"
#include "layer/objects/transient_module.h"
#include "runtime/host_memory.h"
#include "shaders/commands.h"
#include "spirv/edit.h"

namespace millrace::layer {

namespace {

// Without 64-bit integers where the device has none; empty only if the code was built wrongly.
std::vector<uint32_t> codeFor(const Device& device, std::span<const uint32_t> words)
{
    if (device.support.int64)
        return {words.begin(), words.end()};
    Result<spirv::Module> module = spirv::read(words);
    if (!module || !spirv::splitLongIntegers(*module))
        return {};
    return spirv::write(*module);
}

}  // namespace

Kernels::~Kernels()
{
    for (VkPipeline pipeline : m_pipelines)
        m_device.table.DestroyPipeline(m_device.handle, pipeline, runtime::hostMemory());
    m_device.table.DestroyPipelineLayout(m_device.handle, m_layout, runtime::hostMemory());
}

VkResult Kernels::create()
{
    const VkPushConstantRange range{VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(abi::SortArguments)};
    VkPipelineLayoutCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    info.pushConstantRangeCount = 1;
    info.pPushConstantRanges = &range;
    VkResult result = m_device.table.CreatePipelineLayout(m_device.handle, &info, runtime::hostMemory(), &m_layout);
    m_device.names.set(VK_OBJECT_TYPE_PIPELINE_LAYOUT, m_layout, {"layout of kernels for generated commands"});
    for (const Kernel kernel : {Count, Scan, Place})
        if (result == VK_SUCCESS)
            result = createPipeline(kernel);
    return result;
}

VkResult Kernels::createPipeline(Kernel kernel)
{
    static constexpr const char* kNames[] = {"count sequences", "add up sequences", "place sequences"};
    const std::span<const uint32_t> code[] = {shaders::commands_count, shaders::commands_scan, shaders::commands_place};
    const std::vector<uint32_t> words = codeFor(m_device, code[kernel]);
    if (words.empty())
        return VK_ERROR_INITIALIZATION_FAILED;
    const TransientModule module(m_device, words);
    if (module.result() != VK_SUCCESS)
        return module.result();
    m_device.names.set(VK_OBJECT_TYPE_SHADER_MODULE, module.handle(), {kNames[kernel]});
    VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
    info.stage = module.stage();
    info.layout = m_layout;
    const VkResult result = m_device.table.CreateComputePipelines(m_device.handle, VK_NULL_HANDLE, 1, &info,
                                                                  runtime::hostMemory(), &m_pipelines[kernel]);
    m_device.names.set(VK_OBJECT_TYPE_PIPELINE, m_pipelines[kernel], {kNames[kernel]});
    return result;
}

void Kernels::record(VkCommandBuffer commandBuffer, const abi::SortArguments& arguments) const
{
    const VkuDeviceDispatchTable& table = m_device.table;
    table.CmdPushConstants(commandBuffer, m_layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof arguments, &arguments);
    VkMemoryBarrier barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
    barrier.srcAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT;
    barrier.dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT;
    for (const Kernel kernel : {Count, Scan, Place}) {
        if (kernel != Count)
            table.CmdPipelineBarrier(commandBuffer, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                                     VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 1, &barrier, 0, nullptr, 0, nullptr);
        table.CmdBindPipeline(commandBuffer, VK_PIPELINE_BIND_POINT_COMPUTE, m_pipelines[kernel]);
        table.CmdDispatch(commandBuffer, kernel == Scan ? 1 : arguments.blockCount, 1, 1);
    }
}

}  // namespace millrace::layer
