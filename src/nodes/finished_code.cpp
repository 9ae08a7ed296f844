// SPDX-License-Identifier: Apache-2.0
#include "nodes/finished_code.h"

#include <algorithm>
#include <vector>

#include "shader/control_flow.h"
#include "shader/values.h"

namespace millrace::nodes {

using spirv::Id;
using spirv::Instruction;
using spirv::Module;

namespace {

bool allocates(const spirv::Block& block)
{
    return std::ranges::any_of(block.body,
                               [](const Instruction& i) { return i.op == spv::Op::OpAllocateNodePayloadsAMDX; });
}

bool allocates(const spirv::Function& function)
{
    return std::ranges::any_of(function.blocks, [](const spirv::Block& block) { return allocates(block); });
}

class Conditions {
public:
    explicit Conditions(const Module& module) : m_module(module), m_values(module) {}

    // Whether a workgroup in which `condition` is `value` has been told that it is the last.
    bool tells(Id condition, bool value, uint32_t depth = 0) const
    {
        constexpr uint32_t kMostDepth = 8;
        const Instruction* i = m_module.findDefinition(m_values.origin(condition));
        if (!i || depth > kMostDepth)
            return false;
        const auto operandTells = [&](size_t operand) { return tells(i->id(operand), value, depth + 1); };
        switch (i->op) {
            case spv::Op::OpFinishWritingNodePayloadAMDX:
                return value;
            case spv::Op::OpLogicalNot:
                return tells(i->id(0), !value, depth + 1);
            case spv::Op::OpLogicalAnd:
                return value ? operandTells(0) || operandTells(1) : operandTells(0) && operandTells(1);
            case spv::Op::OpLogicalOr:
                return value ? operandTells(0) && operandTells(1) : operandTells(0) || operandTells(1);
            case spv::Op::OpConstantTrue:
                return !value;  // never
            case spv::Op::OpConstantFalse:
                return value;
            case spv::Op::OpPhi:
                for (size_t o = 0; o < i->operandCount(); o += 2)
                    if (!operandTells(o))
                        return false;
                return true;
            default:
                return false;
        }
    }

private:
    const Module& m_module;
    const shader::Values m_values;
};

// The blocks of a function that a workgroup may come to without having been told.
std::vector<bool> reachUnfinished(const spirv::Function& function, const Conditions& conditions)
{
    const shader::ControlFlow flow(function);
    std::vector<bool> reached(function.blocks.size(), false);
    std::vector<size_t> pending{0};
    reached[0] = true;
    while (!pending.empty()) {
        const size_t b = pending.back();
        pending.pop_back();
        const Instruction& branch = function.blocks[b].body.back();
        const bool isConditional = branch.op == spv::Op::OpBranchConditional && branch.id(1) != branch.id(2);
        for (const size_t s : flow.successors(b)) {
            const bool isTrue = isConditional && function.blocks[s].label == branch.id(1);
            if (reached[s] || (isConditional && conditions.tells(branch.id(0), isTrue)))
                continue;
            reached[s] = true;
            pending.push_back(s);
        }
    }
    return reached;
}

}  // namespace

bool allocatesWhenFinished(const Module& module, Id entry)
{
    const spirv::Function* main = nullptr;
    for (const spirv::Function& function : module.functions) {
        if (!allocates(function))
            continue;
        if (function.id() != entry)
            return false;
        main = &function;
    }
    if (!main)
        return false;
    const std::vector<bool> unfinished = reachUnfinished(*main, Conditions(module));
    for (size_t b = 0; b < main->blocks.size(); ++b)
        if (unfinished[b] && allocates(main->blocks[b]))
            return false;
    return true;
}

}  // namespace millrace::nodes
