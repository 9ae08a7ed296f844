// SPDX-License-Identifier: Apache-2.0
#include "spirv/function_structure.h"

#include <algorithm>

namespace millrace::spirv {

bool isMerge(const Instruction& i)
{
    return i.op == spv::Op::OpSelectionMerge || i.op == spv::Op::OpLoopMerge;
}

size_t findMerge(const InstructionList& body)
{
    for (size_t i = body.size() - 1; i-- > 0;) {
        if (isMerge(body[i]))
            return i;
        const spv::Op op = body[i].op;
        if (op != spv::Op::OpLine && op != spv::Op::OpNoLine && !isExtendedInstruction(op))
            break;
    }
    return body.size();
}

FunctionStructure::FunctionStructure(const Function& function, std::vector<uint32_t>& blockOf)
    : nodes(function.blocks.size())
{
    for (size_t b = 0; b < function.blocks.size(); ++b)
        blockOf[function.blocks[b].label.value] = static_cast<uint32_t>(b);
    read(function, blockOf);
    sort();
    nest();
}

void FunctionStructure::read(const Function& function, const std::vector<uint32_t>& blockOf)
{
    for (size_t b = 0; b < nodes.size(); ++b) {
        const InstructionList& body = function.blocks[b].body;
        Node& node = nodes[b];
        const Instruction& end = body.back();
        const bool isChoice = end.op == spv::Op::OpBranchConditional || end.op == spv::Op::OpSwitch;
        if (isChoice || end.op == spv::Op::OpBranch) {
            for (size_t o = isChoice ? 1 : 0; o < end.operandCount(); ++o)
                if (end.isId(o))
                    node.targets.push_back(blockOf[end.id(o).value]);
        }
        if (const size_t at = findMerge(body); at < body.size()) {
            node.isLoop = body[at].op == spv::Op::OpLoopMerge;
            node.merge = blockOf[body[at].id(0).value];
            node.continues = node.isLoop ? blockOf[body[at].id(1).value] : kNoBlock;
        }
    }
}

// Depth first, what comes last before what comes first, and a block when all behind it have been visited; then
// backwards.
void FunctionStructure::sort()
{
    const auto next = [this](uint32_t block, size_t number) {
        const Node& node = nodes[block];
        const uint32_t structure[] = {node.merge, node.continues};
        return number < 2 ? structure[number] : node.targets[node.targets.size() - 1 - (number - 2)];
    };
    std::vector<bool> isVisited(nodes.size());
    std::vector<std::pair<uint32_t, size_t>> open{{0, 0}};
    isVisited[0] = true;
    while (!open.empty()) {
        auto& [block, number] = open.back();
        if (number == nodes[block].targets.size() + 2) {
            order.push_back(block);
            open.pop_back();
            continue;
        }
        const uint32_t target = next(block, number++);
        if (target != kNoBlock && !isVisited[target]) {
            isVisited[target] = true;
            open.emplace_back(target, 0);
        }
    }
    std::ranges::reverse(order);
    for (size_t place = 0; place < order.size(); ++place)
        nodes[order[place]].place = static_cast<uint32_t>(place);
}

void FunctionStructure::nest()
{
    std::vector<uint32_t> headerOf(nodes.size(), kNoBlock);  // by merge block
    std::vector<uint32_t> open;
    for (const uint32_t block : order) {
        const auto left = std::ranges::find(open, headerOf[block]);
        if (headerOf[block] != kNoBlock && left != open.end())
            open.erase(left, open.end());
        Node& node = nodes[block];
        if (node.merge != kNoBlock) {
            headerOf[node.merge] = block;
            open.push_back(block);
        }
        node.construct = open.empty() ? kNoBlock : open.back();
    }
}

}  // namespace millrace::spirv
