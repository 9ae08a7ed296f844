// SPDX-License-Identifier: Apache-2.0
// vkCmdDispatchGraph*AMDX: a sweep over the levels of a graph.
#include <algorithm>
#include <cstring>
#include <optional>

#include "runtime/barriers.h"
#include "runtime/breadcrumbs.h"
#include "runtime/device_impl.h"
#include "runtime/inputs.h"
#include "runtime/leaf_dispatch.h"
#include "runtime/prepared_feed.h"
#include "runtime/solo_dispatch.h"
#include "runtime/step_observer.h"

namespace millrace::runtime {

namespace {

constexpr uint32_t kBeginWidth = 256;                    // invocations of a workgroup of begin.comp
constexpr uint64_t kMaxBatchGroups = uint64_t{1} << 31;  // device/batch.glsl counts in 32 bits

class Recorder final : public RecordedDispatch {
public:
    Recorder(Device& device, const DispatchRequest& request)
        : m_device(device.impl()),
          m_pipeline(*request.pipeline),
          m_scratch(request.scratch),
          m_name(request.name.empty() ? "graph " + std::to_string(m_pipeline.graphId) : request.name),
          m_observed{m_pipeline, m_plan,     m_scratch,         request.scratchBytes,
                     m_name,     m_apiNodes, request.announced, m_isFed},
          m_pushConstants(request.pushConstants.begin(), request.pushConstants.end())
    {
    }

    VkResult prepare(const DispatchRequest& request);

    bool mayContinue() const override { return !m_leaves && !m_plan.fits; }
    void recordSweep(VkCommandBuffer commandBuffer, const NextCommandBuffer& next) override;
    void beforeExecution() override
    {
        for (const auto& observer : m_observers)
            observer->beforeExecution();
    }
    bool hasRemaining() const override { return status().remaining > 0; }
    bool isReadByHost() const override { return !m_leaves; }
    abi::GraphStatus status() const override;
    std::optional<Progress> progress() const override;

    // Begins and records the first sweep.
    void recordFirst(VkCommandBuffer commandBuffer, const NextCommandBuffer& next);

private:
    bool indirect() const { return m_device.settings.path == Path::Indirect; }
    void keepFeedOutOfRooms();
    void shareMemory();
    VkResult createStatus();
    VkResult upload(const HostInputs& inputs, const PreparedFeed& feed);
    bool mayHideSteps(const DispatchRequest& request) const;
    VkResult prepareLeaves();
    VkResult prepareSolo(const DispatchRequest& request, const HostInputs& inputs, bool& isSolo);
    VkResult uploadSolo(SoloDispatch& solo);
    VkResult createObservers();
    void nameBuffers() const;
    // Calls that member of each observer; behind what it stands around in reverse order.
    template <typename... Args>
    void begin(void (StepObserver::*call)(VkCommandBuffer, Args...), std::type_identity_t<Args>... args) const
    {
        for (const auto& observer : m_observers)
            ((*observer).*call)(m_target, args...);
    }
    template <typename... Args>
    void end(void (StepObserver::*call)(VkCommandBuffer, Args...), std::type_identity_t<Args>... args) const
    {
        for (auto observer = m_observers.rbegin(); observer != m_observers.rend(); ++observer)
            ((**observer).*call)(m_target, args...);
    }
    void endStep(const Step& step);
    void computeBarrier() const { runtime::computeBarrier(m_device, m_target); }
    template <typename Arguments>
    void recordMeta(Meta meta, const Arguments& arguments, Step step);
    void recordLeaves();
    void recordSolo();
    bool mayHaveRooms() const;
    void recordBegin();
    void recordSweep();
    void pushConstants() const;
    void recordLevel(std::span<const uint32_t> slots);
    void recordPlan(uint32_t level);
    // Slots of one level that one dispatch runs.
    struct Batch {
        uint32_t first = 0;
        uint32_t count = 1;
        uint32_t step = 0;    // slots from one to the next
        uint64_t groups = 0;  // of ours, at most
    };
    bool canJoin(const Batch& batch, uint32_t slot) const;
    std::vector<Batch> batchesOf(std::span<const uint32_t> slots) const;
    void recordNodes(const Batch& batch, size_t batchesOfLevel);
    bool triesToFit(uint32_t level) const;
    void dispatchNodes(const Batch& batch, uint32_t groups) const;
    void dispatchSlot(const Batch& batch, uint32_t groups, uint32_t flags, VkPipeline pipeline) const;
    uint32_t directGroups(const Batch& batch, size_t batchesOfLevel) const;

