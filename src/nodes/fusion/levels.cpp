// SPDX-License-Identifier: Apache-2.0
#include "nodes/fusion/levels.h"

#include "nodes/fuse.h"
#include "nodes/fusion/descent.h"
#include "nodes/fusion/sending_level.h"
#include "nodes/node_shader.h"
#include "nodes/prepare.h"
#include "shader/values.h"

namespace millrace::nodes {

namespace {

// What remains at a level of a group, counted from its first.
RecursionRange remainingAt(const RecursiveNode& node, const LevelsInOne& shape, uint32_t level)
{
    const uint32_t behind = shape.levels - 1 - level;
    return shape.isLast ? RecursionRange{behind, behind}
                        : RecursionRange{shape.below + behind, node.maxRecursion - level};
}

// Where a compiler leaves the allocation in and makes its count 0, as Direct3D 12's uniform control flow asks for.
bool allocatesNothing(const NodeShader& shader, uint32_t output)
{
    const std::optional<Allocation> allocation = findAllocation(shader, output);
    return allocation && shader::Values(shader.module).largest(allocation->count) == 0u;
}

Result<spirv::Words> fusePrepared(const NodeShader& producer, std::span<const FusedOutput> outputs)
{
    const Result<spirv::Module> module = fuse(producer, outputs);
    if (!module)
        return module.error();
    return spirv::write(*module);
}

// The last level, without the allocations that it makes of nothing. What it sends to others its caller sends.
Result<spirv::Words> makeLastLevel(const RecursiveNode& node, const Options& options)
{
    const auto shader = prepareAgain(node.words, options);
    if (!shader)
        return shader.error();
    std::vector<FusedOutput> nothing;
    const std::vector<graph::NodeOutput>& outputs = (*shader)->node.declared.outputs;
    for (uint32_t o = 0; o < outputs.size(); ++o) {
        const bool allocates = outputs[o].allocationSites > 0, isOwn = outputs[o].targetName == node.id.name;
        if (allocates && allocatesNothing(**shader, o))
            nothing.push_back({.output = o, .consumers = {}});
        else if (allocates && isOwn)
            return cannotFuse(node.id, "the last level may send payloads to itself as well");
        else if (!allocates && isOwn)  // the level above would get the same answer
            return cannotFuse(node.id, "the last level asks whether it may send to itself");
    }
    return fusePrepared(**shader, nothing);
}

}  // namespace

uint32_t LevelsInOne::parts() const
{
    return descends > 0 ? countWays(fanOut, descends) : 1;
}

Result<spirv::Words> fuseLevels(const RecursiveNode& node, const LevelsInOne& shape)
{
    Options optionsOfLast = node.options;
    optionsOfLast.variant.remainingRecursion = remainingAt(node, shape, shape.levels - 1);
    Result<spirv::Words> below =
        shape.isLast ? makeLastLevel(node, optionsOfLast) : fuse(node.words, optionsOfLast, {});
    Options optionsBelow = node.options;
    optionsBelow.request.specialization.clear();  // applied
    for (uint32_t level = shape.levels - 1; below && level-- > 0;) {
        const bool descends = level < shape.descends;
        RecursionRange remaining = remainingAt(node, shape, level);
        if (descends) {
            remaining.most = remainingAt(node, shape, 0).most;
            level = 0;
        }
        const Result<SendingLevel> above = prepareSending(node, remaining);
        if (!above)
            return above.error();
        const FusedConsumer next{
            .words = *below, .options = optionsBelow, .indices = {node.id.index}, .isNextLevel = true};
        FusedOutput output{above->output, {next}, node.byWorkgroup};
        if (descends)
            output.descent = {shape.descends, shape.fanOut};
        below = fusePrepared(*above->shader, {{output}});
    }
    return below;
}

}  // namespace millrace::nodes
