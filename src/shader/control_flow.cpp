// SPDX-License-Identifier: Apache-2.0
#include "shader/control_flow.h"

#include <algorithm>

namespace millrace::shader {

using spirv::Id;
using spirv::Instruction;

namespace {

bool isBranch(spv::Op op)
{
    return op == spv::Op::OpBranch || op == spv::Op::OpBranchConditional || op == spv::Op::OpSwitch;
}

}  // namespace

ControlFlow::ControlFlow(const spirv::Function& function)
    : m_successors(function.blocks.size()), m_onCycle(function.blocks.size(), false)
{
    std::unordered_map<uint32_t, size_t> blockOf;
    for (size_t b = 0; b < function.blocks.size(); ++b)
        blockOf[function.blocks[b].label.value] = b;
    for (size_t b = 0; b < function.blocks.size(); ++b) {
        if (function.blocks[b].body.empty())
            continue;
        const Instruction& terminator = function.blocks[b].body.back();
        // A condition or selector is no label, so it finds no block.
        for (size_t o = 0; isBranch(terminator.op) && o < terminator.operandCount(); ++o) {
            const auto target = terminator.isId(o) ? blockOf.find(terminator.id(o).value) : blockOf.end();
            if (target != blockOf.end() && std::ranges::count(m_successors[b], target->second) == 0)
                m_successors[b].push_back(target->second);
        }
    }
    findCycles();
}

// Strongly connected components (Tarjan), without recursion: shaders can have thousands of blocks in a row.
void ControlFlow::findCycles()
{
    constexpr size_t kUnseen = SIZE_MAX;
    const size_t count = m_successors.size();
    std::vector<size_t> number(count, kUnseen), low(count, 0), next(count, 0);
    std::vector<bool> isOpen(count, false);
    std::vector<size_t> open, path;
    size_t counter = 0;
    for (size_t root = 0; root < count; ++root) {
        if (number[root] != kUnseen)
            continue;
        path.push_back(root);
        while (!path.empty()) {
            const size_t b = path.back();
            if (number[b] == kUnseen) {
                number[b] = low[b] = counter++;
                open.push_back(b);
                isOpen[b] = true;
            }
            if (next[b] < m_successors[b].size()) {
                const size_t s = m_successors[b][next[b]++];
                if (number[s] == kUnseen)
                    path.push_back(s);
                else if (isOpen[s])
                    low[b] = std::min(low[b], number[s]);
                continue;
            }
            path.pop_back();
            if (!path.empty())
                low[path.back()] = std::min(low[path.back()], low[b]);
            if (low[b] != number[b])
                continue;
            const bool isLoop = open.back() != b || std::ranges::count(m_successors[b], b) > 0;
            for (size_t member = kUnseen; member != b;) {
                member = open.back();
                open.pop_back();
                isOpen[member] = false;
                m_onCycle[member] = isLoop;
            }
        }
    }
}

namespace {

// The functions that `entry` calls, and those call; itself too.
std::unordered_set<uint32_t> findReached(const spirv::Module& module, Id entry)
{
    std::unordered_set<uint32_t> reached = {entry.value};
    std::vector<Id> pending = {entry};
    while (!pending.empty()) {
        const spirv::Function* function = module.findFunction(pending.back());
        pending.pop_back();
        if (!function)
            continue;
        for (const spirv::Block& block : function->blocks)
            for (const Instruction& i : block.body)
                if (i.op == spv::Op::OpFunctionCall && reached.insert(i.id(0).value).second)
                    pending.push_back(i.id(0));
    }
    return reached;
}

}  // namespace

std::unordered_set<uint32_t> findRepeatedFunctions(const spirv::Module& module, Id entry)
{
    const std::unordered_set<uint32_t> reached = findReached(module, entry);
    std::unordered_map<uint32_t, std::vector<uint32_t>> callees;
    std::unordered_map<uint32_t, uint32_t> callSites;
    std::vector<uint32_t> pending;
    for (const spirv::Function& function : module.functions) {
        if (!reached.contains(function.id().value))
            continue;
        const ControlFlow flow(function);
        for (size_t b = 0; b < function.blocks.size(); ++b) {
            for (const Instruction& i : function.blocks[b].body) {
                if (i.op != spv::Op::OpFunctionCall)
                    continue;
                const uint32_t callee = i.id(0).value;
                callees[function.id().value].push_back(callee);
                const bool isRepeated = ++callSites[callee] > 1 || flow.isOnCycle(b) || callee == entry.value;
                if (isRepeated)
                    pending.push_back(callee);
            }
        }
    }
    std::unordered_set<uint32_t> repeated;
    while (!pending.empty()) {
        const uint32_t function = pending.back();
        pending.pop_back();
        if (repeated.insert(function).second) {
            const std::vector<uint32_t>& more = callees[function];
            pending.insert(pending.end(), more.begin(), more.end());
        }
    }
    return repeated;
}

}  // namespace millrace::shader
