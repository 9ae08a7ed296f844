// SPDX-License-Identifier: Apache-2.0
// Workgroups of a size that compute shaders do not have in some dimension. VK_EXT_mesh_shader asks for 128 invocations
// in each; many devices have 64 in the third.
#include <algorithm>
#include <functional>
#include <optional>

#include "mesh/passes.h"
#include "shader/diagnose.h"
#include "shader/function_writer.h"

namespace millrace::mesh {

using spirv::Emitter;
using spirv::Id;
using spirv::Instruction;
using spirv::Module;
using spirv::Section;

namespace {

Instruction* findLocalSize(Module& module)
{
    for (Instruction& mode : module.section(Section::ExecutionModes))
        if (mode.literal(1) == static_cast<uint32_t>(spv::ExecutionMode::LocalSize))
            return &mode;
    return nullptr;
}

}  // namespace

Status flattenGroup(commands::Variant& variant, const GroupSize& most)
{
    Module& module = variant.module;
    Instruction* const mode = findLocalSize(module);
    if (!mode)
        return {};
    const GroupSize size = groupSizeOf(module);
    if (std::equal(size.begin(), size.end(), most.begin(), std::less_equal<>()))
        return {};
    mode->setLiteral(2, size[0] * size[1] * size[2]);
    mode->setLiteral(3, 1);
    mode->setLiteral(4, 1);
    forgetGroupSize(module);
    shader::Failure failure("flattenGroup");
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
    shader::insertBehindVariables(*module.findFunction(variant.entry), start);
    return failure.status();
}

}  // namespace millrace::mesh
