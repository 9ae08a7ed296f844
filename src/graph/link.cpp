// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "graph/budgets.h"
#include "graph/code_traits.h"
#include "graph/diagnose.h"
#include "graph/graph.h"
#include "graph/levels.h"
#include "graph/plan.h"
#include "graph/work.h"

namespace millrace::graph {
namespace {

constexpr uint32_t kNoNode = UINT32_MAX;
constexpr size_t kMaxNodeMap = size_t{1} << 26;  // entries of all node maps, which scratch memory has to hold

// The nodes of one name by index.
using NodeArray = std::vector<uint32_t>;

// The node indices that an output may use; what lies beyond the last node of the name is left out.
struct IndexRange {
    uint32_t first = 0;
    uint32_t end = 0;
};

// Behind the last node index that the output declares. The array size includes the base index, but D3D12 compilers
// count from the base.
uint32_t declaredEnd(const NodeOutput& output)
{
    return output.arraySize
               ? static_cast<uint32_t>(std::min<uint64_t>(UINT32_MAX, uint64_t{*output.arraySize} + output.baseIndex))
               : UINT32_MAX;
}

// To which nodes of an array an output leads that declares a smaller one, and whose node indices nobody knows.
enum class Reach { Array, Declared };

class Linker {
public:
    Linker(std::vector<Node> nodes, Reach reach) : m_reach(reach) { m_graph.nodes = std::move(nodes); }

    // run() would have given something else if arrays had the sizes that are declared.
    bool isBeyondDeclared() const { return m_isBeyondDeclared; }

    Result<Graph> run()
    {
        for (auto step : {&Linker::indexNames, &Linker::checkNames, &Linker::checkNodes, &Linker::checkSharing,
                          &Linker::createSlots, &Linker::linkOutputs})
            if (Status status = (this->*step)(); !status)
                return status.error();
        for (auto step : {assignLevels, computeStrides, findCodeTraits, computeBudgets})
            if (Status status = step(m_graph); !status)
                return status.error();
        if (Status status = checkMemory(); !status)
            return status.error();
        return std::move(m_graph);
    }

private:
    // What a node map depends on. Two outputs with the same key share it.
    struct MapKey {
        const NodeArray* array;
        uint32_t first;
        uint32_t count;
        uint32_t selfIndex;  // kNoNode if the map does not reach the slot's own node
        uint32_t selfQueue;
        auto operator<=>(const MapKey&) const = default;
    };

    Status indexNames();
    Status checkNames();
    Status checkNodes();
    Status checkSharing();
    Status createSlots();
    Status linkOutputs();
    Status checkMemory();

    const NodeArray* find(const std::string& name) const
    {
        auto it = m_names.find(name);
        return it == m_names.end() ? nullptr : &it->second;
    }

    uint32_t find(const NodeId& id) const
    {
        const NodeArray* array = find(id.name);
        return array && id.index < array->size() ? (*array)[id.index] : kNoNode;
    }

    bool isSharer(uint32_t node) const { return m_graph.nodes[node].declared.sharesInputWith.has_value(); }
    // Nodes that others can send to, themselves included.
    bool hasQueues(uint32_t node) const { return !isSharer(node) && !m_graph.nodes[node].decided.levelGroup; }
    uint32_t codeOf(uint32_t node, uint32_t remaining) const;
    IndexRange indexRange(const NodeOutput& output, size_t arraySize) const;
    Status checkOutput(const NodeDeclaration& node, const NodeOutput& output) const;
    void noteBeyondDeclared();
    uint32_t createQueue(uint32_t node, uint32_t remaining, std::span<const uint32_t> sharers);
    uint32_t createStream(uint32_t queue, uint32_t kind);
    uint32_t getMap(const Slot& slot, const NodeOutput& output);

