// SPDX-License-Identifier: Apache-2.0
// Records execution graphs as plain compute dispatches. Knows Vulkan, not layers: an application could use it directly.
#pragma once

#include <vulkan/utility/vk_dispatch_table.h>
#include <vulkan/vulkan.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "abi/graph_memory.h"
#include "abi/mesh_nodes.h"
#include "base/result.h"
#include "data/data_type.h"
#include "graph/graph.h"
#include "graph/plan.h"
#include "runtime/bounded_plans.h"
#include "runtime/device_traits.h"
#include "runtime/step_observer.h"

namespace millrace::runtime {

class RecordingMemory;

enum class Path { Direct, Indirect };

struct Settings {
    Path path = Path::Direct;
    bool measures = true;      // how many workgroups the device runs at once; false: traits follow from its type
    std::string cacheFolder;   // where that is kept for other processes; empty: nowhere
    bool hasReadOnly = true;   // false: no buffer is read only, as where the driver compiles such loads wrongly
    bool hasCalls = true;      // false: no calls of functions in nodes, as where the driver compiles them slowly
    bool reduces = true;       // false: no subgroup reductions of integers, as where the driver compiles them wrongly
    DeviceTraits traits;       // 0: chosen for the device
    bool labels = false;       // VK_EXT_debug_utils is enabled: debug labels on every dispatch, names for objects
    bool int64 = true;         // shaderInt64 is enabled,
    bool int64Atomics = true;  // and shaderBufferInt64Atomics
    uint32_t subgroupOperations = abi::kSubgroupShuffle;  // abi::kSubgroup*, that compute shaders of the device have
    bool events = true;                                   // VkEvent; VK_KHR_portability_subset has drivers without
    bool breadcrumbs = false;  // RecordedDispatch::progress() knows; nodes are compiled with nodes::Variant::counted
};

// A queue that nobody else uses during Device::create(), for measuring. A device that its application has not seen yet
// has such queues.
struct IdleQueue {
    VkQueue handle = VK_NULL_HANDLE;  // null: there is none
    uint32_t family = 0;              // with compute shaders
    // What a layer has to do with command buffers that it allocates. May be empty.
    std::function<VkResult(VkCommandBuffer)> adopt = {};
};

// Per VkDevice: meta pipelines and what was learned of the device. Created once, used from any thread.
class Device {
public:
    // `table` must outlive the device.
    // Measures the device at its first use, if it can; traits follow from its type if not.
    static VkResult create(VkInstance instance, VkPhysicalDevice physical, VkDevice device,
                           const VkuInstanceDispatchTable& instanceTable, const VkuDeviceDispatchTable& table,
                           const Settings& settings, const IdleQueue& queue, std::unique_ptr<Device>& out);
    ~Device();

    // Makes what any graph needs, when the first one is made: an application that makes none does not wait for it.
    // Returns the driver's error. Any thread.
    VkResult prepare();

    // From now on each dispatch that is recorded has an observer from this factory as well. Not while others record.
    void observe(ObserverFactory factory);

    const DeviceTraits& traits() const { return traitChoice().traits; }
    const TraitChoice& traitChoice() const;
    uint64_t maxScratchBytes() const { return uint64_t{traits().maxScratchMib} << 20; }
    // Why the device was not measured although Settings::measures says so, to follow "because"; empty if it was.
    const std::string& whyNotMeasured() const;

