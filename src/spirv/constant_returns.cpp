// SPDX-License-Identifier: Apache-2.0
#include "spirv/edit.h"

namespace millrace::spirv {

namespace {

bool isConstantInstruction(const Module& module, Id id)
{
    if (module.isConstant(id)) {
        return true;
    }
    const Instruction* definition = module.findDefinition(id);
    if (!definition) {
        return false;
    }
    switch (definition->op) {
        case spv::Op::OpSpecConstantTrue:
        case spv::Op::OpSpecConstantFalse:
        case spv::Op::OpSpecConstant:
        case spv::Op::OpSpecConstantComposite:
        case spv::Op::OpSpecConstantOp:
            return true;
        default:
            return false;
    }
}

// The constant that is all a function is, or none.
Id constantOf(const Module& module, const Function& function)
{
    if (function.blocks.size() != 1 || function.blocks[0].body.size() != 1) {
        return {};
    }
    const Instruction& end = function.blocks[0].body[0];
    return end.op == spv::Op::OpReturnValue && isConstantInstruction(module, end.id(0)) ? end.id(0) : Id{};
}

}  // namespace

bool foldConstantCalls(Module& module)
{
    std::unordered_map<uint32_t, uint32_t> constants;  // by function
    for (const Function& function : module.functions) {
        if (const Id constant = constantOf(module, function)) {
            constants.emplace(function.id().value, constant.value);
        }
    }
    std::unordered_map<uint32_t, uint32_t> results;  // of calls
    for (Function& function : module.functions) {
        for (Block& block : function.blocks) {
            std::erase_if(block.body, [&](const Instruction& i) {
                if (i.op != spv::Op::OpFunctionCall || !constants.contains(i.id(0).value)) {
                    return false;
                }
                results.emplace(i.result.value, constants.at(i.id(0).value));
                return true;
            });
        }
    }
    module.replaceUses(results);
    return !results.empty();
}

}  // namespace millrace::spirv
