// SPDX-License-Identifier: Apache-2.0
// Records execution graphs as plain compute dispatches. Knows Vulkan, not layers: an application could use it directly.
#pragma once

#define VK_ENABLE_BETA_EXTENSIONS
#include <vulkan/vulkan.h>
#include <vulkan/utility/vk_dispatch_table.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "graph/graph.h"
#include "graph/plan.h"

namespace millrace::runtime {

enum class Path { Direct, Indirect };

struct Settings {
    Path path = Path::Direct;
    uint64_t maxScratchBytes = 256ull << 20;  // what maxSize aims at
    uint32_t gridGroups = 0;                  // workgroups of a full direct dispatch; 0: chosen for the device
    bool labels = false;                      // debug labels on every dispatch (VK_EXT_debug_utils enabled)
};

// Per VkDevice: meta pipelines and what was learned of the device. Created once, used from any thread.
class Device {
public:
    // `table` must outlive the device. Returns the driver's error if a meta pipeline cannot be made.
    static VkResult create(VkInstance instance, VkPhysicalDevice physical, VkDevice device,
                           const VkuInstanceDispatchTable& instanceTable, const VkuDeviceDispatchTable& table,
                           const Settings& settings, std::unique_ptr<Device>& out);
    ~Device();

    struct Impl;
    Impl& impl() { return *m_impl; }

private:
    std::unique_ptr<Impl> m_impl;
};

// A linked graph and the pipelines of its nodes. Immutable after creation.
struct GraphPipeline {
    graph::Graph graph;
    graph::ScratchSizes sizes;
    uint32_t graphId = 0;                // unique in the process, never 0
    std::vector<VkPipeline> pipelines;   // per graph node; not owned
    VkPipelineLayout layout = VK_NULL_HANDLE;  // compute layout of those pipelines: the application's sets, its push
                                               // constants followed by abi::NodeArguments; not owned
    uint32_t argumentsOffsetBytes = 0;
    VkShaderStageFlags pushStages = VK_SHADER_STAGE_COMPUTE_BIT;  // stages of the range that holds NodeArguments
    std::vector<uint32_t> packWidth;
};

// Host-visible memory that recorded commands read (plans, inputs) or write (status). Freed when the application resets
// or frees the command buffer, through Recording's destructor.
class Recording;

// Everything one vkCmdDispatchGraph* says.
struct DispatchRequest {
    const GraphPipeline* pipeline = nullptr;
    VkDeviceAddress scratch = 0;
    VkDeviceSize scratchBytes = 0;
    enum class Form { Host, Indirect, IndirectCount } form = Form::Host;
    const VkDispatchGraphCountInfoAMDX* countInfo = nullptr;  // Host, Indirect
    VkDeviceAddress countAddress = 0;                         // IndirectCount
    std::span<const uint8_t> pushConstantsInMemory;           // where the pipelines read them from memory
};

// The commands of one dispatch: the first sweep, and what continues it where completion is not certain.
class RecordedDispatch {
public:
    virtual ~RecordedDispatch() = default;
    virtual bool mayContinue() const = 0;  // false: one sweep completes it, nothing else to do
    // Records another sweep into a command buffer of the same queue family, whose descriptor sets and application push
    // constants the caller has set up with GraphPipeline::layout at the compute bind point.
    virtual void recordSweep(VkCommandBuffer commandBuffer) = 0;
    // After the sweep has completed on the device.
    virtual bool hasRemaining() const = 0;
    virtual abi::GraphStatus status() const = 0;
};

// Copies the static tables to the scratch memory. Outside a render pass.
VkResult recordInitialize(Device& device, VkCommandBuffer commandBuffer, const GraphPipeline& pipeline,
                          VkDeviceAddress scratch, VkDeviceSize scratchBytes, std::shared_ptr<void>& keepAlive);

// Records the first sweep. Outside a render pass; descriptor sets and application push constants are bound as for
// recordSweep. Leaves the compute pipeline binding and the push constants from argumentsOffsetBytes on disturbed.
VkResult recordDispatch(Device& device, VkCommandBuffer commandBuffer, const DispatchRequest& request,
                        std::shared_ptr<RecordedDispatch>& out);

}  // namespace millrace::runtime
