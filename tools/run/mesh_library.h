// SPDX-License-Identifier: Apache-2.0
// A mesh node as a graphics pipeline, of which a graph is made.
#pragma once

#include "tools/run/device.h"
#include "tools/run/program.h"
#include "tools/run/work.h"

namespace millrace::tools::run {

// Draws into the target of the work. Throws DeviceError.
VkPipeline createMeshLibrary(const Device& device, VkPipelineLayout layout, const ProgramNode& node, const Work& work);

}  // namespace millrace::tools::run
