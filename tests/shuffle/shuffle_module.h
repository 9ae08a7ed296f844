// SPDX-License-Identifier: Apache-2.0
// Compute shaders that do what they did, at other times and in another order.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace millrace::shuffle {

// How a driver starts the workgroups.
enum class Dispatch { Direct, Indirect };

// The same shader but for what Vulkan leaves open, which follows from the seed:
// - its workgroups have each other's numbers, so they start in another order, and so have the subgroups of a workgroup;
// - they begin late, and wait in front of atomics on buffers, some of them and for different times;
// - what they store in buffers becomes visible late (late_stores.h);
// - what they load from buffers may be what was there before (old_loads.h), if bit 6 of the seed is set.
// With Dispatch::Indirect NumWorkgroups is old, as it is with one driver (docs/gpu.md): 1, or more than there are.
// Modules that are no shader with one compute entry point, or are not understood, come back as they are.
std::vector<uint32_t> shuffleModule(std::span<const uint32_t> words, uint32_t seed, Dispatch dispatch);

// Whether it is a lowered node of an execution graph that the scheduler runs: the device function that takes the next
// workgroup's work is linked into it.
bool isNode(std::span<const uint32_t> words);

}  // namespace millrace::shuffle
