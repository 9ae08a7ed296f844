// SPDX-License-Identifier: Apache-2.0
#include "nodes/shared_elements.h"

#include <map>
#include <optional>

#include "nodes/payload_types.h"
#include "shader/type_layouts.h"

namespace millrace::nodes {

using spirv::Instruction;

namespace {

constexpr uint32_t kFewBlocks = 16;

// Chains to the element itself are results of their own, and those through variables load their handle.
std::optional<ElementOfArray> elementOf(const spirv::Module& module, const Instruction& i)
{
    if (!shader::isAccessChain(i.op) || !isHandle(module, module.typeOf(i.id(0))))
        return {};
    const auto operand = payloadIndexOperand(module, i);
    if (!operand || *operand + 1 == i.operandCount() || !module.isConstant(i.id(*operand)))
        return {};
    return ElementOfArray{i.id(0), i.id(*operand)};
}

}  // namespace

std::set<ElementOfArray> findSharedElements(const spirv::Module& module, const spirv::Function& function)
{
    struct Blocks {
        uint32_t count = 0;
        const spirv::Block* last = nullptr;
    };
    std::map<ElementOfArray, Blocks> asked;
    for (const spirv::Block& block : function.blocks) {
        for (const Instruction& i : block.body) {
            const auto element = elementOf(module, i);
            if (!element)
                continue;
            Blocks& blocks = asked[*element];
            blocks.count += blocks.last != &block ? 1 : 0;
            blocks.last = &block;
        }
    }
    std::set<ElementOfArray> shared;
    for (const auto& [element, blocks] : asked)
        if (blocks.count > kFewBlocks)
            shared.insert(element);
    return shared;
}

}  // namespace millrace::nodes
