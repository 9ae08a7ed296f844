// SPDX-License-Identifier: Apache-2.0
// Commands with one structure that leads to others: kept as deep copies.
#pragma once

#include <cstring>
#include <memory>

#include "layer/recording/command_buffer.h"
#include "layer/recording/state_commands.h"

namespace millrace::layer {

// Deep copies that free themselves. Defined in wrapped_struct.cpp for each structure.
std::shared_ptr<const VkBindDescriptorSetsInfo> deepCopy(const VkBindDescriptorSetsInfo& info);
std::shared_ptr<const VkPushConstantsInfo> deepCopy(const VkPushConstantsInfo& info);
std::shared_ptr<const VkPushDescriptorSetInfo> deepCopy(const VkPushDescriptorSetInfo& info);
std::shared_ptr<const VkSetDescriptorBufferOffsetsInfoEXT> deepCopy(const VkSetDescriptorBufferOffsetsInfoEXT& info);
std::shared_ptr<const VkBindDescriptorBufferEmbeddedSamplersInfoEXT> deepCopy(
    const VkBindDescriptorBufferEmbeddedSamplersInfoEXT& info);

// Remembers a command that takes a pointer to `info`, to which a pipeline layout is chained, and a copy of that.
template <auto Member, typename Struct>
void logWrapped(CommandBuffer& commandBuffer, const char* command, const StateKey& key, uint32_t scopes,
                const Struct& info)
{
    std::shared_ptr<const Struct> copy = deepCopy(info);
    commandBuffer.cannotKeep(command, missingStructures(info.pNext, copy->pNext));
    commandBuffer.chainsLayouts = true;
    const Struct* kept = copy.get();
    logOwned<Member>(commandBuffer.log, key, scopes, std::move(copy), kept);
}

}  // namespace millrace::layer
