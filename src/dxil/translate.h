// SPDX-License-Identifier: Apache-2.0
// DXIL to SPIR-V: compute shaders as they are, each node of a work graph library as a module of
// SPV_AMDX_shader_enqueue. docs/dxil.md says what is supported and how things are mapped.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "dxil/bindings.h"
#include "dxil/program.h"

namespace millrace::dxil {

struct Options {
    Bindings bindings;
    std::string entryPoint;              // only this one; empty: all
    bool useRootSignature = true;        // of the container, if it has one
    std::vector<uint8_t> rootSignature;  // a container that has one, in place of the program's
};

// A module of one entry point.
struct Shader {
    EntryPoint entry;        // its function is gone
    std::string entryPoint;  // its name in the module: of nodes that of the node
    std::vector<uint32_t> words;
    // Atomic operations on records: spirv-val knows no such pointers, though the extension allows them.
    bool hasPayloadAtomics = false;
    bool wasStructurized = false;  // control flow that had to be rebuilt
};

struct Translation {
    std::vector<Shader> shaders;
    std::vector<Resource> resources;  // their globals are gone
    Bindings bindings;                // with what the root signature says
};

// Errors: no DXIL, other kinds of shaders, and whatever cannot be expressed, each with its place.
Result<Translation> translate(std::span<const uint8_t> container, const Options& options);

// spirv-val, which has to look past atomic operations on records.
Status validate(const Shader& shader);

}  // namespace millrace::dxil
