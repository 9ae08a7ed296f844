// SPDX-License-Identifier: Apache-2.0
// What the metadata of a DXIL program says: its resources and entry points.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "dxil/container.h"
#include "dxil/ir.h"

namespace millrace::dxil {

enum class ResourceClass : uint8_t { Srv, Uav, Cbv, Sampler };

// The numbers are DXIL's.
enum class ResourceKind : uint8_t {
    Invalid,
    Texture1D,
    Texture2D,
    Texture2DMS,
    Texture3D,
    TextureCube,
    Texture1DArray,
    Texture2DArray,
    Texture2DMSArray,
    TextureCubeArray,
    TypedBuffer,
    RawBuffer,
    StructuredBuffer,
    CBuffer,
    Sampler,
    TBuffer,
    AccelerationStructure,
    FeedbackTexture2D,
    FeedbackTexture2DArray,
};

enum class ComponentType : uint8_t {
    Invalid,
    I1,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F16,
    F32,
    F64,
    SNormF16,
    UNormF16,
    SNormF32,
    UNormF32,
    SNormF64,
    UNormF64,
    PackedS8x32,
    PackedU8x32,
};

inline constexpr uint32_t kUnbounded = ~0u;

struct Resource {
    ResourceClass resourceClass = ResourceClass::Srv;
    ResourceKind kind = ResourceKind::Invalid;
    ComponentType component = ComponentType::Invalid;  // of textures and typed buffers
    uint32_t id = 0;                                   // within its class
    std::string name;
    uint32_t space = 0;
    uint32_t lowerBound = 0;
    uint32_t count = 1;        // kUnbounded
    uint32_t strideBytes = 0;  // StructuredBuffer
    uint32_t sizeBytes = 0;    // CBuffer
    bool coherent = false;
    bool hasCounter = false;
    bool rasterOrdered = false;
    const Global* global = nullptr;  // in libraries
};

// What two words of dx.types.ResourceProperties say; class, kind, and what depends on them.
Resource decodeProperties(uint32_t low, uint32_t high);

const char* resourceClassText(ResourceClass resourceClass);  // "t", "u", "b", "s"
std::string describe(const Resource& resource);              // "u0, space0 (words)"

enum class LaunchType : uint8_t { None, Broadcasting, Coalescing, Thread, Mesh };

struct NodeId {
    std::string name;
    uint32_t index = 0;
};

// Bits of NodeIo::flags.
inline constexpr uint32_t kNodeInput = 1, kNodeOutput = 2, kNodeReadWrite = 4, kNodeEmpty = 8, kNodeArray = 0x10,
                          kNodeThread = 0x20, kNodeGroup = 0x40, kNodeTrackSharing = 0x100, kNodeCoherent = 0x200;

// Where SV_DispatchGrid lies in a record.
struct GridMember {
    uint32_t offsetBytes = 0;
    uint32_t componentBytes = 4;
    uint32_t components = 3;
};

// An input or an output.
struct NodeIo {
    uint32_t flags = 0;
    uint32_t recordBytes = 0;
    uint32_t alignmentBytes = 4;
    std::optional<GridMember> grid;
    std::optional<uint32_t> maxRecords;
    std::optional<uint32_t> sharesBudgetWith;  // index of an output
    std::optional<uint32_t> arraySize;         // kUnbounded
    bool sparse = false;
    NodeId id;  // outputs
    // Arrays: the output for these of their indices, see separateGrids().
    std::optional<uint32_t> staticOutput;
    std::vector<uint32_t> staticIndices;
};

struct Node {
    LaunchType launch = LaunchType::None;
    bool isProgramEntry = false;
    NodeId id;
    int32_t localArgumentsIndex = -1;
    std::optional<NodeId> sharesInputOf;
    std::optional<std::array<uint32_t, 3>> grid;
    std::optional<std::array<uint32_t, 3>> maxGrid;
    uint32_t maxRecursion = 0;
    std::vector<NodeIo> inputs;
    std::vector<NodeIo> outputs;
};

// The numbers are DXIL's; those that are known here have names.
enum class SemanticKind : uint8_t {
    Arbitrary = 0,
    VertexId = 1,
    InstanceId = 2,
    Position = 3,
    Layer = 4,
    Viewport = 5,
    ClipDistance = 6,
    CullDistance = 7,
    PrimitiveId = 10,
    SampleIndex = 12,
    IsFrontFace = 13,
    Target = 16,
    Depth = 17,
    ShadingRate = 29,
    CullPrimitive = 30,
};

// What a shader reads or writes under one semantic: rows of up to four columns, at a place among the registers of the
// signature.
struct SignatureElement {
    uint32_t id = 0;
    std::string name;  // without the index
    uint32_t index = 0;
    ComponentType component = ComponentType::Invalid;
    SemanticKind kind = SemanticKind::Arbitrary;
    uint32_t interpolation = 0;  // DXIL's number
    uint32_t rows = 1;
    uint32_t columns = 1;
    uint32_t startRow = kUnbounded;  // kUnbounded: it has no place
    uint32_t startColumn = 0;
};

// How much a mesh shader gives out.
struct MeshLimits {
    uint32_t maxVertices = 0;
    uint32_t maxPrimitives = 0;
    uint32_t verticesPerPrimitive = 3;  // 2: lines
};

struct EntryPoint {
    std::string name;
    Function* function = nullptr;
    ShaderKind kind = ShaderKind::Compute;
    std::array<uint32_t, 3> threads = {1, 1, 1};
    std::vector<uint32_t> waveSizes;  // one; or minimum, maximum, preferred
    Node node;                        // kind Node
    std::vector<SignatureElement> inputs;
    std::vector<SignatureElement> outputs;     // kind Mesh: of vertices
    std::vector<SignatureElement> primitives;  // kind Mesh
    MeshLimits mesh;                           // kind Mesh
    // The record of its local root arguments; 0 bytes: it has none.
    uint32_t localBytes = 0;
};

struct ProgramInfo {
    std::vector<Resource> resources;
    std::vector<EntryPoint> entryPoints;
    uint64_t flags = 0;
};

// Errors: metadata that does not say what DXIL demands. Functions of a library that are no nodes are listed with their
// kind.
Result<ProgramInfo> readProgramInfo(const Container& container, const Module& module);

}  // namespace millrace::dxil
