// SPDX-License-Identifier: Apache-2.0
// Workgroups of a size that compute shaders do not have in some dimension. VK_EXT_mesh_shader asks for 128 invocations
// in each; many devices have 64 in the third.
#include <algorithm>
#include <functional>
#include <optional>

#include "compiler/diagnose.h"
#include "compiler/function_writer.h"
#include "mesh/passes.h"

namespace millrace::mesh {

using spirv::Emitter;
using spirv::Id;
using spirv::Instruction;
using spirv::Module;
using spirv::Section;

namespace {

bool decoratesSize(const Instruction& i)
{
    return i.op == spv::Op::OpDecorate && i.operandCount() > 2 &&
           i.literal(1) == static_cast<uint32_t>(spv::Decoration::BuiltIn) &&
           i.literal(2) == static_cast<uint32_t>(spv::BuiltIn::WorkgroupSize);
}

Instruction* findLocalSize(Module& module)
{
    for (Instruction& mode : module.section(Section::ExecutionModes))
        if (mode.literal(1) == static_cast<uint32_t>(spv::ExecutionMode::LocalSize))
            return &mode;
    return nullptr;
}

// The constant WorkgroupSize wins over the execution mode.
GroupSize sizeOf(const Module& module, const Instruction& mode)
{
    GroupSize size = {mode.literal(2), mode.literal(3), mode.literal(4)};
    for (const Instruction& i : module.section(Section::Annotations)) {
        const Instruction* constant = decoratesSize(i) ? module.findDefinition(i.id(0)) : nullptr;
        for (size_t k = 0; constant && k < 3; ++k)
            module.constantValue(constant->id(k), size[k]);
    }
    return size;
}

// The position of the invocation with this index; x runs fastest.
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

}  // namespace

Status flattenGroup(commands::Variant& variant, const GroupSize& most)
{
    Module& module = variant.module;
    Instruction* const mode = findLocalSize(module);
    if (!mode)
        return {};
    const GroupSize size = sizeOf(module, *mode);
    if (std::equal(size.begin(), size.end(), most.begin(), std::less_equal<>()))
        return {};
    mode->setLiteral(2, size[0] * size[1] * size[2]);
    mode->setLiteral(3, 1);
    mode->setLiteral(4, 1);
    module.removeDecorations(decoratesSize);
    compiler::Failure failure("flattenGroup");
    spirv::InstructionList start;
    Emitter out(module, start);
    std::optional<Id> position;
    for (const Id variable : commands::findInputs(module, spv::BuiltIn::LocalInvocationId)) {
        if (!commands::makePrivate(module, variable, failure))
            break;
        const Id word = module.getIntType(32, false), triple = module.getVectorType(word, 3);
        if (!position)
            position = positionOf(out, commands::loadBuiltIn(out, spv::BuiltIn::LocalInvocationIndex, word), size);
        const Id type = module.pointee(module.typeOf(variable));
        out.emitVoid(spv::Op::OpStore,
                     {variable, type == triple ? *position : out.emit(spv::Op::OpBitcast, type, {*position})});
    }
    compiler::insertBehindVariables(*module.findFunction(variant.entry), start);
    return failure.status();
}

}  // namespace millrace::mesh
