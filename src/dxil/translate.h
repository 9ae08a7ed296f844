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
    std::string entryPoint;  // only this one; empty: all
};

// A module of one entry point, by its name in the library.
struct Shader {
    EntryPoint entry;  // its function is gone
    std::vector<uint32_t> words;
    // Atomic operations on records: spirv-val knows no such pointers, though the extension allows them.
    bool hasPayloadAtomics = false;
    bool wasStructurized = false;  // control flow that had to be rebuilt
};

struct Translation {
    std::vector<Shader> shaders;
    std::vector<Resource> resources;  // their globals are gone
};

// Errors: no DXIL, other kinds of shaders, and whatever cannot be expressed, each with its place.
Result<Translation> translate(std::span<const uint8_t> container, const Options& options);

// spirv-val, which has to look past atomic operations on records.
Status validate(const Shader& shader);

}  // namespace millrace::dxil
