// SPDX-License-Identifier: Apache-2.0
// A Vulkan device behind the real loader: our layer on top, the Khronos validation layer below it. Everything that
// either of them says is collected; whoever uses the device decides whether that is a failure.
#pragma once

#ifndef VK_ENABLE_BETA_EXTENSIONS
#define VK_ENABLE_BETA_EXTENSIONS
#endif
#include <vulkan/vulkan.h>

#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "harness/kept_memory.h"

namespace millrace::harness {

struct HarnessError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Throws HarnessError unless the result is VK_SUCCESS.
void check(VkResult result, const std::string& what);

struct DeviceOptions {
    std::string path = "direct";  // or "indirect": the setting "disable" of our layer has "direct"
    // Of scratch memory, which a driver may take long to clear: gigabytes, if the layer chose for a large GPU.
    uint32_t maxScratchMib = 256;
    std::map<std::string, bool> switches;  // further settings of our layer
    std::map<std::string, std::string> words;
    std::set<std::string> disabled;          // words of the setting "disable"
    std::map<std::string, uint32_t> traits;  // the setting "traits"
    bool enableEnqueue = true;               // the extension and its feature
    bool enableMaintenance5 = true;
    bool allFeatures = false;   // of Vulkan 1.0 to 1.2, robust access excepted
    bool meshShaders = false;   // where there are any, see Device::hasMeshShaders
    bool meshNodes = false;     // shaderMeshEnqueue, and what drawing them takes
    bool shaderExtras = false;  // extensions that some compute shaders want, see Device::extras

    auto operator<=>(const DeviceOptions&) const = default;
};

struct Buffer {
    VkBuffer handle = VK_NULL_HANDLE;
    Memory memory;
    VkDeviceAddress address = 0;
    VkDeviceSize size = 0;
    void* mapped = nullptr;

    uint32_t* words() const { return static_cast<uint32_t*>(mapped); }
    uint8_t* bytes() const { return static_cast<uint8_t*>(mapped); }
};

// Collects a message; `userData` is the Device.
VKAPI_ATTR VkBool32 VKAPI_CALL onMessage(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                         VkDebugUtilsMessageTypeFlagsEXT type,
                                         const VkDebugUtilsMessengerCallbackDataEXT* data, void* userData);

class Device {
public:
    explicit Device(const DeviceOptions& options);
    ~Device() { close(); }
    Device(const Device&) = delete;
    // Destroys device and instance; what layers say of it can still be taken.
    void close();

    VkInstance instance = VK_NULL_HANDLE;
    VkPhysicalDevice physical = VK_NULL_HANDLE;
    VkDevice device = VK_NULL_HANDLE;
    // The queue in use, its family, and a pool for it: of the first family with compute. See useQueueWithoutGraphics().
    VkQueue queue = VK_NULL_HANDLE;
    uint32_t queueFamily = 0;
    VkCommandPool pool = VK_NULL_HANDLE;
    VkPhysicalDeviceProperties properties{};
    VkPhysicalDeviceFeatures2 features{};
    VkPhysicalDeviceVulkan11Features features11{};
    VkPhysicalDeviceVulkan12Features features12{};
    VkPhysicalDeviceVulkan13Features features13{};
    VkPhysicalDeviceShaderEnqueueFeaturesAMDX enqueueFeatures{};
    VkPhysicalDeviceShaderEnqueuePropertiesAMDX limits{};
    bool validated = false;  // the validation layer is there
    bool hasMeshShaders = false;
    // Of VK_KHR_compute_shader_derivatives, VK_KHR_maintenance8 and VK_EXT_shader_atomic_float those that are on.
    std::set<std::string> extras;

    PFN_vkCreateExecutionGraphPipelinesAMDX createGraphs = nullptr;
    PFN_vkGetExecutionGraphPipelineScratchSizeAMDX getScratchSize = nullptr;
    PFN_vkGetExecutionGraphPipelineNodeIndexAMDX getNodeIndex = nullptr;
    PFN_vkCmdInitializeGraphScratchMemoryAMDX cmdInitializeScratch = nullptr;
    PFN_vkCmdDispatchGraphAMDX cmdDispatch = nullptr;
    PFN_vkCmdDispatchGraphIndirectAMDX cmdDispatchIndirect = nullptr;
    PFN_vkCmdDispatchGraphIndirectCountAMDX cmdDispatchIndirectCount = nullptr;

