// SPDX-License-Identifier: Apache-2.0
#include "layer/mesh/mesh_shaders.h"

#include <algorithm>

#include "layer/loader/device.h"
#include "layer/objects/kernel_code.h"
#include "layer/recording/borrowed_sets.h"
#include "runtime/host_memory.h"
#include "shaders/mesh_kernels.h"

namespace millrace::layer {

MeshShaders::~MeshShaders()
{
    for (const VkPipeline kernel : {m_grids, m_list})
        m_device.table.DestroyPipeline(m_device.handle, kernel, runtime::hostMemory());
    m_device.table.DestroyPipelineLayout(m_device.handle, m_kernelLayout, runtime::hostMemory());
}

VkResult MeshShaders::create()
{
    VkResult result = memory.create(m_device.instance.handle, m_device.physical, m_device.handle,
                                    m_device.instance.table, m_device.table, m_device.names);
    static_assert(sizeof(abi::ListArguments) <= sizeof(abi::GridsArguments));
    if (result == VK_SUCCESS)
        result = createKernelLayout(m_device, sizeof(abi::GridsArguments), "layout of kernels for mesh shaders",
                                    m_kernelLayout);
    if (result == VK_SUCCESS)
        result = createKernel(m_device, shaders::mesh_grids, m_kernelLayout, "number workgroups", m_grids);
    if (result == VK_SUCCESS)
        result = createKernel(m_device, shaders::mesh_list, m_kernelLayout, "number primitives", m_list);
    return result;
}

template <typename Arguments>
void MeshShaders::bind(VkCommandBuffer commandBuffer, VkPipeline kernel, const Arguments& arguments) const
{
    const VkuDeviceDispatchTable& table = m_device.table;
    table.CmdBindPipeline(commandBuffer, VK_PIPELINE_BIND_POINT_COMPUTE, kernel);
    table.CmdPushConstants(commandBuffer, m_kernelLayout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof arguments, &arguments);
}

void MeshShaders::listGrids(VkCommandBuffer commandBuffer, const abi::GridsArguments& arguments) const
{
    bind(commandBuffer, m_grids, arguments);
    m_device.table.CmdDispatch(commandBuffer, 1, 1, 1);
}

void MeshShaders::listPrimitives(VkCommandBuffer commandBuffer, const abi::ListArguments& arguments) const
{
    bind(commandBuffer, m_list, arguments);
    const uint32_t rows = (arguments.count + abi::kRowGroups - 1) / abi::kRowGroups;
    m_device.table.CmdDispatch(commandBuffer, std::min(arguments.count, abi::kRowGroups), rows, 1);
}

VkResult startMeshShaders(Device& device)
{
    auto shaders = std::make_shared<MeshShaders>(device);
    if (const VkResult result = shaders->create(); result != VK_SUCCESS)
        return result;
    device.borrowing = borrowingTable(device.table);
    device.pipelineMaker = shaders->pipelines;
    device.meshShaders = std::move(shaders);
    return VK_SUCCESS;
}

void refuseMeshShaders(const Device& device, const std::string& text)
{
    device.messages().error("Millrace-mesh-shaders", objectReference(VK_OBJECT_TYPE_DEVICE, device.handle), text,
                            "docs/mesh-shaders.md says what is there");
}

}  // namespace millrace::layer