    Device::Impl& m_device;
    const GraphPipeline& m_pipeline;
    VkDeviceAddress m_scratch;
    const std::string m_name;
    std::vector<uint32_t> m_apiNodes;
    const ObservedDispatch m_observed;
    std::vector<uint8_t> m_pushConstants;
    graph::DispatchPlan m_plan;
    std::vector<VkPipeline> m_pipelines;  // per node
    std::vector<VkPipeline> m_trying;     // likewise, where the plan does not fit, for levels that do
    std::vector<uint64_t> m_maxGroups;    // per slot
    abi::BeginArguments m_begin{};
    abi::FeedArguments m_feed{};
    std::vector<graph::SlotPlace> m_places;  // per slot
    std::vector<abi::SlotPlan> m_slotPlans;  // per slot
    uint32_t m_feedGroups = 1;
    bool m_isFed = false;        // by begin.comp: the host has prepared what feed.comp would do,
    uint64_t m_fedGranules = 0;  // so much
    VkDeviceAddress m_pushConstantAddress = 0;
    std::optional<LeafDispatch> m_leaves;     // nothing needs the scheduler;
    std::vector<VkPipeline> m_leafPipelines;  // of each launch
    VkPipeline m_solo = VK_NULL_HANDLE;       // one workgroup runs everything
    abi::SoloArguments m_soloArguments{};
    Buffer m_upload;
    Buffer m_status;
    Buffer m_indirect;
    std::vector<std::shared_ptr<StepObserver>> m_observers;
    std::shared_ptr<Breadcrumbs> m_breadcrumbs;
    bool m_separateSteps = false;
    bool m_separateSlots = false;

