// SPDX-License-Identifier: Apache-2.0
// Instances of render pass objects in several parts, each of which goes on with what the one before has left in the
// attachments.
#pragma once

#include <vulkan/vulkan.h>

namespace millrace::layer {

struct CommandBuffer;
struct Device;

// True if the instance that is open may end here and another one go on. False outside of one.
bool canBeDivided(const CommandBuffer& commandBuffer);
// Ends the part in `current`.
void endPart(const CommandBuffer& commandBuffer);
// Behind it, in front of what the next one needs; in a command buffer of the driver's.
void waitForPart(const Device& device, VkCommandBuffer stream);
// Begins the next one in `current`, in the subpass in which the one before has ended.
void beginNextPart(const CommandBuffer& commandBuffer);

}  // namespace millrace::layer
