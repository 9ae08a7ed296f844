// SPDX-License-Identifier: Apache-2.0
// What the code of a mesh or task shader says by itself, whatever runs it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "advisor/place.h"
#include "advisor/prepare.h"
#include "base/result.h"

namespace millrace::advisor {

enum class OutputKind : uint8_t {
    Generic,  // at a location
    Position,
    PointSize,
    ClipDistance,
    CullDistance,
    PrimitiveId,
    Layer,
    Viewport,
    ShadingRate,
    Cull,     // CullPrimitiveEXT
    Indices,  // of the primitives' vertices
};

// 16 bytes of a vertex or primitive: four words.
struct OutputSlot {
    uint8_t words = 0;       // mask of those that are written
    bool isForeign = false;  // written by invocations with another number than the vertex or primitive
};

// A variable or a member of one, of which the code writes something.
struct Output {
    std::string name;
    OutputKind kind = OutputKind::Generic;
    bool isPerPrimitive = false;
    bool isFlat = false;        // not interpolated: integers, or decorated so
    bool isIndexed = false;     // an element of it is chosen by a value that is no constant
    uint32_t location = 0;      // of the first slot, if generic
    uint32_t widthBits = 32;    // of a component
    uint32_t elementCount = 0;  // of distances
    std::vector<OutputSlot> slots;
    std::vector<Place> foreignStores;  // each once

    bool isForeign() const { return !foreignStores.empty(); }
};

struct SharedVariable {
    std::string name;
    uint32_t bytes = 0;
};

struct Barrier {
    Place place;
    bool isInLoop = false;
};

// OpSetMeshOutputsEXT.
struct OutputCounts {
    Place place;
    std::optional<uint32_t> vertices;  // none unless constant
    std::optional<uint32_t> primitives;
};

// OpEmitMeshTasksEXT.
struct TaskLaunch {
    Place place;
    std::array<std::optional<uint32_t>, 3> groups;  // none unless constant
};

// What task shaders give to the mesh shaders that they start.
struct Payload {
    std::string name;
    uint32_t bytes = 0;
    bool hasAtomics = false;
};

struct Facts {
    Stage stage = Stage::Mesh;
    std::string entryPoint;
    std::array<uint32_t, 3> workgroupSize{1, 1, 1};
    uint32_t maxVertices = 0;
    uint32_t maxPrimitives = 0;
    uint32_t verticesPerPrimitive = 3;
    std::vector<Output> outputs;
    std::vector<OutputCounts> outputCounts;
    std::vector<TaskLaunch> launches;
    std::vector<SharedVariable> shared;
    uint32_t sharedBytes = 0;
    std::optional<Payload> payload;
    std::vector<Barrier> barriers;         // of execution, among the workgroup
    std::optional<Place> usesWorkgroupId;  // the first use; also GlobalInvocationId
    bool usesWorkgroupIdBeyondX = false;
    uint32_t liveWords = 0;  // registers.h

    uint32_t invocations() const { return workgroupSize[0] * workgroupSize[1] * workgroupSize[2]; }
};

// Errors: what is no such shader as far as the numbers need it, such as sizes that are no constants.
Result<Facts> readFacts(const PreparedShader& shader);

}  // namespace millrace::advisor
