// SPDX-License-Identifier: Apache-2.0
// Executions of generated commands whose pipelines may be others when they are submitted: those in an execution set, or
// those that have numbers.
#pragma once

#include <vulkan/vulkan.h>

#include <functional>
#include <memory>

#include "layer/commands/generation.h"
#include "layer/commands/member_changes.h"
#include "layer/recording/late_streams.h"

namespace millrace::layer {

// Executes them with the members that there are now, into a command buffer of which the state counts.
using ExecuteMembers = std::function<void(CommandBuffer& commandBuffer)>;

// Records the command in a stream of its own and of such commands before it, with its part of the render pass instance
// if it is in one. False, with nothing recorded, where that cannot be: the members that there are now have to do then,
// and a submission tells. `changes`: of those members.
bool executeLate(CommandBuffer& commandBuffer, const IndirectLayout& layout,
                 const std::shared_ptr<MemberChanges>& changes, const ExecuteMembers& execute);

}  // namespace millrace::layer
