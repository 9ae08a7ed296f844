// SPDX-License-Identifier: Apache-2.0
// What one vkCmdDispatchGraph*AMDX becomes. prepare_dispatch.cpp works out what is to be recorded, dispatch.cpp records
// it.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "runtime/breadcrumbs.h"
#include "runtime/device_impl.h"
#include "runtime/fed_leaves.h"
#include "runtime/inputs.h"
#include "runtime/leaf_dispatch.h"
#include "runtime/mesh_lists.h"
#include "runtime/pipeline_uses.h"
#include "runtime/prepared_feed.h"
#include "runtime/recording_memory.h"
#include "runtime/step_observer.h"

namespace millrace::runtime {

// prepare() once, then recordFirst(), then the calls of RecordedDispatch, whose thread rules hold.
class Recorder final : public RecordedDispatch {
public:
    // `memory`: where the commands go, until prepare() is over.
    Recorder(Device& device, RecordingMemory& memory, const DispatchRequest& request)
        : m_device(device.impl()),
          m_memory(memory),
          m_pipeline(*request.pipeline),
          m_scratch(request.scratch),
          m_name(request.name.empty() ? "graph " + std::to_string(m_pipeline.graphId) : request.name),
          m_observed{m_pipeline, m_main.plan, m_scratch,         request.scratchBytes,
                     m_name,     m_apiNodes,  request.announced, m_isFed},
          m_pushConstants(request.pushConstants.begin(), request.pushConstants.end())
    {
    }

    // VkResult: of what the driver was asked for. What was made meanwhile goes with the object.
    VkResult prepare(const DispatchRequest& request);
    ~Recorder() override;

    bool mayContinue() const override { return !runsLeaves() && !m_main.plan.fits; }
    void recordSweep(VkCommandBuffer commandBuffer, const NextCommandBuffer& next) override;
    void beforeExecution() override
    {
        for (const auto& observer : m_observers)
            observer->beforeExecution();
    }
    void forgetDecision() override
    {
        if (m_decided)
            m_device.table->ResetEvent(m_device.device, m_decided);
    }
    bool hasRemaining() const override { return status().remaining > 0; }
    bool isDecided() const override
    {
        return m_decided && m_device.table->GetEventStatus(m_device.device, m_decided) == VK_EVENT_SET &&
               status().remaining != abi::kBoundsUnknown;
    }
    bool isReadByHost() const override { return !m_leaves || !m_meshLists.empty(); }
    abi::GraphStatus status() const override;
    std::span<const MeshDraw> draws() const override { return m_meshLists.draws(); }
    void recordDrawBarrier(VkCommandBuffer commandBuffer) const override
    {
        m_meshLists.recordDrawBarrier(m_device, commandBuffer);
    }
    abi::MeshNodeReport meshReport() const override { return m_meshLists.report(); }
    std::optional<Progress> progress() const override;

    // Begins and records the first sweep.
    void recordFirst(VkCommandBuffer commandBuffer, const NextCommandBuffer& next);

private:
    // What is recorded for a plan.
    struct Schedule {
        graph::DispatchPlan plan;
        std::optional<SlotUses> uses;
        std::vector<VkPipeline> fitting;       // per node, null if nothing runs it so that it reserves nothing
        std::vector<VkPipeline> reserving;     // likewise, if nothing reserves for it
        std::vector<uint64_t> maxGroups;       // per slot
        std::vector<abi::SlotPlan> slotPlans;  // per slot
        abi::BeginArguments begin{};
        abi::FeedArguments feed{};
    };

    static constexpr uint64_t kMaxBatchGroups = uint64_t{1} << 31;  // device/batch.glsl counts in 32 bits

    bool indirect() const { return m_device.settings.path == Path::Indirect; }
    bool runsLeaves() const { return m_leaves || m_fedLeaves; }

