// SPDX-License-Identifier: Apache-2.0
// What is said of a node and its payloads outside of code: execution modes, payload array types and their decorations.
#pragma once

#include "glsl/declared.h"

namespace millrace::glsl {

// A nodein or nodeout in a module.
struct Payload {
    const Declared* declared = nullptr;
    spirv::Id block;      // the storage buffer that glslang made of it; none if nothing was declared for it
    spirv::Id structure;  // of a payload
    spirv::Id array;      // OpTypeNodePayloadArrayAMDX
    spirv::Id pointer;    // to the array, NodePayloadAMDX
    spirv::Id input;      // the variable of a nodein

    bool isInput() const { return declared->source->kind == DeclarationKind::Input; }
};

void declareNode(spirv::Module& module, const std::vector<Declared>& declared);

// Variables of inputs take the place of their blocks in the interface; blocks stay until completeCode().
Result<std::vector<Payload>> declarePayloads(spirv::Module& module, const std::vector<Declared>& declared);

// A node whose grid is not constant and that has an input must find the grid in it.
Status checkGrid(const spirv::Module& module, const std::vector<Declared>& declared,
                 const std::vector<Payload>& payloads);

// Swaps the entry point's interface: `remove`, where it is there, for `add`; either may be none.
void changeInterface(spirv::Module& module, spirv::Id remove, spirv::Id add);

}  // namespace millrace::glsl
