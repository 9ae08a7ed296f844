// SPDX-License-Identifier: Apache-2.0
// What a device has on which the layer runs mesh shaders.
#pragma once

#include <vulkan/vulkan.h>

#include <cstdint>
#include <memory>

#include "layer/loader/entry_points.h"
#include "layer/mesh/mesh_pipelines.h"
#include "runtime/memory.h"

namespace millrace::layer {

// What the properties say.
inline constexpr uint32_t kMaxMeshGroups = 1u << 22;
inline constexpr uint32_t kMaxMeshGroupsPerDimension = 65535;
inline constexpr uint32_t kMaxMeshVertices = 256;
inline constexpr uint32_t kMaxMeshPrimitives = 256;
inline constexpr uint32_t kMaxMeshOutputBytes = 49152;

// Of outputs of one draw. A draw that may have more is left out.
inline constexpr uint64_t kMaxMeshDrawBytes = uint64_t{1} << 30;

class MeshShaders {
public:
    explicit MeshShaders(Device& device) : pipelines(std::make_shared<MeshPipelines>(device)) {}

    runtime::Memory memory;  // for outputs and copies of push constants
    const std::shared_ptr<MeshPipelines> pipelines;
};

// On a device that has just been created. Returns an error of the driver.
VkResult startMeshShaders(Device& device);

// Reports why something of mesh shaders cannot be done.
void refuseMeshShaders(const Device& device, const std::string& text);

EntryPoints meshDrawEntryPoints();

}  // namespace millrace::layer