    // While it records.
    VkCommandBuffer m_target = VK_NULL_HANDLE;
    const NextCommandBuffer* m_next = nullptr;
    uint32_t m_nextStep = 0;
};

VkResult Recorder::prepare(const DispatchRequest& request)
{
    HostInputs inputs;
    const bool host = request.form == DispatchRequest::Form::Host;
    if (host) {
        inputs = copyHostInputs(m_pipeline.graph, *request.countInfo);
        m_plan = graph::plan(m_pipeline.graph, request.scratchBytes, std::span<const graph::KnownInput>(inputs.known));
    } else {
        m_plan = graph::plan(m_pipeline.graph, request.scratchBytes, std::nullopt);
    }
    for (const graph::KnownInput& input : inputs.known)
        m_apiNodes.push_back(input.node);
    for (uint32_t i = 0; !host && i < m_pipeline.graph.nodes.size(); ++i)
        if (m_pipeline.graph.apiQueues[i] != abi::kNoQueue)
            m_apiNodes.push_back(i);
    if (host && mayHideSteps(request) && m_pipeline.getLeaf)
        m_leaves = runtime::prepareLeaves(m_pipeline.graph, inputs, request.scratchBytes,
                                          [&](uint32_t invocations) { return m_device.fullGroups(invocations, 1); });
    if (m_leaves)
        return prepareLeaves();
    std::optional<PreparedFeed> prepared;
    if (host)
        prepared = prepareFeed(m_pipeline.graph, inputs, m_plan);
    m_isFed = prepared.has_value();
    if (!m_isFed)
        keepFeedOutOfRooms();
    if (m_pipeline.solo && m_plan.fits && m_isFed && mayHideSteps(request)) {
        bool isSolo = false;
        const VkResult result = prepareSolo(request, inputs, isSolo);
        if (isSolo || result != VK_SUCCESS)
            return result;
    }
    VkResult result =
        m_pipeline.getPipelines(m_plan.fits ? graph::MemoryUse::Fits : graph::MemoryUse::Reserves, m_pipelines);
    if (result == VK_SUCCESS && !m_plan.fits && !indirect())
        result = m_pipeline.getPipelines(graph::MemoryUse::Tries, m_trying);
    if (result != VK_SUCCESS)
        return result;
    m_maxGroups.assign(m_pipeline.graph.slots.size(), 0);
    m_slotPlans.assign(m_pipeline.graph.slots.size(), {});
    for (size_t i = 0; i < m_plan.slots.size(); ++i) {
        m_maxGroups[m_plan.slots[i]] = m_plan.maxGroups[i];
        m_slotPlans[m_plan.slots[i]] = graph::slotPlan(m_pipeline.graph, m_plan, i);
    }
    m_places = graph::slotPlaces(m_pipeline.graph, m_scratch);

    m_feed.graph = m_scratch;
    m_feed.graphId = m_pipeline.graphId;
    m_feed.flags = m_plan.fits ? abi::kFlagFits : 0;
    const uint64_t fullFeed = m_device.fullGroups(abi::kFeedChunkPayloads, 1);
    m_feedGroups = static_cast<uint32_t>(host ? std::clamp<uint64_t>(inputs.chunks, 1, fullFeed) : fullFeed);

    if (!m_plan.fits)
        shareMemory();

    result = createStatus();
    if (result != VK_SUCCESS)
        return result;
    result = upload(inputs, prepared.value_or(PreparedFeed{}));
    if (request.form == DispatchRequest::Form::Indirect) {
        m_feed.infos = request.countInfo->infos.deviceAddress;
        m_feed.stride = request.countInfo->stride;
        m_feed.count = request.countInfo->count;
    } else if (request.form == DispatchRequest::Form::IndirectCount) {
        m_feed.countInfo = request.countAddress;
    }
    if (result == VK_SUCCESS && indirect())
        result = m_device.memory.createBuffer(
            BufferUse::Indirect, std::max<size_t>(1, m_pipeline.graph.slots.size()) * sizeof(abi::IndirectArguments),
            m_indirect);
    if (result == VK_SUCCESS)
        nameBuffers();
    return result == VK_SUCCESS ? createObservers() : result;
}

// Nobody has to see the scheduler's steps.
bool Recorder::mayHideSteps(const DispatchRequest& request) const
{
    return !indirect() && !request.next && !m_device.seesSteps && !m_device.settings.breadcrumbs;
}

// One buffer with the payloads and, behind them, push constants.
VkResult Recorder::prepareLeaves()
{
    for (const LeafDispatch::Launch& launch : m_leaves->launches) {
        VkPipeline& pipeline = m_leafPipelines.emplace_back();
        const VkResult result = m_pipeline.getLeaf(m_pipeline.graph.slots[launch.slot].node, pipeline);
        if (result != VK_SUCCESS)
            return result;
    }
    std::vector<std::byte>& payloads = m_leaves->payloads;
    const size_t constantBytes = m_pipeline.pushConstantsInMemory ? m_pushConstants.size() : 0;
    VkResult result = m_device.memory.createBuffer(BufferUse::Upload,
                                                   std::max<size_t>(payloads.size() + constantBytes, 16), m_upload);
    if (result != VK_SUCCESS)
        return result;
    std::ranges::copy(payloads, m_upload.data());
    std::ranges::copy(std::as_bytes(std::span(m_pushConstants)).first(constantBytes),
                      m_upload.data() + payloads.size());
    for (LeafDispatch::Launch& launch : m_leaves->launches) {
        launch.arguments.payloads += m_upload.address();
        if (constantBytes > 0)
            launch.arguments.memory = m_upload.address() + payloads.size();
        else if (launch.arguments.memory > 0)
            launch.arguments.memory += m_scratch;
    }
    payloads = {};
    nameBuffers();
    return createObservers();
}

VkResult Recorder::prepareSolo(const DispatchRequest& request, const HostInputs& inputs, bool& isSolo)
{
    std::optional<SoloDispatch> solo =
        runtime::prepareSolo(m_pipeline, inputs, m_scratch, request.scratchBytes, m_device.settings.soloRounds);
    if (!solo)
        return VK_SUCCESS;
    VkResult result = m_pipeline.solo->getPipeline(m_solo);
    if (result == VK_SUCCESS)
        result = createStatus();
    if (result == VK_SUCCESS)
        result = uploadSolo(*solo);
    if (result == VK_SUCCESS)
        nameBuffers();
    isSolo = true;
    return result == VK_SUCCESS ? createObservers() : result;
}

// The table, the payloads behind it, and push constants.
VkResult Recorder::uploadSolo(SoloDispatch& solo)
{
    const auto align = [](size_t bytes) { return (bytes + abi::kGranuleBytes - 1) & ~size_t{abi::kGranuleBytes - 1}; };
    std::vector<uint32_t>& table = solo.plan.table;
    const VkDeviceAddress status = m_status.address();
    table[abi::kSoloStatus] = static_cast<uint32_t>(status);
    table[abi::kSoloStatus + 1] = static_cast<uint32_t>(status >> 32);
    const size_t payloads = align(table.size() * sizeof(uint32_t));
    const size_t constants = payloads + solo.payloads.size();
    const size_t constantBytes = m_pipeline.pushConstantsInMemory ? m_pushConstants.size() : 0;
    const VkResult result = m_device.memory.createBuffer(BufferUse::Upload, constants + constantBytes, m_upload);
    if (result != VK_SUCCESS)
        return result;
    std::memcpy(m_upload.data(), table.data(), table.size() * sizeof(uint32_t));
    if (!solo.payloads.empty())
        std::memcpy(m_upload.data() + payloads, solo.payloads.data(), solo.payloads.size());
    if (constantBytes > 0)
        std::memcpy(m_upload.data() + constants, m_pushConstants.data(), constantBytes);
    m_soloArguments.graph = m_scratch;
    m_soloArguments.table = m_upload.address();
    m_soloArguments.pushConstants = constantBytes > 0 ? m_upload.address() + constants : 0;
    m_soloArguments.granules = static_cast<uint32_t>(payloads / abi::kGranuleBytes) | solo.plan.fedGranules << 16;
    m_soloArguments.begin = solo.plan.begin;
    return VK_SUCCESS;
}

// feed.comp writes entries for all that it feeds. (Of what begin.comp copies, streams have a count to begin with.)
void Recorder::keepFeedOutOfRooms()
{
    const graph::Graph& graph = m_pipeline.graph;
    for (const uint32_t node : m_apiNodes)
        if (graph.apiQueues[node] != abi::kNoQueue)
            for (const uint32_t stream : graph.queues[graph.apiQueues[node]].streams)
                m_plan.streams[stream].roomStride = 0;
}

// Who reserves memory of a level, so that each can keep to its share. On the indirect path one shader does it for all.
void Recorder::shareMemory()
{
    m_plan.levels[0].groups = m_feedGroups;
    std::vector<size_t> slotsOfLevel(m_plan.levels.size(), 0);
    for (uint32_t slot : m_plan.slots)
        ++slotsOfLevel[m_pipeline.graph.slots[slot].level];
    for (uint32_t slot : m_plan.slots) {
        const uint32_t level = m_pipeline.graph.slots[slot].level;
        const Batch alone{.first = slot, .groups = std::min(m_maxGroups[slot], kMaxBatchGroups)};
        m_plan.levels[level].groups += indirect() ? 0 : directGroups(alone, slotsOfLevel[level]);
    }
}

VkResult Recorder::createStatus()
{
    const bool counted = m_device.settings.breadcrumbs;
    const size_t bytes = sizeof(abi::GraphStatus) + (counted ? m_pipeline.graph.slots.size() * sizeof(uint32_t) : 0);
    const VkResult result =
        m_device.memory.createBuffer(counted ? BufferUse::Breadcrumbs : BufferUse::Readback, bytes, m_status);
    if (result == VK_SUCCESS)
        std::memset(m_status.data(), 0, bytes);
    return result;
}

void Recorder::nameBuffers() const
{
    const Names& names = m_device.names;
    names.set(VK_OBJECT_TYPE_BUFFER, m_upload.handle(), {m_name, ", plan and inputs"});
    names.set(VK_OBJECT_TYPE_BUFFER, m_status.handle(), {m_name, ", status"});
    names.set(VK_OBJECT_TYPE_BUFFER, m_indirect.handle(), {m_name, ", indirect arguments"});
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

// One buffer, each part at a multiple of 16.
VkResult Recorder::upload(const HostInputs& inputs, const PreparedFeed& feed)
{
    const bool feeds = !m_isFed;  // feed.comp does
    struct Part {
        const void* data;
        size_t bytes;
        size_t offset;
    };
    Part parts[] = {
        {m_plan.levels.data(), m_plan.levels.size() * sizeof(abi::LevelPlan), 0},
        {m_plan.streams.data(), m_plan.streams.size() * sizeof(abi::StreamPlan), 0},
        {inputs.infos.data(), feeds ? inputs.infos.size() * sizeof(abi::DispatchInfo) : 0, 0},
        {inputs.payloads.data(), feeds ? inputs.payloads.size() : 0, 0},
        {m_pushConstants.data(), m_pipeline.pushConstantsInMemory ? m_pushConstants.size() : 0, 0},
        {m_slotPlans.data(), m_slotPlans.size() * sizeof(abi::SlotPlan), 0},
        {feed.bytes.data(), feed.bytes.size(), 0},
        {nullptr, feed.parts.size() * sizeof(abi::Copy), 0},
    };
    size_t bytes = 0;
    for (Part& part : parts) {
        part.offset = bytes;
        bytes += (part.bytes + 15) & ~size_t{15};
    }
    const VkResult result = m_device.memory.createBuffer(BufferUse::Upload, std::max<size_t>(bytes, 16), m_upload);
    if (result != VK_SUCCESS)
        return result;
    for (const Part& part : parts)
        if (part.data && part.bytes > 0)
            std::memcpy(m_upload.data() + part.offset, part.data, part.bytes);

    const VkDeviceAddress address = m_upload.address();
    m_begin.graph = m_scratch;
    m_begin.graphId = m_pipeline.graphId;
    m_begin.levelPlans = address + parts[0].offset;
    m_begin.streamPlans = address + parts[1].offset;
    m_begin.status = m_status.address();
    m_feed.infos = address + parts[2].offset;
    m_feed.stride = sizeof(abi::DispatchInfo);
    m_feed.count = static_cast<uint32_t>(inputs.infos.size());
    auto* infos = reinterpret_cast<abi::DispatchInfo*>(m_upload.data() + parts[2].offset);
    for (size_t i = 0; feeds && i < inputs.infos.size(); ++i)
        infos[i].payloads = address + parts[3].offset + inputs.infos[i].payloads;
    if (m_pipeline.pushConstantsInMemory)
        m_pushConstantAddress = address + parts[4].offset;
    m_begin.slotPlans = address + parts[5].offset;
    m_begin.copies = address + parts[7].offset;
    m_begin.copyCount = static_cast<uint32_t>(feed.parts.size());
    auto* copies = reinterpret_cast<abi::Copy*>(m_upload.data() + parts[7].offset);
    VkDeviceAddress from = address + parts[6].offset;
    for (const PreparedFeed::Part& part : feed.parts) {
        *copies++ = {from, m_scratch + uint64_t{part.to} * abi::kGranuleBytes, part.granules, 0};
        from += uint64_t{part.granules} * abi::kGranuleBytes;
    }
    m_fedGranules = feed.bytes.size() / abi::kGranuleBytes;
    return VK_SUCCESS;
}

// Step by step, what follows goes elsewhere.
void Recorder::endStep(const Step& step)
{
    end(&StepObserver::endStep, step);
    if (!*m_next)
        return;
    end(&StepObserver::leaveCommandBuffer);
    m_target = (*m_next)(m_target);
    begin(&StepObserver::enterCommandBuffer);
}

template <typename Arguments>
void Recorder::recordMeta(Meta meta, const Arguments& arguments, Step step)
{
    step.number = m_nextStep++;
    begin(&StepObserver::beginStep, step);
    m_device.meta.dispatch(m_target, meta, arguments, step.groups);
    endStep(step);
}

void Recorder::recordFirst(VkCommandBuffer commandBuffer, const NextCommandBuffer& next)
{
    m_target = commandBuffer;
    m_next = &next;
    if (m_leaves) {
        recordLeaves();
    } else if (m_solo) {
        recordSolo();
    } else {
        recordBegin();
        recordSweep();
    }
    m_next = nullptr;
}

void Recorder::recordSweep(VkCommandBuffer commandBuffer, const NextCommandBuffer& next)
{
    m_target = commandBuffer;
    m_next = &next;
    recordSweep();
    m_next = nullptr;
}

// What the application wrote before is its own to wait for, as with any dispatch; and there is no status to read.
void Recorder::recordLeaves()
{
    const VkuDeviceDispatchTable& table = *m_device.table;
    if (m_leaves->usesScratch)
        computeBarrier();  // as for recordBegin()
    begin(&StepObserver::beginSweep);
    for (size_t i = 0; i < m_leaves->launches.size(); ++i) {
        const LeafDispatch::Launch& launch = m_leaves->launches[i];
        const Step step{.kind = Step::Kind::Leaf,
                        .number = static_cast<uint32_t>(i),
                        .level = m_pipeline.graph.slots[launch.slot].level,
                        .slots = {&launch.slot, 1},
                        .groups = launch.groups[0] * launch.groups[1] * launch.groups[2]};
        begin(&StepObserver::beginStep, step);
        if (i == 0 || !m_observers.empty())
            pushConstants();
        table.CmdBindPipeline(m_target, VK_PIPELINE_BIND_POINT_COMPUTE, m_leafPipelines[i]);
        table.CmdPushConstants(m_target, m_pipeline.layout, VK_SHADER_STAGE_COMPUTE_BIT,
                               m_pipeline.argumentsOffsetBytes, sizeof launch.arguments, &launch.arguments);
        table.CmdDispatch(m_target, launch.groups[0], launch.groups[1], launch.groups[2]);
        end(&StepObserver::endStep, step);
    }
    end(&StepObserver::endSweep);
}

void Recorder::recordSolo()
{
    // As for recordBegin().
    computeBarrier();
    begin(&StepObserver::beginSweep);
    const Step step{.kind = Step::Kind::Solo, .slots = m_plan.slots, .groups = 1};
    begin(&StepObserver::beginStep, step);
    const VkuDeviceDispatchTable& table = *m_device.table;
    pushConstants();
    table.CmdBindPipeline(m_target, VK_PIPELINE_BIND_POINT_COMPUTE, m_solo);
    table.CmdPushConstants(m_target, m_pipeline.layout, VK_SHADER_STAGE_COMPUTE_BIT, m_pipeline.argumentsOffsetBytes,
                           sizeof m_soloArguments, &m_soloArguments);
    table.CmdDispatch(m_target, 1, 1, 1);
    end(&StepObserver::endStep, step);
    end(&StepObserver::endSweep);
}

bool Recorder::mayHaveRooms() const
{
    return m_pipeline.hasRooms && m_plan.fits &&
           std::ranges::any_of(m_plan.streams, [](const abi::StreamPlan& stream) { return stream.roomStride > 0; }) &&
           std::ranges::none_of(m_observers, [](const auto& observer) { return observer->readsStreams(); });
}

void Recorder::recordBegin()
{
    const graph::Graph& graph = m_pipeline.graph;
    // The scratch memory may have been used by the commands before; whoever wrote it did so in compute shaders.
    computeBarrier();
    const uint64_t elements =
        std::max<uint64_t>({graph.slots.size(), graph.streams.size(), graph.levels.size(), m_fedGranules});
    const auto groups = static_cast<uint32_t>(
        std::clamp<uint64_t>((elements + kBeginWidth - 1) / kBeginWidth, 1, m_device.fullGroups(kBeginWidth, 1)));
    if (mayHaveRooms()) {
        m_begin.roomBegin = m_plan.spareBegin;
        m_begin.roomGranules = m_plan.spareGranules;
    }
    recordMeta(Meta::Begin, m_begin, {.kind = Step::Kind::Begin, .groups = groups});
    computeBarrier();
}

void Recorder::recordSweep()
{
    m_nextStep = 1;
    begin(&StepObserver::beginSweep);
    if (!m_isFed) {
        begin(&StepObserver::beginLevel, 0);
        recordMeta(Meta::Feed, m_feed, {.kind = Step::Kind::Feed, .groups = m_feedGroups});
        end(&StepObserver::endLevel, 0);
    }
    // The slots come in order of level.
    uint32_t level = 0;
    for (size_t first = 0; first < m_plan.slots.size();) {
        size_t last = first;
        level = m_pipeline.graph.slots[m_plan.slots[first]].level;
        while (last < m_plan.slots.size() && m_pipeline.graph.slots[m_plan.slots[last]].level == level)
            ++last;
        recordLevel(std::span(m_plan.slots).subspan(first, last - first));
        first = last;
    }
    if (!m_plan.fits) {
        computeBarrier();
        abi::TurnArguments turn{};
        turn.graph = m_scratch;
        recordMeta(Meta::Turn, turn, {.kind = Step::Kind::Turn, .level = level, .groups = 1});
        computeBarrier();
    }
    end(&StepObserver::endSweep);
}

void Recorder::recordLevel(std::span<const uint32_t> slots)
{
    const uint32_t level = m_pipeline.graph.slots[slots.front()].level;
    computeBarrier();
    begin(&StepObserver::beginLevel, level);
    if (indirect())
        recordPlan(level);
    pushConstants();
    const std::vector<Batch> batches = batchesOf(slots);
    for (size_t i = 0; i < batches.size(); ++i) {
        if (i > 0 && m_separateSteps)
            computeBarrier();
        recordNodes(batches[i], batches.size());
    }
    end(&StepObserver::endLevel, level);
}

// The application's, where the nodes read them from push constants.
void Recorder::pushConstants() const
{
    if (!m_pushConstants.empty() && !m_pipeline.pushConstantsInMemory)
        m_device.table->CmdPushConstants(m_target, m_pipeline.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                                         static_cast<uint32_t>(m_pushConstants.size()), m_pushConstants.data());
}

void Recorder::recordPlan(uint32_t level)
{
    abi::PlanArguments plan{};
    plan.graph = m_scratch;
    plan.indirect = m_indirect.address();
    plan.level = level;
    plan.flags = m_feed.flags;
    plan.slotCount = static_cast<uint32_t>(m_pipeline.graph.slots.size());
    recordMeta(Meta::Plan, plan, {.kind = Step::Kind::Plan, .level = level, .groups = 1});
    indirectBarrier(m_device, m_target);
}

// Nodes of an array mostly share a pipeline. One dispatch costs less than one each: on an H200 0.2 to 0.4 us a node,
// and their workgroups balance each other.
bool Recorder::canJoin(const Batch& batch, uint32_t slot) const
{
    if (!m_plan.fits || indirect() || m_separateSlots || batch.count == abi::kMaxBatchSlots)
        return false;
    const graph::Graph& graph = m_pipeline.graph;
    const uint32_t node = graph.slots[slot].node;
    if (!m_pipeline.isBatched || !m_pipeline.isBatched(node) || graph.nodes[node].depthFirst > 0)
        return false;
    const uint32_t distance = slot - (batch.first + (batch.count - 1) * batch.step);
    return slot > batch.first && (batch.count == 1 || distance == batch.step) &&
           m_pipelines[graph.slots[slot].node] == m_pipelines[graph.slots[batch.first].node] &&
           m_maxGroups[slot] < kMaxBatchGroups - batch.groups;
}

std::vector<Recorder::Batch> Recorder::batchesOf(std::span<const uint32_t> slots) const
{
    std::vector<Batch> batches;
    for (uint32_t slot : slots) {
        if (!batches.empty() && canJoin(batches.back(), slot)) {
            Batch& batch = batches.back();
            batch.step = (slot - batch.first) / batch.count;
            batch.groups += m_maxGroups[slot];
            ++batch.count;
        } else {
            batches.push_back({.first = slot, .groups = std::min(m_maxGroups[slot], kMaxBatchGroups)});
        }
    }
    return batches;
}

uint32_t Recorder::directGroups(const Batch& batch, size_t batchesOfLevel) const
{
    const graph::Node& node = m_pipeline.graph.nodes[m_pipeline.graph.slots[batch.first].node];
    uint64_t full = m_device.fullGroups(graph::invocationsPerGroup(node), batchesOfLevel);
    // What recursion depth first leaves to others is mostly nothing.
    if (node.depthFirst > 0 && m_pipeline.graph.slots[batch.first].remaining < node.maxRecursion)
        full = std::max<uint64_t>(full / 4, 1);
    return static_cast<uint32_t>(std::clamp<uint64_t>(batch.groups, 1, full));
}

void Recorder::recordNodes(const Batch& batch, size_t batchesOfLevel)
{
    std::vector<uint32_t> slots;
    if (!m_observers.empty())
        for (uint32_t i = 0; i < batch.count; ++i)
            slots.push_back(batch.first + i * batch.step);
    const Step step{.kind = Step::Kind::Nodes,
                    .number = m_nextStep++,
                    .level = m_pipeline.graph.slots[batch.first].level,
                    .slots = slots,
                    .groups = indirect() ? 0 : directGroups(batch, batchesOfLevel)};
    begin(&StepObserver::beginStep, step);
    // In another command buffer, or behind another user of push constants.
    if (*m_next || !m_observers.empty())
        pushConstants();
    dispatchNodes(batch, step.groups);
    endStep(step);
}

// Whether a level may turn out to fit on the device. The same for all its slots, since they share its memory.
bool Recorder::triesToFit(uint32_t level) const
{
    constexpr uint32_t kFewGroups = 32;  // a level with room for no more hardly ever fits
    if (m_plan.fits || indirect())
        return false;
    const abi::LevelPlan& plan = m_plan.levels[level];
    return std::ranges::all_of(m_pipeline.graph.levels[level].slots, [&](uint32_t s) {
        const graph::Slot& slot = m_pipeline.graph.slots[s];
        return m_pipeline.graph.nodes[slot.node].depthFirst == 0 &&
               plan.size / kFewGroups >= slot.fitGranulesPerGroup &&
               plan.entryQuota / kFewGroups >= slot.fitEntriesPerGroup;
    });
}

void Recorder::dispatchNodes(const Batch& batch, uint32_t groups) const
{
    const graph::Slot& slot = m_pipeline.graph.slots[batch.first];
    uint32_t flags = m_feed.flags | (indirect() ? abi::kFlagIndirect : 0);
    // They exclude each other, so no barrier is needed.
    if (triesToFit(slot.level)) {
        flags |= abi::kFlagTryFit;
        dispatchSlot(batch, groups, flags, m_trying[slot.node]);
    }
    dispatchSlot(batch, groups, flags, m_pipelines[slot.node]);
}

void Recorder::dispatchSlot(const Batch& batch, uint32_t groups, uint32_t flags, VkPipeline pipeline) const
{
    const VkuDeviceDispatchTable& table = *m_device.table;
    const VkDeviceSize argumentsOffset = batch.first * sizeof(abi::IndirectArguments);
    abi::NodeArguments arguments{};
    arguments.graph = m_scratch;
    arguments.slotAndFlags = m_places[batch.first].info | flags;
    arguments.streamState = m_places[batch.first].streamState;
    arguments.pushConstants = m_pushConstantAddress;
    arguments.work = indirect() ? m_indirect.address() + argumentsOffset
                                : batch.count | uint64_t{batch.step} * abi::kSlotInfoBytes << 32;
    table.CmdBindPipeline(m_target, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    table.CmdPushConstants(m_target, m_pipeline.layout, VK_SHADER_STAGE_COMPUTE_BIT, m_pipeline.argumentsOffsetBytes,
                           sizeof arguments, &arguments);
    if (indirect())
        table.CmdDispatchIndirect(m_target, m_indirect.handle(), argumentsOffset);
    else
        table.CmdDispatch(m_target, groups, 1, 1);
}

abi::GraphStatus Recorder::status() const
{
    abi::GraphStatus status{};
    if (!m_leaves)
        std::memcpy(&status, m_status.data(), sizeof status);
    return status;
}

std::optional<Progress> Recorder::progress() const
{
    return m_breadcrumbs ? std::optional(m_breadcrumbs->progress()) : std::nullopt;
}

}  // namespace

VkResult recordDispatch(Device& device, VkCommandBuffer commandBuffer, const DispatchRequest& request,
                        std::shared_ptr<RecordedDispatch>& out)
{
    auto recorder = std::make_shared<Recorder>(device, request);
    const VkResult result = recorder->prepare(request);
    if (result != VK_SUCCESS)
        return result;
    recorder->recordFirst(commandBuffer, request.next);
    out = std::move(recorder);
    return VK_SUCCESS;
}

void recordHostBarrier(Device& device, VkCommandBuffer commandBuffer)
{
    hostBarrier(device.impl(), commandBuffer);
}

}  // namespace millrace::runtime
