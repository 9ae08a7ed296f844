// SPDX-License-Identifier: Apache-2.0
#include "layer/mesh/mesh_shaders.h"

#include "layer/loader/device.h"
#include "layer/objects/kernel_code.h"
#include "layer/recording/borrowed_sets.h"
#include "runtime/host_memory.h"
#include "shaders/mesh_kernels.h"

namespace millrace::layer {

MeshShaders::~MeshShaders()
{
    m_device.table.DestroyPipeline(m_device.handle, m_reserve, runtime::hostMemory());
    m_device.table.DestroyPipelineLayout(m_device.handle, m_reserveLayout, runtime::hostMemory());
}

VkResult MeshShaders::create()
{
    VkResult result = memory.create(m_device.instance.handle, m_device.physical, m_device.handle,
                                    m_device.instance.table, m_device.table, m_device.names);
    if (result == VK_SUCCESS)
        result = sortKernels.create();
    if (result == VK_SUCCESS)
        result = createKernelLayout(m_device, sizeof(abi::ReserveArguments), "layout of the kernel for mesh shaders",
                                    m_reserveLayout);
    if (result == VK_SUCCESS)
        result =
            createKernel(m_device, shaders::mesh_reserve, m_reserveLayout, "reserve memory of mesh shaders", m_reserve);
    return result;
}

void MeshShaders::reserve(VkCommandBuffer commandBuffer, const abi::ReserveArguments& arguments) const
{
    const VkuDeviceDispatchTable& table = m_device.table;
    table.CmdBindPipeline(commandBuffer, VK_PIPELINE_BIND_POINT_COMPUTE, m_reserve);
    table.CmdPushConstants(commandBuffer, m_reserveLayout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof arguments,
                           &arguments);
    table.CmdDispatch(commandBuffer, 1, 1, 1);
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
