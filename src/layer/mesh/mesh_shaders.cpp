// SPDX-License-Identifier: Apache-2.0
#include "layer/mesh/mesh_shaders.h"

#include "layer/loader/device.h"
#include "layer/recording/borrowed_sets.h"

namespace millrace::layer {

VkResult startMeshShaders(Device& device)
{
    auto shaders = std::make_shared<MeshShaders>(device);
    const VkResult result = shaders->memory.create(device.instance.handle, device.physical, device.handle,
                                                   device.instance.table, device.table, device.names);
    if (result != VK_SUCCESS)
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
