// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace millrace::layer {

struct CommandBuffer;

// Records what numbers the primitives of the draws of a front and writes their index buffers: behind all mesh shaders
// there, or behind those that depend on a condition, if others may follow (`isLast` is false).
void listDraws(CommandBuffer& commandBuffer, bool isLast);

}  // namespace millrace::layer
