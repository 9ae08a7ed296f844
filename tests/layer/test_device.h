// SPDX-License-Identifier: Apache-2.0
// A device with everything that the tests of the layer need, and short ways to make objects on it.
#pragma once

#include <vulkan/vulkan.h>

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "layer/test_instance.h"

namespace millrace::layertest {

inline constexpr VkPipelineBindPoint kGraphPoint = VK_PIPELINE_BIND_POINT_EXECUTION_GRAPH_AMDX;

struct Buffer {
    VkBuffer handle = VK_NULL_HANDLE;
    VkDeviceAddress address = 0;
    VkDeviceSize size = 0;
    uint32_t* words = nullptr;  // mapped, zero at first
};

struct Image {
    VkImage handle = VK_NULL_HANDLE;
    VkImageView view = VK_NULL_HANDLE;
};

struct Graph {
    VkPipeline pipeline = VK_NULL_HANDLE;
    Buffer scratch;
};

// Where a graph's scratch memory is between minSize and maxSize.
enum class Scratch { Minimum, Ample };

struct DeviceOptions {
    bool extension = true;            // VK_AMDX_shader_enqueue and what it depends on
    bool feature = true;              // shaderEnqueue
    bool meshNodes = false;           // shaderMeshEnqueue
    bool descriptorIndexing = false;  // as far as the tests need it, and inline uniform blocks
    bool memoryModel = false;         // vulkanMemoryModel
    bool cacheControl = true;         // pipelineCreationCacheControl
    bool hostQueryReset = false;
    bool twoQueues = false;  // of the family, where it has as many
    uint32_t queueFamily = 0;
    const void* chain = nullptr;  // further feature structures
    void* first = nullptr;        // likewise, in front of all others
    std::vector<const char*> extensions;
    const VkAllocationCallbacks* allocator = nullptr;  // of the device alone
};

// A pipeline that fills its target; without a layout the device's, without code the color of the fragment push
// constants.
struct GraphicsOptions {
    VkPipelineLayout layout = VK_NULL_HANDLE;
    std::span<const uint32_t> fragment = {};
    VkPipelineCreateFlags flags = 0;
};

class TestDevice {
public:
    explicit TestDevice(const InstanceOptions& instanceOptions = {}, const DeviceOptions& options = {});
    ~TestDevice();
    TestDevice(const TestDevice&) = delete;
    TestDevice& operator=(const TestDevice&) = delete;

    TestInstance instance;
    VkPhysicalDevice physical;
    VkDevice handle = VK_NULL_HANDLE;
    uint32_t queueFamily = 0;
    VkQueue queue = VK_NULL_HANDLE;
    VkQueue secondQueue = VK_NULL_HANDLE;  // null: there is none
    VkCommandPool pool = VK_NULL_HANDLE;
    // Set 0: binding 0, a storage buffer. Set 1: the same. Push constants: compute 0..15, fragment 16..31.
    VkDescriptorSetLayout setLayout = VK_NULL_HANDLE;
    VkPipelineLayout layout = VK_NULL_HANDLE;

    PFN_vkCreateExecutionGraphPipelinesAMDX createGraphs = nullptr;
    PFN_vkGetExecutionGraphPipelineScratchSizeAMDX getScratchSize = nullptr;
    PFN_vkGetExecutionGraphPipelineNodeIndexAMDX getNodeIndex = nullptr;
    PFN_vkCmdInitializeGraphScratchMemoryAMDX cmdInitialize = nullptr;
    PFN_vkCmdDispatchGraphAMDX cmdDispatch = nullptr;
    PFN_vkCmdDispatchGraphIndirectAMDX cmdDispatchIndirect = nullptr;
    PFN_vkCmdDispatchGraphIndirectCountAMDX cmdDispatchIndirectCount = nullptr;

    VkQueueFamilyProperties familyProperties(uint32_t family) const;
    // True if the queue has timestamps.
    bool hasClock() const;

