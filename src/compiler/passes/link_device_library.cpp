// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/link_device_library.h"

#include <algorithm>

#include "compiler/device_library.h"
#include "compiler/passes/step_through_grid.h"
#include "compiler/payload_order.h"
#include "spirv/edit.h"

namespace millrace::compiler {

namespace {

bool importsSending(const spirv::Module& module)
{
    return std::ranges::any_of(module.section(spirv::Section::Annotations), [](const spirv::Instruction& i) {
        const bool isLinkage =
            i.op == spv::Op::OpDecorate && i.literal(1) == static_cast<uint32_t>(spv::Decoration::LinkageAttributes);
        const auto function = isLinkage ? findDeviceFunction(i.string(2)) : std::nullopt;
        return function && sendsPayloads(*function);
    });
}

DeviceLibraryVariant variantOf(const NodeShader& shader, const Code& code, const Options& options)
{
    DeviceLibraryVariant variant;
    variant.vulkanMemoryModel = shader.vulkanMemoryModel;
    variant.memory = code.memory;
    variant.loose = graph::isLoose(shader.node);
    variant.sends = importsSending(shader.module);
    switch (shader.node.mode) {
        case graph::LaunchMode::Static:
            variant.kind = abi::kKindStatic;
            break;
        case graph::LaunchMode::Dynamic:
            variant.kind = abi::kKindDynamic;
            break;
        case graph::LaunchMode::Coalescing:
            variant.kind = graph::isPacked(shader.node) ? abi::kKindPacked : abi::kKindCoalescing;
            break;
    }
    if (code.memory == graph::MemoryUse::None) {
        variant.keeps = shader.node.groupMemoryBytes > 0;
        return variant;
    }
    if (code.memory == graph::MemoryUse::Fed) {
        return variant;
    }
    variant.indirect = options.indirect;
    variant.longAtomics = options.longAtomics;
    variant.subgroupOperations = options.subgroupOperations;
    variant.batched = code.batched;
    variant.counted = options.counted;
    variant.emits = code.traits.emits == abi::kEmitsToFew && code.memory == graph::MemoryUse::Reserves
                        ? abi::kEmitsToSeveral
                        : code.traits.emits;
    variant.sendsGrids = code.traits.sendsGrids();
    variant.sendsTracked = code.traits.sendsTracked;
    variant.plainQueues = code.traits.plainQueues;
    variant.once = shader.node.sendsWhenFinished && code.memory == graph::MemoryUse::Fits;
    variant.stepsInside = stepsInside(shader, code);
    variant.begins = code.traits.begins && code.memory == graph::MemoryUse::Fits && !options.indirect;
    return variant;
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
    return knowsAll || node.depthFirst > 0 ? 0 : static_cast<uint32_t>(std::min(node.outputs.size(), kMost));
}

// Without operations that more than one take part in, each invocation is alone.
uint32_t smallestSubgroup(const Options& options)
{
    return options.subgroupOperations == abi::kSubgroupNone ? 1 : options.minSubgroupSize;
}

}  // namespace

Status linkDeviceLibrary(NodeShader& shader, const Code& code, const Options& options)
{
    const auto& library = getDeviceLibrary(variantOf(shader, code, options));
    if (!library) {
        return library.error();
    }
    const graph::Node& node = shader.node;
    const bool hasTable = node.mode == graph::LaunchMode::Coalescing && !graph::isPacked(node);
    const bool isSilent = node.mode == graph::LaunchMode::Dynamic && code.traits.emits == abi::kEmitsNothing;
    const spirv::Library::Constant constants[] = {
        {abi::kWorkgroupSizeSpecId, graph::invocationsPerGroup(node)},
        {abi::kInputTableSpecId, hasTable ? node.maxInputPayloads : 1},
        {abi::kSubgroupSizeSpecId, smallestSubgroup(options)},
        {abi::kOutputStrideSpecId, code.traits.outputStride},
        {abi::kInputStrideSpecId, code.traits.inputStride},
        {abi::kInputBesideSpecId, payloadsBeside(code.traits, options)},
        {abi::kPartsSpecId, node.parts},
        {abi::kChunksPerGroupSpecId, chunksPerGroup(shader, code)},
        {abi::kGridXSpecId, node.staticGrid[0]},
        {abi::kGridYSpecId, node.staticGrid[1]},
        {abi::kGridZSpecId, node.staticGrid[2]},
        {abi::kNodeSizeSpecId, graph::invocationsOf(node)},
        {abi::kAlwaysReceivedSpecId, code.traits.alwaysReceived},
        {abi::kChunkGroupsSpecId, isSilent ? options.silentChunkGroups : options.chunkGroups},
        {abi::kOrderedBytesSpecId, options.orderedBytes},
        // What goes depth first leaves several at a time to others.
        {abi::kOneEachSpecId, node.depthFirst == 0 && std::ranges::all_of(node.outputs, &graph::NodeOutput::oneEach)},
        {abi::kOutputsSpecId, knownOutputs(node, code)},
        {abi::kDepthFirstSpecId, node.depthFirst > 0},
        {abi::kSentMostSpecId, options.depthFirst ? options.depthFirst->sentMost : 1},
        {abi::kQueuePayloadsSpecId, options.depthFirst ? options.depthFirst->queuePayloads : 0},
        {abi::kLevelBitsSpecId, options.depthFirst ? options.depthFirst->levelBits : 1},
        {abi::kBusyPayloadsSpecId, options.busyPayloads},
        {abi::kMemoryBytesSpecId, node.groupMemoryBytes},
    };
    if (const Status status = library->linkInto(shader.module, constants); !status) {
        return status;
    }
    spirv::removeUnused(shader.module);
    return {};
}

}  // namespace millrace::compiler
