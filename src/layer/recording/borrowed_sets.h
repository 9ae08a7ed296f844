// SPDX-License-Identifier: Apache-2.0
// The application's descriptor sets, bound for a pipeline layout of the layer's that has the same set layouts.
#pragma once

#include <vulkan/utility/vk_dispatch_table.h>
#include <vulkan/vulkan.h>

#include <memory>
#include <utility>
#include <vector>

#include "layer/objects/pipeline_layouts.h"

namespace millrace::layer {

struct CommandBuffer;

// What is known of pipeline layouts of the application's, which may be gone, or others with the same handles.
using KeptLayouts = std::vector<std::pair<VkPipelineLayout, std::shared_ptr<const PipelineLayout>>>;
// Adds those that sets have been bound with in a command buffer, or constants pushed, since StateLog::order() was that.
void addLayouts(const CommandBuffer& commandBuffer, uint64_t order, KeptLayouts& layouts);

// A table whose commands that bind sets replace the layout that they are given.
VkuDeviceDispatchTable borrowingTable(const VkuDeviceDispatchTable& table);

// Binds what the application has bound at the bind point, as far as it fits `layout`: sets, pushed descriptors, offsets
// into descriptor buffers. Requires: Device::borrowing is filled.
void bindBorrowedSets(CommandBuffer& commandBuffer, VkPipelineBindPoint bindPoint, const SequenceLayout& layout);
// The same for another bind point, in another command buffer of the driver's.
void bindBorrowedSets(CommandBuffer& commandBuffer, VkPipelineBindPoint from, const SequenceLayout& layout,
                      VkCommandBuffer target, VkPipelineBindPoint to);

// True if that is each set that the layout has.
bool hasBorrowedSets(CommandBuffer& commandBuffer, VkPipelineBindPoint bindPoint, const SequenceLayout& layout);

}  // namespace millrace::layer
