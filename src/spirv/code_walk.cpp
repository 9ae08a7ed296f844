// SPDX-License-Identifier: Apache-2.0
#include "spirv/code_walk.h"

#include <algorithm>
#include <iterator>

namespace millrace::spirv {

namespace {

bool isIn(const std::unordered_set<uint32_t>& ids, Id id)
{
    return ids.contains(id.value);
}

// Values that differ among the invocations of a workgroup because they come from an invocation's number. What is read
// from memory counts as equal: warnings are for what is certain.
std::unordered_set<uint32_t> findDivergent(const Module& module, const Function& function)
{
    std::unordered_set<uint32_t> divergent;
    for (const Instruction& i : module.section(Section::Annotations)) {
        if (i.op != spv::Op::OpDecorate || i.literal(1) != static_cast<uint32_t>(spv::Decoration::BuiltIn))
            continue;
        const auto builtIn = static_cast<spv::BuiltIn>(i.literal(2));
        if (builtIn == spv::BuiltIn::LocalInvocationId || builtIn == spv::BuiltIn::LocalInvocationIndex ||
            builtIn == spv::BuiltIn::GlobalInvocationId || builtIn == spv::BuiltIn::SubgroupLocalInvocationId)
            divergent.insert(i.id(0).value);
    }
    const auto isArithmetic = [](spv::Op op) {
        return op == spv::Op::OpLoad || op == spv::Op::OpAccessChain || op == spv::Op::OpInBoundsAccessChain ||
               op == spv::Op::OpCompositeExtract || op == spv::Op::OpCompositeConstruct ||
               op == spv::Op::OpVectorShuffle || op == spv::Op::OpCopyObject || op == spv::Op::OpBitcast ||
               (op >= spv::Op::OpConvertFToU && op <= spv::Op::OpBitcast) ||
               (op >= spv::Op::OpSNegate && op <= spv::Op::OpFwidth) || op == spv::Op::OpPhi;
    };
    // A variable that has been given such a value keeps it here; loops may bring it to the front.
    for (int pass = 0; pass < 2; ++pass) {
        for (const Block& block : function.blocks) {
            for (const Instruction& i : block.body) {
                bool uses = false;
                i.forEachUse([&](Id id) { uses |= isIn(divergent, id); });
                if (i.op == spv::Op::OpStore && isIn(divergent, i.id(1)) &&
                    module.storageOf(module.typeOf(i.id(0))) == spv::StorageClass::Function) {
                    divergent.insert(i.id(0).value);
                } else if (uses && i.result && isArithmetic(i.op)) {
                    const bool isMemory = i.op == spv::Op::OpAccessChain || i.op == spv::Op::OpInBoundsAccessChain ||
                                          i.op == spv::Op::OpLoad;
                    if (!isMemory || isIn(divergent, i.id(0)))
                        divergent.insert(i.result.value);
                }
            }
        }
    }
    return divergent;
}

}  // namespace

CodeWalk::CodeWalk(const Module& module, const Function& function, bool oneInvocation)
    : m_module(module), m_function(function)
{
    if (!oneInvocation)
        m_divergent = findDivergent(module, function);
}

void CodeWalk::run(const std::function<void(const Instruction&)>& visit)
{
    for (const Block& block : m_function.blocks) {
        enter(block);
        for (const Instruction& i : block.body) {
            if (i.op == spv::Op::OpLine) {
                const Instruction* file = m_module.findDefinition(i.id(0));
                m_place = file != nullptr ? file->string(0) + ":" + std::to_string(i.literal(1)) : "";
            } else {
                visit(i);
            }
        }
        m_behind[block.label.value] = m_marks;
        leave(block);
    }
}

bool CodeWalk::isDivergent() const
{
    return m_hasLeft || std::ranges::any_of(m_constructs, [](const Construct& c) { return c.isDivergent; });
}

void CodeWalk::enter(const Block& block)
{
    while (!m_constructs.empty() && m_constructs.back().merge == block.label)
        m_constructs.pop_back();
    std::set<uint32_t> marks;
    bool isFirst = true;
    for (uint32_t predecessor : m_before[block.label.value]) {
        const std::set<uint32_t>& theirs = m_behind[predecessor];
        std::set<uint32_t> both;
        std::ranges::set_intersection(marks, theirs, std::inserter(both, both.end()));
        marks = isFirst ? theirs : both;
        isFirst = false;
    }
    m_marks = std::move(marks);
}

// Ends of blocks: constructs that begin, invocations that leave, and where the code goes on.
void CodeWalk::leave(const Block& block)
{
    if (block.body.empty())
        return;
    const Instruction& end = block.body.back();
    const Instruction* merge = nullptr;
    for (const Instruction& i : block.body)
        if (i.op == spv::Op::OpSelectionMerge || i.op == spv::Op::OpLoopMerge)
            merge = &i;
    const bool isChoice = end.op == spv::Op::OpBranchConditional || end.op == spv::Op::OpSwitch;
    const bool isDivergent = isChoice && isIn(m_divergent, end.id(0));
    for (size_t o = isChoice ? 1 : 0; o < end.operandCount(); ++o) {
        if (end.isId(o)) {
            m_before[end.id(o).value].push_back(block.label.value);
            // A way out of a construct around this one.
            for (Construct& construct : m_constructs)
                construct.isDivergent |= isDivergent && merge == nullptr && construct.merge == end.id(o);
        }
    }
    const bool isInside = std::ranges::any_of(m_constructs, [](const Construct& c) { return c.isDivergent; });
    m_hasLeft |= isInside && (end.op == spv::Op::OpReturn || end.op == spv::Op::OpKill);
    if (merge != nullptr)
        m_constructs.push_back({merge->id(0), isDivergent && merge->op == spv::Op::OpSelectionMerge});
}

bool hasOneInvocation(const Module& module, Id entryFunction)
{
    for (const Instruction& i : module.section(Section::ExecutionModes))
        if (i.op == spv::Op::OpExecutionMode && i.id(0) == entryFunction &&
            i.literal(1) == static_cast<uint32_t>(spv::ExecutionMode::LocalSize))
            return i.literal(2) == 1 && i.literal(3) == 1 && i.literal(4) == 1;
    return false;
}

}  // namespace millrace::spirv
