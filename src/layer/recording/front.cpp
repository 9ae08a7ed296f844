// SPDX-License-Identifier: Apache-2.0
#include "layer/recording/front.h"

#include <algorithm>
#include <string>
#include <utility>

#include "layer/recording/command_buffer.h"
#include "layer/recording/command_pool.h"
#include "layer/recording/continuations.h"
#include "layer/recording/timed_front.h"
#include "layer/submission/status_watch.h"

namespace millrace::layer {

namespace {

const char* obstacleToFront(const CommandBuffer& commandBuffer, bool resumes)
{
    const Device& device = commandBuffer.device;
    if (!commandBuffer.primary && !device.usesMesh() && !device.usesCommands())
        return "in a secondary command buffer";
    if (resumes)
        return "in a rendering instance that resumes one of another command buffer";
    if (commandBuffer.initialDeviceMask != 0)
        return "in a command buffer for a part of a device group";
    if (device.unknownCommands.arePassedOn())
        return "on a device for which there are more commands newer than the layer than it can redirect";
    if (commandBuffer.rendering.hasBegunQueries())
        return "in a render pass instance in front of which a query began that is still active";
    if (commandBuffer.rendering.obstacleBesideQueries())
        return "inside a scope in which no command buffer can be divided";
    return nullptr;
}

// In front of what is recorded there.
void startTime(CommandBuffer& commandBuffer)
{
    Front& front = commandBuffer.front;
    const Device& device = commandBuffer.device;
    if (!device.timestamps || !device.usesMesh() || !front.stream)
        return;
    front.time = device.timestamps->take(commandBuffer.pool.queueFamily);
    if (!front.time)
        return;
    commandBuffer.keepAlive.push_back(front.time);
    front.time->begin(front.stream);
}

// Behind it.
void endTime(CommandBuffer& commandBuffer, const Front& front)
{
    if (!front.time || front.draws == 0)
        return;
    front.time->end(front.stream);
    std::string name = "render pass instance " + std::to_string(++commandBuffer.meshFronts) +
                       " of the command buffer that draws with mesh shaders";
    for (size_t i = 0; i < commandBuffer.labels.size(); ++i)
        name += (i == 0 ? ", in the label '" : " / '") + commandBuffer.labels[i] + "'";
    Device& device = commandBuffer.device;
    auto timed = std::make_shared<TimedFront>(device.traceSink, front.time, std::move(name), front.draws);
    commandBuffer.watched.push_back(timed);
    device.statusWatch->add(timed);
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
    front.boundary = commandBuffer.boundaries.size() - 1;
    const VkuDeviceDispatchTable& table = device.table;
    const RenderingScope& scope = commandBuffer.rendering;
    const bool isPredicated = scope.conditional && !scope.conditionalInRendering;
    if (isPredicated)
        table.CmdEndConditionalRenderingEXT(before);
    commandBuffer.log.replay(kScopeOutsideRendering, table, commandBuffer.current);
    if (isPredicated)
        table.CmdBeginConditionalRenderingEXT(commandBuffer.current, &scope.conditionalInfo);
    startTime(commandBuffer);
    commandBuffer.tellWhatIsNotKept("in a render pass instance");
}

void reopenFront(CommandBuffer& commandBuffer)
{
    if (commandBuffer.device.needsFronts)
        openFront(commandBuffer, false, false);
}

void recordRest(CommandBuffer& commandBuffer)
{
    if (commandBuffer.front.rest)
        commandBuffer.front.rest(commandBuffer);
}

void divideInstance(CommandBuffer& commandBuffer)
{
    const RenderingScope& scope = commandBuffer.rendering;
    const bool isInterruptible = commandBuffer.primary && scope.dynamic && !scope.obstacleToDispatch();
    if (commandBuffer.front.isOpen() || !isInterruptible || obstacleToFront(commandBuffer, false))
        return;
    interruptRendering(commandBuffer, true);
    resumeRendering(commandBuffer, true);
    commandBuffer.front.isBehindPart = true;
}

void openCompanion(CommandBuffer& commandBuffer)
{
    Front& front = commandBuffer.front;
    const bool continues = commandBuffer.usage & VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT;
    if (commandBuffer.primary || !continues || front.stream || front.obstacle)
        return;
    front.stream = commandBuffer.companion = commandBuffer.beginCompanion();
    startTime(commandBuffer);
}

bool repeatFront(CommandBuffer& commandBuffer, const std::shared_ptr<Continuation>& continuation)
{
    Front& front = commandBuffer.front;
    const Device& device = commandBuffer.device;
    // Of a group of devices the host could follow only one.
    if (device.settings().continuation != settings::Continuation::Complete || device.enabled.deviceGroup)
        return false;
    if (!front.repeat) {
        front.repeat = commandBuffer.primary ? commandBuffer.beginHidden("in front of a render pass, again")
                                             : commandBuffer.beginCompanion();
        if (!front.repeat)
            return false;
        // Of another submission.
        VkMemoryBarrier barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
        barrier.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT;
        barrier.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
        commandBuffer.device.table.CmdPipelineBarrier(front.repeat, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                                                      VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 1, &barrier, 0, nullptr, 0,
                                                      nullptr);
    }
    if (std::ranges::find(front.continuations, continuation) == front.continuations.end())
        front.continuations.push_back(continuation);
    return true;
}

namespace {

// What the companion of a secondary command buffer needs.
void repeatCompanion(CommandBuffer& commandBuffer, const CommandBuffer& secondary)
{
    bool isRepeated = secondary.companionRepeat;
    for (const auto& continuation : secondary.companionContinuations)
        isRepeated = isRepeated && repeatFront(commandBuffer, continuation);
    if (isRepeated)
        commandBuffer.device.table.CmdExecuteCommands(commandBuffer.front.repeat, 1, &secondary.companionRepeat);
}

}  // namespace

namespace {

void tellLeftOut(CommandBuffer& commandBuffer, const CommandBuffer& secondary)
{
    const bool generates = secondary.generations > 0;
    const char* const id = generates ? "Millrace-generated-commands" : "Millrace-mesh-shaders";
    if (!commandBuffer.isNews(id, "secondary"))
        return;
    const char* const obstacle = commandBuffer.front.obstacle;
    commandBuffer.device.messages().error(
        id, commandBuffer.reference(),
        std::string("a secondary command buffer that ") +
            (generates ? "generates commands" : "draws with mesh shaders") + " is left out: it is " +
            (obstacle ? obstacle : "in no render pass instance"),
        generates ? "docs/generated-commands.md says what they need" : "docs/mesh-shaders.md says what is there");
}

}  // namespace

std::vector<VkCommandBuffer> executeInFront(CommandBuffer& commandBuffer, std::span<const VkCommandBuffer> secondaries)
{
    commandBuffer.current.recordUnminding();
    std::vector<VkCommandBuffer> left;
    for (VkCommandBuffer secondary : secondaries) {
        const CommandBuffer& own = CommandBuffer::of(secondary);
        const VkCommandBuffer companion = own.companion;
        if (companion) {
            openCompanion(commandBuffer);
            settleWait(commandBuffer);
            divideInstance(commandBuffer);
        }
        Front& front = commandBuffer.front;
        const bool isPossible = !companion || front.isOpen();
        if (isPossible)
            left.push_back(secondary);
        if (companion && isPossible) {
            recordRest(commandBuffer);
            commandBuffer.device.table.CmdExecuteCommands(front.stream, 1, &companion);
            repeatCompanion(commandBuffer, own);
            front.use();
            if (own.executed)
                own.executed(commandBuffer, own);
        } else if (!isPossible) {
            tellLeftOut(commandBuffer, own);
        }
    }
    return left;
}

namespace {

// What shaders wrote is visible inside the instance, and to the host where that goes on with it.
void endFrontStream(CommandBuffer& commandBuffer, VkCommandBuffer stream, bool isUsed, bool isRepeated)
{
    const Device& device = commandBuffer.device;
    if (isUsed) {
        VkMemoryBarrier barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
        barrier.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT;
        barrier.dstAccessMask =
            VK_ACCESS_INDIRECT_COMMAND_READ_BIT | VK_ACCESS_INDEX_READ_BIT | VK_ACCESS_SHADER_READ_BIT;
        VkPipelineStageFlags readers = VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT | VK_PIPELINE_STAGE_VERTEX_INPUT_BIT |
                                       VK_PIPELINE_STAGE_VERTEX_SHADER_BIT | VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT;
        if (device.enabled.meshShader && !device.usesMesh())
            readers |= VK_PIPELINE_STAGE_MESH_SHADER_BIT_EXT;
        if (device.enabled.taskShader && !device.usesMesh())
            readers |= VK_PIPELINE_STAGE_TASK_SHADER_BIT_EXT;
        if (isRepeated) {
            readers |= VK_PIPELINE_STAGE_HOST_BIT;
            barrier.dstAccessMask |= VK_ACCESS_HOST_READ_BIT;
        }
        device.table.CmdPipelineBarrier(stream, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, readers, 0, 1, &barrier, 0,
                                        nullptr, 0, nullptr);
    }
    if (const VkResult result = device.table.EndCommandBuffer(stream); result != VK_SUCCESS)
        commandBuffer.fail(result);
}

}  // namespace

void closeFront(CommandBuffer& commandBuffer)
{
    if (commandBuffer.front.stream && commandBuffer.front.finish)
        commandBuffer.front.finish(commandBuffer);
    Front front = std::exchange(commandBuffer.front, {});
    if (!front.stream)
        return;
    endTime(commandBuffer, front);
    endFrontStream(commandBuffer, front.stream, front.isUsed, front.repeat);
    if (!front.repeat)
        return;
    endFrontStream(commandBuffer, front.repeat, true, true);
    if (front.stream != commandBuffer.companion) {
        commandBuffer.complete(front.boundary, std::make_shared<Continuations>(std::move(front.continuations)),
                               front.repeat);
    } else {
        commandBuffer.companionRepeat = front.repeat;
        commandBuffer.companionContinuations = std::move(front.continuations);
    }
}

}  // namespace millrace::layer