    const Reach m_reach;
    bool m_isBeyondDeclared = false;
    Graph m_graph;
    std::unordered_map<std::string_view, NodeArray> m_names;
    std::vector<std::vector<uint32_t>> m_sharers;  // per node
    std::vector<uint32_t> m_topQueues;             // per node: where others enqueue to it
    std::vector<uint32_t> m_lastGroups;            // per node: NodeDecisions::levelGroup, the other way round,
    std::vector<uint32_t> m_otherGroups;           // of the last levels and of others
    std::map<MapKey, uint32_t> m_maps;             // to Graph::maps
};

Status Linker::indexNames()
{
    m_lastGroups.assign(m_graph.nodes.size(), kNoNode);
    m_otherGroups.assign(m_graph.nodes.size(), kNoNode);
    for (uint32_t i = 0; i < m_graph.nodes.size(); ++i) {
        Node& node = m_graph.nodes[i];
        if (node.decided.levelGroup) {
            (node.decided.levelGroup->isLast ? m_lastGroups : m_otherGroups)[node.decided.levelGroup->of] = i;
            continue;
        }
        if (node.declared.id.index > kMaxNodeIndex)
            return diagnose(node.declared, "the node index is above " + std::to_string(kMaxNodeIndex));
        if (!node.declared.declaresPayload && node.declared.mode == LaunchMode::Dynamic) {
            node.declared.payloadBytes = 12;
            node.declared.payloadAlignment = 4;
            node.declared.grid = {};
        }
        NodeArray& array = m_names[node.declared.id.name];
        if (array.size() <= node.declared.id.index)
            array.resize(node.declared.id.index + 1, kNoNode);
        if (array[node.declared.id.index] != kNoNode)
            return diagnose(node.declared, "two nodes have this name and index (VUID 09134)");
        array[node.declared.id.index] = i;
    }
    return {};
}

// What nodes of one name must have in common.
Status Linker::checkNames()
{
    for (const Node& node : m_graph.nodes) {
        const NodeArray& array = *find(node.declared.id.name);
        const Node& first = m_graph.nodes[*std::ranges::find_if(array, [](uint32_t n) { return n != kNoNode; })];
        const std::string other = nameOf(first.declared.id);
        if (inputBytes(node.declared) != inputBytes(first.declared)) {
            return diagnose(node.declared, "its input payload has " + std::to_string(inputBytes(node.declared)) +
                                               " bytes, that of " + other + " has " +
                                               std::to_string(inputBytes(first.declared)) + " (VUID 09135)");
        }
        if (node.declared.drawn.has_value() != first.declared.drawn.has_value())
            return diagnose(node.declared, "only one of it and " + other + " is a mesh node (VUID 09136)");
        if (node.declared.drawn &&
            (*node.declared.drawn == LaunchMode::Static) != (*first.declared.drawn == LaunchMode::Static))
            return diagnose(node.declared, "only one of it and " + other + " has StaticNumWorkgroupsAMDX (VUID 09138)");
        if ((node.declared.mode == LaunchMode::Coalescing) != (first.declared.mode == LaunchMode::Coalescing))
            return diagnose(node.declared, "only one of it and " + other + " is coalescing (VUID 09137)");
        if ((node.declared.mode == LaunchMode::Static) != (first.declared.mode == LaunchMode::Static))
            return diagnose(node.declared, "only one of it and " + other + " has StaticNumWorkgroupsAMDX (VUID 09138)");
    }
    return {};
}

// Limits that concern one node alone.
Status Linker::checkNodes()
{
    for (const Node& node : m_graph.nodes) {
        if (node.declared.mode == LaunchMode::Static) {
            uint64_t groups = 1;
            for (uint32_t size : node.declared.staticGrid) {
                if (size > kMaxGroupsPerDimension)
                    return diagnose(node.declared,
                                    "a dimension of StaticNumWorkgroupsAMDX is above the limit (VUID 09186)");
                groups *= size;
            }
            if (groups > kMaxGroups)
                return diagnose(node.declared, "StaticNumWorkgroupsAMDX starts more workgroups than the limit");
        }
        for (const NodeOutput& output : node.declared.outputs)
            if (output.budgetPool >= node.declared.outputs.size())
                return diagnose(node.declared, output, "shares its payload limit with a type that is not an output");
        if (const uint64_t declared = declaredBytes(node.declared); declared > kMaxPayloadDeclarationBytes) {
            return diagnose(node.declared, "its payload declarations have " + std::to_string(declared) +
                                               " bytes, more than maxExecutionGraphShaderPayloadSize (VUID 09195)");
        }
        if (node.declared.maxRecursion >= kMaxDepth)
            return diagnose(node.declared, "MaxNodeRecursionAMDX is " + std::to_string(node.declared.maxRecursion) +
                                               ", and maxExecutionGraphDepth, " + std::to_string(kMaxDepth) +
                                               ", allows " + std::to_string(kMaxDepth - 1));
    }
    return {};
}

Status Linker::checkSharing()
{
    m_sharers.resize(m_graph.nodes.size());
    for (uint32_t i = 0; i < m_graph.nodes.size(); ++i) {
        const Node& node = m_graph.nodes[i];
        if (!node.declared.sharesInputWith)
            continue;
        const uint32_t base = find(*node.declared.sharesInputWith);
        if (base == kNoNode)
            continue;  // not stated; it just never runs
        const std::string other = nameOf(*node.declared.sharesInputWith);
        if (isSharer(base))
            return diagnose(node.declared,
                            "shares the input of " + other + ", which itself shares the input of another node");
        if (inputBytes(node.declared) > inputBytes(m_graph.nodes[base].declared)) {
            return diagnose(node.declared, "shares the input of " + other + " but declares a larger payload: " +
                                               std::to_string(inputBytes(node.declared)) + " bytes, not " +
                                               std::to_string(inputBytes(m_graph.nodes[base].declared)));
        }
        m_sharers[base].push_back(i);
        if (m_sharers[base].size() + 1 > kMaxSharingNodes)
            return diagnose(m_graph.nodes[base].declared,
                            "more than " + std::to_string(kMaxSharingNodes) + " nodes share its input");
    }
    return {};
}

uint32_t Linker::createStream(uint32_t queue, uint32_t kind)
{
    const uint32_t index = static_cast<uint32_t>(m_graph.streams.size());
    m_graph.streams.push_back({.kind = kind, .queue = queue});
    m_graph.queues[queue].streams.push_back(index);
    return index;
}

// The node whose code runs the level of a node's recursion, and those that are in one with it.
uint32_t Linker::codeOf(uint32_t node, uint32_t remaining) const
{
    if (m_lastGroups[node] == kNoNode)
        return node;
    const uint32_t last = m_graph.nodes[m_lastGroups[node]].decided.levelGroup->levels;
    if (remaining < last)
        return remaining + 1 == last ? m_lastGroups[node] : node;
    const uint32_t others = m_otherGroups[node];
    const bool isFirst =
        others != kNoNode && (remaining + 1 - last) % m_graph.nodes[others].decided.levelGroup->levels == 0;
    return isFirst ? others : node;
}

uint32_t Linker::createQueue(uint32_t node, uint32_t remaining, std::span<const uint32_t> sharers)
{
    const uint32_t index = static_cast<uint32_t>(m_graph.queues.size());
    m_graph.queues.push_back({.baseSlot = static_cast<uint32_t>(m_graph.slots.size())});

    std::vector<uint32_t> consumers{node};
    consumers.insert(consumers.end(), sharers.begin(), sharers.end());
    auto isDynamic = [&](uint32_t n) { return m_graph.nodes[n].declared.mode == LaunchMode::Dynamic; };
    uint32_t indexed = 0;
    if (!std::ranges::all_of(consumers, isDynamic))
        indexed = createStream(index, abi::kStreamIndexed);
    for (uint32_t consumer : consumers) {
        const uint32_t stream = isDynamic(consumer) ? createStream(index, abi::kStreamDynamic) : indexed;
        const uint32_t slot = static_cast<uint32_t>(m_graph.slots.size());
        m_graph.slots.push_back({.node = consumer == node ? codeOf(node, remaining) : consumer,
                                 .remaining = consumer == node ? remaining : 0,
                                 .queue = index,
                                 .stream = stream});
        m_graph.streams[stream].slots.push_back(slot);
        m_graph.queues[index].slots.push_back(slot);
    }
    return index;
}

Status Linker::createSlots()
{
    uint64_t queueCount = 0;
    for (uint32_t i = 0; i < m_graph.nodes.size(); ++i)
        queueCount += hasQueues(i) ? uint64_t(m_graph.nodes[i].declared.maxRecursion) + 1 : 0;
    if (queueCount > kMaxQueues) {
        return Diagnostic{"graph", "",
                          "the graph has " + std::to_string(queueCount) +
                              " nodes, recursion levels counted, more than " + std::to_string(kMaxQueues)};
    }
    m_topQueues.assign(m_graph.nodes.size(), abi::kNoQueue);
    m_graph.apiQueues.assign(m_graph.nodes.size(), abi::kNoQueue);
    for (uint32_t i = 0; i < m_graph.nodes.size(); ++i) {
        if (!hasQueues(i))
            continue;
        const Node& node = m_graph.nodes[i];
        m_topQueues[i] = static_cast<uint32_t>(m_graph.queues.size());
        if (node.declared.apiEntry)
            m_graph.apiQueues[i] = m_topQueues[i];
        for (uint32_t remaining = node.declared.maxRecursion + 1; remaining-- > 0;)
            createQueue(i, remaining, m_sharers[i]);
    }
    return {};
}

IndexRange Linker::indexRange(const NodeOutput& output, size_t arraySize) const
{
    const uint32_t limit = static_cast<uint32_t>(arraySize);
    if (output.constantIndex)
        return {std::min(*output.constantIndex, limit), std::min(*output.constantIndex, limit - 1) + 1};
    const uint32_t end = m_reach == Reach::Array ? limit : std::min(declaredEnd(output), limit);
    return {std::min(output.baseIndex, limit), end};
}

// Compilers write down what a shader says of its array, and applications make graphs of more nodes than that: AMD's
// sample declares three and sends to up to 1,023.
void Linker::noteBeyondDeclared()
{
    for (uint32_t n = 0; m_reach == Reach::Array && n < m_graph.nodes.size(); ++n) {
        const std::vector<NodeOutput>& outputs = m_graph.nodes[n].declared.outputs;
        for (uint32_t o = 0; o < outputs.size(); ++o) {
            const NodeArray* array = find(outputs[o].targetName);
            if (array && !outputs[o].constantIndex && declaredEnd(outputs[o]) < array->size())
                m_graph.beyondDeclared.push_back({n, o, static_cast<uint32_t>(array->size()) - 1});
        }
    }
    m_isBeyondDeclared = !m_graph.beyondDeclared.empty();
}

Status Linker::checkOutput(const NodeDeclaration& node, const NodeOutput& output) const
{
    const NodeArray* array = find(output.targetName);
    if (!output.sparse && output.arraySize) {
        // Indices below the base cannot be reached, so nobody misses a node there.
        for (uint32_t i = output.baseIndex; i < *output.arraySize; ++i) {
            const NodeId target{output.targetName, i};
            const uint32_t found = find(target);
            if (found == kNoNode) {
                return diagnose(node, output,
                                "the array is not sparse and has " + std::to_string(*output.arraySize) +
                                    " nodes, but there is no node " + nameOf(target) + " (VUID 10184)");
            }
            if (isSharer(found)) {
                return diagnose(node, output,
                                "node " + nameOf(target) +
                                    " shares the input of another node, so that "
                                    "nothing can be enqueued to it (VUID 10184)");
            }
        }
    }
    if (!array)
        return {};
    const IndexRange range = indexRange(output, array->size());
    for (uint32_t i = range.first; i < range.end; ++i) {
        if ((*array)[i] == kNoNode || isSharer((*array)[i]))
            continue;
        const Node& target = m_graph.nodes[(*array)[i]];
        if (inputBytes(target.declared) > output.payloadBytes) {
            return diagnose(node, output,
                            "the payload has " + std::to_string(output.payloadBytes) + " bytes, but the input of " +
                                nameOf(target.declared.id) + " has " + std::to_string(inputBytes(target.declared)) +
                                " (VUID 09139)");
        }
        break;  // checkNames(): all nodes of a name have inputs of the same size
    }
    return {};
}

uint32_t Linker::getMap(const Slot& slot, const NodeOutput& output)
{
    static const NodeArray kNothing;
    const NodeArray* array = find(output.targetName);
    if (!array)
        array = &kNothing;
    const IndexRange range = array->empty() ? IndexRange{} : indexRange(output, array->size());
    MapKey key{array, range.first, range.end, kNoNode, abi::kNoQueue};
    const NodeId& own = m_graph.nodes[slot.node].declared.id;
    if (own.name == output.targetName && own.index >= range.first && own.index < range.end && !isSharer(slot.node)) {
        key.selfIndex = own.index;
        // createSlots(): the queues of a node follow each other, the one with most recursion remaining first.
        const std::optional<LevelGroup>& group = m_graph.nodes[slot.node].decided.levelGroup;
        const uint32_t levels = group && !group->isLast ? group->levels : 1;
        key.selfQueue = slot.remaining >= levels ? slot.queue + levels : abi::kNoQueue;
    }
    auto [it, isNew] = m_maps.try_emplace(key, static_cast<uint32_t>(m_graph.maps.size()));
    if (!isNew)
        return it->second;

    m_graph.maps.push_back({.mapFirst = static_cast<uint32_t>(m_graph.nodeMap.size()), .mapCount = range.end});
    std::vector<uint32_t>& receivers = m_graph.receivers.emplace_back();
    for (uint32_t i = 0; i < range.end; ++i) {
        const uint32_t target = i < range.first ? kNoNode : (*array)[i];
        m_graph.nodeMap.push_back(i == key.selfIndex  ? key.selfQueue
                                  : target != kNoNode ? m_topQueues[target]
                                                      : abi::kNoQueue);
        if (m_graph.nodeMap.back() != abi::kNoQueue)
            receivers.push_back(m_graph.nodeMap.back());
    }
    return it->second;
}

Status Linker::linkOutputs()
{
    noteBeyondDeclared();
    for (const Node& node : m_graph.nodes) {
        for (const NodeOutput& output : node.declared.outputs)
            if (Status status = checkOutput(node.declared, output); !status)
                return status;
    }
    // Per queue and per map: the last slot that leads there.
    std::vector<uint32_t> seen(m_graph.queues.size(), kNoNode);
    std::vector<uint32_t> seenMaps;
    for (uint32_t s = 0; s < m_graph.slots.size(); ++s) {
        Slot& slot = m_graph.slots[s];
        uint32_t targets = 0;
        for (const NodeOutput& output : m_graph.nodes[slot.node].declared.outputs) {
            const uint32_t index = getMap(slot, output);
            slot.outputMaps.push_back(index);
            seenMaps.resize(m_graph.maps.size(), kNoNode);
            if (std::exchange(seenMaps[index], s) == s)
                continue;
            for (uint32_t queue : m_graph.receivers[index])
                targets += std::exchange(seen[queue], s) != s ? 1 : 0;
        }
        if (targets > kMaxOutputNodes) {
            return diagnose(m_graph.nodes[slot.node].declared,
                            "can enqueue to " + std::to_string(targets) +
                                " nodes, more than maxExecutionGraphShaderOutputNodes (VUID 09197)");
        }
        if (m_graph.nodeMap.size() > kMaxNodeMap)
            return diagnose(m_graph.nodes[slot.node].declared, "the node arrays of all outputs together are too large");
    }
    return {};
}

// Locations are 32-bit counts of granules, and a stream's counter leaves 24 bits for entries.
Status Linker::checkMemory()
{
    if (fixedBytes(m_graph) > UINT32_MAX)
        return diagnose(m_graph.nodes.front().declared, "the tables of the graph would take more than 4 GiB");
    const uint64_t bytes = scratchSizes(m_graph, 0).minBytes;
    if (bytes / abi::kGranuleBytes > UINT32_MAX) {
        const auto largest = std::ranges::max_element(m_graph.slots, {}, &Slot::granulesPerGroup);
        return diagnose(m_graph.nodes[largest->node].declared,
                        "the graph would need " + std::to_string(bytes >> 20) +
                            " MiB of scratch memory, most of it for what one workgroup of this node may enqueue");
    }
    const Work work = worstCase(m_graph, std::nullopt);
    for (size_t q = 0; q < m_graph.queues.size(); ++q) {
        uint64_t entries = 0;
        for (size_t l = 0; l < work.levels.size(); ++l)
            entries += work.queues[q].sources.test(l) ? work.levels[l].entriesPerGroup : 0;
        if (entries > kMaxStreamEntries) {
            return diagnose(m_graph.nodes[m_graph.slots[m_graph.queues[q].baseSlot].node].declared,
                            "single workgroups may enqueue " + std::to_string(entries) +
                                " payloads to it before it runs, which is too much");
        }
    }
    return {};
}

}  // namespace

bool Graph::areLeaves(uint32_t apiNode) const
{
    const uint32_t queue = apiNode < apiQueues.size() ? apiQueues[apiNode] : abi::kNoQueue;
    return queue != abi::kNoQueue && std::ranges::all_of(queues[queue].slots, [&](uint32_t slot) {
               return isLeaf(nodes[slots[slot].node].declared);
           });
}

std::optional<uint32_t> Graph::findNode(const NodeId& id) const
{
    for (uint32_t i = 0; i < nodes.size(); ++i)
        if (nodes[i].declared.id.index == id.index && nodes[i].declared.id.name == id.name)
            return i;
    return std::nullopt;
}

uint64_t declaredBytes(const NodeDeclaration& node)
{
    std::vector<uint32_t> ofPool(node.outputs.size(), 0);
    for (const NodeOutput& output : node.outputs)
        ofPool[output.budgetPool] = std::max(ofPool[output.budgetPool], output.payloadBytes);
    uint64_t declared = inputBytes(node);
    for (const uint32_t bytes : ofPool)
        declared += bytes;
    return declared;
}

bool keepsBudget(const NodeDeclaration& node, const NodeOutput& output)
{
    std::optional<uint64_t> most = 0u;
    for (const NodeOutput& other : node.outputs)
        if (other.budgetPool == output.budgetPool)
            most = most && other.most ? std::optional(*most + *other.most) : std::nullopt;
    return most && *most <= node.outputs[output.budgetPool].budget;
}

Result<Graph> link(std::vector<Node> nodes)
{
    Linker linker(nodes, Reach::Array);
    Result<Graph> graph = linker.run();
    if (graph || !linker.isBeyondDeclared())
        return graph;
    return Linker(std::move(nodes), Reach::Declared).run();
}

}  // namespace millrace::graph
