// SPDX-License-Identifier: Apache-2.0
// What task and mesh shaders share on their way to compute shaders.
#include <algorithm>
#include <bit>
#include <vector>

#include "mesh/passes.h"
#include "shader/diagnose.h"
#include "shader/globals.h"
#include "spirv/edit.h"
#include "spirv/id_set.h"

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

bool decoratesGroupSize(const Instruction& i)
{
    return i.op == spv::Op::OpDecorate && i.operandCount() > 2 &&
           i.literal(1) == static_cast<uint32_t>(spv::Decoration::BuiltIn) &&
           i.literal(2) == static_cast<uint32_t>(spv::BuiltIn::WorkgroupSize);
}

void changeBuiltIn(Module& module, Id variable, spv::BuiltIn builtIn)
{
    module.removeDecorations([&](const Instruction& i) {
        return i.op == spv::Op::OpDecorate && i.id(0) == variable &&
               i.literal(1) == static_cast<uint32_t>(spv::Decoration::BuiltIn);
    });
    const uint32_t literal[] = {static_cast<uint32_t>(builtIn)};
    module.decorate(variable, spv::Decoration::BuiltIn, literal);
}

// Of an integer of 32 bits with any sign.
Id createConstant(Module& module, Id type, uint32_t value)
{
    const Id constant = module.newId();
    module.section(Section::Globals).push_back(spirv::instruction(spv::Op::OpConstant, type, constant).add(value));
    return constant;
}

// The value of an integer at the start of the entry point, in place of the built-in.
Status setInput(Module& module, Emitter& out, spv::BuiltIn builtIn, Id number)
{
    shader::Failure failure("setInput");
    for (const Id variable : commands::findInputs(module, builtIn)) {
        if (!commands::makePrivate(module, variable, failure))
            break;
        storeInput(out, variable, number, module.getIntType(32, false));
    }
    return failure.status();
}

}  // namespace

Result<commands::Variant> readInlined(const Stage& stage, spv::ExecutionModel model)
{
    auto variant = commands::readStage(stage.words, stage.entryPoint, model);
    if (!variant)
        return variant.error();
    if (const Status status = spirv::specialize(variant->module, stage.constants); !status)
        return status.error();
    const auto inlined = spirv::inlineAll(spirv::write(variant->module));
    if (!inlined)
        return inlined.error();
    return commands::readStage(*inlined, stage.entryPoint, model);
}

Id asWord(Emitter& out, Id value)
{
    Module& module = out.module();
    const Id type = module.typeOf(value), word = module.getIntType(32, false);
    if (type == word)
        return value;
    const Instruction* i = module.findDefinition(type);
    const bool isWord = i && i->op == spv::Op::OpTypeInt && i->literal(0) == 32;
    return out.emit(isWord ? spv::Op::OpBitcast : spv::Op::OpUConvert, word, {value});
}

Id component(Emitter& out, Id vector, uint32_t which)
{
    const Id result = out.module().newId(), word = out.module().getIntType(32, false);
    out.keep(spirv::instruction(spv::Op::OpCompositeExtract, word, result).add(vector).add(which));
    return result;
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

// The constant WorkgroupSize wins over the execution mode.
GroupSize groupSizeOf(const Module& module)
{
    GroupSize size = {1, 1, 1};
    for (const Instruction& mode : module.section(Section::ExecutionModes))
        if (mode.literal(1) == static_cast<uint32_t>(spv::ExecutionMode::LocalSize))
            size = {mode.literal(2), mode.literal(3), mode.literal(4)};
    for (const Instruction& i : module.section(Section::Annotations)) {
        const Instruction* constant = decoratesGroupSize(i) ? module.findDefinition(i.id(0)) : nullptr;
        for (size_t k = 0; constant && k < 3; ++k)
            module.constantValue(constant->id(k), size[k]);
    }
    return size;
}

Id positionOf(Emitter& out, Id index, const GroupSize& size)
{
    Module& module = out.module();
    const Id word = module.getIntType(32, false);
    const Id width = module.getConstant(size[0]), height = module.getConstant(size[1]);
    const Id row = out.emit(spv::Op::OpUDiv, word, {index, width});
    const Id x = out.emit(spv::Op::OpUMod, word, {index, width});
    const Id y = out.emit(spv::Op::OpUMod, word, {row, height});
    const Id z = out.emit(spv::Op::OpUDiv, word, {row, height});
    return out.emit(spv::Op::OpCompositeConstruct, module.getVectorType(word, 3), {x, y, z});
}

void forgetGroupSize(Module& module)
{
    module.removeDecorations(decoratesGroupSize);
}

Id findPayload(const Module& module)
{
    for (const Instruction& i : module.section(Section::Globals))
        if (i.op == spv::Op::OpVariable &&
            i.literal(0) == static_cast<uint32_t>(spv::StorageClass::TaskPayloadWorkgroupEXT))
            return i.result;
    return {};
}

void storeInput(Emitter& out, Id variable, Id value, Id type)
{
    const Id own = out.module().pointee(out.module().typeOf(variable));
    out.emitVoid(spv::Op::OpStore, {variable, own == type ? value : out.emit(spv::Op::OpBitcast, own, {value})});
}

Status setDrawIndex(Module& module, Emitter& out, Id number)
{
    return setInput(module, out, spv::BuiltIn::DrawIndex, number);
}

Result<uint32_t> settleViews(Module& module, const Views& views)
{
    shader::Failure failure("settleViews");
    const std::vector<Id> variables = commands::findInputs(module, spv::BuiltIn::ViewIndex);
    module.removeCapability(spv::Capability::MultiView);
    if (views.areDevices) {
        for (const Id variable : variables) {
            changeBuiltIn(module, variable, spv::BuiltIn::DeviceIndex);
            module.addCapability(spv::Capability::DeviceGroup);
        }
        return 0u;
    }
    const spirv::IdSet used = spirv::usedInFunctions(module);
    const bool isRead = std::ranges::any_of(variables, [&](Id variable) { return used.contains(variable); });
    if (isRead && std::popcount(views.mask) > 1)
        return views.mask;
    const uint32_t only = views.mask == 0 ? 0 : static_cast<uint32_t>(std::countr_zero(views.mask));
    for (const Id variable : variables) {
        const Id type = module.pointee(module.typeOf(variable));
        const Id value = only == 0 ? shader::getNull(module, type) : createConstant(module, type, only);
        if (!commands::makePrivate(module, variable, failure))
            return failure.diagnostic();
        module.findDefinition(variable)->add(value);
    }
    return 0u;
}

Status setViewIndex(Module& module, Emitter& out, Id index)
{
    return setInput(module, out, spv::BuiltIn::ViewIndex, index);
}

Id viewsInFront(Emitter& out, uint32_t viewMask, Id index)
{
    Module& module = out.module();
    const Id word = module.getIntType(32, false);
    if ((viewMask & (viewMask + 1)) == 0)
        return index;  // all from the first one on
    const Id bit = out.emit(spv::Op::OpShiftLeftLogical, word, {module.getConstant(1), index});
    const Id below = out.emit(spv::Op::OpISub, word, {bit, module.getConstant(1)});
    const Id front = out.emit(spv::Op::OpBitwiseAnd, word, {below, module.getConstant(viewMask)});
    return out.emit(spv::Op::OpBitCount, word, {front});
}

}  // namespace millrace::mesh
