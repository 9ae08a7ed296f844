// SPDX-License-Identifier: Apache-2.0
#include "runtime/capture_recorder.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <set>

#include "abi/capture.h"
#include "data/scalars.h"
#include "runtime/barriers.h"
#include "runtime/capture_member.h"
#include "runtime/device_impl.h"
#include "runtime/labels.h"
#include "runtime/step_observer.h"

namespace millrace::runtime {

namespace {

constexpr uint64_t kMaxRingBytes = 32ull << 20;
constexpr uint32_t kMinRecords = 64;

static_assert(sizeof(abi::CaptureJob) == abi::kCaptureJobBytes);
static_assert(sizeof(abi::CaptureRecord) == abi::kCaptureRecordBytes);

uint32_t kindOf(const data::DataType& scalar)
{
    switch (scalar.kind) {
        case data::DataType::Kind::Signed:
            return abi::kMemberSigned;
        case data::DataType::Kind::Float:
            return abi::kMemberFloat;
        default:
            return abi::kMemberUnsigned;
    }
}

std::string nameOf(const graph::NodeId& id)
{
    return "node '" + id.name + "'[" + std::to_string(id.index) + "]";
}

}  // namespace

class CaptureObserver;

struct CaptureRecorder::Impl {
    Device::Impl& device;
    std::shared_ptr<CaptureSink> sink;
    std::vector<CaptureFilter> filters;

    std::mutex mutex;
    std::set<CaptureObserver*> observers;
    uint32_t nextDispatch = 0;
};

// Of one recorded dispatch.
class CaptureObserver final : public StepObserver {
public:
    CaptureObserver(std::shared_ptr<CaptureRecorder::Impl> recorder, const ObservedDispatch& dispatch)
        : m_recorder(std::move(recorder)),
          m_device(m_recorder->device),
          m_pipeline(dispatch.pipeline),
          m_graph(dispatch.pipeline.graph),
          m_scratch(dispatch.scratch),
          m_name(dispatch.name)
    {
        const std::lock_guard lock(m_recorder->mutex);
        for (const CaptureFilter& filter : m_recorder->filters)
            addJobs(filter, dispatch.plan.slots);
    }
    ~CaptureObserver() override;

    bool isNeeded() const { return !m_jobs.empty(); }
    VkResult prepare();

    void beginSweep(VkCommandBuffer commandBuffer) override;
    void beginLevel(VkCommandBuffer commandBuffer, uint32_t level) override;

    // Requires: the recorder's lock.
    void drain();

private:
    void addJobs(const CaptureFilter& filter, std::span<const uint32_t> slots);
    bool addCondition(const CaptureFilter& filter, uint32_t node, abi::CaptureJob& job) const;
    data::DataTypeRef typeOf(uint32_t node) const
    {
        return node < m_pipeline.payloadTypes.size() ? m_pipeline.payloadTypes[node] : nullptr;
    }
    void dispatch(VkCommandBuffer commandBuffer, uint32_t job) const;
    abi::CaptureRing& ring() { return *reinterpret_cast<abi::CaptureRing*>(m_ring.data()); }

