// SPDX-License-Identifier: Apache-2.0
#include "mesh/lower_pipeline.h"

#include <utility>

#include "abi/mesh.h"
#include "commands/fetch_push_constants.h"
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
        if (mode.literal(1) != static_cast<uint32_t>(spv::ExecutionMode::LocalSizeId)) {
            continue;
        }
        Instruction literal = spirv::instruction(spv::Op::OpExecutionMode);
        literal.add(mode.id(0)).add(static_cast<uint32_t>(spv::ExecutionMode::LocalSize));
        for (size_t dimension = 2; dimension < 5; dimension++) {
            uint32_t size = 1;
            module.constantValue(mode.id(dimension), size);
            literal.add(size);
        }
        mode = std::move(literal);
    }
}

// With the values of its specialization constants, and without calls.
Result<Variant> readMesh(const Stage& stage)
{
    auto variant = commands::readStage(stage.words, stage.entryPoint, spv::ExecutionModel::MeshEXT);
    if (!variant) {
        return variant.error();
    }
    if (const Status status = spirv::specialize(variant->module, stage.constants); !status) {
        return status.error();
    }
    const auto inlined = spirv::inlineAll(spirv::write(variant->module));
    if (!inlined) {
        return inlined.error();
    }
    auto whole = commands::readStage(*inlined, stage.entryPoint, spv::ExecutionModel::MeshEXT);
    if (whole) {
        writeLocalSize(whole->module);
    }
    return whole;
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
    if (!fragment || !outputs.find(spv::BuiltIn::PrimitiveId) || !readsPrimitiveId(*fragment)) {
        return inputs;
    }
    inputs.primitiveId = commands::findFreeLocation({mesh, *fragment}, target.interfaceLocations);
    if (!inputs.primitiveId) {
        return Diagnostic{"mesh",
                          {},
                          "no location below " + std::to_string(target.interfaceLocations) +
                              " is free to hand PrimitiveId to the fragment shader"};
    }
    return inputs;
}

Result<Stage> lowerMesh(Variant mesh, const std::string& entryPoint, const MeshOutputs& outputs, const Area& area)
{
    const auto block = commands::findPushConstants(mesh.module);
    if (!block) {
        return block.error();
    }
    if (const Status status = commands::declareArguments(mesh); !status) {
        return status.error();
    }
    if (const Status status = fetchPushConstants(mesh, *block); !status) {
        return status.error();
    }
    if (const Status status = storeOutputs(mesh, outputs, area); !status) {
        return status.error();
    }
    return Stage{entryPoint, finish(mesh), {}};
}

Result<Stage> lowerFragment(Variant fragment, const Stage& given, const PrimitiveInputs& inputs)
{
    const auto block = commands::findPushConstants(fragment.module);
    if (!block) {
        return block.error();
    }
    if (*block) {
        if (const Status status = commands::declareArguments(fragment); !status) {
            return status.error();
        }
        if (const Status status = fetchPushConstants(fragment, *block); !status) {
            return status.error();
        }
    }
    if (const Status status = readPrimitives(fragment, inputs); !status) {
        return status.error();
    }
    return Stage{given.entryPoint, commands::finishVariant(fragment), given.constants};
}

}  // namespace

Result<LoweredPipeline> lowerPipeline(const Stage& mesh, const std::optional<Stage>& fragment, const Target& target)
{
    auto whole = readMesh(mesh);
    if (!whole) {
        return whole.error();
    }
    const auto outputs = readOutputs(whole->module);
    if (!outputs) {
        return outputs.error();
    }
    std::optional<Variant> reader;
    if (fragment) {
        auto read = commands::readStage(fragment->words, fragment->entryPoint, spv::ExecutionModel::Fragment);
        if (!read) {
            return read.error();
        }
        reader = std::move(*read);
    }
    const auto inputs = inputsOf(*whole, *outputs, reader, target);
    if (!inputs) {
        return inputs.error();
    }
    const auto area = Area::create(whole->module, *outputs);
    if (!area) {
        return area.error();
    }
    LoweredPipeline lowered;
    lowered.layout = {area->bytes(), outputs->corners, outputs->maxPrimitives};
    Variant vertex = *whole;
    if (const Status status = drawVertices(vertex, *outputs, *area, *inputs, target); !status) {
        return status.error();
    }
    lowered.vertex = {"main", finish(vertex), {}};
    auto stored = lowerMesh(std::move(*whole), mesh.entryPoint, *outputs, *area);
    if (!stored) {
        return stored.error();
    }
    lowered.mesh = std::move(*stored);
    if (reader) {
        auto read = lowerFragment(std::move(*reader), *fragment, *inputs);
        if (!read) {
            return read.error();
        }
        lowered.fragment = std::move(*read);
    }
    return lowered;
}

}  // namespace millrace::mesh
