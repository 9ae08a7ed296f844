// SPDX-License-Identifier: Apache-2.0
#include "nodes/passes/run_once.h"

#include <algorithm>

namespace millrace::nodes {

using spirv::Block;
using spirv::Id;
using spirv::Instruction;

namespace {

Instruction branchTo(Id block)
{
    return spirv::instruction(spv::Op::OpBranch).add(block);
}

}  // namespace

Status runOnce(NodeShader& shader, const Code& code)
{
    if (code.memory != graph::MemoryUse::None || shader.node.decided.leafRows > 1 ||
        shader.node.decided.groupMemoryBytes > 0)
        return {};
    std::vector<Block>& blocks = shader.module.findFunction(shader.entry)->blocks;
    const auto header = std::ranges::find_if(blocks, [](const Block& block) {
        return std::ranges::any_of(block.body, [](const Instruction& i) { return i.op == spv::Op::OpLoopMerge; });
    });
    const auto merge = std::ranges::find(header->body, spv::Op::OpLoopMerge, &Instruction::op);
    const Id after = merge->id(0), next = merge->id(1);
    header->body.erase(merge);
    std::vector<Instruction>& check = std::next(header)->body;
    check.insert(std::prev(check.end()), spirv::instruction(spv::Op::OpSelectionMerge).add(after).add(0u));
    std::ranges::find(blocks, next, &Block::label)->body.back() = branchTo(after);
    return {};
}

}  // namespace millrace::nodes
