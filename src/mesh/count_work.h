// SPDX-License-Identifier: Apache-2.0
// Task and mesh shaders that count what they do, for drivers that have them and for lowerPipeline().
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "mesh/lower_pipeline.h"

namespace millrace::mesh {

// What is known of a mesh shader beside its numbers.
struct MeshShape {
    uint32_t corners = 3;  // of a primitive
    uint32_t maxVertices = 0;
    uint32_t maxPrimitives = 0;
    std::string source;  // name of the file, where the compiler has said it
};

// The stage does what it did. Its first invocations add to the abi::MeshCounters at the address, for each workgroup
// once; mesh shaders take kMeshCounterSharedBytes more of shared memory. Specialization constants have their values
// afterwards. Errors: no such entry point; outputs that are copied by pointer.
inline constexpr uint32_t kMeshCounterSharedBytes = 32;
Status countTasks(Stage& task, uint64_t counters);
Result<MeshShape> countMeshes(Stage& mesh, uint64_t counters);

}  // namespace millrace::mesh
