// SPDX-License-Identifier: Apache-2.0
#include "runtime/trace_recorder.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <set>

#include "abi/trace.h"
#include "runtime/barriers.h"
#include "runtime/device_impl.h"
#include "runtime/host_memory.h"
#include "runtime/labels.h"
#include "runtime/pipeline_uses.h"
#include "runtime/step_observer.h"
#include "runtime/trace_decode.h"

namespace millrace::runtime {

namespace {

// The layer looks after at most 16 sweeps that it submits by itself; an application may submit more.
constexpr uint32_t kRecords = 64;
// More than this for one dispatch is not worth it: graphs with that many nodes get fewer records.
constexpr uint64_t kMaxRingBytes = 32ull << 20;
constexpr uint32_t kMinRecords = 32;

TraceClock clockOf(const VkuInstanceDispatchTable& table, VkPhysicalDevice physical)
{
    VkPhysicalDeviceProperties properties;
    table.GetPhysicalDeviceProperties(physical, &properties);
    TraceClock clock{properties.limits.timestampPeriod, 0};
    uint32_t count = 0;
    table.GetPhysicalDeviceQueueFamilyProperties(physical, &count, nullptr);
    std::vector<VkQueueFamilyProperties> families(count);
    table.GetPhysicalDeviceQueueFamilyProperties(physical, &count, families.data());
    uint32_t bits = 64;
    for (const VkQueueFamilyProperties& family : families)
        if (family.queueFlags & VK_QUEUE_COMPUTE_BIT)
            bits = std::min(bits, family.timestampValidBits);
    clock.mask = bits == 0 ? 0 : ~uint64_t{0} >> (64 - bits);
    return clock;
}

}  // namespace

class TraceObserver;

struct TraceRecorder::Impl {
    Device::Impl& device;
    std::shared_ptr<trace::Sink> sink;
    bool exact = false;
    bool hostQueryReset = false;
    uint32_t subgroupSize = 0;
    TraceClock clock;

    std::mutex mutex;
    std::set<TraceObserver*> observers;
    std::set<uint32_t> graphs;  // that the sink knows
    uint32_t nextDispatch = 0;
};

// Of one recorded dispatch. Command buffers that hold it are not in use any more when it goes.
//
// Times come from a query pool. Where the dispatch is announced before each execution, the host reads and resets it in
// between. Else a command copies the times into the record, since the next execution may begin before anybody looks;
// that takes the device longer than all the rest.
class TraceObserver final : public StepObserver {
public:
    TraceObserver(std::shared_ptr<TraceRecorder::Impl> recorder, const ObservedDispatch& dispatch)
        : m_recorder(std::move(recorder)),
          m_device(m_recorder->device),
          m_graph(dispatch.pipeline.graph),
          m_plan(dispatch.plan),
          m_scratch(dispatch.scratch),
          m_isFed(dispatch.isFed),
          m_readsTimes(m_recorder->hostQueryReset && m_recorder->clock.mask != 0 && dispatch.announced &&
                       dispatch.plan.fits),
          m_decoder(m_graph, dispatch.apiNodes, m_recorder->subgroupSize, m_recorder->clock)
    {
        describe(dispatch);
    }
    ~TraceObserver() override;

    VkResult prepare(const std::string& name);

    void beforeExecution() override;
    void beginSweep(VkCommandBuffer commandBuffer) override;
    void beginStep(VkCommandBuffer commandBuffer, const Step& step) override;
    void endStep(VkCommandBuffer commandBuffer, const Step& step) override;
    void beginLevel(VkCommandBuffer commandBuffer, uint32_t level) override;
    void endLevel(VkCommandBuffer commandBuffer, uint32_t level) override;
    bool separatesSteps() const override { return m_recorder->exact; }
    bool separatesSlots() const override { return m_recorder->exact; }

    // Requires: the recorder's lock.
    void drain();

private:
    void describe(const ObservedDispatch& dispatch);
    std::vector<uint32_t> streamsOf(std::span<const uint32_t> slots) const;
    void start(VkCommandBuffer commandBuffer);
    void addStep(VkCommandBuffer commandBuffer, const Step& step);
    uint32_t writeTime(VkCommandBuffer commandBuffer);
    void mark(VkCommandBuffer commandBuffer, uint32_t step);
    bool lastLevelSendsNothing() const;
    void copyTimes(VkCommandBuffer commandBuffer);
    void snapshot(VkCommandBuffer commandBuffer);
    void publish();
    bool complete(std::span<std::byte> record) const;
    abi::TraceRing& ring() { return *reinterpret_cast<abi::TraceRing*>(m_ring.data()); }

