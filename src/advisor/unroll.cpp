// SPDX-License-Identifier: Apache-2.0
#include "advisor/unroll.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

namespace millrace::advisor {

using spirv::Block;
using spirv::Function;
using spirv::Id;
using spirv::Instruction;

namespace {

// Near to what RADV sets for NIR's unrolling, which counts other instructions than these.
constexpr uint32_t kMaxRounds = 32;
constexpr size_t kMaxInstructions = 32 * 26;

// i = first; i < end; i += step, of 32-bit integers.
struct Counter {
    uint32_t first = 0;
    uint32_t step = 0;
};

class Loops {
public:
    Loops(const spirv::Module& module, const Function& function) : m_module(module), m_function(function)
    {
        for (size_t b = 0; b < function.blocks.size(); ++b)
            m_index[function.blocks[b].label.value] = b;
    }

    bool isShort(size_t header) const
    {
        const std::optional<uint32_t> rounds = roundsOf(header);
        return rounds && *rounds <= kMaxRounds && *rounds * instructionsOf(header) <= kMaxInstructions;
    }

private:
    const Instruction& mergeOf(size_t header) const { return *(m_function.blocks[header].body.end() - 2); }

    // Of the blocks from the header to the merge block; structured control flow has them one behind the other.
    size_t instructionsOf(size_t header) const
    {
        const auto end = m_index.find(mergeOf(header).id(0).value);
        size_t count = 0;
        for (size_t b = header; end != m_index.end() && b < end->second; ++b)
            count += m_function.blocks[b].body.size();
        return std::max<size_t>(count, 1);
    }

    // The condition stands in the header or in the block that it leads to.
    const Instruction* findCondition(size_t header) const
    {
        const Instruction* branch = &m_function.blocks[header].body.back();
        if (branch->op == spv::Op::OpBranch) {
            const auto next = m_index.find(branch->id(0).value);
            branch = next == m_index.end() ? nullptr : &m_function.blocks[next->second].body.back();
        }
        return branch != nullptr && branch->op == spv::Op::OpBranchConditional ? m_module.findDefinition(branch->id(0))
                                                                               : nullptr;
    }

    std::optional<Counter> counterOf(const Instruction& phi) const
    {
        if (phi.op != spv::Op::OpPhi || phi.operandCount() != 4)
            return std::nullopt;
        for (const size_t o : {size_t{0}, size_t{2}}) {
            Counter out;
            const Instruction* next = m_module.findDefinition(phi.id(2 - o));
            const bool isStep = next != nullptr && next->op == spv::Op::OpIAdd && next->id(0) == phi.result &&
                                m_module.constantValue(next->id(1), out.step);
            if (isStep && m_module.constantValue(phi.id(o), out.first))
                return out;
        }
        return std::nullopt;
    }

    std::optional<uint32_t> roundsOf(size_t header) const
    {
        const Instruction* condition = findCondition(header);
        uint32_t end = 0;
        const bool isLess =
            condition != nullptr && (condition->op == spv::Op::OpULessThan || condition->op == spv::Op::OpSLessThan);
        if (!isLess || !m_module.constantValue(condition->id(1), end))
            return std::nullopt;
        const Instruction* phi = m_module.findDefinition(condition->id(0));
        const auto counter = phi == nullptr ? std::nullopt : counterOf(*phi);
        constexpr uint32_t kSmall = 1u << 30;  // signed and unsigned numbers are the same below
        if (!counter || counter->step == 0 || std::max({counter->first, counter->step, end}) >= kSmall)
            return std::nullopt;
        return counter->first >= end ? 0 : (end - counter->first + counter->step - 1) / counter->step;
    }

    const spirv::Module& m_module;
    const Function& m_function;
    std::unordered_map<uint32_t, size_t> m_index;
};

}  // namespace

bool requestUnrolling(spirv::Module& module)
{
    bool found = false;
    for (Function& function : module.functions) {
        const Loops loops(module, function);
        for (size_t b = 0; b < function.blocks.size(); ++b) {
            spirv::InstructionList& body = function.blocks[b].body;
            if (body.size() < 2 || (body.end() - 2)->op != spv::Op::OpLoopMerge)
                continue;
            Instruction& merge = *(body.end() - 2);
            constexpr auto kUnroll = static_cast<uint32_t>(spv::LoopControlMask::Unroll);
            constexpr auto kDontUnroll = static_cast<uint32_t>(spv::LoopControlMask::DontUnroll);
            const bool isFree = (merge.literal(2) & ~kUnroll) == 0 && (merge.literal(2) & kDontUnroll) == 0;
            const bool isWanted = isFree && loops.isShort(b);
            if (isFree)
                merge.setLiteral(2, isWanted ? kUnroll : 0);
            found |= isWanted;
        }
    }
    return found;
}

}  // namespace millrace::advisor
