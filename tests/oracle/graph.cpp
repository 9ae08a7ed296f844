// SPDX-License-Identifier: Apache-2.0
#include "oracle/graph.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace millrace::oracle {

namespace {

constexpr uint64_t kChunkBytes = 1 << 20;

}  // namespace

Graph::Graph(const std::vector<NodeSource>& nodes, const Options& options) : m_options(options), m_random(options.seed)
{
    for (const NodeSource& source : nodes) {
        try {
            m_nodes.push_back(std::make_unique<Node>(source));
        } catch (const RuleError& error) {
            throw RuleError(source.name.value_or(source.entry) + ": " + error.what());
        } catch (const UnsupportedError& error) {
            throw UnsupportedError(source.name.value_or(source.entry) + ": " + error.what());
        }
    }
    link();
}

void Graph::bindBuffer(uint32_t set, uint32_t binding, std::span<uint8_t> memory, uint64_t address)
{
    Block& block = m_memory.buffers[{set, binding}];
    block = {memory.data(), memory.size(), false, false};
    if (address)
        m_memory.addresses.emplace_back(address, &block);
}

void Graph::setPushConstants(std::vector<uint8_t> bytes)
{
    m_pushConstants = std::move(bytes);
    m_memory.pushConstants = {m_pushConstants.data(), m_pushConstants.size(), false, true};
}

const Graph::Target* Graph::find(const Key& key) const
{
    const auto found = m_targets.find(key);
    return found == m_targets.end() ? nullptr : &found->second;
}

Payload* Graph::newPayload(uint64_t bytes)
{
    Store& store = m_following;
    const uint64_t padded = (bytes + 7) / 8 * 8;
    if (store.chunks.empty() || store.used + padded > store.capacity) {
        store.capacity = std::max(kChunkBytes, padded);
        store.chunks.push_back(std::make_unique<uint8_t[]>(store.capacity));
        store.used = 0;
    }
    Payload& payload = store.payloads.emplace_back();
    payload.block = {store.chunks.back().get() + store.used, bytes, false, false};
    store.used += padded;
    store.bytes += bytes;
    return &payload;
}

void Graph::add(const Target& target, Payload* payload)
{
    m_next[{target.node, payload->remaining}].push_back(payload);
    for (Node* sharer : target.sharers)
        m_next[{sharer, 0}].push_back(payload);
    m_statistics.payloads += target.sharers.size() + 1;
}

void Graph::send(const Launch& launch)
{
    const Target* target = find({launch.name, launch.index});
    if (!target)
        throw RuleError("API dispatch of a node that does not exist: " + launch.name);
    if (!target->node->isApiEntry)
        throw RuleError("API dispatch of " + target->node->label() + ", which is no entry");
    const uint64_t bytes = target->node->payloadBytes;
    for (uint32_t i = 0; i < launch.count; ++i) {
        if (i * launch.stride + bytes > launch.payloads.size())
            throw RuleError("API payloads of " + target->node->label() + " are too short");
        Payload* payload = newPayload(bytes);
        m_statistics.bytesFromApi += bytes;
        if (bytes)
            std::memcpy(payload->block.data, launch.payloads.data() + i * launch.stride, bytes);
        payload->remaining = target->node->recursion;
        payload->fromApi = true;
        add(*target, payload);
    }
}

void Graph::dispatch(const std::vector<Launch>& launches)
{
    m_following = {};
    for (const Launch& launch : launches)
        send(launch);
    uint32_t depth = 0;
    while (!m_next.empty()) {
        if (++depth > m_options.limits.depth)
            throw RuleError("chain of nodes longer than maxExecutionGraphDepth");
        m_statistics.depth = std::max(m_statistics.depth, depth);
        m_statistics.mostPayloadsOfOneLevel =
            std::max<uint64_t>(m_statistics.mostPayloadsOfOneLevel, m_following.payloads.size());
        m_statistics.mostBytesOfOneLevel = std::max(m_statistics.mostBytesOfOneLevel, m_following.bytes);
        m_current = std::move(m_following);
        m_following = {};
        for (Payload& payload : m_current.payloads)
            payload.block.locked = false;
        Level level = std::move(m_next);
        m_next.clear();
        runLevel(level);
    }
}

