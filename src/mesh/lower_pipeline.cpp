// SPDX-License-Identifier: Apache-2.0
#include "mesh/lower_pipeline.h"

#include <cstddef>
#include <utility>

#include "abi/mesh.h"
#include "commands/fetch_push_constants.h"
#include "commands/find_sequence.h"
#include "commands/interface_locations.h"
#include "commands/variant.h"
#include "mesh/passes.h"
#include "spirv/edit.h"

namespace millrace::mesh {

using commands::Variant;
using spirv::Id;
using spirv::Instruction;
using spirv::Section;

namespace {

// LocalSizeId is an execution mode that drivers may lack (maintenance4).
void writeLocalSize(spirv::Module& module)
{
    for (Instruction& mode : module.section(Section::ExecutionModes)) {
        if (mode.literal(1) != static_cast<uint32_t>(spv::ExecutionMode::LocalSizeId))
            continue;
        Instruction literal = spirv::instruction(spv::Op::OpExecutionMode);
        literal.add(mode.id(0)).add(static_cast<uint32_t>(spv::ExecutionMode::LocalSize));
        for (size_t dimension = 2; dimension < 5; ++dimension) {
            uint32_t size = 1;
            module.constantValue(mode.id(dimension), size);
            literal.add(size);
        }
        mode = std::move(literal);
    }
}

// As readInlined(), without what drivers may lack.
Result<Variant> readWhole(const Stage& stage, spv::ExecutionModel model)
{
    auto whole = readInlined(stage, model);
    if (!whole)
        return whole.error();
    writeLocalSize(whole->module);
    return whole;
}

uint32_t invocationsOf(const spirv::Module& module)
{
    const GroupSize size = groupSizeOf(module);
    return size[0] * size[1] * size[2];
}

// The application's push constants are loaded by address.
Status fetchPushConstants(Variant& variant, Id block)
{
    return block ? commands::fetchPushConstants(variant, block, commands::Layout()) : Status();
}

spirv::Words finish(Variant& variant)
{
    spirv::removeUnused(variant.module);
    return commands::finishVariant(variant);
}

// A location for PrimitiveId, where the fragment shader wants what the mesh shader gives out.
Result<PrimitiveInputs> inputsOf(const Variant& mesh, const MeshOutputs& outputs,
                                 const std::optional<Variant>& fragment, const Target& target)
{
    PrimitiveInputs inputs;
    if (!fragment || !outputs.find(spv::BuiltIn::PrimitiveId) || !readsPrimitiveId(*fragment))
        return inputs;
    inputs.primitiveId = commands::findFreeLocation({mesh, *fragment}, target.interfaceLocations);
    if (!inputs.primitiveId) {
        return Diagnostic{"mesh",
                          {},
                          "no location below " + std::to_string(target.interfaceLocations) +
                              " is free to hand PrimitiveId to the fragment shader"};
    }
    return inputs;
}

// Declares what is pushed, and loads the application's push constants from where that leads.
Status takeArguments(Variant& variant)
{
    const auto block = commands::findPushConstants(variant.module);
    if (!block)
        return block.error();
    if (const Status status = commands::declareArguments(variant); !status)
        return status;
    variant.recordsOffset =
        static_cast<int32_t>(offsetof(abi::MeshWork, grids)) - static_cast<int32_t>(offsetof(abi::MeshWork, table));
    return fetchPushConstants(variant, *block);
}

// The workgroups of all grids are launched by one dispatch.
Result<Stage> finishCompute(Variant& variant, const std::string& entryPoint, const Target& target)
{
    if (const Status status = commands::findSequence(variant, commands::Layout()); !status)
        return status.error();
    if (const Status status = flattenGroup(variant, target.groupSize); !status)
        return status.error();
    return Stage{entryPoint, finish(variant), {}};
}

Result<Stage> lowerTask(const Stage& task, MeshLayout& layout, const Target& target)
{
    auto variant = readWhole(task, spv::ExecutionModel::TaskEXT);
    if (!variant)
        return variant.error();
    if (const Status status = takeArguments(*variant); !status)
        return status.error();
    const auto bytes = emitGrids(*variant);
    if (!bytes)
        return bytes.error();
    layout.gridBytes = *bytes;
    layout.taskInvocations = invocationsOf(variant->module);
    return finishCompute(*variant, task.entryPoint, target);
}

Result<Stage> lowerMesh(Variant mesh, const std::string& entryPoint, const MeshOutputs& outputs,
                        const OutputAreas& areas, const MeshLayout& layout, const Target& target)
{
    mesh.mayBeSeries = layout.mayBeSeries();
    if (const Status status = takeArguments(mesh); !status)
        return status.error();
    if (const Status status = storeOutputs(mesh, outputs, areas, layout.gridBytes != 0, layout.viewMask); !status)
        return status.error();
    return finishCompute(mesh, entryPoint, target);
}

// Where vertices are to be computed again, and that is proven to be right, `mesh` is without them, and there is code.
Result<MeshOutputs> takeOutputs(Variant& mesh, bool areComputed, std::optional<VertexCode>& code)
{
    auto independent = areComputed ? findIndependentVertices(mesh) : std::nullopt;
    if (!independent)
        return readOutputs(mesh.module);
    mesh = std::move(independent->mesh);
    code = std::move(independent->code);
    return std::move(independent->outputs);
}

Result<Stage> lowerVertex(const Variant& mesh, const std::optional<VertexCode>& code, const MeshOutputs& outputs,
                          const OutputAreas& areas, const PrimitiveInputs& inputs, const Target& target,
                          const MeshLayout& layout)
{
    Variant vertex = code ? code->shader : mesh;
    std::optional<OutputAreas> own;  // types are those of a module
    if (code) {
        auto laidOut = layOutOutputs(vertex.module, outputs, true);
        if (!laidOut)
            return laidOut.error();
        own = std::move(*laidOut);
    }
    const Status status =
        drawVertices(vertex, code ? &*code : nullptr, outputs, own ? *own : areas, inputs, target, layout);
    return status ? Result<Stage>(Stage{"main", finish(vertex), {}}) : status.error();
}

Result<Stage> lowerFragment(Variant fragment, const Stage& given, const PrimitiveInputs& inputs)
{
    const auto block = commands::findPushConstants(fragment.module);
    if (!block)
        return block.error();
    if (*block) {
        if (const Status status = commands::declareArguments(fragment); !status)
            return status.error();
        if (const Status status = fetchPushConstants(fragment, *block); !status)
            return status.error();
    }
    if (const Status status = readPrimitives(fragment, inputs); !status)
        return status.error();
    return Stage{given.entryPoint, commands::finishVariant(fragment), given.constants};
}

}  // namespace

Result<LoweredPipeline> lowerPipeline(const std::optional<Stage>& task, const Stage& mesh,
                                      const std::optional<Stage>& fragment, const Target& target, const Views& views)
{
    auto whole = readWhole(mesh, spv::ExecutionModel::MeshEXT);
    if (!whole)
        return whole.error();
    const auto viewMask = settleViews(whole->module, views);
    if (!viewMask)
        return viewMask.error();
    std::optional<VertexCode> code;
    const auto outputs = takeOutputs(*whole, target.computedVertices && *viewMask == 0, code);
    if (!outputs)
        return outputs.error();
    std::optional<Variant> reader;
    if (fragment) {
        auto read = commands::readStage(fragment->words, fragment->entryPoint, spv::ExecutionModel::Fragment);
        if (!read)
            return read.error();
        reader = std::move(*read);
    }
    const auto inputs = inputsOf(*whole, *outputs, reader, target);
    if (!inputs)
        return inputs.error();
    const auto areas = layOutOutputs(whole->module, *outputs, code.has_value());
    if (!areas)
        return areas.error();
    LoweredPipeline lowered;
    lowered.layout = {areas->mostUnits(*outputs), 0, outputs->corners,
                      (outputs->maxPrimitives + abi::kMeshMarkPrimitives - 1) / abi::kMeshMarkPrimitives, *viewMask};
    lowered.layout.meshInvocations = invocationsOf(whole->module);
    if (target.indices)
        lowered.layout.indices = findIndices(*whole, *outputs, *areas, *inputs, reader ? &*reader : nullptr, *viewMask);
    if (task) {
        auto emitted = lowerTask(*task, lowered.layout, target);
        if (!emitted)
            return emitted.error();
        lowered.task = std::move(*emitted);
    }
    const auto pushed = reader ? commands::findPushConstants(reader->module) : Result<Id>(Id());
    if (!pushed)
        return pushed.error();
    lowered.layout.mayBeBatched = lowered.layout.mayBeSeries() && !*pushed;
    auto vertex = lowerVertex(*whole, code, *outputs, *areas, *inputs, target, lowered.layout);
    if (!vertex)
        return vertex.error();
    lowered.vertex = std::move(*vertex);
    lowered.layout.computesVertices = code.has_value();
    auto stored = lowerMesh(std::move(*whole), mesh.entryPoint, *outputs, *areas, lowered.layout, target);
    if (!stored)
        return stored.error();
    lowered.mesh = std::move(*stored);
    if (reader) {
        auto read = lowerFragment(std::move(*reader), *fragment, *inputs);
        if (!read)
            return read.error();
        lowered.fragment = std::move(*read);
    }
    return lowered;
}

}  // namespace millrace::mesh
