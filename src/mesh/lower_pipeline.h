// SPDX-License-Identifier: Apache-2.0
// Mesh shaders as compute, vertex and fragment shaders, for drivers without VK_EXT_mesh_shader. Vulkan's own types stay
// outside. Thread-safe: calls share nothing.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "abi/mesh.h"
#include "base/result.h"
#include "spirv/specialization.h"
#include "spirv/tools.h"

namespace millrace::mesh {

struct Stage {
    std::string entryPoint = "main";
    spirv::Words words;  // a valid module for Vulkan
    std::vector<spirv::SpecializationValue> constants;
};

// Invocations of a workgroup, by dimension.
using GroupSize = std::array<uint32_t, 3>;
inline constexpr GroupSize kAnyGroupSize = {UINT32_MAX, UINT32_MAX, UINT32_MAX};

// What the lowered shaders may use of the device, beside bufferDeviceAddress.
struct Target {
    uint32_t interfaceLocations = 16;  // that vertex shaders write and fragment shaders read
    bool layers = false;               // vertex shaders write Layer (shaderOutputLayer),
    bool viewports = false;            // and ViewportIndex (shaderOutputViewportIndex),
    bool shadingRates = false;         // and PrimitiveShadingRateKHR (primitiveFragmentShadingRate)
    bool indices = true;               // draws may have index buffers
    bool computedVertices = true;      // vertex shaders may compute vertices again, with the application's descriptors
    bool vertexStores = true;          // vertex shaders may have variables that code may write to
    bool viewPointSizes = true;        // vertex shaders may write PointSize and read ViewIndex
    bool unwrittenPointSizes = false;  // where PointSize is not written it is 1 (maintenance5)
    GroupSize groupSize = kAnyGroupSize;  // of compute shaders
};

// What ViewIndex is in a mesh shader.
struct Views {
    uint32_t mask = 0;        // of the subpass; 0: it has no several views, and ViewIndex is 0
    bool areDevices = false;  // it is DeviceIndex (VK_PIPELINE_CREATE_VIEW_INDEX_FROM_DEVICE_INDEX_BIT)
};

// How an index buffer is made of what workgroups leave: abi::MeshIndexing.
struct MeshIndices {
    uint32_t mostPrimitives = 0;  // of a workgroup
    uint32_t vertexBits = 0;
    uint32_t vertexBytes = 0;
    uint32_t primitivesOffset = 0;
    uint32_t primitiveBytes = 0;
    uint32_t indicesOffset = 0;
    uint32_t cullOffset = 0;
};

struct MeshLayout {
    uint64_t mostUnits = 0;  // abi::kMeshUnitBytes each, that the outputs of a workgroup of the mesh shader may take
    uint64_t gridBytes = 0;  // of one of the task shader: what it emits, and the payload
    uint32_t corners = 3;    // of a primitive: 1 point, 2 line, 3 triangle
    uint32_t marks = 0;      // that a workgroup of the mesh shader may need (abi::kMeshMarkPrimitives)
    // Views for each of which the mesh shader runs, since it reads ViewIndex, with the index of the view as
    // abi::SequenceArguments::firstSequence. 0: it runs once.
    uint32_t viewMask = 0;
    // None: no draw has an index buffer. It needs vertices that several primitives can share: nothing is per primitive
    // that a fragment shader or the rasterizer reads, and all views have the same indices.
    std::optional<MeshIndices> indices{};
    // The vertex shader computes vertices again: they are not in memory. It has the mesh shader's descriptors.
    bool computesVertices = false;
    // Several draws of a series may be drawn as one: no fragment shader reads push constants, which are each draw's
    // own.
    bool mayBeBatched = false;
    uint32_t taskInvocations = 0;  // of a workgroup; 0: there is no task shader
    uint32_t meshInvocations = 0;

    // What a workgroup of the mesh shader leaves in all views (abi::MeshWork::results).
    uint64_t resultBytes() const { return runs() * sizeof(abi::MeshGroup) + marks * sizeof(uint32_t); }
    // One dispatch may run the mesh shaders of several draws, each with push constants of its own.
    bool mayBeSeries() const { return gridBytes == 0 && viewMask == 0; }
    uint32_t runs() const { return viewMask == 0 ? 1 : static_cast<uint32_t>(std::popcount(viewMask)); }
};

// All have abi::SequenceArguments as their only push constants, as abi/mesh.h says, and the application's descriptors.
struct LoweredPipeline {
    std::optional<Stage> task;  // compute shaders: dispatches of MeshWork::table.groupCount workgroups or more
    Stage mesh;
    // Drawn with as many vertices as all workgroups have corners of primitives, or with an index for each. Then
    // abi::SequenceArguments::firstSequence is 1.
    Stage vertex;
    std::optional<Stage> fragment;
    MeshLayout layout;
};

// Specialization constants of task and mesh shader have their values afterwards; the fragment shader's are as they
// were, its `constants` as well. Primitives that a workgroup culls become vertices far outside of what is drawn.
// Primitives keep their order. Errors: no such entry point; more bytes of outputs than 32
// bits count; what the device lacks; pointers to outputs that are chosen or passed on.
Result<LoweredPipeline> lowerPipeline(const std::optional<Stage>& task, const Stage& mesh,
                                      const std::optional<Stage>& fragment, const Target& target,
                                      const Views& views = {});

// What becomes of PrimitiveId in a fragment shader without mesh shader.
enum class PrimitiveIdInput {
    Drivers,  // what the driver gives
    Zero,     // nothing runs: the shader is part of a library
    Refused,
};

// A fragment shader for pipelines without mesh shader: what would be per primitive is a flat input. Errors: no such
// entry point; it reads PrimitiveId where that is refused.
Result<spirv::Words> withoutMeshShading(std::span<const uint32_t> fragment, std::string_view entryPoint,
                                        PrimitiveIdInput primitiveId);

}  // namespace millrace::mesh