    std::shared_ptr<TraceRecorder::Impl> m_recorder;
    Device::Impl& m_device;
    const graph::Graph& m_graph;
    const graph::DispatchPlan& m_plan;
    const VkDeviceAddress m_scratch;
    const bool m_isFed;
    const bool m_readsTimes;  // the host does
    trace::Graph m_description;
    TraceDecoder m_decoder;
    TraceDecoder::Shape m_shape;
    uint32_t m_lastLevel = 0;
    bool m_isEarly = false;    // the snapshot is taken while the last level runs
    bool m_described = false;  // a sweep was recorded, and the sink knows its shape

    Buffer m_ring;
    Buffer m_times;
    Buffer m_streams;  // that are marked
    VkQueryPool m_queries = VK_NULL_HANDLE;
    uint32_t m_recordedLost = 0;

    // Of the sweep that is being recorded.
    bool m_started = false;
    uint32_t m_nextTime = 0;
    uint32_t m_levelBegin = 0;
    uint32_t m_stepBegin = 0;
    uint32_t m_nextStep = 0;
    uint32_t m_nextMarks = 0;
};

TraceObserver::~TraceObserver()
{
    {
        const std::lock_guard lock(m_recorder->mutex);
        if (m_ring.data())
            drain();
        m_recorder->observers.erase(this);
    }
    if (m_queries)
        m_device.table->DestroyQueryPool(m_device.device, m_queries, hostMemory());
}

void TraceObserver::describe(const ObservedDispatch& dispatch)
{
    m_description = runtime::describe(m_graph, dispatch.pipeline.graphId, dispatch.name);
    trace::Dispatch& out = m_shape.dispatch;
    out.graph = dispatch.pipeline.graphId;
    out.fits = m_plan.fits;
    out.indirect = m_device.settings.path == Path::Indirect;
    out.exact = m_recorder->exact;
    out.timed = m_recorder->clock.mask != 0;
    out.scratchBytes = dispatch.scratchBytes;
    out.tableBytes = graph::fixedBytes(m_graph);
    out.queueEntries.resize(m_graph.queues.size());
    for (size_t s = 0; s < m_plan.streams.size(); ++s) {
        const graph::Stream& stream = m_graph.streams[s];
        const uint64_t capacity = m_plan.streams[s].capacity;
        out.tableBytes +=
            capacity * (stream.kind == abi::kStreamDynamic ? sizeof(abi::DynamicEntry) : sizeof(abi::IndexedEntry));
        out.queueEntries[stream.queue] = std::max(out.queueEntries[stream.queue], capacity);
    }
    for (const abi::LevelPlan& level : m_plan.levels)
        out.regionBytes.push_back(uint64_t{level.size} * abi::kGranuleBytes);
    // What the recorder would record without us: around begin.comp; for a level, where it reads indirect arguments or
    // fit.comp looks at it another; around turn.comp; for the host.
    std::set<uint32_t> levels;
    for (uint32_t slot : m_plan.slots)
        levels.insert(m_graph.slots[slot].level);
    m_lastLevel = levels.empty() ? 0 : *levels.rbegin();
    out.barriersOnce = 2;
    const SlotUses uses(m_graph, m_plan, m_device.settings.path);
    const auto looks = [&](uint32_t level) { return out.indirect || uses.tries(level); };
    out.barriersSweep = static_cast<uint32_t>(levels.size()) +
                        static_cast<uint32_t>(std::ranges::count_if(levels, looks)) + (m_plan.fits ? 0 : 2) + 1;
    m_shape.levels.resize(m_graph.levels.size());
    // Then all is counted when the last level begins, and what waits for its barrier anyway costs nothing more. Without
    // times nobody would know when the sweep has ended.
    m_isEarly = m_readsTimes && !m_recorder->exact && m_lastLevel > 0 && lastLevelSendsNothing();
}

// Nor can it meet errors, where everything fits.
bool TraceObserver::lastLevelSendsNothing() const
{
    return std::ranges::all_of(m_plan.slots, [&](uint32_t s) {
        const graph::Slot& slot = m_graph.slots[s];
        return slot.level != m_lastLevel || m_graph.nodes[slot.node].declared.outputs.empty();
    });
}

// Whatever the slots may send payloads to, once each.
std::vector<uint32_t> TraceObserver::streamsOf(std::span<const uint32_t> slots) const
{
    std::set<uint32_t> streams;
    for (uint32_t slot : slots)
        for (const uint32_t map : m_graph.slots[slot].outputMaps)
            for (uint32_t queue : m_graph.receivers[map])
                streams.insert(m_graph.queues[queue].streams.begin(), m_graph.queues[queue].streams.end());
    return {streams.begin(), streams.end()};
}

// How a record is laid out follows from the plan alone: a slot has a dispatch of its own, or less.
VkResult TraceObserver::prepare(const std::string& name)
{
    const auto slots = static_cast<uint32_t>(m_plan.slots.size());
    const auto levels = static_cast<uint32_t>(m_graph.levels.size());
    std::vector<uint32_t> marked;
    if (m_recorder->exact) {
        for (uint32_t s = 0; s < m_graph.streams.size(); ++s)
            marked.push_back(s);
        m_shape.marks.push_back({trace::kNone, marked, 0});
        for (uint32_t i = 0; i < slots; ++i) {
            const std::vector<uint32_t> streams = streamsOf(std::span(m_plan.slots).subspan(i, 1));
            m_shape.marks.push_back({trace::kNone, streams, static_cast<uint32_t>(marked.size())});
            marked.insert(marked.end(), streams.begin(), streams.end());
        }
    }
    const uint32_t times = 2 + 2 * levels + (m_recorder->exact ? 2 * (slots + 1) : 0);
    const auto marks = static_cast<uint32_t>(marked.size());
    m_shape.layout = traceLayout(m_graph, times, marks);

    const uint64_t room = kMaxRingBytes / m_shape.layout.bytes;
    const uint32_t records = room >= kRecords ? kRecords : kMinRecords;
    VkResult result = m_device.memory.createBuffer(
        BufferUse::Readback, abi::kTraceRingBytes + uint64_t{records} * m_shape.layout.bytes, m_ring);
    if (result != VK_SUCCESS)
        return result;
    ring() = {0, 0, records, 0};
    if (!m_readsTimes)
        result = m_device.memory.createBuffer(BufferUse::Results, times * sizeof(uint64_t), m_times);
    if (result == VK_SUCCESS && marks > 0)
        result = m_device.memory.createBuffer(BufferUse::Upload, marks * sizeof(uint32_t), m_streams);
    if (result != VK_SUCCESS)
        return result;
    if (marks > 0)
        std::memcpy(m_streams.data(), marked.data(), marks * sizeof(uint32_t));
    const Names& names = m_device.names;
    names.set(VK_OBJECT_TYPE_BUFFER, m_ring.handle(), {name, ", trace"});
    names.set(VK_OBJECT_TYPE_BUFFER, m_times.handle(), {name, ", times"});
    names.set(VK_OBJECT_TYPE_BUFFER, m_streams.handle(), {name, ", traced streams"});
    if (!m_shape.dispatch.timed)
        return VK_SUCCESS;
    VkQueryPoolCreateInfo info{VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO};
    info.queryType = VK_QUERY_TYPE_TIMESTAMP;
    info.queryCount = times;
    result = m_device.table->CreateQueryPool(m_device.device, &info, hostMemory(), &m_queries);
    names.set(VK_OBJECT_TYPE_QUERY_POOL, m_queries, {name, ", times"});
    return result;
}

// When everything before it is done. Returns its place in the record.
uint32_t TraceObserver::writeTime(VkCommandBuffer commandBuffer)
{
    if (m_queries)
        m_device.table->CmdWriteTimestamp(commandBuffer, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, m_queries, m_nextTime);
    return m_nextTime++;
}

// What was executed before has completed, and the host has what it needs of it.
void TraceObserver::beforeExecution()
{
    if (!m_readsTimes)
        return;
    const std::lock_guard lock(m_recorder->mutex);
    drain();
    m_device.table->ResetQueryPool(m_device.device, m_queries, 0, m_shape.layout.timeCount);
}

// The first sweep starts with the step before it.
void TraceObserver::beginSweep(VkCommandBuffer commandBuffer)
{
    if (!m_started)
        start(commandBuffer);
    m_started = false;
}

void TraceObserver::start(VkCommandBuffer commandBuffer)
{
    m_started = true;
    m_nextTime = 0;
    m_nextStep = 0;
    m_nextMarks = 0;
    if (m_queries && !m_readsTimes)
        m_device.table->CmdResetQueryPool(commandBuffer, m_queries, 0, m_shape.layout.timeCount);
    m_levelBegin = writeTime(commandBuffer);
}

void TraceObserver::beginStep(VkCommandBuffer commandBuffer, const Step& step)
{
    if (step.kind == Step::Kind::Begin)
        start(commandBuffer);
    // What stands between two steps is nobody's time.
    if (m_recorder->exact && step.kind == Step::Kind::Nodes)
        m_stepBegin = writeTime(commandBuffer);
}

void TraceObserver::endStep(VkCommandBuffer commandBuffer, const Step& step)
{
    const bool feeds = step.kind == (m_isFed ? Step::Kind::Begin : Step::Kind::Feed);
    if (feeds || step.kind == Step::Kind::Nodes)
        addStep(commandBuffer, step);
    if (feeds && m_isFed)
        endLevel(commandBuffer, 0);
}

void TraceObserver::addStep(VkCommandBuffer commandBuffer, const Step& step)
{
    const uint32_t number = m_nextStep++;
    if (!m_described) {
        m_shape.dispatch.steps.push_back({step.level, {step.slots.begin(), step.slots.end()}, step.groups});
        m_shape.steps.emplace_back();
    }
    if (!m_recorder->exact)
        return;
    if (step.kind != Step::Kind::Nodes) {
        m_shape.steps[number] = {0, writeTime(commandBuffer)};
        return;
    }
    m_shape.steps[number] = {m_stepBegin, writeTime(commandBuffer)};
    mark(commandBuffer, number);
}

void TraceObserver::beginLevel(VkCommandBuffer commandBuffer, uint32_t level)
{
    // The API's payloads are those that are there before anybody has run.
    if (m_recorder->exact && level > 0 && m_nextMarks == 0) {
        mark(commandBuffer, trace::kNone);
        computeBarrier(m_device, commandBuffer);
    }
    if (m_isEarly && level == m_lastLevel)
        snapshot(commandBuffer);
}

void TraceObserver::mark(VkCommandBuffer commandBuffer, uint32_t step)
{
    TraceMarks& marks = m_shape.marks[m_nextMarks++];
    marks.step = step;
    if (marks.streams.empty())
        return;
    computeBarrier(m_device, commandBuffer);
    abi::MarkArguments arguments{};
    arguments.graph = m_scratch;
    arguments.ring = m_ring.address();
    arguments.streams = m_streams.address() + marks.first * sizeof(uint32_t);
    arguments.count = static_cast<uint32_t>(marks.streams.size());
    arguments.recordBytes = m_shape.layout.bytes;
    arguments.offset = m_shape.layout.marks + marks.first * static_cast<uint32_t>(sizeof(uint64_t));
    const Label label(m_device, commandBuffer, "trace a step");
    m_device.meta.dispatch(commandBuffer, Meta::Mark, arguments, std::clamp(arguments.count / 64, 1u, 64u));
}

void TraceObserver::endLevel(VkCommandBuffer commandBuffer, uint32_t level)
{
    const uint32_t end = writeTime(commandBuffer);
    m_shape.levels[level] = {m_levelBegin, end};
    m_levelBegin = end;
    if (level != m_lastLevel)
        return;
    m_shape.lastTime = end;
    if (m_readsTimes && !m_isEarly) {
        computeBarrier(m_device, commandBuffer);
        snapshot(commandBuffer);
    } else if (!m_readsTimes) {
        copyTimes(commandBuffer);
    }
    if (!m_described)
        publish();
}

// Behind the last level, before the turn shader resets what the snapshot reads.
void TraceObserver::copyTimes(VkCommandBuffer commandBuffer)
{
    if (m_queries)
        m_device.table->CmdCopyQueryPoolResults(commandBuffer, m_queries, 0, m_nextTime, m_times.handle(), 0,
                                                sizeof(uint64_t), VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
    resultsBarrier(m_device, commandBuffer);
    snapshot(commandBuffer);
    // The next sweep copies the times of its own.
    resultsBarrier(m_device, commandBuffer);
}

void TraceObserver::snapshot(VkCommandBuffer commandBuffer)
{
    abi::SnapshotArguments arguments{};
    arguments.graph = m_scratch;
    arguments.ring = m_ring.address();
    arguments.times = m_times.address();
    arguments.timeCount = m_shape.layout.timeCount;
    arguments.recordBytes = m_shape.layout.bytes;
    arguments.flags = m_plan.fits ? abi::kFlagFits : 0;
    const Label label(m_device, commandBuffer, "trace a sweep");
    m_device.meta.dispatch(commandBuffer, Meta::Snapshot, arguments, 1);
}

// Tells the sink of this dispatch, and of its graph if that is new.
void TraceObserver::publish()
{
    const std::lock_guard lock(m_recorder->mutex);
    m_described = true;
    m_shape.dispatch.id = m_recorder->nextDispatch++;
    if (m_recorder->graphs.insert(m_description.id).second)
        m_recorder->sink->graph(m_description);
    m_description = {};
    m_recorder->sink->dispatch(m_shape.dispatch);
    m_recorder->observers.insert(this);
}

// Adds the times; false if the sweep has not ended.
bool TraceObserver::complete(std::span<std::byte> record) const
{
    const size_t bytes = (m_shape.lastTime + 1) * sizeof(uint64_t);
    return m_device.table->GetQueryPoolResults(m_device.device, m_queries, 0, m_shape.lastTime + 1, bytes,
                                               record.data() + m_shape.layout.times, sizeof(uint64_t),
                                               VK_QUERY_RESULT_64_BIT) == VK_SUCCESS;
}

void TraceObserver::drain()
{
    // The device may be writing the next. What it wrote before it counted is read after.
    const uint32_t written = std::atomic_ref(ring().written).load(std::memory_order_acquire);
    const uint32_t capacity = ring().capacity;
    for (uint32_t& read = ring().read; read != written; ++read) {
        const std::span record(
            m_ring.data() + abi::kTraceRingBytes + uint64_t{read & (capacity - 1)} * m_shape.layout.bytes,
            m_shape.layout.bytes);
        if (m_readsTimes && !complete(record))
            break;
        m_recorder->sink->sweep(m_decoder.decode(m_shape, record));
    }
    const uint32_t lost = std::atomic_ref(ring().lost).load(std::memory_order_relaxed);
    if (lost != m_recordedLost)
        m_recorder->sink->lost(lost - m_recordedLost);
    m_recordedLost = lost;
}

VkResult TraceRecorder::create(VkPhysicalDevice physical, const VkuInstanceDispatchTable& instanceTable, Device& device,
                               std::shared_ptr<trace::Sink> sink, const TraceOptions& options,
                               std::unique_ptr<TraceRecorder>& out)
{
    for (Meta meta : {Meta::Snapshot, Meta::Mark})
        if (const VkResult result = device.impl().meta.add(meta); result != VK_SUCCESS)
            return result;
    VkPhysicalDeviceVulkan11Properties properties11{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES};
    VkPhysicalDeviceProperties2 properties{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &properties11};
    instanceTable.GetPhysicalDeviceProperties2(physical, &properties);
    trace::Device found{properties.properties.deviceName, options.settings, properties11.subgroupSize};
    for (const TraitText& trait : traitTexts(device.traitChoice()))
        found.traits.push_back({trait.key, trait.value, trait.origin});
    sink->device(found);
    out = std::make_unique<TraceRecorder>();
    out->m_impl = std::shared_ptr<Impl>(new Impl{device.impl(), std::move(sink), options.exact, options.hostQueryReset,
                                                 properties11.subgroupSize, clockOf(instanceTable, physical)});
    device.observe([impl = out->m_impl](const ObservedDispatch& dispatch, std::shared_ptr<StepObserver>& observer) {
        auto created = std::make_shared<TraceObserver>(impl, dispatch);
        const VkResult result = created->prepare(dispatch.name);
        observer = std::move(created);
        return result;
    });
    return VK_SUCCESS;
}

TraceRecorder::~TraceRecorder() = default;

void TraceRecorder::drain()
{
    const std::lock_guard lock(m_impl->mutex);
    for (TraceObserver* observer : m_impl->observers)
        observer->drain();
}

}  // namespace millrace::runtime
