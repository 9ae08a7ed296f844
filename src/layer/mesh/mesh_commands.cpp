// SPDX-License-Identifier: Apache-2.0
// vkCmdDrawMeshTasks*EXT. On a device where the driver has mesh shaders they are the driver's.
#include "layer/loader/device.h"
#include "layer/loader/entry_points.h"
#include "layer/mesh/mesh_draws.h"
#include "layer/mesh/mesh_shaders.h"
#include "layer/recording/command_buffer.h"

namespace millrace::layer {

namespace {

// A draw of the driver's, which may share the stream of commands that have one of their own.
template <auto Member, typename... Args>
void drawByDriver(CommandBuffer& commandBuffer, Args... args)
{
    const auto draw = [args...](CommandBuffer& target) {
        target.countsMeshes = target.device.shaderCounter != nullptr;
        target.settle();
        (target.device.table.*Member)(target.current, args...);
    };
    if (!commandBuffer.current.hasPutOff() || !drawLate(commandBuffer, draw))
        draw(commandBuffer);
}

VKAPI_ATTR void VKAPI_CALL CmdDrawMeshTasksEXT(VkCommandBuffer handle, uint32_t x, uint32_t y, uint32_t z)
{
    CommandBuffer& commandBuffer = CommandBuffer::of(handle);
    if (commandBuffer.device.usesMesh())
        MeshDraw(commandBuffer).record(x, y, z);
    else
        drawByDriver<&VkuDeviceDispatchTable::CmdDrawMeshTasksEXT>(commandBuffer, x, y, z);
}

VKAPI_ATTR void VKAPI_CALL CmdDrawMeshTasksIndirectEXT(VkCommandBuffer handle, VkBuffer buffer, VkDeviceSize offset,
                                                       uint32_t drawCount, uint32_t stride)
{
    CommandBuffer& commandBuffer = CommandBuffer::of(handle);
    if (commandBuffer.device.usesMesh())
        MeshDraw(commandBuffer).record(IndirectGrids{buffer, offset, drawCount, stride, VK_NULL_HANDLE, 0});
    else
        drawByDriver<&VkuDeviceDispatchTable::CmdDrawMeshTasksIndirectEXT>(commandBuffer, buffer, offset, drawCount,
                                                                           stride);
}

VKAPI_ATTR void VKAPI_CALL CmdDrawMeshTasksIndirectCountEXT(VkCommandBuffer handle, VkBuffer buffer,
                                                            VkDeviceSize offset, VkBuffer countBuffer,
                                                            VkDeviceSize countBufferOffset, uint32_t maxDrawCount,
                                                            uint32_t stride)
{
    CommandBuffer& commandBuffer = CommandBuffer::of(handle);
    if (commandBuffer.device.usesMesh())
        MeshDraw(commandBuffer)
            .record(IndirectGrids{buffer, offset, maxDrawCount, stride, countBuffer, countBufferOffset});
    else
        drawByDriver<&VkuDeviceDispatchTable::CmdDrawMeshTasksIndirectCountEXT>(
            commandBuffer, buffer, offset, countBuffer, countBufferOffset, maxDrawCount, stride);
}

}  // namespace

EntryPoints meshDrawEntryPoints()
{
    static const EntryPoint entries[] = {
        MILLRACE_ENTRY(CmdDrawMeshTasksEXT, kUseStreams, true, kUseMesh),
        MILLRACE_ENTRY(CmdDrawMeshTasksIndirectEXT, kUseStreams, true, kUseMesh),
        MILLRACE_ENTRY(CmdDrawMeshTasksIndirectCountEXT, kUseStreams, true, kUseMesh),
    };
    return entries;
}

}  // namespace millrace::layer