    struct Impl;
    Impl& impl() { return *m_impl; }

private:
    std::unique_ptr<Impl> m_impl;
};

// One node's code for one use of memory.
struct PipelineUse {
    uint32_t node = 0;  // of the graph
    graph::MemoryUse memory = graph::MemoryUse::Reserves;
};

// A linked graph and the pipelines of its nodes. Immutable after creation.
struct GraphPipeline {
    graph::Graph graph;
    graph::ScratchSizes sizes;
    uint32_t graphId = 0;  // unique in the process, never 0
    // Of this graph: recording fills it. Thread-safe; behind a pointer, since a pipeline is moved.
    std::shared_ptr<BoundedPlans> boundedPlans = std::make_shared<BoundedPlans>();
    // Per use, equal ones for equal code. May compile, so nobody asks for what does not run, or fail as
    // vkCreateComputePipelines does. Called from any thread. The pipelines are not owned.
    std::function<VkResult(std::span<const PipelineUse> uses, std::vector<VkPipeline>& out)> getPipelines;
    // Likewise, of one graph::isLeaf(.declared) for MemoryUse::None or ::Fed. Null: every dispatch goes through the
    // scheduler.
    std::function<VkResult(uint32_t node, graph::MemoryUse memory, VkPipeline& out)> getLeaf;
    // One dispatch of that pipeline may run several slots (nodes::Code::batched). Null: none may.
    std::function<bool(uint32_t node)> isBatched;
    std::vector<data::DataTypeRef> payloadTypes;  // per graph node, null if unknown; empty if nobody asks
    VkPipelineLayout layout = VK_NULL_HANDLE;     // compute layout of those pipelines: the application's sets, its push
                                                  // constants followed by abi::NodeArguments, one range with the
                                                  // compute stage alone; not owned
    uint32_t argumentsOffsetBytes = 0;
    bool pushConstantsInMemory = false;  // the pipelines read the application's push constants from memory
};

// Ends the command buffer `before` and gives another one for what follows, in which descriptor sets are bound as in it.
using NextCommandBuffer = std::function<VkCommandBuffer(VkCommandBuffer before)>;

// Everything one vkCmdDispatchGraph* says.
struct DispatchRequest {
    const GraphPipeline* pipeline = nullptr;
    VkDeviceAddress scratch = 0;
    VkDeviceSize scratchBytes = 0;
    enum class Form { Host, Indirect, IndirectCount } form = Form::Host;
    const VkDispatchGraphCountInfoAMDX* countInfo = nullptr;  // Host, Indirect
    VkDeviceAddress countAddress = 0;                         // IndirectCount
    std::string name = {};                                    // of the graph, for observers
    NextCommandBuffer next = {};  // step by step: behind each step, what follows goes to the next command buffer
    // RecordedDispatch::beforeExecution() will be called whenever the command buffer is submitted, which never happens
    // while it is pending.
    bool announced = false;
    // RecordedDispatch::recordSweep() will be recorded and run until the dispatch is complete, if it may continue.
    bool isContinued = false;
    uint32_t maxDraws = 1;                   // of an indirect draw of the device (mesh nodes)
    std::span<const uint8_t> pushConstants;  // the application's, from offset 0; at most argumentsOffsetBytes unless
                                             // they go to memory. Copied.
};

// How far the device is in a dispatch (Settings::breadcrumbs).
struct Progress {
    enum class Where {
        Before,  // nothing of it has run, as far as is known
        Inside,  // a step has begun and not ended
        Behind,  // a step has ended and the next, if any, not begun
    };
    Where where = Where::Before;
    uint64_t mark = 0;  // changes whenever a step begins or ends
    std::string text;   // the step and, of nodes, how many workgroups have finished
};

// What a mesh node has received: vkCmdDrawMeshTasksIndirectCountEXT with the node's pipeline draws it. `buffer` has
// abi::MeshNodeCommand one behind the other, and how many there are.
struct MeshDraw {
    uint32_t node = 0;  // of the graph
    VkBuffer buffer = VK_NULL_HANDLE;
    VkDeviceAddress memory = 0;  // of the buffer
    VkDeviceSize commandsOffset = 0;
    VkDeviceSize counterOffset = 0;
    uint32_t most = 0;             // draws
    VkDeviceAddress payloads = 0;  // for abi::MeshNodeArguments
};

// The commands of one dispatch: the first sweep, and what continues it where completion is not certain. Owns the memory
// that the recorded commands read and write: keep it until the command buffer is reset, freed or recorded again.
class RecordedDispatch {
public:
    virtual ~RecordedDispatch() = default;
    virtual bool mayContinue() const = 0;  // false: one sweep completes it, nothing else to do
    // Records another sweep into a command buffer of the same queue family, whose descriptor sets the caller has bound
    // with GraphPipeline::layout at the compute bind point.
    virtual void recordSweep(VkCommandBuffer commandBuffer, const NextCommandBuffer& next = {}) = 0;
    // The device writes what the host reads here: recordHostBarrier() has to follow.
    virtual bool isReadByHost() const = 0;
    // Before each submission of the command buffer that it was recorded into, if the request says so.
    virtual void beforeExecution() = 0;
    // After the sweep has completed on the device, or once isDecided().
    virtual bool hasRemaining() const = 0;
    // The device has found out whether something will remain behind the first sweep, which may still run. Never true of
    // dispatches that say so only when it has completed. Any thread.
    virtual bool isDecided() const = 0;
    // In front of each submission of the first sweep: what was decided was of another.
    virtual void forgetDecision() = 0;
    // Errors are there as soon as the device has met them, the rest after a sweep that may be continued.
    virtual abi::GraphStatus status() const = 0;
    // Of the mesh nodes that may have received something. Behind the last sweep, recordDrawBarrier() and the draws.
    virtual std::span<const MeshDraw> draws() const = 0;
    virtual void recordDrawBarrier(VkCommandBuffer commandBuffer) const = 0;
    // What is not drawn, in all executions so far. Any time, from any thread.
    virtual abi::MeshNodeReport meshReport() const = 0;
    // Any time, from any thread. Empty without Settings::breadcrumbs.
    virtual std::optional<Progress> progress() const = 0;
};

// Copies the static tables to the scratch memory. Outside a render pass; disturbs the compute pipeline binding and push
// constants. `keepAlive` owns what the recorded commands read. `name` of the graph, for labels.
VkResult recordInitialize(Device& device, VkCommandBuffer commandBuffer, const GraphPipeline& pipeline,
                          VkDeviceAddress scratch, VkDeviceSize scratchBytes, std::shared_ptr<void>& keepAlive,
                          const std::string& name = {});

// Records the first sweep. Outside a render pass; descriptor sets are bound as for recordSweep. Leaves the compute
// pipeline binding and all push constants disturbed, and conditional rendering in force applies to the whole graph.
// `memory`: that the dispatches of this recording share.
VkResult recordDispatch(Device& device, VkCommandBuffer commandBuffer, RecordingMemory& memory,
                        const DispatchRequest& request, std::shared_ptr<RecordedDispatch>& out);

// Makes what dispatches and sweeps have written visible to the host. Behind all of a command buffer, since each takes
// an H200 a microsecond. Outside a render pass.
void recordHostBarrier(Device& device, VkCommandBuffer commandBuffer);

}  // namespace millrace::runtime