    // Of prepare().
    void plan(const DispatchRequest& request, const HostInputs& inputs);
    void listApiNodes(const HostInputs& inputs, bool areKnown);
    VkResult createMeshLists(uint32_t maxDraws);
    VkResult getPipelines(Schedule& schedule);
    void describeSlots(Schedule& schedule) const;
    VkResult prepareSweeps(const DispatchRequest& request, const HostInputs& inputs, const PreparedFeed& feed);
    void describeFeed(const DispatchRequest& request);
    // bounded_dispatch.cpp
    bool mayBeBounded(const DispatchRequest& request) const;
    VkResult prepareBounded(const DispatchRequest& request);
    VkResult uploadBounded();
    VkResult createDecision(const DispatchRequest& request);
    void recordDecision() const;
    void shareMemory();
    VkResult createStatus();
    VkResult upload(const HostInputs& inputs, const PreparedFeed& feed);
    VkResult uploadInside(const HostInputs& inputs, const PreparedFeed& feed);
    bool mayHideSteps(const DispatchRequest& request) const;
    VkResult prepareLeaves(const HostInputs& inputs);
    void feedLeaves(const DispatchRequest& request);
    VkResult prepareFedLeaves();
    VkResult getLeafPipeline(uint32_t slot, graph::MemoryUse memory);
    VkResult createObservers();
    VkResult take(BufferUse use, VkDeviceSize bytes, BufferPart& out)
    {
        return m_memory.take(m_device.memory, m_device.names, use, bytes, out);
    }

    // Of recordFirst() and recordSweep().
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
    void computeBarrier() const;
    template <typename Arguments>
    void recordMeta(Meta meta, const Arguments& arguments, Step step);
    void recordLeaves();
    template <typename Launch>
    void recordLeaves(std::span<const Launch> launches);
    uint64_t elementsToBegin() const;
    bool beginsInside(const PreparedFeed& feed) const;
    void recordBegin();
    void recordSweep();
    void pushConstants() const;
    void recordLevel(std::span<const uint32_t> slots);
    void recordNumber(uint32_t level);
    void recordFit(uint32_t level);
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
    void recordNodes(const Batch& batch, uint32_t groups);
    void dispatchNodes(const Batch& batch, uint32_t groups) const;
    void dispatchSlot(const Batch& batch, uint32_t groups, VkPipeline pipeline) const;
    uint32_t directGroups(const Batch& batch, size_t nodesOfLevel) const;

    Device::Impl& m_device;
    RecordingMemory& m_memory;
    const GraphPipeline& m_pipeline;
    VkDeviceAddress m_scratch;
    const std::string m_name;
    std::vector<uint32_t> m_apiNodes;
    const ObservedDispatch m_observed;
    std::vector<uint8_t> m_pushConstants;
    Schedule m_main;
    // Where the device knows the inputs: fits those within bounds. If they are not, the main one begins again.
    std::unique_ptr<Schedule> m_bounded;
    const Schedule* m_schedule = &m_main;    // that is recorded
    std::vector<graph::SlotPlace> m_places;  // per slot
    uint32_t m_feedGroups = 1;
    VkDeviceAddress m_beginInside = 0;  // BeginList, if the first level's only workgroup does what begin.comp does
    bool m_isFed = false;               // by begin.comp: the host has prepared what feed.comp would do,
    uint64_t m_fedGranules = 0;         // so much
    VkDeviceAddress m_pushConstantAddress = 0;
    std::optional<LeafDispatch> m_leaves;     // nothing needs the scheduler,
    std::optional<FedLeaves> m_fedLeaves;     // whose inputs the host or the device knows;
    std::vector<VkPipeline> m_leafPipelines;  // of each launch
    BufferPart m_upload;
    BufferPart m_boundedUpload;          // of m_bounded: the plan
    VkEvent m_decided = VK_NULL_HANDLE;  // the status says whether the inputs are within the bounds
    BufferPart m_status;
    BufferPart m_indirect;
    std::vector<std::shared_ptr<StepObserver>> m_observers;
    MeshLists m_meshLists;
    std::shared_ptr<Breadcrumbs> m_breadcrumbs;
    bool m_separateSteps = false;
    bool m_separateSlots = false;

    // While it records.
    VkCommandBuffer m_target = VK_NULL_HANDLE;
    const NextCommandBuffer* m_next = nullptr;
    uint32_t m_nextStep = 0;
};

}  // namespace millrace::runtime
