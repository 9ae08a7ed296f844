// SPDX-License-Identifier: Apache-2.0
// The container that D3D's compilers write: "DXBC", a digest, and parts with four-letter names.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "dxil/bytes.h"

namespace millrace::dxil {

enum class ShaderKind : uint32_t {
    Pixel,
    Vertex,
    Geometry,
    Hull,
    Domain,
    Compute,
    Library,
    RayGeneration,
    Intersection,
    AnyHit,
    ClosestHit,
    Miss,
    Callable,
    Mesh,
    Amplification,
    Node,
};

const char* shaderKindText(ShaderKind kind);

struct Part {
    std::string name;  // four characters
    Bytes bytes;
};

// Views into the bytes that were read.
struct Container {
    std::vector<Part> parts;
    ShaderKind kind = ShaderKind::Library;
    uint32_t major = 0, minor = 0;  // shader model
    Bytes bitcode;

    const Part* findPart(std::string_view name) const;
};

// The parts of any container, also of one that has no program. Errors: what is no container, has parts outside of
// itself.
Result<std::vector<Part>> readParts(Bytes bytes);

// Errors: what is no container, has parts outside of itself, or has no DXIL program: for the bytecode of shader model 5
// and older it says so. Digests are not checked: tools that do not sign leave them zero.
Result<Container> readContainer(Bytes bytes);

}  // namespace millrace::dxil
