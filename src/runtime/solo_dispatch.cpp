// SPDX-License-Identifier: Apache-2.0
#include "runtime/solo_dispatch.h"

namespace millrace::runtime {

namespace {

// No graph with more inputs or slots can be small enough, so nobody has to ask for its code.
constexpr uint64_t kMostInputs = 4096;
constexpr size_t kMostSlots = abi::kSoloTableWords / abi::kSoloStepWords;

bool mayBeSmall(const GraphPipeline& pipeline, const HostInputs& inputs)
{
    uint64_t payloads = 0;
    for (const graph::KnownInput& input : inputs.known)
        payloads += input.payloadCount;
    return payloads <= kMostInputs && pipeline.graph.slots.size() <= kMostSlots;
}

// Finish counters and padding are 0.
std::vector<std::byte> layOutPayloads(const graph::Graph& graph, const HostInputs& inputs, const graph::SoloPlan& plan)
{
    std::vector<std::byte> bytes(size_t{plan.fedGranules} * abi::kGranuleBytes);
    std::vector<uint64_t> ends(graph.queues.size(), 0);
    for (const graph::SoloPlan::Fed& fed : plan.fed)
        ends[fed.queue] = uint64_t{fed.at} * abi::kGranuleBytes;
    for (const abi::DispatchInfo& info : inputs.infos) {
        const uint32_t queue = graph.apiQueues[info.nodeIndex];
        const uint32_t stride = graph.queues[queue].stride;
        placePayloads(inputs, info, stride, bytes.data() + ends[queue]);
        ends[queue] += uint64_t{stride} * info.payloadCount;
    }
    return bytes;
}

}  // namespace

std::optional<SoloDispatch> prepareSolo(const GraphPipeline& pipeline, const HostInputs& inputs,
                                        VkDeviceAddress scratch, VkDeviceSize scratchBytes, uint32_t rounds)
{
    const graph::SoloLimits limits = rounds > 0 ? graph::SoloLimits{rounds, UINT64_MAX} : graph::SoloLimits{};
    const graph::SoloShape* shape = mayBeSmall(pipeline, inputs) ? pipeline.solo->shape() : nullptr;
    if (!shape)
        return std::nullopt;
    Result<graph::SoloPlan> plan = graph::planSolo(pipeline.graph, *shape, pipeline.solo->codeOfNode(), inputs.known,
                                                   scratch, scratchBytes, limits);
    if (!plan)
        return std::nullopt;
    plan->table[abi::kSoloGraph] = pipeline.graphId;
    std::vector<std::byte> payloads = layOutPayloads(pipeline.graph, inputs, *plan);
    return SoloDispatch{std::move(*plan), std::move(payloads)};
}

}  // namespace millrace::runtime