    // From now on, what is submitted goes to a queue of the first family with compute and without graphics, or to the
    // first one again. Where there is no such family, always to the first; with MILLRACE_TEST_QUEUE=compute never.
    // Requires: the device is idle, and what is used on one queue is not used on the other.
    void useQueueWithoutGraphics(bool wanted);

    // Host-visible, mapped, with a device address. Contents are zero.
    Buffer createBuffer(VkDeviceSize size, VkBufferUsageFlags usage);
    // In the device's own memory, for programs that measure; not mapped.
    Buffer createDeviceBuffer(VkDeviceSize size, VkBufferUsageFlags usage);
    // Mapped, in memory with the first of these properties that the device has.
    Buffer createMappedBuffer(VkDeviceSize size, VkBufferUsageFlags usage,
                              std::initializer_list<VkMemoryPropertyFlags> preferred);
    // For results: mapped, and cached by the host where the device has such memory, which it then reads at full speed.
    Buffer createReadback(VkDeviceSize size);
    void destroyBuffer(const Buffer& buffer);
    // What it keeps for the next buffers.
    void freeKeptMemory() { m_memory.free(device); }
    VkShaderModule createModule(const std::vector<uint32_t>& words);
    // The first of the types `bits` with such properties, or with the next ones. Throws HarnessError if none has any.
    uint32_t memoryType(uint32_t bits, std::initializer_list<VkMemoryPropertyFlags> preferred) const;

    // Records, submits and waits. Host writes before and host reads after are made available.
    void submit(const std::function<void(VkCommandBuffer)>& record);
    // The same for each of `prepare`, which is called in front of that submission.
    void submitAgain(const std::function<void(VkCommandBuffer)>& record,
                     const std::vector<std::function<void()>>& prepare);
    static void memoryBarrier(VkCommandBuffer cmd, VkPipelineStageFlags from, VkPipelineStageFlags to);

    // What layers have said since the last call.
    std::vector<std::string> takeMessages();

private:
    friend VKAPI_ATTR VkBool32 VKAPI_CALL onMessage(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                                    VkDebugUtilsMessageTypeFlagsEXT type,
                                                    const VkDebugUtilsMessengerCallbackDataEXT* data, void* userData);
    void createInstance(const DeviceOptions& options);
    void choosePhysical();
    void queryFeatures();
    void createDevice(const DeviceOptions& options);
    void findQueueFamilies();
    void loadEntryPoints();
    Buffer allocateBuffer(VkDeviceSize size, VkBufferUsageFlags usage,
                          std::initializer_list<VkMemoryPropertyFlags> preferred, bool isMapped);

    struct Queue {
        uint32_t family = 0;
        VkQueue handle = VK_NULL_HANDLE;
        VkCommandPool pool = VK_NULL_HANDLE;
    };
    KeptMemory m_memory;
    std::vector<Queue> m_queues;  // the first family's; that without graphics, if there is one

    VkDebugUtilsMessengerEXT m_messenger = VK_NULL_HANDLE;
    std::mutex m_mutex;
    std::vector<std::string> m_messages;
};

// One device per set of options, made at first use. Only the one that was asked for last keeps memory for its next
// buffers.
Device& sharedDevice(const DeviceOptions& options = {});
// Destroys them. Returns what was said while doing so, object leaks for example.
std::vector<std::string> releaseSharedDevices();

inline constexpr char kLayerName[] = "VK_LAYER_MILLRACE_emulation";
inline constexpr char kShuffleName[] = "VK_LAYER_MILLRACE_test_shuffle";      // tests/shuffle
inline constexpr char kDriverName[] = "VK_LAYER_MILLRACE_test_driver";        // tests/layer/driver_layer.cpp
inline constexpr char kSubgroupsName[] = "VK_LAYER_MILLRACE_test_subgroups";  // tests/subgroups
inline constexpr char kRecordName[] = "VK_LAYER_MILLRACE_test_record";        // tests/drivers/offline/record_layer.cpp
inline constexpr char kDeviceName[] = "VK_LAYER_MILLRACE_test_device";        // tests/drivers/device_layer.cpp
inline constexpr char kValidationName[] = "VK_LAYER_KHRONOS_validation";

}  // namespace millrace::harness
