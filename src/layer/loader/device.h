// SPDX-License-Identifier: Apache-2.0
// What the layer keeps of a VkDevice.
#pragma once

#include <vulkan/utility/vk_dispatch_table.h>
#include <vulkan/vk_layer.h>
#include <vulkan/vulkan.h>

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string_view>
#include <vector>

#include "layer/base/registry.h"
#include "layer/loader/device_create_info.h"
#include "layer/loader/entry_points.h"
#include "layer/loader/instance.h"
#include "layer/loader/unknown_commands.h"
#include "layer/objects/addressed_buffers.h"
#include "layer/objects/private_data.h"
#include "runtime/names.h"

namespace millrace::runtime {
class CaptureRecorder;
class Device;
class TraceRecorder;
}  // namespace millrace::runtime

namespace millrace::trace {
class Sink;
}  // namespace millrace::trace

namespace millrace::layer {

struct CommandPool;
struct DescriptorSetLayout;
struct ExecutionSet;
class Timestamps;
class GeneratedCommands;
class GraphicsPart;
struct GraphObject;
struct IndirectLayout;
class MeshShaders;
class OwnPipelines;
class PipelineMaker;
class PipelineObserver;
class PipelinesAhead;
class ShaderCounter;
struct PipelineCache;
struct PipelineLayout;
struct Queue;
class SideQueue;
class QueryMaker;
struct QueryPool;
struct RenderPass;
struct ShaderModule;
struct TimelineSemaphore;
struct UpdateTemplate;
class Faults;
class HeldWork;
class StatusWatch;

// A pipeline that is not ours, as far as rules ask for it.
struct DriverPipeline {
    VkPipelineBindPoint bindPoint;
};

struct Device {
    explicit Device(Instance& owner);
    ~Device();

    VkDevice handle = VK_NULL_HANDLE;
    VkPhysicalDevice physical = VK_NULL_HANDLE;
    Instance& instance;
    VkuDeviceDispatchTable table{};
    VkuDeviceDispatchTable borrowing{};  // see recording/borrowed_sets.h; filled by who needs it
    PFN_vkSetDeviceLoaderData setLoaderData = nullptr;
    Support support;
    EnabledByApplication enabled;
    uint32_t uses = kUseAlways;  // bits of Use
    std::vector<VkQueueFamilyProperties> queueFamilies;
    std::unique_ptr<runtime::Device> runtime;
    std::shared_ptr<trace::Sink> traceSink;             // setting "trace"; see traceFile()
    std::unique_ptr<runtime::TraceRecorder> trace;      // of graphs
    std::unique_ptr<runtime::CaptureRecorder> capture;  // setting "capture"
    std::unique_ptr<Timestamps> timestamps;             // setting "trace"; else null
    std::vector<std::function<void()>> stops;           // threads of features, in front of the device's destruction
    std::vector<std::function<void()>> drains;          // of what else is traced; see drainRecorders()
    std::vector<std::function<void()>> tellProblems;    // that they met

    Registry<ShaderModule> shaderModules;  // that may hold nodes
    Registry<DescriptorSetLayout> setLayouts;
    Registry<PipelineLayout> pipelineLayouts;
    Registry<UpdateTemplate> updateTemplates;  // of push descriptors
    Registry<PipelineCache> pipelineCaches;
    Registry<GraphObject> graphObjects;        // pipelines of ours
    Registry<DriverPipeline> driverPipelines;  // all others (setting "validate")
    // Of VK_EXT_device_generated_commands, where the layer provides it.
    Registry<IndirectLayout> indirectLayouts;
    Registry<ExecutionSet> executionSets;
    Registry<QueryPool> queryPools;
    // Of those and of VK_EXT_mesh_shader.
    Registry<RenderPass> renderPasses;
    Registry<std::vector<uint32_t>> viewMasks;  // of subpasses of those that have several views, and of ours
    Registry<std::vector<std::shared_ptr<const GraphicsPart>>> graphicsLibraries;
    std::shared_ptr<GeneratedCommands> generatedCommands;
    std::shared_ptr<OwnPipelines> ownPipelines;          // never null once the features have started
    std::shared_ptr<PipelineObserver> pipelineObserver;  // null: nobody wants to know
    std::shared_ptr<PipelineMaker> pipelineMaker;        // null: the driver makes all
    std::shared_ptr<QueryMaker> queryMaker;              // null: the driver counts all that queries count
    std::shared_ptr<ShaderCounter> shaderCounter;        // null: shaders are as the application gave them
    std::shared_ptr<MeshShaders> meshShaders;            // of VK_EXT_mesh_shader, where the layer provides it
    // Render pass instances get a stream in front of them (recording/front.h), once the application has what needs one.
    std::atomic<bool> needsFronts{false};
    // The same for instances that cannot be interrupted.
    std::atomic<bool> needsPassFronts{false};
    // Command buffers may have streams that are recorded again in front of a submission (recording/late_streams.h).
    std::atomic<bool> hasLateStreams{false};
    // Some may be in instances of render passes, which have to be such as can be divided.
    std::atomic<bool> dividesPasses{false};
    Registry<CommandPool> commandPools;
    std::map<uint32_t, std::unique_ptr<SideQueue>> sideQueues;  // by family; not all have one
    Registry<Queue> queues;
    Registry<TimelineSemaphore> timelines;
    AddressedBuffers addressedBuffers;
    PrivateData privateData;
    UnknownCommands unknownCommands;
    std::unique_ptr<HeldWork> held;
    std::unique_ptr<StatusWatch> statusWatch;
    std::unique_ptr<Faults> faults;
    std::shared_ptr<PipelinesAhead> pipelinesAhead;  // of graphs
    runtime::Names names;                            // of objects of ours

    const Settings& settings() const { return instance.settings; }
    const Messages& messages() const { return instance.messages; }
    // Once for each structure and command: `consequence` as in UnknownStructures::tell().
    void tellUnknown(std::string_view command, const StructureTypes& types, std::string_view consequence) const;
    // Of structures that PatchedChain had to leave out.
    void tellLost(std::string_view command, const StructureTypes& types) const;
    // Takes what traces and captures have written. When the device has finished something.
    void drainRecorders();
    bool usesGraphs() const { return uses & kUseGraphs; }
    bool usesCommands() const { return uses & kUseCommands; }
    bool usesTokenStreams() const { return uses & kUseTokenStreams; }
    bool usesMeshNodes() const { return uses & kUseMeshNodes; }
    bool usesMesh() const { return uses & kUseMesh; }
    // True if the layer has enabled the feature for fragment shaders that read PrimitiveId, and the application has
    // not.
    bool addsGeometryShaders() const
    {
        return usesMesh() && support.meshLimits.fragmentPrimitiveId && !enabled.geometry;
    }
    bool usesStreams() const { return uses & kUseStreams; }
    // True if what lies at addresses is known.
    bool keepsAddresses() const { return settings().validate || usesCommands(); }
    // For what threads of ours use, this device among it: drivers take the device's callbacks for whatever has none of
    // its own, and whenever something is submitted. Where neither device nor instance has any, the driver keeps its
    // own: lavapipe allocates each command that is recorded, and takes three times as long with ours.
    const VkAllocationCallbacks* allocatorFor(const VkAllocationCallbacks* applications) const;
    bool emulatesMaintenance5() const { return uses & kUseMaintenance5; }

    // Of a device, queue or command buffer; never null for valid handles.
    static Device* of(void* key);
    template <typename Handle>
    static Device& of(Handle handle)
    {
        return *of(dispatchKey(handle));
    }
};

}  // namespace millrace::layer
