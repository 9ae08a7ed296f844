// SPDX-License-Identifier: Apache-2.0
// The nodes of a graph, compiled, and what their shaders say of payloads, descriptors and push constants.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "spirv/specialization.h"
#include "spirv/tools.h"
#include "tools/run/binding_use.h"
#include "tools/run/data_type.h"
#include "tools/run/description.h"

namespace millrace::tools::run {

// What a mesh node draws with, beside itself.
struct FragmentShader {
    const DrawDescription* description = nullptr;
    std::string file;
    spirv::Words words;
    std::string entryPoint;
    std::vector<spirv::SpecializationValue> specialization;
    std::optional<DataType::Kind> outputKind;  // of what it writes at location 0; none: nothing
};

struct ProgramNode {
    size_t description = 0;  // index: a library of DXIL is described once and has several nodes
    std::string file;
    spirv::Words words;
    std::string entryPoint;
    std::optional<std::string> name;  // as given, for VkPipelineShaderStageNodeCreateInfoAMDX
    std::optional<uint32_t> index;
    std::vector<spirv::SpecializationValue> specialization;
    std::vector<uint32_t> waveSizes;     // of HLSL's WaveSize: one; or minimum, maximum, preferred
    graph::NodeDeclaration declared;     // by its code
    DataTypeRef payload;                 // null: empty
    std::vector<DataTypeRef> constants;  // push constant blocks, of each shader at most one
    std::vector<BindingUse> bindings;
    std::optional<FragmentShader> fragment;  // of a mesh node, of which the two above are as well

    bool isMesh() const { return fragment.has_value(); }
};

struct Program {
    std::vector<ProgramNode> nodes;
    std::vector<BindingUse> bindings;   // of all nodes, each descriptor once, by set and binding
    std::vector<DataMember> constants;  // members of all nodes' push constant blocks
    uint64_t constantBytes = 0;
    std::string warnings;  // lines

    bool draws() const;
};

// Compiles, reflects and links. Throws InputError at the place of the node in the graph's description, or in the
// shader's own file. The description must outlive the program.
Program loadProgram(const GraphDescription& description);

}  // namespace millrace::tools::run
