// SPDX-License-Identifier: Apache-2.0
#include "graph/code_traits.h"

#include <algorithm>
#include <optional>
#include <span>

#include "graph/areas.h"

namespace millrace::graph {
namespace {

// 0 if strides differ.
class CommonStride {
public:
    void add(uint32_t stride)
    {
        m_stride = m_isOpen || m_stride == stride ? stride : 0;
        m_isOpen = false;
    }
    uint32_t value() const { return m_stride; }

private:
    bool m_isOpen = true;
    uint32_t m_stride = 0;
};

bool isPlain(const Graph& graph, uint32_t queue)
{
    if (queue == abi::kNoQueue)
        return false;
    const Queue& q = graph.queues[queue];
    return q.streams.size() == 1 && q.streams[0] == queue && graph.streams[queue].kind == abi::kStreamIndexed;
}

// Looks at all that the slots of a node send.
class Sent {
public:
    explicit Sent(const Graph& graph) : m_graph(graph) {}

    void add(const Slot& slot)
    {
        const Node& node = m_graph.nodes[slot.node];
        m_publishesAtOnce = node.declared.sendsWhenFinished;
        std::optional<uint32_t> only;
        m_grids.resize(node.declared.outputs.size(), false);
        for (size_t o = 0; o < slot.outputMaps.size(); ++o) {
            const std::span<const uint32_t> queues = m_graph.queuesOf(slot, o);
            const std::vector<uint32_t>& receivers = m_graph.receiversOf(slot, o);
            m_plain = m_plain && receivers.size() == queues.size();
            for (size_t i = 0; m_plain && i < queues.size(); ++i)
                m_plain = queues[i] == queues[0] + i && isPlain(m_graph, queues[i]);
            if (node.declared.outputs[o].allocationSites == 0)
                continue;
            addOutput(o, receivers, only);
            const std::optional<uint32_t> index = node.declared.outputs[o].constantIndex;
            m_received = m_received && index && *index < queues.size() && queues[*index] != abi::kNoQueue;
        }
        m_few = m_few && areAreasFew(m_graph, slot);
    }

    void store(CodeTraits& traits) const
    {
        traits.emits = std::min(traits.emits, !m_any              ? abi::kEmitsNothing
                                              : m_publishesAtOnce ? abi::kEmitsToSeveral
                                              : !m_several        ? abi::kEmitsToOne
                                              : m_few             ? abi::kEmitsToFew
                                                                  : abi::kEmitsToSeveral);
        traits.gridOutputs = m_grids;
        traits.sendsTracked = m_tracked;
        traits.alwaysReceived = m_received && m_any;
        traits.plainQueues = m_plain;
        traits.outputStride = m_stride.value();
    }

private:
    void addOutput(size_t output, const std::vector<uint32_t>& queues, std::optional<uint32_t>& only)
    {
        for (const uint32_t queue : queues) {
            m_several = m_several || (only && *only != queue);
            only = queue;
            addQueue(output, queue);
        }
    }

    void addQueue(size_t output, uint32_t index)
    {
        const Queue& queue = m_graph.queues[index];
        m_any = true;
        m_tracked = m_tracked || queue.finishCount > 0;
        m_stride.add(queue.stride);
        for (const uint32_t stream : queue.streams)
            if (m_graph.streams[stream].kind == abi::kStreamDynamic)
                m_grids[output] = true;
    }

    const Graph& m_graph;
    CommonStride m_stride;
    std::vector<bool> m_grids;  // of each output
    bool m_any = false, m_several = false, m_tracked = false, m_received = true, m_plain = true, m_few = true;
    bool m_publishesAtOnce = false;
};

CodeTraits traitsOf(const Graph& graph, uint32_t node, std::span<const uint32_t> slots)
{
    CodeTraits traits = codeTraits(graph.nodes[node].declared);
    if (graph.nodes[node].decided.anyGraph)
        return traits;
    Sent sent(graph);
    CommonStride input;
    for (const uint32_t s : slots) {
        const Slot& slot = graph.slots[s];
        sent.add(slot);
        input.add(graph.queues[slot.queue].stride);
    }
    sent.store(traits);
    traits.inputStride = input.value();
    return traits;
}

// How many payloads the invocations that send to a node allocate at a time, the most (NodeOutput::together).
void findTogether(Graph& graph)
{
    std::vector<uint32_t> sent(graph.maps.size(), 0);
    for (const Slot& slot : graph.slots)
        for (size_t o = 0; o < slot.outputMaps.size(); ++o)
            sent[slot.outputMaps[o]] =
                std::max(sent[slot.outputMaps[o]], graph.nodes[slot.node].declared.outputs[o].together);
    std::vector<uint32_t> most(graph.queues.size(), 0);
    for (size_t m = 0; m < sent.size(); ++m)
        for (const uint32_t queue : graph.receivers[m])
            most[queue] = std::max(most[queue], sent[m]);
    for (const Slot& slot : graph.slots)
        if (slot.level > 0 && !graph.nodes[slot.node].decided.anyGraph)
            graph.code[slot.node].inputTogether = std::max(graph.code[slot.node].inputTogether, most[slot.queue]);
}

// Who may begin a dispatch. Code of the Vulkan memory model would have to say of each access that others see it.
void findBegins(Graph& graph)
{
    for (const Slot& slot : graph.slots) {
        const Node& node = graph.nodes[slot.node];
        if (slot.level == 1 && !node.declared.vulkanMemoryModel && node.decided.depthFirst == 0 &&
            !node.decided.anyGraph)
            graph.code[slot.node].begins = true;
    }
}

}  // namespace

CodeTraits codeTraits(const NodeDeclaration& node)
{
    CodeTraits traits;
    uint32_t emitting = 0;
    bool toOne = true;
    for (const NodeOutput& output : node.outputs) {
        if (output.allocationSites == 0)
            continue;
        ++emitting;
        toOne = toOne && output.constantIndex;
    }
    // One workgroup in many that sends needs no memory that a chunk of them has together.
    toOne = toOne && !node.sendsWhenFinished;
    traits.emits = emitting == 0            ? abi::kEmitsNothing
                   : emitting == 1 && toOne ? abi::kEmitsToOne
                                            : abi::kEmitsToSeveral;
    return traits;
}

Status findCodeTraits(Graph& graph)
{
    std::vector<std::vector<uint32_t>> reached(graph.nodes.size());  // per node: its slots
    for (uint32_t s = 0; s < graph.slots.size(); ++s)
        if (graph.slots[s].level > 0)
            reached[graph.slots[s].node].push_back(s);
    for (uint32_t n = 0; n < graph.nodes.size(); ++n)
        graph.code.push_back(traitsOf(graph, n, reached[n]));
    findTogether(graph);
    findBegins(graph);
    return {};
}

}  // namespace millrace::graph
