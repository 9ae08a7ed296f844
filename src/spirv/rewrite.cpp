// SPDX-License-Identifier: Apache-2.0
#include "spirv/module.h"

namespace millrace::spirv {

Id Emitter::emit(spv::Op op, Id type, std::initializer_list<Id> operands)
{
    const Id result = m_module.newId();
    Instruction i = instruction(op, type, result);
    for (const Id operand : operands)
        i.add(operand);
    m_out.push_back(std::move(i));
    return result;
}

void Emitter::emitVoid(spv::Op op, std::initializer_list<Id> operands)
{
    Instruction i = instruction(op);
    for (const Id operand : operands)
        i.add(operand);
    m_out.push_back(std::move(i));
}

Id Emitter::call(Id function, Id resultType, std::initializer_list<Id> arguments)
{
    const Id result = m_module.newId();
    Instruction i = instruction(spv::Op::OpFunctionCall, resultType, result).add(function);
    for (const Id argument : arguments)
        i.add(argument);
    m_out.push_back(std::move(i));
    return result;
}

namespace {

InstructionList rewritten(Module& module, const Block& block,
                          const std::function<void(const Instruction&, Emitter&)>& visit)
{
    InstructionList out;
    out.reserve(block.body.size());
    Emitter emitter(module, out);
    for (const Instruction& i : block.body)
        visit(i, emitter);
    return out;
}

}  // namespace

void rewriteBlock(Module& module, Block& block, const std::function<void(const Instruction&, Emitter&)>& visit)
{
    block.body = rewritten(module, block, visit);
}

void rewriteFunction(Module& module, Function& function, const std::function<void(const Instruction&, Emitter&)>& visit)
{
    // The blocks stay where they are when `visit` adds a function, the Function itself may not.
    const std::span<Block> blocks = function.blocks;
    std::vector<InstructionList> bodies;
    bodies.reserve(blocks.size());
    for (const Block& block : blocks)
        bodies.push_back(rewritten(module, block, visit));
    for (size_t b = 0; b < blocks.size(); ++b)
        blocks[b].body = std::move(bodies[b]);
}

}  // namespace millrace::spirv
