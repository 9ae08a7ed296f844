// SPDX-License-Identifier: Apache-2.0
#include "shader/effort.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "shader/control_flow.h"
#include "shader/values.h"

namespace millrace::shader {

using spirv::Id;
using spirv::Instruction;
using spirv::Module;

namespace {

constexpr uint64_t kMost = UINT32_MAX;  // so that no product overflows

bool isOrder(spv::Op op)
{
    switch (op) {
        case spv::Op::OpULessThan:
        case spv::Op::OpSLessThan:
        case spv::Op::OpULessThanEqual:
        case spv::Op::OpSLessThanEqual:
        case spv::Op::OpUGreaterThan:
        case spv::Op::OpSGreaterThan:
        case spv::Op::OpUGreaterThanEqual:
        case spv::Op::OpSGreaterThanEqual:
            return true;
        default:
            return false;
    }
}

class Estimate {
public:
    Estimate(const Module& module, const Values& values, const spirv::Function& function)
        : m_module(module), m_values(values), m_function(function), m_flow(function)
    {
    }

    // How often each block runs; none if a loop's length is not known.
    std::optional<std::vector<uint64_t>> runs() const
    {
        std::vector<uint64_t> runs(m_function.blocks.size(), 1);
        for (size_t b = 0; b < runs.size(); ++b) {
            const auto merge = std::ranges::find(m_function.blocks[b].body, spv::Op::OpLoopMerge, &Instruction::op);
            if (merge == m_function.blocks[b].body.end())
                continue;
            const std::vector<size_t> inside = blocksOf(b, merge->id(0));
            const std::optional<uint64_t> length = lengthOf(inside, merge->id(0));
            if (!length)
                return std::nullopt;
            for (const size_t i : inside)
                runs[i] = std::min(runs[i] * *length, kMost);
        }
        return runs;
    }

private:
    // Of the loop that begins with a block and goes on with `merge`.
    std::vector<size_t> blocksOf(size_t header, Id merge) const
    {
        std::vector<size_t> found{header};
        std::vector<bool> isKnown(m_function.blocks.size(), false);
        isKnown[header] = true;
        for (size_t next = 0; next < found.size(); ++next) {
            for (const size_t successor : m_flow.successors(found[next])) {
                if (m_function.blocks[successor].label != merge && !isKnown[successor]) {
                    isKnown[successor] = true;
                    found.push_back(successor);
                }
            }
        }
        return found;
    }

    std::optional<uint64_t> lengthOf(const std::vector<size_t>& inside, Id merge) const
    {
        std::optional<uint64_t> least;
        for (const size_t b : inside) {
            const Instruction& branch = m_function.blocks[b].body.back();
            if (branch.op == spv::Op::OpBranchConditional && (branch.id(1) == merge || branch.id(2) == merge)) {
                const std::optional<uint64_t> length = boundOf(branch.id(0));
                least = length && least ? std::min(length, least) : length ? length : least;
            }
        }
        return least;
    }

    // Of the comparison of a counter with a constant.
    std::optional<uint64_t> boundOf(Id condition) const
    {
        const Instruction* i = m_module.findDefinition(condition);
        if (!i || !isOrder(i->op))
            return std::nullopt;
        for (const size_t counter : {0, 1}) {
            const std::optional<uint32_t> bound = m_values.largest(i->id(1 - counter));
            if (bound && isCounter(i->id(counter)))
                return std::max<uint64_t>(*bound, 1);
        }
        return std::nullopt;
    }

    // A variable or a phi that a constant is added to.
    bool isCounter(Id value) const
    {
        const Instruction* i = m_module.findDefinition(value);
        const bool isPhi = i && i->op == spv::Op::OpPhi;
        const bool isLoad = i && i->op == spv::Op::OpLoad;
        if (!isPhi && !isLoad)
            return false;
        for (const spirv::Block& block : m_function.blocks) {
            for (const Instruction& other : block.body)
                if (isLoad && other.op == spv::Op::OpStore && other.id(0) == i->id(0) && isSum(other.id(1)))
                    return true;
        }
        for (size_t o = 0; isPhi && o < i->operandCount(); o += 2)
            if (isSum(i->id(o)))
                return true;
        return false;
    }

    bool isSum(Id value) const
    {
        const Instruction* i = m_module.findDefinition(value);
        return i && i->op == spv::Op::OpIAdd && (m_module.isConstant(i->id(0)) || m_module.isConstant(i->id(1)));
    }

    const Module& m_module;
    const Values& m_values;
    const spirv::Function& m_function;
    const ControlFlow m_flow;
};

using Known = std::unordered_map<uint32_t, std::optional<uint64_t>>;

// SPIR-V has no recursion.
std::optional<uint64_t> estimate(const Module& module, const Values& values, Id id, Known& known)
{
    if (const auto found = known.find(id.value); found != known.end())
        return found->second;
    const spirv::Function* function = module.findFunction(id);
    if (!function)
        return std::nullopt;
    std::optional<uint64_t> sum;
    if (const auto runs = Estimate(module, values, *function).runs()) {
        sum = 0;
        for (size_t b = 0; sum && b < runs->size(); ++b) {
            for (const Instruction& i : function->blocks[b].body) {
                const auto own = i.op == spv::Op::OpFunctionCall ? estimate(module, values, i.id(0), known)
                                                                 : std::optional<uint64_t>(1);
                sum = sum && own ? std::optional(std::min(*sum + (*runs)[b] * *own, kMost)) : std::nullopt;
            }
        }
    }
    known[id.value] = sum;
    return sum;
}

}  // namespace

std::optional<uint64_t> estimateInstructions(const Module& module, Id function)
{
    Known known;
    return estimate(module, Values(module), function, known);
}

}  // namespace millrace::shader
