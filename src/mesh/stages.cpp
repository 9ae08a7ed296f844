// SPDX-License-Identifier: Apache-2.0
// What task and mesh shaders share on their way to compute shaders.
#include "compiler/diagnose.h"
#include "compiler/globals.h"
#include "mesh/passes.h"
#include "spirv/edit.h"

namespace millrace::mesh {

using spirv::Emitter;
using spirv::Id;
using spirv::Instruction;
using spirv::Module;
using spirv::Section;

namespace {

bool isOfMeshShaders(const Instruction& mode)
{
    switch (static_cast<spv::ExecutionMode>(mode.literal(1))) {
        case spv::ExecutionMode::OutputVertices:
        case spv::ExecutionMode::OutputPrimitivesEXT:
        case spv::ExecutionMode::OutputPoints:
        case spv::ExecutionMode::OutputLinesEXT:
        case spv::ExecutionMode::OutputTrianglesEXT:
            return true;
        default:
            return false;
    }
}

}  // namespace

Result<commands::Variant> readInlined(const Stage& stage, spv::ExecutionModel model)
{
    auto variant = commands::readStage(stage.words, stage.entryPoint, model);
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
    return commands::readStage(*inlined, stage.entryPoint, model);
}

Id asWord(Emitter& out, Id value)
{
    Module& module = out.module();
    const Id type = module.typeOf(value), word = module.getIntType(32, false);
    if (type == word) {
        return value;
    }
    const Instruction* i = module.findDefinition(type);
    const bool isWord = i && i->op == spv::Op::OpTypeInt && i->literal(0) == 32;
    return out.emit(isWord ? spv::Op::OpBitcast : spv::Op::OpUConvert, word, {value});
}

void removeMeshDeclarations(Module& module)
{
    module.removeCapability(spv::Capability::MeshShadingEXT);
    module.removeExtension("SPV_EXT_mesh_shader");
    module.removeCapability(spv::Capability::DrawParameters);  // DrawIndex is a variable of the shader's
    std::erase_if(module.section(Section::ExecutionModes), isOfMeshShaders);
    module.removeDecorations([](const Instruction& i) {
        constexpr auto kPerPrimitive = static_cast<uint32_t>(spv::Decoration::PerPrimitiveEXT);
        return (i.op == spv::Op::OpDecorate && i.literal(1) == kPerPrimitive) ||
               (i.op == spv::Op::OpMemberDecorate && i.literal(2) == kPerPrimitive);
    });
}

void becomeCompute(commands::Variant& variant)
{
    variant.model = spv::ExecutionModel::GLCompute;
    variant.module.section(Section::EntryPoints)[0].setLiteral(0,
                                                               static_cast<uint32_t>(spv::ExecutionModel::GLCompute));
    removeMeshDeclarations(variant.module);
    variant.module.removeCapability(spv::Capability::FragmentShadingRateKHR);  // of an output that is in memory now
}

Id findPayload(const Module& module)
{
    for (const Instruction& i : module.section(Section::Globals)) {
        if (i.op == spv::Op::OpVariable &&
            i.literal(0) == static_cast<uint32_t>(spv::StorageClass::TaskPayloadWorkgroupEXT)) {
            return i.result;
        }
    }
    return {};
}

Status setDrawIndex(Module& module, Emitter& out, Id number)
{
    compiler::Failure failure("setDrawIndex");
    for (const Id variable : commands::findInputs(module, spv::BuiltIn::DrawIndex)) {
        const Id type = module.pointee(module.typeOf(variable));
        if (!commands::makePrivate(module, variable, failure)) {
            break;
        }
        const Id value = type == module.getIntType(32, false) ? number : out.emit(spv::Op::OpBitcast, type, {number});
        out.emitVoid(spv::Op::OpStore, {variable, value});
    }
    return failure.status();
}

Status clearViewIndex(Module& module)
{
    compiler::Failure failure("clearViewIndex");
    for (const Id variable : commands::findInputs(module, spv::BuiltIn::ViewIndex)) {
        const Id zero = compiler::getNull(module, module.pointee(module.typeOf(variable)));
        if (!commands::makePrivate(module, variable, failure)) {
            break;
        }
        module.findDefinition(variable)->add(zero);
    }
    module.removeCapability(spv::Capability::MultiView);
    return failure.status();
}

}  // namespace millrace::mesh
