// SPDX-License-Identifier: Apache-2.0
// The part of a vertex shader that computes a vertex again, in place of loading it.
#pragma once

#include "base/result.h"
#include "commands/variant.h"
#include "mesh/independent_vertices.h"
#include "shader/function_writer.h"

namespace millrace::mesh {

class ComputeVertex {
public:
    // `vertex` has the code's module, and its entry point as a function. `maxVertices`: of a workgroup. `mayStore`: as
    // Target::vertexStores.
    ComputeVertex(commands::Variant& vertex, const VertexCode& code, uint32_t maxVertices, bool mayStore);

    // In place of commands::declareArguments(). The code loads push constants and the payload by address from now on,
    // and is valid in a vertex shader. Errors: as commands::fetchPushConstants() and readPayload().
    Status prepare();

    // Leaves VertexCode::values of a vertex. `origin`: where the workgroup has its abi::MeshOrigin. `index`: a word.
    void run(shader::FunctionWriter& writer, spirv::LongWords origin, spirv::Id index);

private:
    void markReadOnly();
    spirv::Id valueOf(spirv::Emitter& out, spv::BuiltIn builtIn);

    commands::Variant& m_vertex;
    spirv::Module& m_module;
    const VertexCode& m_code;
    const uint32_t m_maxVertices;
    const bool m_mayStore;
    const spirv::Id m_function;
    spirv::Id m_grid;  // Private: an address
    spirv::Id m_lane{};
    spirv::Id m_group{};
    spirv::Id m_drawIndex{};
    spirv::LongWords m_gridAddress{};
};

}  // namespace millrace::mesh
