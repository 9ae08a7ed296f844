// SPDX-License-Identifier: Apache-2.0
// Where a vertex that is drawn has its outputs in memory.
#pragma once

#include <utility>

#include "commands/variant.h"
#include "mesh/area.h"
#include "mesh/lower_pipeline.h"
#include "mesh/mesh_outputs.h"
#include "shader/function_writer.h"

namespace millrace::mesh {

// Of a vertex that is numbered by its primitive. All but the addresses are words.
struct VertexPlace {
    spirv::Id primitive{};  // of those of its workgroup
    spirv::Id corner{};
    spirv::Id vertexCount{};
    spirv::LongWords vertices{};  // of the workgroup, and its primitives
    spirv::LongWords primitives{};
    spirv::Id isThere{};  // a bool, with a mask of views: a view may have fewer primitives than another
};

// Of a vertex that an index buffer numbers.
struct IndexedPlace {
    spirv::LongWords vertices{};  // of its workgroup
    spirv::Id index{};            // of those, a word
    spirv::Id isDrawn{};          // a bool
};

// Writes code at the end of `writer`. All outlive this.
class PlaceFinder {
public:
    // `viewMask`: as MeshLayout::viewMask.
    PlaceFinder(shader::FunctionWriter& writer, commands::ArgumentLoads& loads, spirv::Module& module,
                const MeshOutputs& outputs, const OutputAreas& areas, uint32_t viewMask)
        : m_writer(writer), m_loads(loads), m_module(module), m_outputs(outputs), m_areas(areas), m_viewMask(viewMask)
    {
    }

    // Vertices are numbered by primitive, in the order of workgroups, and corner.
    VertexPlace byNumber();
    // As abi::MeshIndexing says.
    IndexedPlace byIndex(const MeshIndices& indices);

private:
    // Addresses: of abi::SequenceTable, and of the first abi::MeshGroup.
    struct Table {
        spirv::LongWords address;
        spirv::LongWords groups;
    };

    spirv::Id word() { return m_module.getIntType(32, false); }
    spirv::Id number(uint32_t value) { return m_module.getConstant(value); }
    spirv::Id emit(spv::Op op, spirv::Id type, std::initializer_list<spirv::Id> operands)
    {
        return m_writer.out().emit(op, type, operands);
    }
    spirv::Id at(spirv::Id vector, uint32_t which);
    spirv::LongWords addressIn(spirv::Id vector);
    spirv::Id createInput(spv::BuiltIn builtIn);
    spirv::Id loadNumber();
    spirv::Id viewIndex();
    spirv::Id primitivesOffset(spirv::Id vertexCount);
    Table loadTable();
    spirv::LongWords locate(spirv::Emitter& out, spirv::LongWords groups, spirv::Id index);
    std::pair<spirv::Id, spirv::Id> loadMarks(spirv::LongWords marks, spirv::Id primitive);
    spirv::Id findGroup(spirv::Id primitive, VertexPlace& place);
    spirv::Id findGroupOfView(const Table& table, spirv::Id count, spirv::Id found, VertexPlace& place);

    shader::FunctionWriter& m_writer;
    commands::ArgumentLoads& m_loads;
    spirv::Module& m_module;
    const MeshOutputs& m_outputs;
    const OutputAreas& m_areas;
    const uint32_t m_viewMask;
    spirv::Id m_number{};  // VertexIndex
};

}  // namespace millrace::mesh
