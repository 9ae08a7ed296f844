// SPDX-License-Identifier: Apache-2.0
// DXIL to SPIR-V: compute, mesh and other shaders as they are, each node of a work graph library as a module of
// SPV_AMDX_shader_enqueue. docs/dxil.md says what is supported and how things are mapped.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "dxil/bindings.h"
#include "dxil/overrides.h"
#include "dxil/pipeline_state.h"
#include "dxil/program.h"
#include "dxil/root_signature.h"

namespace millrace::dxil {

// A root signature: a container's part, or one that was put together.
struct LocalSignature {
    std::vector<std::string> entries;  // that have it; none: all nodes
    RootSignature signature;
};

struct Options {
    Bindings bindings;
    std::string entryPoint;                       // only this one; empty: all
    bool useRootSignature = true;                 // global and local ones of the program, if it has any
    std::optional<RootSignature> rootSignature;   // in place of the program's
    std::vector<LocalSignature> localSignatures;  // in front of the program's
    std::vector<NodeOverride> nodes;
    bool onlyListed = false;  // no other nodes than those
    // Vectors of more than four elements as one value (SPV_EXT_long_vector) and not as several. No spirv-val that there
    // is packages of knows them, so validate() cannot look at such modules.
    bool wholeVectors = false;
    // Otherwise: vectors of up to so many elements are split, those of more are arrays that loops go over.
    uint32_t splitUpTo = 16;
};

// A container, and what of it is used under which name.
struct Library {
    std::span<const uint8_t> container;
    std::vector<Export> exports;  // none: all as they are
};

// A module of one entry point.
struct Shader {
    EntryPoint entry;        // its function is gone; overrides are in it
    std::string label;       // unique among all: the function's name, with the node's where that is not enough
    std::string entryPoint;  // its name in the module: of nodes that of the node
    std::vector<uint32_t> words;
    // Atomic operations on records: spirv-val knows no such pointers, though the extension allows them.
    bool hasPayloadAtomics = false;
    bool hasLongVectors = false;      // of more than four elements, with Options::wholeVectors
    bool wasStructurized = false;     // control flow that had to be rebuilt
    std::vector<Resource> resources;  // of its library; their globals are gone
    Bindings bindings;                // with what the root signatures say
};

struct Translation {
    std::vector<Shader> shaders;
    std::vector<Resource> resources;             // of all libraries; their globals are gone
    Bindings bindings;                           // with what the global root signature says
    std::optional<PipelineState> pipelineState;  // if the container has one; libraries do not
};

// The nodes of several libraries are one graph; anything else stands in one. Errors: no DXIL, other kinds of shaders,
// overrides that do not fit, and whatever cannot be expressed, each with its place.
Result<Translation> translate(std::span<const Library> libraries, const Options& options);
Result<Translation> translate(std::span<const uint8_t> container, const Options& options);

// The root signature of any container that has one.
Result<RootSignature> readSignatureOf(std::span<const uint8_t> container);

// spirv-val, which has to look past atomic operations on records. Of modules with long vectors it is only known that
// they can be read.
Status validate(const Shader& shader);

// As spirv::disassemble, which does not know the capability of long vectors.
Result<std::string> disassemble(const std::vector<uint32_t>& words);

}  // namespace millrace::dxil