    std::shared_ptr<CaptureRecorder::Impl> m_recorder;
    Device::Impl& m_device;
    const GraphPipeline& m_pipeline;
    const graph::Graph& m_graph;
    const VkDeviceAddress m_scratch;
    const std::string m_name;
    std::vector<abi::CaptureJob> m_jobs;
    uint32_t m_number = 0;  // of the dispatch
    uint32_t m_recordBytes = 0;
    uint32_t m_lost = 0;
    Buffer m_jobBuffer;
    Buffer m_ring;
};

CaptureObserver::~CaptureObserver()
{
    const std::lock_guard lock(m_recorder->mutex);
    if (m_ring.data())
        drain();
    m_recorder->observers.erase(this);
}

void CaptureObserver::addJobs(const CaptureFilter& filter, std::span<const uint32_t> slots)
{
    const auto counter = static_cast<uint32_t>(m_jobs.size());
    for (uint32_t slot : slots) {
        const graph::Slot& info = m_graph.slots[slot];
        const graph::Node& node = m_graph.nodes[info.node];
        if (node.declared.id.name != filter.node ||
            filter.index.value_or(node.declared.id.index) != node.declared.id.index ||
            filter.level.value_or(info.level) != info.level)
            continue;
        abi::CaptureJob job{};
        job.slot = slot;
        job.first = filter.first;
        job.counter = counter;
        job.payloadBytes = node.declared.payloadBytes;
        if (addCondition(filter, info.node, job))
            m_jobs.push_back(job);
    }
}

bool CaptureObserver::addCondition(const CaptureFilter& filter, uint32_t node, abi::CaptureJob& job) const
{
    job.compare = filter.compare;
    if (filter.compare == abi::kCompareNothing)
        return true;
    const graph::Node& info = m_graph.nodes[node];
    const data::DataTypeRef type = typeOf(node);
    const Result<data::Column> member = findCaptureMember(type, info.declared.payloadBytes, filter.member);
    if (!member) {
        m_recorder->sink->problem(
            "the payload of " + nameOf(info.declared.id) + " " + member.error().message,
            "Correct setting capture: scalars are \"name\", \"name.x\" or \"name[0]\", a word is \"@\" and its offset");
        return false;
    }
    uint8_t bytes[8] = {};
    if (const auto error = data::scalarFromText(*member->scalar, filter.value, bytes)) {
        m_recorder->sink->problem("member \"" + filter.member + "\" of " + nameOf(info.declared.id) + ": " + *error,
                                  "Correct the value behind \"where\" in setting capture");
        return false;
    }
    const bool isSigned = member->scalar->kind == data::DataType::Kind::Signed;
    job.memberKind = kindOf(*member->scalar);
    job.memberOffset = static_cast<uint32_t>(member->offset);
    job.memberBytes = member->scalar->bits / 8;
    job.value = isSigned ? static_cast<uint64_t>(data::loadSigned(member->scalar->bits, bytes))
                         : data::loadUnsigned(member->scalar->bits, bytes);
    return true;
}

VkResult CaptureObserver::prepare()
{
    uint32_t payloadBytes = 0;
    uint64_t wanted = 0;
    for (const abi::CaptureJob& job : m_jobs) {
        payloadBytes = std::max(payloadBytes, job.payloadBytes);
        wanted += job.first;
    }
    m_recordBytes = static_cast<uint32_t>(sizeof(abi::CaptureRecord)) + (payloadBytes + 3) / 4 * 4;
    const uint64_t most = std::bit_floor(kMaxRingBytes / m_recordBytes);
    const auto records =
        static_cast<uint32_t>(std::clamp<uint64_t>(std::bit_ceil(std::min(wanted, most)), kMinRecords, most));
    const VkDeviceSize jobBytes = m_jobs.size() * sizeof(abi::CaptureJob);
    VkResult result = m_device.memory.createBuffer(BufferUse::Readback, jobBytes, m_jobBuffer);
    if (result == VK_SUCCESS)
        result = m_device.memory.createBuffer(BufferUse::Readback,
                                              abi::kCaptureRingBytes + uint64_t{records} * m_recordBytes, m_ring);
    if (result != VK_SUCCESS)
        return result;
    m_device.names.set(VK_OBJECT_TYPE_BUFFER, m_jobBuffer.handle(), {m_name, ", capture filters"});
    m_device.names.set(VK_OBJECT_TYPE_BUFFER, m_ring.handle(), {m_name, ", captured payloads"});
    std::memcpy(m_jobBuffer.data(), m_jobs.data(), jobBytes);
    ring() = {0, 0, records, 0};
    const std::lock_guard lock(m_recorder->mutex);
    m_number = m_recorder->nextDispatch++;
    m_recorder->observers.insert(this);
    return VK_SUCCESS;
}

void CaptureObserver::dispatch(VkCommandBuffer commandBuffer, uint32_t job) const
{
    abi::CaptureArguments arguments{};
    arguments.graph = m_scratch;
    arguments.jobs = m_jobBuffer.address();
    arguments.ring = m_ring.address();
    arguments.job = job;
    arguments.jobCount = static_cast<uint32_t>(m_jobs.size());
    arguments.recordBytes = m_recordBytes;
    {
        const Label label(m_device, commandBuffer, "capture payloads");
        m_device.meta.dispatch(commandBuffer, Meta::Capture, arguments, 1);
    }
    computeBarrier(m_device, commandBuffer);
}

void CaptureObserver::beginSweep(VkCommandBuffer commandBuffer)
{
    dispatch(commandBuffer, static_cast<uint32_t>(m_jobs.size()));
}

// Before the nodes run, since they may write to what they receive.
void CaptureObserver::beginLevel(VkCommandBuffer commandBuffer, uint32_t level)
{
    for (uint32_t job = 0; job < m_jobs.size(); ++job)
        if (m_graph.slots[m_jobs[job].slot].level == level)
            dispatch(commandBuffer, job);
}

void CaptureObserver::drain()
{
    // The device may be writing the next. What it wrote before it counted is read after.
    const uint32_t written = std::atomic_ref(ring().written).load(std::memory_order_acquire);
    for (uint32_t& read = ring().read; read != written; ++read) {
        const std::byte* at =
            m_ring.data() + abi::kCaptureRingBytes + uint64_t{read & (ring().capacity - 1)} * m_recordBytes;
        abi::CaptureRecord record;
        std::memcpy(&record, at, sizeof record);
        if (record.job >= m_jobs.size())
            continue;  // a device that is lost leaves anything
        const abi::CaptureJob& job = m_jobs[record.job];
        const graph::Slot& slot = m_graph.slots[job.slot];
        const data::DataTypeRef type = typeOf(slot.node);
        const auto* bytes = reinterpret_cast<const uint8_t*>(at + sizeof record);
        m_recorder->sink->payload({m_name,
                                   m_number,
                                   record.run - 1,
                                   record.sweep,
                                   m_graph.nodes[slot.node].declared.id,
                                   slot,
                                   record.number,
                                   type.get(),
                                   {bytes, job.payloadBytes}});
    }
    const uint32_t lost = std::atomic_ref(ring().lost).load(std::memory_order_relaxed);
    if (lost != m_lost)
        m_recorder->sink->lost(lost - m_lost);
    m_lost = lost;
}

VkResult CaptureRecorder::create(Device& device, std::shared_ptr<CaptureSink> sink, std::vector<CaptureFilter> filters,
                                 std::unique_ptr<CaptureRecorder>& out)
{
    if (const VkResult result = device.impl().meta.add(Meta::Capture); result != VK_SUCCESS)
        return result;
    out = std::make_unique<CaptureRecorder>();
    out->m_impl = std::shared_ptr<Impl>(new Impl{device.impl(), std::move(sink), std::move(filters)});
    device.observe([impl = out->m_impl](const ObservedDispatch& dispatch, std::shared_ptr<StepObserver>& observer) {
        auto created = std::make_shared<CaptureObserver>(impl, dispatch);
        if (!created->isNeeded())
            return VK_SUCCESS;
        const VkResult result = created->prepare();
        observer = std::move(created);
        return result;
    });
    return VK_SUCCESS;
}

CaptureRecorder::~CaptureRecorder() = default;

void CaptureRecorder::drain()
{
    const std::lock_guard lock(m_impl->mutex);
    for (CaptureObserver* observer : m_impl->observers)
        observer->drain();
}

}  // namespace millrace::runtime
