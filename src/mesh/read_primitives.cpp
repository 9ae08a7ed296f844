// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>
#include <vector>

#include "mesh/lower_pipeline.h"
#include "mesh/passes.h"
#include "shader/diagnose.h"
#include "shader/globals.h"
#include "spirv/id_set.h"

namespace millrace::mesh {

using spirv::Id;
using spirv::Instruction;
using spirv::Module;
using spirv::Section;

namespace {

constexpr auto kPerPrimitive = static_cast<uint32_t>(spv::Decoration::PerPrimitiveEXT);

// All vertices have the same value of what is per primitive.
void makeFlat(Module& module)
{
    const spirv::InstructionList annotations = module.section(Section::Annotations);
    for (const Instruction& i : annotations)
        if (i.op == spv::Op::OpDecorate && i.literal(1) == kPerPrimitive &&
            !module.findDecoration(i.id(0), spv::Decoration::Flat))
            module.decorate(i.id(0), spv::Decoration::Flat);
        else if (i.op == spv::Op::OpMemberDecorate && i.literal(2) == kPerPrimitive &&
                 !module.findMemberDecoration(i.id(0), i.literal(1), spv::Decoration::Flat))
            module.decorateMember(i.id(0), i.literal(1), spv::Decoration::Flat);
}

}  // namespace

bool readsPrimitiveId(const commands::Variant& fragment)
{
    const spirv::IdSet used = spirv::usedInFunctions(fragment.module);
    for (const Id variable : commands::findInputs(fragment.module, spv::BuiltIn::PrimitiveId))
        if (used.contains(variable))
            return true;
    return false;
}

Status readPrimitives(commands::Variant& fragment, const PrimitiveInputs& inputs)
{
    Module& module = fragment.module;
    shader::Failure failure("readPrimitives");
    for (const Id variable : commands::findInputs(module, spv::BuiltIn::PrimitiveId)) {
        module.removeDecorations([&](const Instruction& i) {
            constexpr auto kBuiltIn = static_cast<uint32_t>(spv::Decoration::BuiltIn);
            return i.op == spv::Op::OpDecorate && i.id(0) == variable &&
                   (i.literal(1) == kBuiltIn || i.literal(1) == kPerPrimitive);
        });
        if (inputs.primitiveId) {
            const uint32_t location[] = {*inputs.primitiveId};
            module.decorate(variable, spv::Decoration::Location, location);
            if (!module.findDecoration(variable, spv::Decoration::Flat))
                module.decorate(variable, spv::Decoration::Flat);
            continue;
        }
        // Undefined, since the mesh shader does not say it.
        const Id zero = shader::getNull(module, module.pointee(module.typeOf(variable)));
        if (!commands::makePrivate(module, variable, failure))
            break;
        module.findDefinition(variable)->add(zero);
    }
    makeFlat(module);
    removeMeshDeclarations(module);
    // Compilers declare it for PrimitiveId, which is none here. Layers and viewports have capabilities of their own.
    if (module.hasCapability(spv::Capability::Geometry)) {
        module.removeCapability(spv::Capability::Geometry);
        for (const auto& [builtIn, capability] :
             {std::pair(spv::BuiltIn::Layer, spv::Capability::ShaderLayer),
              std::pair(spv::BuiltIn::ViewportIndex, spv::Capability::ShaderViewportIndex)}) {
            if (!commands::findInputs(module, builtIn).empty()) {
                module.version = std::max(module.version, 0x00010500u);
                module.addCapability(capability);
            }
        }
    }
    return failure.status();
}

Result<spirv::Words> withoutMeshShading(std::span<const uint32_t> fragment, std::string_view entryPoint,
                                        PrimitiveIdInput primitiveId)
{
    auto variant = commands::readStage(fragment, entryPoint, spv::ExecutionModel::Fragment);
    if (!variant)
        return variant.error();
    Module& module = variant->module;
    if (primitiveId == PrimitiveIdInput::Refused && readsPrimitiveId(*variant))
        return Diagnostic{"mesh", {}, "the fragment shader reads PrimitiveId, which the driver does not give it"};
    if (primitiveId != PrimitiveIdInput::Drivers) {
        if (const Status status = readPrimitives(*variant, {}); !status)
            return status.error();
        return commands::finishVariant(*variant);
    }
    makeFlat(module);
    removeMeshDeclarations(module);
    const bool isDeclared =
        module.hasCapability(spv::Capability::Geometry) || module.hasCapability(spv::Capability::Tessellation);
    if (!isDeclared && !commands::findInputs(module, spv::BuiltIn::PrimitiveId).empty())
        module.addCapability(spv::Capability::Geometry);
    return commands::finishVariant(*variant);
}

}  // namespace millrace::mesh
