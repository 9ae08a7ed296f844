// SPDX-License-Identifier: Apache-2.0
// The stream in front of a render pass instance. Dispatches are not allowed inside, so what a draw needs from shaders
// that the layer runs is recorded in front: the command buffer goes on in another of the driver's when the instance
// begins, and the one before stays open until the instance ends.
#pragma once

#include <vulkan/vulkan.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace millrace::layer {

class Continuation;
class TimedPart;
struct CommandBuffer;

struct Front {
    // Takes dispatches and whatever else is allowed outside of an instance. Of what the application has set nothing is
    // set in it that could be relied on, and nothing needs to be set again behind it. Null if there is none.
    VkCommandBuffer stream = VK_NULL_HANDLE;
    // Why nothing may be recorded there though an instance is open, to follow "a draw is"; null if something may.
    const char* obstacle = nullptr;
    // Likewise, unless the instance is divided here: something inside of it has to be waited for.
    const char* waits = nullptr;
    bool isUsed = false;                       // somebody has recorded there, after use()
    uint32_t draws = 0;                        // with mesh shaders of the layer's
    std::shared_ptr<TimedPart> time;           // setting "trace": of what is recorded there; else null
    bool isBehindPart = false;                 // the instance was divided: what is before may be what it waits for
    void (*finish)(CommandBuffer&) = nullptr;  // likewise: records what comes behind all else, before the front closes
    // Records what was put off, in front of whatever else is recorded there. recordRest() calls it.
    void (*rest)(CommandBuffer&) = nullptr;

    // What is executed again behind it until `continuations` are complete, like the front itself. Null: nothing.
    VkCommandBuffer repeat = VK_NULL_HANDLE;
    std::vector<std::shared_ptr<Continuation>> continuations{};
    size_t boundary = 0;  // of a primary command buffer, between the front and the instance

    // What its last user has bound in `stream` and `repeat`, if that relies on finding it there again.
    struct Bound {
        VkPipeline pipeline = VK_NULL_HANDLE;
        VkPipelineLayout layout = VK_NULL_HANDLE;  // with which the application's sets are bound,
        uint64_t order = 0;                        // as they were then (BoundState::setsOrder())
    };
    std::array<Bound, 2> bound{};

    // In front of what is recorded by somebody who may bind other things than what was bound there.
    void use()
    {
        isUsed = true;
        bound = {};
    }
    // Behind a kernel of the layer's, which has no descriptor sets.
    void forgetPipelines()
    {
        for (Bound& one : bound)
            one.pipeline = VK_NULL_HANDLE;
    }

    bool isOpen() const { return stream && !obstacle && !waits; }
};

// True if what runs in front of an instance is among stages that wait, inside the instance or between its subpasses.
constexpr bool waitsInFront(VkPipelineStageFlags2 destinations)
{
    return destinations & (VK_PIPELINE_STAGE_2_TASK_SHADER_BIT_EXT | VK_PIPELINE_STAGE_2_MESH_SHADER_BIT_EXT |
                           VK_PIPELINE_STAGE_2_PRE_RASTERIZATION_SHADERS_BIT | VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT |
                           VK_PIPELINE_STAGE_2_ALL_GRAPHICS_BIT | VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT);
}

// In front of the begin of an instance: does nothing unless Device::needsFronts, or Device::needsPassFronts where the
// instance cannot be interrupted (`isWhole`). An instance that `resumes` goes on with the front of the one that it
// resumes. `current` is another command buffer afterwards, where all is set that was.
void openFront(CommandBuffer& commandBuffer, bool resumes, bool isWhole);
// In front of where an instance goes on that was interrupted outside of a secondary command buffer, likewise.
void reopenFront(CommandBuffer& commandBuffer);
// In front of what may record there: where Front::waits is set, divides the instance, or makes an obstacle of it.
void settleWait(CommandBuffer& commandBuffer);
// In front of what is recorded there, but for what Front::rest records.
void recordRest(CommandBuffer& commandBuffer);
// Where nothing may be recorded in front of an instance that can be interrupted: what follows becomes a part with a
// front of its own. Does nothing where that is impossible.
void divideInstance(CommandBuffer& commandBuffer);
// In a secondary command buffer that continues a render pass, when it first needs one. It stays open until the command
// buffer ends.
void openCompanion(CommandBuffer& commandBuffer);
// What is recorded in Front::repeat is executed until this is complete, as is all else that is there. False if there is
// no such command buffer, as without the setting "continuation".
bool repeatFront(CommandBuffer& commandBuffer, const std::shared_ptr<Continuation>& continuation);
// In front of vkCmdExecuteCommands: executes what belongs in front of the instance there. Returns those that may be
// executed: where that is impossible they are left out, after a message.
std::vector<VkCommandBuffer> executeInFront(CommandBuffer& commandBuffer, std::span<const VkCommandBuffer> secondaries);
// Behind the end. What was written in front is visible to indirect commands, to vertex and fragment shaders of the
// instance, and as index buffers.
void closeFront(CommandBuffer& commandBuffer);

}  // namespace millrace::layer
