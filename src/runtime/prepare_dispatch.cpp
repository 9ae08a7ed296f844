// SPDX-License-Identifier: Apache-2.0
// From a request to what is to be recorded: the plan, pipelines, what the host hands to the shaders.
#include <algorithm>
#include <cstring>

#include "graph/saturating.h"
#include "runtime/recorder.h"

namespace millrace::runtime {

VkResult Recorder::prepare(const DispatchRequest& request)
{
    const bool host = request.form == DispatchRequest::Form::Host;
    const uint64_t most = m_device.mostBufferBytes;
    if (host && hostInputBytes(m_pipeline.graph, *request.countInfo, most) > most)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    const HostInputs inputs = host ? readHostInputs(m_pipeline.graph, *request.countInfo) : HostInputs();
    listApiNodes(inputs, host);
    if (host && mayHideSteps(request) && m_pipeline.getLeaf)
        m_leaves = runtime::prepareLeaves(m_pipeline.graph, inputs, request.scratchBytes,
                                          [&](uint32_t invocations) { return m_device.fullGroups(invocations); });
    if (!m_leaves || !m_device.observerFactories.empty())  // which say what slots receive
        plan(request, inputs);
    if (const VkResult result = createMeshLists(request.maxDraws); result != VK_SUCCESS)
        return result;
    if (m_leaves)
        return prepareLeaves(inputs);
    feedLeaves(request);
    if (m_fedLeaves)
        return prepareFedLeaves();
    std::optional<PreparedFeed> feed;
    // Where more sweeps may follow, observers rely on each beginning with the same steps, a feed among them.
    if (host && (m_main.plan.fits || mayHideSteps(request)))
        feed = prepareFeed(m_pipeline.graph, inputs, m_main.plan);
    m_isFed = feed.has_value();
    return prepareSweeps(request, inputs, feed.value_or(PreparedFeed{}));
}

void Recorder::plan(const DispatchRequest& request, const HostInputs& inputs)
{
    const graph::Graph& graph = m_pipeline.graph;
    if (request.form == DispatchRequest::Form::Host)
        m_main.plan = graph::plan(graph, request.scratchBytes, knownInputs(graph, inputs));
    else
        m_main.plan = graph::plan(graph, request.scratchBytes, std::nullopt);
}

// That get inputs; those that may get some, where the host does not know.
void Recorder::listApiNodes(const HostInputs& inputs, bool areKnown)
{
    const graph::Graph& graph = m_pipeline.graph;
    std::vector<bool> isListed(graph.nodes.size(), false);  // a dispatch may have many infos of one node
    const auto list = [&](uint32_t node) {
        if (node >= graph.nodes.size() || graph.apiQueues[node] == abi::kNoQueue || isListed[node])
            return;
        m_apiNodes.push_back(node);
        isListed[node] = true;
    };
    for (const HostInfo& info : inputs.infos)
        list(info.node);
    for (uint32_t i = 0; !areKnown && i < graph.nodes.size(); ++i)
        list(i);
}

// Of the mesh nodes that can run.
VkResult Recorder::createMeshLists(uint32_t maxDraws)
{
    const graph::Graph& graph = m_pipeline.graph;
    std::vector<MeshListNeed> needs;
    std::vector<size_t> placeOfNode(graph.nodes.size(), SIZE_MAX);
    const auto add = [&](uint32_t slot, uint64_t payloads) {
        const uint32_t node = graph.slots[slot].node;
        if (!graph.nodes[node].declared.drawn)
            return;
        size_t& place = placeOfNode[node];
        if (place == SIZE_MAX) {
            place = needs.size();
            needs.push_back({node, 0});
        }
        needs[place].payloads = graph::saturatingAdd(needs[place].payloads, payloads);
    };
    if (m_leaves)
        for (const LeafDispatch::Launch& launch : m_leaves->launches)
            add(launch.slot, launch.arguments.units);
    else
        for (const uint32_t slot : m_main.plan.slots)
            add(slot, m_main.plan.inputs[slot].records);
    return m_meshLists.create(m_device, m_memory, graph, needs, maxDraws);
}

// Of the nodes that can run, and what they can be run with.
VkResult Recorder::getPipelines(Schedule& schedule)
{
    const size_t nodes = m_pipeline.graph.nodes.size();
    const std::vector<PipelineUse> uses = pipelineUses(m_pipeline.graph, schedule.plan, m_device.settings.path);
    std::vector<VkPipeline> pipelines;
    const VkResult result = m_pipeline.getPipelines(uses, pipelines);
    schedule.fitting.assign(nodes, VK_NULL_HANDLE);
    schedule.reserving.assign(nodes, VK_NULL_HANDLE);
    for (size_t i = 0; result == VK_SUCCESS && i < uses.size(); ++i)
        (uses[i].memory == graph::MemoryUse::Fits ? schedule.fitting : schedule.reserving)[uses[i].node] = pipelines[i];
    return result;
}

void Recorder::describeSlots(Schedule& schedule) const
{
    const graph::Graph& graph = m_pipeline.graph;
    schedule.uses.emplace(graph, schedule.plan, m_device.settings.path);
    schedule.maxGroups.assign(graph.slots.size(), 0);
    schedule.slotPlans.assign(graph.slots.size(), {});
    for (size_t i = 0; i < schedule.plan.slots.size(); ++i) {
        const uint32_t slot = schedule.plan.slots[i];
        schedule.maxGroups[slot] = schedule.plan.maxGroups[i];
        schedule.slotPlans[slot] = graph::slotPlan(graph, schedule.plan, i);
        if (!schedule.plan.fits && !schedule.uses->mayReserve(graph.slots[slot]))
            schedule.slotPlans[slot].most =
                graph::mostPayloadsInSweep(graph, graph.slots[slot], m_device.choice.traits.sweepGroups);
    }
}

// What the scheduler needs.
VkResult Recorder::prepareSweeps(const DispatchRequest& request, const HostInputs& inputs, const PreparedFeed& feed)
{
    const graph::Graph& graph = m_pipeline.graph;
    VkResult result = getPipelines(m_main);
    if (result != VK_SUCCESS)
        return result;
    describeSlots(m_main);
    m_places = graph::slotPlaces(graph, m_scratch);
    const uint64_t fullFeed = m_device.fullGroups(abi::kFeedChunkPayloads);
    const bool host = request.form == DispatchRequest::Form::Host;
    m_feedGroups = static_cast<uint32_t>(host ? std::clamp<uint64_t>(inputs.chunks, 1, fullFeed) : fullFeed);
    if (!m_main.plan.fits)
        shareMemory();

    result = createStatus();
    if (result != VK_SUCCESS)
        return result;
    m_fedGranules = feed.bytes() / abi::kGranuleBytes;
    const bool inside = mayHideSteps(request) && beginsInside(feed);
    result = inside ? uploadInside(inputs, feed) : upload(inputs, feed);
    describeFeed(request);
    if (result == VK_SUCCESS && mayBeBounded(request))
        result = prepareBounded(request);
    if (result == VK_SUCCESS && indirect())
        result = take(BufferUse::Indirect, std::max<size_t>(1, graph.slots.size()) * sizeof(abi::IndirectArguments),
                      m_indirect);
    return result == VK_SUCCESS ? createObservers() : result;
}

// For feed.comp, but for what upload() has put where. The node shaders' flags are its own.
void Recorder::describeFeed(const DispatchRequest& request)
{
    m_main.feed.graph = m_scratch;
    m_main.feed.graphId = m_pipeline.graphId;
    m_main.feed.flags = m_main.plan.fits ? abi::kFlagFits : 0;
    if (request.form == DispatchRequest::Form::Indirect) {
        m_main.feed.infos = request.countInfo->infos.deviceAddress;
        m_main.feed.stride = request.countInfo->stride;
        m_main.feed.count = request.countInfo->count;
    } else if (request.form == DispatchRequest::Form::IndirectCount) {
        m_main.feed.countInfo = request.countAddress;
    }
}

// Nobody has to see the scheduler's steps.
bool Recorder::mayHideSteps(const DispatchRequest& request) const
{
    return !indirect() && !request.next && !m_device.seesSteps && !m_device.settings.breadcrumbs;
}

// One part with the payloads and, behind them, push constants.
VkResult Recorder::prepareLeaves(const HostInputs& inputs)
{
    for (const LeafDispatch::Launch& launch : m_leaves->launches)
        if (const VkResult result = getLeafPipeline(launch.slot, graph::MemoryUse::None); result != VK_SUCCESS)
            return result;
    const size_t payloadBytes = m_leaves->payloads.bytes();
    const size_t constantBytes = m_pipeline.pushConstantsInMemory ? m_pushConstants.size() : 0;
    const VkResult result = take(BufferUse::Upload, std::max<size_t>(payloadBytes + constantBytes, 16), m_upload);
    if (result != VK_SUCCESS)
        return result;
    m_leaves->payloads.write(inputs, m_upload.data());
    std::ranges::copy(std::as_bytes(std::span(m_pushConstants)).first(constantBytes), m_upload.data() + payloadBytes);
    for (LeafDispatch::Launch& launch : m_leaves->launches) {
        launch.arguments.payloads += m_upload.address();
        if (const VkDeviceAddress list = m_meshLists.listOf(m_pipeline.graph.slots[launch.slot].node))
            launch.arguments.memory = list;
        else if (constantBytes > 0)
            launch.arguments.memory = m_upload.address() + payloadBytes;
        else if (launch.arguments.memory > 0)
            launch.arguments.memory += m_scratch;
    }
    return createObservers();
}

VkResult Recorder::getLeafPipeline(uint32_t slot, graph::MemoryUse memory)
{
    return m_pipeline.getLeaf(m_pipeline.graph.slots[slot].node, memory, m_leafPipelines.emplace_back());
}

// Where the device knows the inputs, and nothing needs the scheduler all the same.
void Recorder::feedLeaves(const DispatchRequest& request)
{
    if (!m_pipeline.getLeaf || !mayHideSteps(request) || !m_meshLists.empty())
        return;
    DeviceInfos infos;
    if (request.form == DispatchRequest::Form::Indirect)
        infos = {request.countInfo->infos.deviceAddress, request.countInfo->count, request.countInfo->stride};
    else if (request.form == DispatchRequest::Form::IndirectCount)
        infos.address = request.countAddress;
    else
        return;
    m_fedLeaves = runtime::prepareFedLeaves(m_pipeline.graph, infos, m_scratch, request.scratchBytes,
                                            [&](uint32_t invocations) { return m_device.fullGroups(invocations); });
}

// One part: for each launch an abi::FedLeaf with push constants behind it, then which nodes the API may send to.
VkResult Recorder::prepareFedLeaves()
{
    VkResult result = createStatus();
    for (const FedLeaves::Launch& launch : m_fedLeaves->launches)
        if (result == VK_SUCCESS)
            result = getLeafPipeline(launch.slot, graph::MemoryUse::Fed);
    const size_t constantBytes = m_pipeline.pushConstantsInMemory ? m_pushConstants.size() : 0;
    const size_t each = abi::kFedLeafBytes + ((constantBytes + 15) & ~size_t{15});
    const size_t nodesAt = m_fedLeaves->launches.size() * each;
    const auto nodes = std::as_bytes(std::span(m_fedLeaves->apiNodes));
    if (result == VK_SUCCESS)
        result = take(BufferUse::Upload, std::max<size_t>(nodesAt + nodes.size(), 16), m_upload);
    if (result != VK_SUCCESS)
        return result;
    std::ranges::copy(nodes, m_upload.data() + nodesAt);
    size_t at = 0;
    for (FedLeaves::Launch& launch : m_fedLeaves->launches) {
        launch.leaf.status = at == 0 ? m_status.address() : 0;
        launch.leaf.apiNodes = m_upload.address() + nodesAt;
        launch.leaf.apiNodeCount = static_cast<uint32_t>(m_fedLeaves->apiNodes.size());
        launch.arguments.memory = m_upload.address() + at + abi::kFedLeafBytes;
        std::memcpy(m_upload.data() + at, &launch.leaf, sizeof launch.leaf);
        std::ranges::copy(std::as_bytes(std::span(m_pushConstants)).first(constantBytes),
                          m_upload.data() + at + abi::kFedLeafBytes);
        at += each;
    }
    return createObservers();
}

// Who reserves memory of a level, so that each can keep to its share; on the indirect path one shader does it for all.
void Recorder::shareMemory()
{
    m_main.plan.levels[0].groups = m_feedGroups;
    std::vector<size_t> slotsOfLevel(m_main.plan.levels.size(), 0);
    for (uint32_t slot : m_main.plan.slots)
        ++slotsOfLevel[m_pipeline.graph.slots[slot].level];
    for (uint32_t slot : m_main.plan.slots) {
        if (!m_main.uses->mayReserve(m_pipeline.graph.slots[slot]))
            continue;
        const uint32_t level = m_pipeline.graph.slots[slot].level;
        const Batch alone{.first = slot, .groups = std::min(m_main.maxGroups[slot], kMaxBatchGroups)};
        m_main.plan.levels[level].groups += indirect() ? 0 : directGroups(alone, slotsOfLevel[level]);
    }
}

VkResult Recorder::createStatus()
{
    const bool counted = m_device.settings.breadcrumbs;
    const size_t bytes = sizeof(abi::GraphStatus) + (counted ? m_pipeline.graph.slots.size() * sizeof(uint32_t) : 0);
    const VkResult result = take(counted ? BufferUse::Breadcrumbs : BufferUse::Readback, bytes, m_status);
    if (result == VK_SUCCESS)
        std::memset(m_status.data(), 0, bytes);
    return result;
}

VkResult Recorder::createObservers()
{
    for (const ObserverFactory& factory : m_device.observerFactories) {
        std::shared_ptr<StepObserver> observer;
        const VkResult result = factory(m_observed, observer);
        if (result != VK_SUCCESS)
            return result;
        if (!observer)
            continue;
        m_observers.push_back(std::move(observer));
    }
    if (m_device.settings.breadcrumbs) {
        // Last, so that nothing of another observer's is inside a step that they blame.
        const VkResult result = Breadcrumbs::create(m_device, m_observed, m_status, m_breadcrumbs);
        if (result != VK_SUCCESS)
            return result;
        m_observers.push_back(m_breadcrumbs);
    }
    for (const auto& observer : m_observers) {
        m_separateSteps |= observer->separatesSteps();
        m_separateSlots |= observer->separatesSlots();
    }
    return VK_SUCCESS;
}

// One part of memory, each of its own at a multiple of 16.
VkResult Recorder::upload(const HostInputs& inputs, const PreparedFeed& feed)
{
    const bool feeds = !m_isFed;  // feed.comp does
    PayloadPlaces fed;
    std::vector<abi::DispatchInfo> infos;
    for (size_t i = 0; feeds && i < inputs.infos.size(); ++i) {
        const HostInfo& info = inputs.infos[i];
        const auto stride = static_cast<uint32_t>(graph::roundUp(uint64_t{info.payloadBytes}, 4));
        const bool hasPayloads = info.payloads && info.payloadBytes > 0;
        infos.push_back({info.node, info.payloadCount, hasPayloads ? fed.add(inputs, i, stride) : 0, stride});
    }
    struct Part {
        const void* data;
        size_t bytes;
        size_t offset;
    };
    Part parts[] = {
        {m_main.plan.levels.data(), m_main.plan.levels.size() * sizeof(abi::LevelPlan), 0},
        {m_main.plan.streams.data(), m_main.plan.streams.size() * sizeof(abi::StreamPlan), 0},
        {nullptr, infos.size() * sizeof(abi::DispatchInfo), 0},
        {nullptr, fed.bytes(), 0},
        {m_pushConstants.data(), m_pipeline.pushConstantsInMemory ? m_pushConstants.size() : 0, 0},
        {m_main.slotPlans.data(), m_main.slotPlans.size() * sizeof(abi::SlotPlan), 0},
        {nullptr, feed.bytes(), 0},
        {nullptr, feed.parts.size() * sizeof(abi::Copy), 0},
    };
    size_t bytes = 0;
    for (Part& part : parts) {
        part.offset = bytes;
        bytes += (part.bytes + 15) & ~size_t{15};
    }
    const VkResult result = take(BufferUse::Upload, std::max<size_t>(bytes, 16), m_upload);
    if (result != VK_SUCCESS)
        return result;
    for (const Part& part : parts)
        if (part.data && part.bytes > 0)
            std::memcpy(m_upload.data() + part.offset, part.data, part.bytes);

    const VkDeviceAddress address = m_upload.address();
    m_main.begin.graph = m_scratch;
    m_main.begin.graphId = m_pipeline.graphId;
    m_main.begin.levelPlans = address + parts[0].offset;
    m_main.begin.streamPlans = address + parts[1].offset;
    m_main.begin.status = m_status.address();
    m_main.begin.isFed = m_isFed;
    m_main.begin.slotCount = static_cast<uint32_t>(m_pipeline.graph.slots.size());
    m_main.begin.streamCount = static_cast<uint32_t>(m_pipeline.graph.streams.size());
    m_main.begin.levelCount = static_cast<uint32_t>(m_pipeline.graph.levels.size());
    m_main.feed.infos = address + parts[2].offset;
    m_main.feed.stride = sizeof(abi::DispatchInfo);
    m_main.feed.count = static_cast<uint32_t>(inputs.infos.size());
    for (abi::DispatchInfo& info : infos)
        info.payloads += address + parts[3].offset;
    std::ranges::copy(std::as_bytes(std::span(infos)), m_upload.data() + parts[2].offset);
    fed.write(inputs, m_upload.data() + parts[3].offset);
    feed.payloads.write(inputs, m_upload.data() + parts[6].offset);
    std::ranges::copy(feed.entries, m_upload.data() + parts[6].offset + feed.payloads.bytes());
    if (m_pipeline.pushConstantsInMemory)
        m_pushConstantAddress = address + parts[4].offset;
    m_main.begin.slotPlans = address + parts[5].offset;
    m_main.begin.copies = address + parts[7].offset;
    m_main.begin.copyCount = static_cast<uint32_t>(feed.parts.size());
    auto* copies = reinterpret_cast<abi::Copy*>(m_upload.data() + parts[7].offset);
    VkDeviceAddress from = address + parts[6].offset;
    for (const PreparedFeed::Part& part : feed.parts) {
        *copies++ = {from, m_scratch + uint64_t{part.to} * abi::kGranuleBytes, part.granules, 0};
        from += uint64_t{part.granules} * abi::kGranuleBytes;
    }
    return VK_SUCCESS;
}

// What the first level's only workgroup writes to begin with, the inputs included, and push constants behind it.
VkResult Recorder::uploadInside(const HostInputs& inputs, const PreparedFeed& feed)
{
    std::vector<abi::BeginStore> stores =
        graph::beginStores(m_pipeline.graph, m_main.plan, m_scratch, m_status.address());
    std::vector<std::byte> fed(feed.bytes());
    feed.payloads.write(inputs, fed.data());
    std::ranges::copy(feed.entries, fed.data() + feed.payloads.bytes());
    constexpr uint32_t kStoresPerGranule = abi::kGranuleBytes / sizeof(abi::BeginStore::value);
    const std::byte* from = fed.data();
    for (const PreparedFeed::Part& part : feed.parts) {
        for (uint32_t i = 0; i < part.granules * kStoresPerGranule; ++i) {
            abi::BeginStore store{0, part.to * kStoresPerGranule + i, 0};
            std::memcpy(&store.value, from, sizeof store.value);
            stores.push_back(store);
            from += sizeof store.value;
        }
    }
    const abi::BeginList list{m_status.address(), m_pipeline.graphId, static_cast<uint32_t>(stores.size())};
    static_assert(sizeof list == abi::kBeginListBytes);
    const auto bytes = std::as_bytes(std::span(stores));
    const size_t constantBytes = m_pipeline.pushConstantsInMemory ? m_pushConstants.size() : 0;
    const VkResult result = take(BufferUse::Upload, sizeof list + bytes.size() + constantBytes, m_upload);
    if (result != VK_SUCCESS)
        return result;
    std::memcpy(m_upload.data(), &list, sizeof list);
    std::ranges::copy(bytes, m_upload.data() + sizeof list);
    std::ranges::copy(std::as_bytes(std::span(m_pushConstants)).first(constantBytes),
                      m_upload.data() + sizeof list + bytes.size());
    if (m_pipeline.pushConstantsInMemory)
        m_pushConstantAddress = m_upload.address() + sizeof list + bytes.size();
    m_beginInside = m_upload.address();
    return VK_SUCCESS;
}

}  // namespace millrace::runtime
