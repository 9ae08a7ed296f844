// SPDX-License-Identifier: Apache-2.0
// The shaders of a lowered pipeline, one by one.
#pragma once

#include <cstdint>
#include <optional>

#include "base/result.h"
#include "commands/variant.h"
#include "mesh/area.h"
#include "mesh/independent_vertices.h"
#include "mesh/lower_pipeline.h"
#include "mesh/mesh_outputs.h"

namespace millrace::mesh {

// The task shader becomes a compute shader that writes the grids that it emits, each with its payload behind it.
// Requires: commands::declareArguments(). Returns the bytes of a grid with payload. Errors: its payload is of a type
// that memory cannot have.
Result<uint64_t> emitGrids(commands::Variant& task);

// The mesh shader becomes a compute shader that takes memory for its outputs when it sets their counts, and reads its
// payload where emitGrids() left it. Requires: commands::declareArguments(); the areas' types are in its module.
// It has `viewMask` as MeshLayout says. Errors: pointers to outputs or the payload that are chosen or passed on.
Status storeOutputs(commands::Variant& mesh, const MeshOutputs& outputs, const OutputAreas& areas, bool hasTasks,
                    uint32_t viewMask);

// Loads of the payload, in the entry point, become loads from where emitGrids() left it. `grid`: a Private variable, a
// pair of words, that is set before the entry point is called: the address. Requires and errors: as storeOutputs().
Status readPayload(commands::Variant& variant, spirv::Id grid);

// What per-primitive outputs are to the fragment shader.
struct PrimitiveInputs {
    std::optional<uint32_t> primitiveId;  // the location at which it gets PrimitiveId; none: it does not
};

// None if draws have no index buffers: what is per primitive is read by the fragment shader or the rasterizer, or it
// runs for each view. `fragment`: null if there is none.
std::optional<MeshIndices> findIndices(const commands::Variant& mesh, const MeshOutputs& outputs,
                                       const OutputAreas& areas, const PrimitiveInputs& inputs,
                                       const commands::Variant* fragment, uint32_t viewMask);

// A copy of the mesh shader, before storeOutputs(), becomes the vertex shader that reads what workgroups left, for its
// own view where they ran for each. The layout has `indices` and `viewMask`. `code`: null, or what computes vertices
// that are not in memory; `vertex` is its shader then. Errors: what the device lacks.
Status drawVertices(commands::Variant& vertex, const VertexCode* code, const MeshOutputs& outputs,
                    const OutputAreas& areas, const PrimitiveInputs& inputs, const Target& target,
                    const MeshLayout& layout);

// The fragment shader gets what is per primitive from all vertices of it.
Status readPrimitives(commands::Variant& fragment, const PrimitiveInputs& inputs);

// True if the fragment shader reads PrimitiveId.
bool readsPrimitiveId(const commands::Variant& fragment);

// With the values of its specialization constants, and without calls.
Result<commands::Variant> readInlined(const Stage& stage, spv::ExecutionModel model);

// A 32-bit integer, or an index of any size, as an unsigned one.
spirv::Id asWord(spirv::Emitter& out, spirv::Id value);

// Of a vector of words.
spirv::Id component(spirv::Emitter& out, spirv::Id vector, uint32_t which);

// Takes out what only task and mesh shaders and shaders behind them may declare.
void removeMeshDeclarations(spirv::Module& module);

// Makes the entry point one of a compute shader.
void becomeCompute(commands::Variant& variant);

// The payload of a task or mesh shader; none if it has none.
spirv::Id findPayload(const spirv::Module& module);

// The value of a built-in, unsigned integers of the type, for the Private variable that stands for it.
void storeInput(spirv::Emitter& out, spirv::Id variable, spirv::Id value, spirv::Id type);

// The value of the number of a draw at the start of the entry point, in place of DrawIndex. Errors: its pointer is
// passed on.
Status setDrawIndex(spirv::Module& module, spirv::Emitter& out, spirv::Id number);

// A workgroup that is larger than `most` in some dimension lies in a row, with as many invocations. For the end: what
// reads the built-in WorkgroupSize has the constant. Errors: a pointer to LocalInvocationId that is passed on.
Status flattenGroup(commands::Variant& variant, const GroupSize& most);

// Of the entry point, which has no specialization constants. x runs fastest.
GroupSize groupSizeOf(const spirv::Module& module);
spirv::Id positionOf(spirv::Emitter& out, spirv::Id index, const GroupSize& size);
// The constant WorkgroupSize is one like others.
void forgetGroupSize(spirv::Module& module);

// True if nobody can tell afterwards whether the mesh shader ran, but for its outputs. Whoever reads those relies on
// them.
bool leavesNoTraces(const spirv::Module& module);

// ViewIndex becomes a constant where there are no several views, or where nothing reads it. Returns the views for each
// of which the shader has to run, else 0; it has ViewIndex then. Errors: a pointer to it that is passed on.
Result<uint32_t> settleViews(spirv::Module& module, const Views& views);

// The value of ViewIndex at the start of the entry point. Errors: its pointer is passed on.
Status setViewIndex(spirv::Module& module, spirv::Emitter& out, spirv::Id index);

// How many views of the mask have an index in front of that one, which is one of them.
spirv::Id viewsInFront(spirv::Emitter& out, uint32_t viewMask, spirv::Id index);

}  // namespace millrace::mesh
