// SPDX-License-Identifier: Apache-2.0
#include "layer/commands/late_execution.h"

#include "layer/loader/device.h"

namespace millrace::layer {

namespace {

bool mayBeLate(const CommandBuffer& commandBuffer)
{
    // Nothing but state was set since the last one.
    if (hasOpenLateStream(commandBuffer))
        return commandBuffer.keepsAll() && !commandBuffer.hasUnknownState;
    return !obstacleToLateStream(commandBuffer);
}

}  // namespace

bool executeLate(CommandBuffer& commandBuffer, const IndirectLayout& layout,
                 const std::shared_ptr<MemberChanges>& changes, const ExecuteMembers& execute)
{
    const Device& device = commandBuffer.device;
    // Draws that the layer's mesh shaders run have more than one stream.
    const bool runsMeshes = isMesh(layout.layout.action) && device.usesMesh();
    if (!device.settings().lateMembers || runsMeshes || !mayBeLate(commandBuffer))
        return false;
    recordLate(commandBuffer, {execute, MemberChanges::versionOf(changes)});
    return true;
}

}  // namespace millrace::layer
