// SPDX-License-Identifier: Apache-2.0
// The part PSV0 of a container: what a driver wants to know of a program without reading it. Its metadata says the
// same, and is what is translated; one that says something else comes from no compiler.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "dxil/program.h"

namespace millrace::dxil {

struct PipelineResource {
    ResourceClass resourceClass = ResourceClass::Srv;
    uint32_t space = 0;
    uint32_t lowerBound = 0;
    uint32_t upperBound = 0;  // ~0: unbounded
    auto operator<=>(const PipelineResource&) const = default;
};

// Older parts say less.
struct PipelineState {
    uint32_t minWaveLanes = 0;
    uint32_t maxWaveLanes = ~0u;
    std::optional<ShaderKind> kind;
    bool usesViewId = false;
    std::optional<std::array<uint32_t, 3>> threads;
    std::optional<std::string> entry;
    std::optional<uint32_t> groupSharedBytes;
    uint32_t inputs = 0, outputs = 0, primitives = 0;  // elements of signatures
    std::vector<PipelineResource> resources;
};

// Errors: tables that lie outside of the part, resources of no known type, names without an end.
Result<PipelineState> readPipelineState(Bytes part);

// Errors: the first thing that the program itself says otherwise.
Status checkPipelineState(const PipelineState& state, const Container& container, const ProgramInfo& info);

}  // namespace millrace::dxil