void Graph::runLevel(Level& level)
{
    for (auto& [key, payloads] : level) {
        Node& node = *key.first;
        m_nodeStatistics = &m_statistics.nodes[{node.name, node.index, key.second}];
        std::shuffle(payloads.begin(), payloads.end(), m_random);
        try {
            if (node.coalescing)
                runCoalescing(node, key.second, payloads);
            else
                for (Payload* payload : payloads)
                    runGrid(node, key.second, payload);
        } catch (const RuleError& error) {
            throw RuleError(node.label() + ": " + error.what());
        }
    }
}

void Graph::runCoalescing(Node& node, uint32_t remaining, std::vector<Payload*>& payloads)
{
    for (size_t first = 0; first < payloads.size();) {
        size_t take = std::min<size_t>(node.maxPayloads, payloads.size() - first);
        if (m_options.grouping == Grouping::Single)
            take = 1;
        else if (m_options.grouping == Grouping::Random)
            take = 1 + m_random() % take;
        PayloadArray input;
        input.isInput = true;
        input.items.assign(payloads.begin() + static_cast<std::ptrdiff_t>(first),
                           payloads.begin() + static_cast<std::ptrdiff_t>(first + take));
        for (Payload* payload : input.items)
            payload->block.readOnly = node.shares.has_value();
        m_nodeStatistics->payloads += take;
        runWorkgroup(node, remaining, {0, 0, 0}, input);
        for (Payload* payload : input.items)
            payload->block.readOnly = false;
        first += take;
    }
}

void Graph::runGrid(Node& node, uint32_t remaining, Payload* payload)
{
    const Grid grid = node.gridOf(*payload);
    const uint64_t count = uint64_t{grid[0]} * grid[1] * grid[2];
    for (uint32_t side : grid)
        if (side > m_options.limits.workgroupCount)
            throw RuleError("grid above maxExecutionGraphWorkgroupCount");
    if (count > m_options.limits.workgroups)
        throw RuleError("grid above maxExecutionGraphWorkgroups");
    if (m_statistics.workgroups + count > m_options.maxWorkgroups)
        throw TooMuchWork("too many workgroups");
    std::vector<uint32_t> order(count);
    std::iota(order.begin(), order.end(), 0u);
    std::shuffle(order.begin(), order.end(), m_random);
    m_workgroupsLeft = count;
    m_nodeStatistics->payloads += count > 0 ? 1 : 0;
    PayloadArray input;
    input.isInput = true;
    input.items = {payload};
    // Shared inputs are NonWritable in the nodes that share.
    payload->block.readOnly = node.shares.has_value();
    for (uint32_t cell : order)
        runWorkgroup(node, remaining, {cell % grid[0], cell / grid[0] % grid[1], cell / (grid[0] * grid[1])}, input);
    payload->block.readOnly = false;
}

void Graph::runWorkgroup(Node& node, uint32_t remaining, Grid id, PayloadArray& input)
{
    if (++m_statistics.workgroups > m_options.maxWorkgroups)
        throw TooMuchWork("too many workgroups");
    if (!node.machine)
        node.machine = std::make_unique<Machine>(node.program, node.localSize, m_memory);
    const uint64_t invocations = uint64_t{node.localSize[0]} * node.localSize[1] * node.localSize[2];
    m_statistics.invocations += invocations;
    m_nodeStatistics->invocations += invocations;
    ++m_nodeStatistics->workgroups;
    m_node = &node;
    m_remaining = remaining;
    m_input = input.items[0];
    m_finished = false;
    m_hasMeshOutputs = false;
    m_allocated.clear();
    m_spent.clear();
    const uint64_t before = node.machine->operations();
    node.machine->run({id, &input, remaining, node.index}, *this, m_random);
    m_statistics.operations += node.machine->operations() - before;
    if (m_statistics.operations > m_options.maxOperations)
        throw TooMuchWork("too many operations");
    if (node.isMesh && m_meshSink)
        m_meshSink(node, node.machine->meshOutputs());
    // What was allocated and never enqueued is released at the end: compilers rely on it.
    for (PayloadArray& array : m_allocated)
        if (!array.enqueued)
            enqueue(&array);
}

