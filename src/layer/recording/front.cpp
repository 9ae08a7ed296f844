// SPDX-License-Identifier: Apache-2.0
#include "layer/recording/front.h"

#include <string>

#include "layer/recording/command_buffer.h"

namespace millrace::layer {

namespace {

const char* obstacleToFront(const CommandBuffer& commandBuffer, bool resumes)
{
    if (!commandBuffer.primary)
        return "in a secondary command buffer";
    if (resumes)
        return "in a rendering instance that resumes one of another command buffer";
    if (commandBuffer.initialDeviceMask != 0)
        return "in a command buffer for a part of a device group";
    if (!commandBuffer.rendering.queries.empty())
        return "in a render pass instance in front of which a query began that is still active";
    if (commandBuffer.rendering.obstacleToSplit())
        return "inside a scope in which no command buffer can be divided";
    return nullptr;
}

}  // namespace

void openFront(CommandBuffer& commandBuffer, bool resumes, bool isWhole)
{
    const Device& device = commandBuffer.device;
    Front& front = commandBuffer.front;
    if (resumes && front.stream)
        return;
    if (!device.needsFronts && !(isWhole && device.needsPassFronts)) {
        front.obstacle = "in a render pass instance that began when the device had no shader module for such draws";
        return;
    }
    closeFront(commandBuffer);
    front.obstacle = obstacleToFront(commandBuffer, resumes);
    const VkCommandBuffer before = commandBuffer.current;
    if (front.obstacle || !commandBuffer.goOn("a render pass instance"))
        return;
    front.stream = before;
    const VkuDeviceDispatchTable& table = device.table;
    const RenderingScope& scope = commandBuffer.rendering;
    if (scope.conditional)
        table.CmdEndConditionalRenderingEXT(before);
    commandBuffer.log.replay(kScopeOutsideRendering, table, commandBuffer.current);
    if (scope.conditional)
        table.CmdBeginConditionalRenderingEXT(commandBuffer.current, &scope.conditionalInfo);
    commandBuffer.tellWhatIsNotKept("in a render pass instance");
}

void openCompanion(CommandBuffer& commandBuffer)
{
    Front& front = commandBuffer.front;
    const bool continues = commandBuffer.usage & VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT;
    if (commandBuffer.primary || !continues || front.stream || front.obstacle)
        return;
    front.stream = commandBuffer.companion = commandBuffer.beginCompanion();
}

std::vector<VkCommandBuffer> executeInFront(CommandBuffer& commandBuffer, std::span<const VkCommandBuffer> secondaries)
{
    std::vector<VkCommandBuffer> left;
    for (VkCommandBuffer secondary : secondaries) {
        const VkCommandBuffer companion = CommandBuffer::of(secondary).companion;
        Front& front = commandBuffer.front;
        const bool isPossible = !companion || (commandBuffer.primary && front.isOpen());
        if (isPossible)
            left.push_back(secondary);
        if (companion && isPossible) {
            commandBuffer.device.table.CmdExecuteCommands(front.stream, 1, &companion);
            front.isUsed = true;
        } else if (!isPossible && commandBuffer.isNews("Millrace-mesh-shaders", "secondary")) {
            const char* where = front.obstacle ? front.obstacle : "in another secondary one";
            commandBuffer.device.messages().error(
                "Millrace-mesh-shaders", commandBuffer.reference(),
                std::string("a secondary command buffer that draws with mesh shaders is left out: it is ") + where,
                "docs/mesh-shaders.md says what is there");
        }
    }
    return left;
}

void closeFront(CommandBuffer& commandBuffer)
{
    if (commandBuffer.front.stream && commandBuffer.front.finish)
        commandBuffer.front.finish(commandBuffer);
    const Front front = commandBuffer.front;
    commandBuffer.front = {};
    if (!front.stream)
        return;
    const VkuDeviceDispatchTable& table = commandBuffer.device.table;
    if (front.isUsed) {
        VkMemoryBarrier barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
        barrier.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT;
        barrier.dstAccessMask = VK_ACCESS_INDIRECT_COMMAND_READ_BIT | VK_ACCESS_SHADER_READ_BIT;
        VkPipelineStageFlags readers = VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT | VK_PIPELINE_STAGE_VERTEX_SHADER_BIT |
                                       VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT;
        const Device& device = commandBuffer.device;
        if (device.enabled.meshShader && !device.usesMesh())
            readers |= VK_PIPELINE_STAGE_MESH_SHADER_BIT_EXT;
        if (device.enabled.taskShader && !device.usesMesh())
            readers |= VK_PIPELINE_STAGE_TASK_SHADER_BIT_EXT;
        table.CmdPipelineBarrier(front.stream, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, readers, 0, 1, &barrier, 0,
                                 nullptr, 0, nullptr);
    }
    if (const VkResult result = table.EndCommandBuffer(front.stream); result != VK_SUCCESS)
        commandBuffer.fail(result);
}

}  // namespace millrace::layer