    Buffer createBuffer(VkDeviceSize size, VkBufferUsageFlags usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
    // R8G8B8A8, color attachment and transfer source; the view is of all layers.
    Image createTarget(uint32_t width, uint32_t height, uint32_t layers = 1);
    // With such a target, which each instance clears and stores, as the color attachment of all `subpasses`. It is in
    // the layout of color attachments behind an instance, and in `before` in front of it. `viewMasks`: of subpasses, or
    // empty.
    VkRenderPass createRenderPass(std::span<const VkSubpassDependency> dependencies = {}, uint32_t subpasses = 1,
                                  VkImageLayout before = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
                                  std::span<const uint32_t> viewMasks = {});
    VkFramebuffer createFramebuffer(VkRenderPass pass, const Image& target, uint32_t width, uint32_t height);
    VkShaderModule createModule(std::span<const uint32_t> words);
    static std::vector<uint32_t> programWords(const std::string& name);  // of tests/programs/shaders
    VkShaderModule createProgram(const std::string& name) { return createModule(programWords(name)); }
    VkPipelineLayout createLayout(VkDescriptorSetLayout set0, VkDescriptorSetLayout set1);
    VkDescriptorSetLayout createSetLayout(VkDescriptorType type, VkDescriptorSetLayoutCreateFlags flags = 0,
                                          VkShaderStageFlags stages = VK_SHADER_STAGE_COMPUTE_BIT);
    VkDescriptorSet createSet(const Buffer& buffer, VkDescriptorSetLayout from = VK_NULL_HANDLE,
                              VkDescriptorType type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                              VkDeviceSize range = VK_WHOLE_SIZE);
    // Viewport, scissor and cull mode are dynamic.
    VkPipeline createGraphics(const GraphicsOptions& options = {});
    VkPipeline createCompute(VkShaderModule module, VkPipelineLayout with = VK_NULL_HANDLE,
                             VkPipelineCreateFlags flags = 0);

    static VkPipelineShaderStageCreateInfo stage(VkShaderModule module, const char* entry);
    // Destroyed with the device.
    Graph createGraph(const std::vector<VkPipelineShaderStageCreateInfo>& stages, Scratch scratch = Scratch::Ample,
                      VkPipelineLayout with = VK_NULL_HANDLE, VkPipelineCreateFlags flags = 0);
    Buffer createScratch(VkPipeline graph, Scratch scratch);
    uint32_t nodeIndex(VkPipeline graph, const char* name);

    VkCommandBuffer allocate(VkCommandBufferLevel level = VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    VkCommandBuffer begin(VkCommandBufferUsageFlags usage = 0);
    // Initializes, and waits for that; binds pipeline and set 0.
    void prepare(VkCommandBuffer cmd, const Graph& graph, VkDescriptorSet set);
    // One node, payloads of equal size in `words`.
    void dispatch(VkCommandBuffer cmd, const Graph& graph, const char* node, uint32_t count,
                  const std::vector<uint32_t>& words);
    // The same from device memory: the host cannot know what it takes, so that the layer splits the command buffer.
    void dispatchIndirect(VkCommandBuffer cmd, const Graph& graph, const char* node, uint32_t count,
                          const std::vector<uint32_t>& words);
    static void barrier(VkCommandBuffer cmd);  // everything behind everything
    // Likewise, of a color image.
    static void transition(VkCommandBuffer cmd, const Image& image, VkImageLayout from, VkImageLayout to);
    void submit(VkCommandBuffer cmd, VkFence fence = VK_NULL_HANDLE);
    void submitAndWait(VkCommandBuffer cmd);
    VkFence createFence();
    VkSemaphore createSemaphore(bool timeline = false);

    template <typename Function>
    Function get(const char* name) const
    {
        return reinterpret_cast<Function>(vkGetDeviceProcAddr(handle, name));
    }
    // Runs `action` when the device is destroyed, in reverse order.
    void onDestroy(std::function<void()> action) { m_cleanup.push_back(std::move(action)); }

private:
    void createDevice(const DeviceOptions& options);
    void createCommon();
    VkDeviceMemory allocateMemory(const VkMemoryRequirements& requirements, VkMemoryPropertyFlags properties,
                                  bool addressed);

    const VkAllocationCallbacks* m_allocator = nullptr;
    std::vector<std::function<void()>> m_cleanup;
};

// Fails the test unless the call succeeds.
void check(VkResult result, const char* what);
#define MILLRACE_CHECK(call) ::millrace::layertest::check((call), #call)

}  // namespace millrace::layertest