Graph::Key Graph::keyOf(const Output& output, uint32_t nodeIndex) const
{
    const uint32_t index = output.baseIndex + nodeIndex;
    if (output.arraySize && index >= *output.arraySize)
        throw RuleError("node index " + std::to_string(index) + " of an array of " + std::to_string(*output.arraySize));
    return {output.name, index};
}

PayloadArray* Graph::allocate(uint32_t arrayType, uint32_t count, uint32_t nodeIndex)
{
    const auto found = m_node->outputs.find(arrayType);
    if (found == m_node->outputs.end())
        throw RuleError("allocation of a payload array type without a node name");
    const Output& output = found->second;
    PayloadArray& array = m_allocated.emplace_back();
    array.type = arrayType;
    if (count == 0)  // goes nowhere, so that compilers may pass any index
        return &array;
    const Key key = keyOf(output, nodeIndex);
    const Target* target = find(key);
    if (!target)
        throw RuleError("payload for " + key.first + "[" + std::to_string(key.second) + "], which does not exist");
    if (target->node->shares)
        throw RuleError("payload for " + target->node->label() + ", which shares the input of another node");
    const bool recursive = target->node == m_node;
    if (recursive && m_remaining == 0)
        throw RuleError("recursion below the last level");
    if (!recursive && target->node->name == m_node->name)
        throw RuleError("payload for another node of the own name");
    uint32_t& spent = m_spent[output.pool];
    spent += count;
    if (spent > output.budget)
        throw RuleError("more than " + std::to_string(output.budget) + " payloads for " + output.name);
    array.target = m_targetNumbers.at(target);
    for (uint32_t i = 0; i < count; ++i) {
        Payload* payload = newPayload(output.payloadBytes);
        std::memset(payload->block.data, static_cast<int>(m_random() >> 8 & 0xff), output.payloadBytes);
        payload->remaining = recursive ? m_remaining - 1 : target->node->recursion;
        array.items.push_back(payload);
    }
    return &array;
}

void Graph::enqueue(PayloadArray* array)
{
    if (array->enqueued)
        throw RuleError("payloads enqueued twice");
    array->enqueued = true;
    for (Payload* payload : array->items) {
        payload->block.locked = true;
        m_nodeStatistics->bytesSent += m_targetList[array->target]->node->payloadBytes;
        add(*m_targetList[array->target], payload);
    }
}

bool Graph::isValid(uint32_t arrayType, uint32_t nodeIndex)
{
    const auto found = m_node->outputs.find(arrayType);
    if (found == m_node->outputs.end())
        throw RuleError("OpIsNodePayloadValidAMDX of a type without a node name");
    const Key key = keyOf(found->second, nodeIndex);
    if (key == Key{m_node->name, m_node->index})
        return m_remaining > 0;
    return found->second.sparse ? find(key) != nullptr : true;
}

void Graph::setMeshOutputs(uint32_t vertices, uint32_t primitives)
{
    if (m_hasMeshOutputs)
        throw RuleError("OpSetMeshOutputsEXT twice in a workgroup");
    m_hasMeshOutputs = true;
    if (vertices > m_node->maxVertices || primitives > m_node->maxPrimitives)
        throw RuleError("more vertices or primitives than OutputVertices and OutputPrimitivesEXT say");
}

bool Graph::finishWriting()
{
    if (m_node->coalescing)
        throw RuleError("OpFinishWritingNodePayloadAMDX in a coalescing node");
    if (!m_node->trackFinish)
        throw RuleError("OpFinishWritingNodePayloadAMDX without TrackFinishWritingAMDX");
    if (m_input->fromApi)
        throw RuleError("OpFinishWritingNodePayloadAMDX on a payload from the API");
    if (m_finished)
        throw RuleError("OpFinishWritingNodePayloadAMDX twice in a workgroup");
    m_finished = true;
    return --m_workgroupsLeft == 0;
}

}  // namespace millrace::oracle
