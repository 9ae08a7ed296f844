// SPDX-License-Identifier: Apache-2.0
// How a mesh shader that runs as a compute shader takes memory for its outputs: abi::MeshOutputMemory.
#pragma once

#include <array>
#include <cstdint>

#include "commands/variant.h"
#include "mesh/mesh_outputs.h"
#include "shader/function_writer.h"

namespace millrace::mesh {

class OutputMemory {
public:
    // Declares the variables that the shader needs. Requires: commands::declareArguments(); Variant::group. `viewMask`:
    // as MeshLayout says.
    OutputMemory(commands::Variant& mesh, const MeshOutputs& outputs, const OutputAreas& areas, uint32_t viewMask);

    // Of the view that the workgroup runs for, where there is a mask of them. A word.
    spirv::Id viewIndex(spirv::Emitter& out);

    // The address of a vertex or primitive, behind setCounts(). `index`: a word. Beyond the counts it is that of room
    // for all that is.
    spirv::LongWords locate(spirv::Emitter& out, bool isPrimitive, spirv::Id index);
    // At the start of the entry point: for the origin, where there is one. A word.
    void setDrawIndex(spirv::Emitter& out, spirv::Id number);
    // In place of OpSetMeshOutputsEXT. Words.
    void setCounts(spirv::Emitter& out, spirv::Id vertices, spirv::Id primitives);
    // Writes a new entry point, which runs the old one if there is memory for what it may give out.
    void wrapEntry();

private:
    // Private variables.
    struct Elements {
        spirv::Id begin;  // address, as a pair
        spirv::Id count;
        uint32_t stride;
        uint32_t most;
    };

    spirv::Id number(uint32_t value) { return m_module.getConstant(value); }
    spirv::Id createVariable(spirv::Id type, spv::StorageClass storage, const char* name);
    spirv::LongWords load(spirv::Emitter& out, spirv::Id pair);
    void store(spirv::Emitter& out, spirv::Id pair, spirv::LongWords address);
    spirv::Id isFirst(spirv::Emitter& out);
    spirv::Id unitsInFront(spirv::Emitter& out, spirv::Id vertices, spirv::Id primitives);
    spirv::Id unitsOf(spirv::Emitter& out, const Elements& elements, spirv::Id count);
    spirv::Id atomic(spirv::Emitter& out, spv::Op op, size_t member, spirv::Id value);
    spirv::Id fits(spirv::Emitter& out, spirv::Id before, spirv::Id wanted, spirv::Id units);
    void writeGroup(spirv::Emitter& out, spirv::LongWords address, spirv::Id counts);
    void wait(spirv::Emitter& out);
    void writeTake();
    void takeUnits(shader::FunctionWriter& writer, spirv::Id vertices, spirv::Id primitives);
    void writeOrigin(shader::FunctionWriter& writer, spirv::LongWords address, spirv::Id counts);
    void take(shader::FunctionWriter& writer, spirv::Id units);
    spirv::Id groupOfAllViews(spirv::Emitter& out, spirv::LongWords table);
    spirv::LongWords findWork(spirv::Emitter& out, spirv::LongWords ofDispatch);
    void findMemory(shader::FunctionWriter& writer);
    spirv::Id isToRun(shader::FunctionWriter& writer);
    spirv::Id isLimited(spirv::Emitter& out);
    void giveBack(shader::FunctionWriter& writer, spirv::Id units);
    spirv::Id reserve(shader::FunctionWriter& writer);
    spirv::Id begin(shader::FunctionWriter& writer);

    commands::Variant& m_mesh;
    spirv::Module& m_module;
    commands::ArgumentLoads m_loads;
    spirv::Id m_word, m_pair, m_quad, m_bool;
    uint32_t m_mostUnits;
    // Whoever may set counts again takes memory for the most there may be, once, and the counts say nothing of where
    // things are.
    const bool m_setsAgain;
    const bool m_hasOrigin;
    const bool m_reserves;              // for it writes what would be written again if it ran again
    const uint32_t m_primitivesOffset;  // where counts may be set again
    const uint32_t m_viewMask;
    std::array<Elements, 2> m_elements;  // vertices, primitives
    spirv::Id m_head;                    // Private: the address of abi::MeshOutputMemory
    spirv::Id m_group;                   // Private: that of the workgroup's abi::MeshGroup
    spirv::Id m_hasTaken;                // Private
    spirv::Id m_drawIndex;               // Private, where there is an origin
    spirv::Id m_sharedRuns;              // where it reserves
    spirv::Id m_sharedOutputs;           // address, counts, 1 if there is memory
    spirv::Id m_take;                    // function
};

}  // namespace millrace::mesh
