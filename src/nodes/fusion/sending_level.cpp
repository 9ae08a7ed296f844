// SPDX-License-Identifier: Apache-2.0
#include "nodes/fusion/sending_level.h"

#include <algorithm>
#include <vector>

#include "nodes/payload_types.h"
#include "nodes/prepare.h"

namespace millrace::nodes {

using spirv::Instruction;

Result<SendingLevel> prepareSending(const RecursiveNode& node, const RecursionRange& remaining)
{
    Options options = node.options;
    options.variant.remainingRecursion = remaining;
    const auto shader = prepareAgain(node.words, options);
    if (!shader)
        return shader.error();
    const std::vector<graph::NodeOutput>& outputs = (*shader)->node.declared.outputs;
    const auto isOwn = [&](const graph::NodeOutput& output) {
        return output.allocationSites > 0 && output.targetName == node.id.name;
    };
    if (std::ranges::count_if(outputs, isOwn) != 1)
        return cannotFuse(node.id, "before its last level it does not send to itself by one output alone");
    return SendingLevel{*shader, static_cast<uint32_t>(std::ranges::find_if(outputs, isOwn) - outputs.begin())};
}

std::optional<Allocation> findAllocation(const NodeShader& shader, uint32_t output)
{
    std::vector<Allocation> found;
    for (const spirv::Function& function : shader.module.functions) {
        for (size_t b = 0; b < function.blocks.size(); ++b) {
            for (const Instruction& i : function.blocks[b].body) {
                const bool allocates = i.op == spv::Op::OpAllocateNodePayloadsAMDX;
                const auto array = allocates ? shader.outputOfArray.find(payloadArrayOf(shader.module, i.type).value)
                                             : shader.outputOfArray.end();
                if (array != shader.outputOfArray.end() && array->second == output)
                    found.push_back({&function, b, i.id(1)});
            }
        }
    }
    return found.size() == 1 ? std::optional(found.front()) : std::nullopt;
}

Diagnostic cannotFuse(const graph::NodeId& id, std::string message)
{
    return {"fuse", "'" + id.name + "'[" + std::to_string(id.index) + "]", std::move(message)};
}

}  // namespace millrace::nodes
