// SPDX-License-Identifier: Apache-2.0
#include "nodes/passes/step_through_grid.h"

#include <algorithm>
#include <iterator>

namespace millrace::nodes {

using spirv::Block;
using spirv::Id;
using spirv::Instruction;

bool stepsInside(const NodeShader& shader, const Code& code)
{
    const bool isSilent = code.traits.emits == abi::kEmitsNothing;
    const bool isLeaf = code.memory == graph::MemoryUse::None || code.memory == graph::MemoryUse::Fed;
    return !isLeaf && graph::stepsThroughGrid(shader.node) && !shader.hasLoops &&
           (shader.node.declared.mode == graph::LaunchMode::Static || isSilent);
}

Status stepThroughGrid(NodeShader& shader, const Code& code)
{
    if (!stepsInside(shader, code))
        return {};
    spirv::Module& module = shader.module;
    const Id header = module.newId(), step = module.newId(), after = module.newId();

    Block stepBlock{step, {}, {}};
    spirv::Emitter emitter(module, stepBlock.body);
    const Id again = shader.device.call(emitter, DeviceFunction::Step, {});
    emitter.emitVoid(spv::Op::OpBranchConditional, {again, header, after});
    shader.device.declare(module);

    // As wrapEntryPoint makes it: header, check with the call of mr_next(), what it runs, next.
    std::vector<Block>& blocks = module.findFunction(shader.entry)->blocks;
    const auto outer = std::ranges::find_if(blocks, [](const Block& block) {
        return std::ranges::find(block.body, spv::Op::OpLoopMerge, &Instruction::op) != block.body.end();
    });
    const Id next = std::ranges::find(outer->body, spv::Op::OpLoopMerge, &Instruction::op)->id(1);
    Instruction& found = std::next(outer)->body.back();
    const Id body = found.id(1);
    found.setId(1, header);
    const auto last = std::ranges::find_if(blocks, [&](const Block& block) {
        return block.body.back().op == spv::Op::OpBranch && block.body.back().id(0) == next;
    });
    last->body.back().setId(0, step);

    Block headerBlock{header, {}, {}};
    headerBlock.body.push_back(spirv::instruction(spv::Op::OpLoopMerge).add(after).add(step).add(0u));
    headerBlock.body.push_back(spirv::instruction(spv::Op::OpBranch).add(body));
    Block afterBlock{after, {}, {}};
    afterBlock.body.push_back(spirv::instruction(spv::Op::OpBranch).add(next));
    const auto behind = blocks.insert(std::next(last), std::move(afterBlock));
    blocks.insert(behind, std::move(stepBlock));
    blocks.insert(std::ranges::find(blocks, body, &Block::label), std::move(headerBlock));
    return {};
}

}  // namespace millrace::nodes
