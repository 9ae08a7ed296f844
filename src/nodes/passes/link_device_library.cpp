// SPDX-License-Identifier: Apache-2.0
#include "nodes/passes/link_device_library.h"

#include <algorithm>
#include <vector>

#include "nodes/device_library.h"
#include "nodes/passes/step_through_grid.h"
#include "nodes/payload_order.h"

namespace millrace::nodes {

namespace {

uint32_t kindOf(const graph::Node& node)
{
    switch (node.declared.mode) {
        case graph::LaunchMode::Static:
            break;
        case graph::LaunchMode::Dynamic:
            return abi::kKindDynamic;
        case graph::LaunchMode::Coalescing:
            return graph::isPacked(node) ? abi::kKindPacked : abi::kKindCoalescing;
    }
    return abi::kKindStatic;
}

uint32_t emitsOf(const Code& code)
{
    const bool hasAreas = code.memory == graph::MemoryUse::Fits;
    return code.traits.emits == abi::kEmitsToFew && !hasAreas ? abi::kEmitsToSeveral : code.traits.emits;
}

// Enough chunks to fill the grid several times keep it balanced, which single invocations are by themselves, and what
// takes as long everywhere. Fewer publish less often, which counts where all go to one queue (H200: W7's 15,625
// workgroups that send one payload for each invocation, all of it 191 to 182 us; several queues, or loops: W10 and W5
// took longer).
uint32_t chunksPerGroup(const NodeShader& shader, const Code& code)
{
    const bool isEven = !shader.hasLoops && code.traits.emits == abi::kEmitsToOne;
    return graph::isPacked(shader.node) || isEven ? 1 : 4;
}

// How many outputs a workgroup has in its memory: where all go to one queue, that queue is known anyway.
uint32_t knownOutputs(const graph::Node& node, const Code& code)
{
    constexpr size_t kMost = 8;
    const bool knowsAll = code.traits.emits == abi::kEmitsToOne && code.traits.alwaysReceived &&
                          code.memory != graph::MemoryUse::Reserves;
    return knowsAll || node.decided.depthFirst > 0
               ? 0
               : static_cast<uint32_t>(std::min(node.declared.outputs.size(), kMost));
}

// Without operations that more than one take part in, each invocation is alone.
uint32_t smallestSubgroup(const Target& target)
{
    return target.subgroupOperations == abi::kSubgroupNone ? 1 : target.minSubgroupSize;
}

// Values of all specialization constants (abi/node_code.h).
std::vector<spirv::Library::Constant> constantsFor(const NodeShader& shader, const Code& code, const Options& options)
{
    const graph::Node& node = shader.node;
    const Target& target = options.target;
    const Variant& variant = options.variant;
    const bool isLeaf = code.memory == graph::MemoryUse::None || code.memory == graph::MemoryUse::Fed;
    const bool fits = code.memory == graph::MemoryUse::Fits;
    const bool hasTable = node.declared.mode == graph::LaunchMode::Coalescing && !graph::isPacked(node);
    const bool isSilent = node.declared.mode == graph::LaunchMode::Dynamic && code.traits.emits == abi::kEmitsNothing;
    return {
        {abi::kKindSpecId, kindOf(node)},
        {abi::kEmitsSpecId, isLeaf ? abi::kEmitsToSeveral : emitsOf(code)},
        {abi::kIndirectSpecId, variant.indirect && !isLeaf},
        {abi::kBatchedSpecId, code.batched && !isLeaf},
        {abi::kBeginsSpecId, code.traits.begins && fits && !variant.indirect},
        {abi::kCountedSpecId, variant.counted && !isLeaf},
        {abi::kLooseSpecId, graph::isLoose(node)},
        {abi::kStepsInsideSpecId, stepsInside(shader, code) && !isLeaf},
        {abi::kSendsOnceSpecId, node.declared.sendsWhenFinished && fits},
        {abi::kKeepsSpecId, node.decided.groupMemoryBytes > 0 && code.memory == graph::MemoryUse::None},
        {abi::kSendsGridsSpecId, code.traits.sendsGrids()},
        {abi::kSendsTrackedSpecId, code.traits.sendsTracked},
        {abi::kPlainQueuesSpecId, code.traits.plainQueues},
        {abi::kLongAtomicsSpecId, target.longAtomics},
        {abi::kSubgroupOperationsSpecId, std::min(target.subgroupOperations, abi::kSubgroupArithmetic)},
        {abi::kWorkgroupSizeSpecId, graph::invocationsPerGroup(node)},
        {abi::kInputTableSpecId, hasTable ? node.declared.maxInputPayloads : 1},
        {abi::kSubgroupSizeSpecId, smallestSubgroup(target)},
        {abi::kOutputStrideSpecId, code.traits.outputStride},
        {abi::kInputStrideSpecId, code.traits.inputStride},
        {abi::kInputBesideSpecId, payloadsBeside(code.traits, target)},
        {abi::kPartsSpecId, node.decided.parts},
        {abi::kChunksPerGroupSpecId, chunksPerGroup(shader, code)},
        {abi::kGridXSpecId, node.declared.staticGrid[0]},
        {abi::kGridYSpecId, node.declared.staticGrid[1]},
        {abi::kGridZSpecId, node.declared.staticGrid[2]},
        {abi::kNodeSizeSpecId, graph::invocationsOf(node.declared)},
        {abi::kAlwaysReceivedSpecId, code.traits.alwaysReceived},
        {abi::kChunkGroupsSpecId, isSilent ? target.silentChunkGroups : target.chunkGroups},
        {abi::kOrderedBytesSpecId, target.orderedBytes},
        // What goes depth first leaves several at a time to others.
        {abi::kOneEachSpecId,
         node.decided.depthFirst == 0 && std::ranges::all_of(node.declared.outputs, &graph::NodeOutput::oneEach)},
        {abi::kOutputsSpecId, knownOutputs(node, code)},
        {abi::kSentMostSpecId, variant.depthFirst ? variant.depthFirst->sentMost : 1},
        {abi::kQueuePayloadsSpecId, variant.depthFirst ? variant.depthFirst->queuePayloads : 0},
        {abi::kLevelBitsSpecId, variant.depthFirst ? variant.depthFirst->levelBits : 1},
        {abi::kSharesSpecId, variant.depthFirst && variant.depthFirst->shares},
        {abi::kBusyPayloadsSpecId, target.busyPayloads},
        {abi::kMemoryBytesSpecId, node.decided.groupMemoryBytes},
    };
}

}  // namespace

Status linkDeviceLibrary(NodeShader& shader, const Code& code, const Options& options)
{
    const DeviceLibraryBuild build{kindOf(shader.node), code.memory, shader.vulkanMemoryModel,
                                   shader.node.decided.depthFirst > 0};
    const auto& library = getDeviceLibrary(build);
    if (!library)
        return library.error();
    spirv::Module& module = shader.module;
    const bool hasLongAtomics = module.hasCapability(spv::Capability::Int64Atomics);
    const auto hasBody = [](const spirv::Function& function) { return !function.blocks.empty(); };
    shader.ownFunctions = static_cast<size_t>(std::ranges::count_if(module.functions, hasBody));
    if (const Status status = library->linkInto(module, constantsFor(shader, code, options)); !status)
        return status;
    // What would need it is behind a constant.
    if (!options.target.longAtomics && !hasLongAtomics)
        module.removeCapability(spv::Capability::Int64Atomics);
    return {};
}

}  // namespace millrace::nodes
