// SPDX-License-Identifier: Apache-2.0
#include "oracle/translator.h"

namespace millrace::oracle {

bool Translator::translateControl(const Function& function, const BasicBlock& block, const Instruction& instruction)
{
    switch (instruction.op) {
        case spv::OpPhi:  // copied on the edges
        case spv::OpSelectionMerge:
        case spv::OpLoopMerge:
        case spv::OpMemoryBarrier:
            return true;
        case spv::OpBranch:
            emitEdge(block.label, instruction.operands[0]);
            return true;
        case spv::OpBranchConditional:
            translateConditional(block, instruction);
            return true;
        case spv::OpSwitch:
            translateSwitch(block, instruction);
            return true;
        case spv::OpFunctionCall:
            translateCall(instruction);
            return true;
        case spv::OpReturnValue: {
            const uint32_t size = slotCount(m_module, function.returnType);
            if (!m_returnSlots.count(function.id))
                m_returnSlots[function.id] = newSlots(size);
            emitCopy(m_returnSlots[function.id], slotOf(instruction.operands[0]), size);
            emit(Code::Return);
            return true;
        }
        case spv::OpReturn:
            emit(Code::Return);
            return true;
        case spv::OpUnreachable:
            emit(Code::Unreachable);
            return true;
        case spv::OpControlBarrier:
            if (m_module.scalarConstant(instruction.operands[0]) != spv::ScopeWorkgroup)
                throw UnsupportedError("barrier of another scope than Workgroup");
            emit(Code::Barrier);
            return true;
        default:
            return false;
    }
}

void Translator::translateCall(const Instruction& instruction)
{
    const Function& callee = m_module.function(instruction.operands[0]);
    if (callee.parameters.size() + 1 != instruction.operands.size())
        throw RuleError("call with the wrong number of arguments");
    for (const Instruction& parameter : callee.parameters)
        m_types[parameter.result] = parameter.type;
    for (size_t i = 0; i < callee.parameters.size(); ++i)
        emitCopy(slotOf(callee.parameters[i].result), slotOf(instruction.operands[i + 1]),
                 slotCount(m_module, callee.parameters[i].type));
    emit(Code::Call);
    m_calls.emplace_back(static_cast<uint32_t>(m_program.operations.size() - 1), callee.id);
    if (m_requested.insert(callee.id).second)
        m_pending.push_back(callee.id);
    const uint32_t size = slotCount(m_module, callee.returnType);
    if (size == 0)
        return;
    if (!m_returnSlots.count(callee.id))
        m_returnSlots[callee.id] = newSlots(size);
    emitCopy(slotOf(instruction.result), m_returnSlots[callee.id], size);
}

void Translator::emitEdge(uint32_t from, uint32_t to)
{
    struct Move {
        uint32_t destination, source, count;
    };
    std::vector<Move> moves;
    const auto target = m_blocks.find(to);
    if (target == m_blocks.end())
        throw RuleError("branch to a block of another function");
    for (const Instruction& phi : target->second->instructions) {
        if (phi.op != spv::OpPhi)
            break;
        for (size_t i = 0; i + 1 < phi.operands.size(); i += 2)
            if (phi.operands[i + 1] == from)
                moves.push_back({slotOf(phi.result), slotOf(phi.operands[i]), slotCount(m_module, phi.type)});
    }
    // All phis of a block read their operands before any of them is written.
    if (moves.size() > 1) {
        for (Move& move : moves) {
            const uint32_t temporary = newSlots(move.count);
            emitCopy(temporary, move.source, move.count);
            move.source = temporary;
        }
    }
    for (const Move& move : moves)
        emitCopy(move.destination, move.source, move.count);
    emit(Code::Jump);
    m_jumps.emplace_back(static_cast<uint32_t>(m_program.operations.size() - 1), to);
}

void Translator::translateConditional(const BasicBlock& block, const Instruction& instruction)
{
    emit(Code::JumpIfNot).where.a = slotOf(instruction.operands[0]);
    const size_t jump = m_program.operations.size() - 1;
    emitEdge(block.label, instruction.operands[1]);
    m_program.operations[jump].target = static_cast<uint32_t>(m_program.operations.size());
    emitEdge(block.label, instruction.operands[2]);
}

void Translator::translateSwitch(const BasicBlock& block, const Instruction& instruction)
{
    const uint32_t selector = slotOf(instruction.operands[0]);
    const uint32_t width = m_module.type(typeOf(instruction.operands[0])).width;
    const uint32_t literalWords = width > 32 ? 2 : 1;
    Operation& operation = emit(Code::Switch);
    operation.where.a = selector;
    operation.immediate = m_program.tables.size();
    // Each edge becomes a stub behind the switch; its number stands for it until the labels are known.
    SwitchTable table;
    const auto stub = [&](uint32_t label) {
        const uint32_t key = 0x80000000u | static_cast<uint32_t>(m_program.operations.size());
        m_labels[key] = static_cast<uint32_t>(m_program.operations.size());
        emitEdge(block.label, label);
        return key;
    };
    table.otherwise = stub(instruction.operands[1]);
    for (size_t i = 2; i + literalWords < instruction.operands.size(); i += literalWords + 1) {
        uint64_t value = instruction.operands[i];
        if (literalWords == 2)
            value |= uint64_t{instruction.operands[i + 1]} << 32;
        table.cases.emplace_back(value & widthMask(width), stub(instruction.operands[i + literalWords]));
    }
    m_program.tables.push_back(std::move(table));
}

}  // namespace millrace::oracle
