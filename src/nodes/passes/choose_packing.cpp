// SPDX-License-Identifier: Apache-2.0
#include "nodes/passes/choose_packing.h"

#include <algorithm>

#include "nodes/fusion/kept_memory.h"
#include "shader/memory_model.h"
#include "shader/non_uniform.h"
#include "shader/workgroup_view.h"

namespace millrace::nodes {

using spirv::Instruction;
using spirv::Module;
using spirv::Section;

namespace {

bool speaksOfNeighbours(const Module& module)
{
    return std::ranges::any_of(module.section(Section::ExecutionModes), [](const Instruction& i) {
        const auto mode = static_cast<spv::ExecutionMode>(i.literal(1));
        return mode == spv::ExecutionMode::DerivativeGroupQuadsKHR ||
               mode == spv::ExecutionMode::DerivativeGroupLinearKHR;
    });
}

bool hasBarriers(const Module& module)
{
    bool found = false;
    module.forEachInstruction([&](const Instruction& i) { found |= i.op == spv::Op::OpControlBarrier; });
    return found;
}

bool hasLoops(const Module& module)
{
    bool found = false;
    module.forEachInstruction([&](const Instruction& i) { found |= i.op == spv::Op::OpLoopMerge; });
    return found;
}

bool sends(const graph::NodeDeclaration& node)
{
    return std::ranges::any_of(node.outputs,
                               [](const graph::NodeOutput& output) { return output.allocationSites > 0; });
}

// Of a workgroup of ours that runs several of the node's. Where the scheduler runs them, those of one payload one after
// the other need no search, which those side by side do (H200: a million workgroups in static grids of ten, 193 to 135
// us). What the API sends, the host launches mostly without it (docs/design.md, "Leaf dispatches").
uint32_t invocationsBeside(const graph::NodeDeclaration& node, const Target& target)
{
    if (node.mode != graph::LaunchMode::Static)
        return target.dynamicInvocations;
    const bool hasRow = std::ranges::any_of(node.staticGrid, [](uint32_t size) { return size > 1; });
    return hasRow && !node.apiEntry ? std::min(target.staticInvocations, target.minSubgroupSize)
                                    : target.staticInvocations;
}

// Whether a workgroup can send no more than some payloads. H200: workgroups of 8 invocations with one or two payloads
// each take 0.5 to 0.6 of the time side by side, with four as long, with eight 1.4 times: those have long runs by
// themselves. Few bytes, since a workgroup of ours may need memory for all that they send before it begins.
bool sendsLittle(const graph::NodeDeclaration& node)
{
    constexpr uint64_t kMostPayloads = 16, kMostBytes = 1024;
    uint64_t payloads = 0, largest = 0;
    for (size_t o = 0; o < node.outputs.size(); ++o) {
        payloads += node.outputs[o].budgetPool == o ? node.outputs[o].budget : 0;
        largest = std::max<uint64_t>(largest, node.outputs[o].payloadBytes);
    }
    return payloads <= kMostPayloads && payloads * largest <= kMostBytes;
}

// What checkBudgets counts, it counts for the workgroup.
uint32_t sendersBeside(const graph::NodeDeclaration& node, const Options& options)
{
    const uint32_t invocations = graph::invocationsOf(node);
    const bool isTogether =
        options.variant.checkBudgets || std::ranges::any_of(node.outputs, &graph::NodeOutput::perWorkgroup);
    const uint32_t beside = options.target.sendingInvocations / invocations;
    return beside < 2 || !sendsLittle(node) || (invocations > 1 && isTogether) ? 0 : beside;
}

uint32_t width(const NodeShader& shader, const Options& options)
{
    const graph::Node& node = shader.node;
    const uint32_t invocations = graph::invocationsOf(node.declared);
    if (node.declared.mode == graph::LaunchMode::Coalescing)
        return invocations == 1 && node.declared.maxInputPayloads == 1 ? options.target.packWidth : 0;
    const bool isAlone = node.declared.usesFinishWriting || options.variant.indirect || options.variant.counted;
    if (isAlone || hasBarriers(shader.module))
        return 0;
    return sends(node.declared) ? sendersBeside(node.declared, options)
                                : std::max(invocationsBeside(node.declared, options.target) / invocations, 1u);
}

// For payloads that workgroups keep; 0 if they stay in workgroup memory. Their address stands where that of push
// constants in memory would.
uint32_t memoryToMoveTo(const Module& module, const Options& options)
{
    const uint32_t bytes = keptMemoryBytes(module);
    const bool isWanted =
        bytes > options.target.keptBytes && !options.request.pushConstantsInMemory && !options.variant.indirect;
    return isWanted && shader::mayUseVulkanMemoryModel(module) ? bytes : 0;
}

}  // namespace

Status choosePacking(NodeShader& shader, const Options& options)
{
    const uint32_t wanted = width(shader, options);
    const bool mayPack = wanted > 0 && !speaksOfNeighbours(shader.module) && !shader::seesWorkgroup(shader.module);
    shader.node.decided.packWidth = mayPack ? wanted : 0;
    shader.node.decided.depthFirst = options.variant.depthFirst && mayPack ? options.variant.depthFirst->recursion : 0;
    const bool shares = shader.node.decided.depthFirst > 0 && options.variant.depthFirst->shares;
    shader.node.decided.sharers = shares ? options.target.minSubgroupSize : 1;
    shader.node.decided.busyPayloads = options.target.busyPayloads;
    shader.node.decided.groupMemoryBytes = memoryToMoveTo(shader.module, options);
    if (wanted > 1 && mayPack && shader::indexesDescriptors(shader.module)) {
        if (options.target.nonUniformIndexing)
            shader::markNonUniform(shader.module);
        else
            shader.node.decided.packWidth = graph::isLoose(shader.node) ? 1 : 0;
    }
    shader.hasLoops = hasLoops(shader.module);
    shader.node.decided.parts = graph::isPacked(shader.node) ? options.variant.parts : 1;
    if (shader.node.decided.parts > 1)
        shader.node.decided.leafRows = options.target.leafRows;  // what each does is short (fusion/choose_levels.cpp)
    else if (graph::isLoose(shader.node))
        shader.node.decided.leafRows = shader.hasLoops ? options.target.loopingLeafRows : options.target.leafRows;
    return {};
}

}  // namespace millrace::nodes
