// SPDX-License-Identifier: Apache-2.0
// What is recorded: commands in the proportions of a game's frame, and each kind of command by itself.
#pragma once

#include <vulkan/vulkan.h>

#include <cstddef>
#include <span>

#include "bench/recording/device.h"

namespace millrace::bench {

// Records about `count` commands into a command buffer that has begun, and returns how many. A frame is passes of
// draws, each with a new material for every fourth draw, and dispatches with barriers between the passes.
size_t recordFrame(const RecordingDevice& device, VkCommandBuffer commandBuffer, size_t count);

// One command, `count` times, as an application gives it with other values each time.
struct CommandKind {
    const char* name;
    void (*record)(const RecordingDevice& device, VkCommandBuffer commandBuffer, size_t count);
};
std::span<const CommandKind> commandKinds();

}  // namespace millrace::bench
