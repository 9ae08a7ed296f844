// SPDX-License-Identifier: Apache-2.0
#include "layer/mesh/mesh_shaders.h"

#include <algorithm>
#include <initializer_list>
#include <span>

#include "layer/loader/device.h"
#include "layer/mesh/mesh_queries.h"
#include "layer/objects/kernel_code.h"
#include "layer/recording/borrowed_sets.h"
#include "runtime/host_memory.h"
#include "shaders/mesh_kernels.h"

namespace millrace::layer {

namespace {

constexpr uint32_t kFewListings = 128;      // of a workgroup of list_few.comp
constexpr uint32_t kQueryInvocations = 64;  // of count.comp and copy_queries.comp

}  // namespace

MeshShaders::~MeshShaders()
{
    for (const VkPipeline kernel : {m_grids, m_gridsSums, m_gridsParts, m_listFew, m_list, m_listSums, m_listParts,
                                    m_indices, m_countQueries, m_copyQueries})
        m_device.table.DestroyPipeline(m_device.handle, kernel, runtime::hostMemory());
    m_device.table.DestroyPipelineLayout(m_device.handle, m_kernelLayout, runtime::hostMemory());
}

VkResult MeshShaders::create()
{
    VkResult result = memory.create(m_device.instance.handle, m_device.physical, m_device.handle,
                                    m_device.instance.table, m_device.table, m_device.names);
    static_assert(sizeof(abi::ListArguments) <= sizeof(abi::GridsArguments) &&
                  sizeof(abi::IndicesArguments) <= sizeof(abi::GridsArguments));
    if (result == VK_SUCCESS)
        result = createKernelLayout(m_device, sizeof(abi::GridsArguments), "layout of kernels for mesh shaders",
                                    m_kernelLayout);
    return result == VK_SUCCESS ? createKernels() : result;
}

VkResult MeshShaders::createKernels()
{
    VkPhysicalDeviceProperties properties;
    m_device.instance.table.GetPhysicalDeviceProperties(m_device.physical, &properties);
    const VkPhysicalDeviceLimits& limits = properties.limits;
    const bool isCpu = properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
    const uint32_t width =
        std::min({kMeshPartInvocations, limits.maxComputeWorkGroupInvocations, limits.maxComputeWorkGroupSize[0]});
    m_mostParts = isCpu ? kMostMeshPartsOfCpu : width;
    m_mostIndexWriters = isCpu ? kMostIndexWritersOfCpu : kMostIndexWriters;
    VkResult result = VK_SUCCESS;
    const auto create = [&](std::span<const uint32_t> words, const char* name, VkPipeline& out,
                            uint32_t groupSize = 0) {
        if (result == VK_SUCCESS)
            result = createKernel(m_device, words, m_kernelLayout, name, out, groupSize);
    };
    create(shaders::mesh_grids, "number workgroups", m_grids);
    create(shaders::mesh_grids_sums, "add up workgroups of many grids", m_gridsSums, width);
    create(shaders::mesh_grids_parts, "number workgroups of many grids", m_gridsParts, width);
    create(shaders::mesh_list_few, "number primitives of small draws", m_listFew);
    create(shaders::mesh_list, "number primitives", m_list);
    create(shaders::mesh_list_sums, "add up primitives of large draws", m_listSums, width);
    create(shaders::mesh_list_parts, "number primitives of large draws", m_listParts, width);
    create(shaders::mesh_indices, "write index buffers", m_indices);
    if (!m_device.enabled.meshShaderQueries)
        return result;
    create(shaders::mesh_count, "count for queries", m_countQueries);
    create(shaders::mesh_copy_queries, "copy results of queries", m_copyQueries);
    return result;
}

template <typename Arguments>
void MeshShaders::bind(VkCommandBuffer commandBuffer, VkPipeline kernel, const Arguments& arguments) const
{
    const VkuDeviceDispatchTable& table = m_device.table;
    table.CmdBindPipeline(commandBuffer, VK_PIPELINE_BIND_POINT_COMPUTE, kernel);
    table.CmdPushConstants(commandBuffer, m_kernelLayout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof arguments, &arguments);
}

void MeshShaders::wait(VkCommandBuffer commandBuffer, VkPipelineStageFlags from, VkPipelineStageFlags to) const
{
    VkMemoryBarrier barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
    barrier.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT;
    barrier.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
    m_device.table.CmdPipelineBarrier(commandBuffer, from, to, 0, 1, &barrier, 0, nullptr, 0, nullptr);
}

void MeshShaders::waitForKernel(VkCommandBuffer commandBuffer) const
{
    VkMemoryBarrier barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
    barrier.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT;
    barrier.dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT;
    m_device.table.CmdPipelineBarrier(commandBuffer, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                                      VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 1, &barrier, 0, nullptr, 0, nullptr);
}

uint32_t MeshShaders::partsOf(size_t draws) const
{
    constexpr uint32_t kLeast = 16;
    const auto share = static_cast<uint32_t>(4 * m_mostParts / std::max<size_t>(draws, 1));
    return std::clamp(share, std::min(kLeast, m_mostParts), m_mostParts);
}

void MeshShaders::listGrids(VkCommandBuffer commandBuffer, const abi::GridsArguments& arguments) const
{
    if (arguments.partCount == 0) {
        bind(commandBuffer, m_grids, arguments);
        m_device.table.CmdDispatch(commandBuffer, 1, 1, 1);
        return;
    }
    bind(commandBuffer, m_gridsSums, arguments);
    m_device.table.CmdDispatch(commandBuffer, arguments.partCount, 1, 1);
    waitForKernel(commandBuffer);
    bind(commandBuffer, m_gridsParts, arguments);
    m_device.table.CmdDispatch(commandBuffer, arguments.partCount, 1, 1);
}

void MeshShaders::list(VkCommandBuffer commandBuffer, VkPipeline kernel, const abi::ListArguments& arguments,
                       uint32_t groups) const
{
    if (arguments.count == 0)
        return;
    bind(commandBuffer, kernel, arguments);
    dispatchRows(commandBuffer, groups);
}

// What workgroups share comes first, so that the other draws are listed meanwhile.
void MeshShaders::listPrimitives(VkCommandBuffer commandBuffer, const Lists& lists) const
{
    const auto& [few, several, many] = lists;
    list(commandBuffer, m_listSums, many, many.count * many.parts);
    list(commandBuffer, m_listFew, few, (few.count + kFewListings - 1) / kFewListings);
    list(commandBuffer, m_list, several, several.count);
}

void MeshShaders::listParts(VkCommandBuffer commandBuffer, const Lists& lists) const
{
    const abi::ListArguments& many = lists[static_cast<size_t>(MeshCount::Many)];
    if (many.count > 0)
        waitForKernel(commandBuffer);
    list(commandBuffer, m_listParts, many, many.count * many.parts);
}

void MeshShaders::writeIndices(VkCommandBuffer commandBuffer, const abi::IndicesArguments& arguments) const
{
    bind(commandBuffer, m_indices, arguments);
    dispatchRows(commandBuffer, arguments.writers);
}

void MeshShaders::countQueries(VkCommandBuffer commandBuffer, const abi::CountQueriesArguments& arguments) const
{
    constexpr VkPipelineStageFlags kReaders =
        VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT | VK_PIPELINE_STAGE_HOST_BIT;
    waitForKernel(commandBuffer);
    bind(commandBuffer, m_countQueries, arguments);
    dispatchRows(commandBuffer, (arguments.count + kQueryInvocations - 1) / kQueryInvocations);
    wait(commandBuffer, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, kReaders);
}

void MeshShaders::copyQueries(VkCommandBuffer commandBuffer, const abi::CopyQueriesArguments& arguments) const
{
    bind(commandBuffer, m_copyQueries, arguments);
    dispatchRows(commandBuffer, (arguments.count + kQueryInvocations - 1) / kQueryInvocations);
}

void MeshShaders::dispatchRows(VkCommandBuffer commandBuffer, uint32_t groups) const
{
    const uint32_t rows = (groups + abi::kRowGroups - 1) / abi::kRowGroups;
    m_device.table.CmdDispatch(commandBuffer, std::min(groups, abi::kRowGroups), rows, 1);
}

uint64_t MeshShaders::sharedIndexBytes() const
{
    if (const uint64_t kib = m_device.settings().runtime.traits.meshIndexKib)
        return kib << 10;
    const uint64_t needed = m_indexBytes;
    return needed == 0 ? kMeshIndexBytes : std::clamp(needed + needed / 4, kLeastMeshIndexBytes, kMostMeshIndexBytes);
}

void MeshShaders::noteIndices(uint64_t count)
{
    const uint64_t bytes = count * sizeof(uint32_t);
    uint64_t before = m_indexBytes;
    while (before < bytes && !m_indexBytes.compare_exchange_weak(before, bytes)) {
    }
}

VkResult startMeshShaders(Device& device)
{
    auto shaders = std::make_shared<MeshShaders>(device);
    if (const VkResult result = shaders->create(); result != VK_SUCCESS)
        return result;
    device.borrowing = borrowingTable(device.table);
    device.pipelineMaker = shaders->pipelines;
    if (device.enabled.meshShaderQueries)
        device.queryMaker = std::make_shared<MeshQueryMaker>(device);
    device.meshShaders = std::move(shaders);
    return VK_SUCCESS;
}

void refuseMeshShaders(const Device& device, const std::string& text)
{
    device.messages().error("Millrace-mesh-shaders", objectReference(VK_OBJECT_TYPE_DEVICE, device.handle), text,
                            "docs/mesh-shaders.md says what is there");
}

}  // namespace millrace::layer
