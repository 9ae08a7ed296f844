// SPDX-License-Identifier: Apache-2.0
#include "tools/run/device.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <span>
#include <string_view>

#include "runtime/driver_support.h"
#include "settings/settings.h"
#include "tools/info/layer_place.h"
#include "tools/vulkan/choose_device.h"
#include "tools/vulkan/loader_filters.h"

namespace millrace::tools::run {

namespace {

constexpr std::array kExtensions = {
    VK_AMDX_SHADER_ENQUEUE_EXTENSION_NAME,
    // Which that one depends on.
    VK_KHR_MAINTENANCE_5_EXTENSION_NAME,
    VK_KHR_PIPELINE_LIBRARY_EXTENSION_NAME,
};

std::vector<const char*> neededExtensions(bool draws)
{
    std::vector<const char*> out(kExtensions.begin(), kExtensions.end());
    if (draws)
        out.push_back(VK_EXT_MESH_SHADER_EXTENSION_NAME);
    return out;
}

std::vector<VkExtensionProperties> extensionsOf(const VkuInstanceDispatchTable& vk, VkPhysicalDevice device)
{
    uint32_t count = 0;
    vk.EnumerateDeviceExtensionProperties(device, nullptr, &count, nullptr);
    std::vector<VkExtensionProperties> available(count);
    vk.EnumerateDeviceExtensionProperties(device, nullptr, &count, available.data());
    available.resize(count);
    return available;
}

bool hasExtensions(const VkuInstanceDispatchTable& vk, VkPhysicalDevice device, bool draws)
{
    const std::vector<VkExtensionProperties> available = extensionsOf(vk, device);
    return std::ranges::all_of(neededExtensions(draws), [&](const char* wanted) { return lists(available, wanted); });
}

// A driver may list the extension and yet leave the feature's structure as it was.
bool runsGraphs(const VkuInstanceDispatchTable& vk, VkPhysicalDevice device, bool draws)
{
    VkPhysicalDeviceShaderEnqueueFeaturesAMDX enqueue{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ENQUEUE_FEATURES_AMDX};
    VkPhysicalDeviceFeatures2 features{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &enqueue};
    if (!hasExtensions(vk, device, draws))
        return false;
    vk.GetPhysicalDeviceFeatures2(device, &features);
    return enqueue.shaderEnqueue == VK_TRUE && (!draws || enqueue.shaderMeshEnqueue == VK_TRUE);
}

int rank(VkPhysicalDeviceType type)
{
    switch (type) {
        case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
            return 0;
        case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
            return 1;
        case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
            return 2;
        default:
            return 3;
    }
}

// A line for each device: what it lacks, as far as that is known. Mesh nodes need more where the driver draws them.
std::string lackingText(const VkuInstanceDispatchTable& vk, std::span<const VkPhysicalDevice> devices,
                        std::span<const std::string> names)
{
    std::string text = "\nMillrace's layer is there, but the driver lacks what graphs need; `millrace info` says more.";
    for (size_t d = 0; d < devices.size(); ++d) {
        const bool runsOthers = runsGraphs(vk, devices[d], false);
        const std::string lacks =
            runsOthers ? runtime::whatMeshNodesLack(vk, devices[d]) : runtime::whatDeviceLacks(vk, devices[d]);
        if (!lacks.empty())
            text += "\n    " + names[d] + " lacks " + lacks;
    }
    return text;
}

std::string adviceToHaveLayer()
{
    const std::string hider = hiddenBy(settings::kLayerName);
    return std::string("\nThe Vulkan loader does not find ") + settings::kLayerName +
           ", which provides the extension: " + (hider.empty() ? adviceToFindLayer() : hider + " hides it");
}

// All features of the device as structures to create it with.
struct Features {
    VkPhysicalDeviceShaderEnqueueFeaturesAMDX enqueue{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ENQUEUE_FEATURES_AMDX};
    VkPhysicalDeviceMaintenance5FeaturesKHR maintenance5{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_5_FEATURES_KHR,
                                                         &enqueue};
    VkPhysicalDeviceVulkan13Features v13{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES, &maintenance5};
    VkPhysicalDeviceVulkan12Features v12{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, &v13};
    VkPhysicalDeviceVulkan11Features v11{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES, &v12};
    VkPhysicalDeviceFeatures2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &v11};

    VkPhysicalDeviceMeshShaderFeaturesEXT mesh{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MESH_SHADER_FEATURES_EXT};

    Features(const VkuInstanceDispatchTable& vk, VkPhysicalDevice device, bool draws)
    {
        enqueue.pNext = draws ? &mesh : nullptr;
        vk.GetPhysicalDeviceFeatures2(device, &all);
        enqueue.shaderMeshEnqueue = draws ? VK_TRUE : VK_FALSE;
        // They need extensions of their own.
        mesh.multiviewMeshShader = VK_FALSE;
        mesh.primitiveFragmentShadingRateMeshShader = VK_FALSE;
        mesh.meshShaderQueries = VK_FALSE;
        // Cost time, and hide errors that nodes should not have.
        all.features.robustBufferAccess = VK_FALSE;
        v13.robustImageAccess = VK_FALSE;
        v11.protectedMemory = VK_FALSE;
        v12.bufferDeviceAddressCaptureReplay = VK_FALSE;
        v12.bufferDeviceAddressMultiDevice = VK_FALSE;
    }
    Features(const Features&) = delete;
};

template <typename Function>
void load(PFN_vkGetDeviceProcAddr find, VkDevice device, Function& function, const char* name)
{
    function = reinterpret_cast<Function>(find(device, name));
    if (function == nullptr)
        throw DeviceError(std::string("the device claims VK_AMDX_shader_enqueue but has no ") + name);
}

}  // namespace

Device::Device(const Instance& instance, const std::string& wanted, bool draws) : m_draws(draws)
{
    choose(instance, wanted);
    describe(instance.vk());
    try {
        create(instance);
        loadFunctions();
    } catch (...) {
        destroy();
        throw;
    }
}

Device::~Device()
{
    destroy();
}

void Device::destroy()
{
    if (m_device != VK_NULL_HANDLE) {
        m_vk.DestroyCommandPool(m_device, m_pool, nullptr);
        m_vk.DestroyDevice(m_device, nullptr);
    }
}

void Device::choose(const Instance& instance, const std::string& wanted)
{
    const VkuInstanceDispatchTable& vk = instance.vk();
    uint32_t count = 0;
    check(vk.EnumeratePhysicalDevices(instance.handle(), &count, nullptr), "vkEnumeratePhysicalDevices");
    std::vector<VkPhysicalDevice> devices(count);
    check(vk.EnumeratePhysicalDevices(instance.handle(), &count, devices.data()), "vkEnumeratePhysicalDevices");
    if (devices.empty())
        throw DeviceError(noDriverText());
    std::vector<VkPhysicalDeviceProperties> properties(count);
    std::vector<std::string> names;
    for (uint32_t d = 0; d < count; ++d) {
        vk.GetPhysicalDeviceProperties(devices[d], &properties[d]);
        names.emplace_back(properties[d].deviceName);
    }
    const Result<std::vector<size_t>> chosen = chooseDevices(names, wanted);
    if (!chosen)
        throw DeviceError(chosen.error().text());
    for (size_t d : *chosen) {
        const bool isBetter =
            m_physical == VK_NULL_HANDLE || rank(properties[d].deviceType) < rank(m_properties.deviceType);
        if (isBetter && runsGraphs(vk, devices[d], m_draws)) {
            m_physical = devices[d];
            m_properties = properties[d];
        }
    }
    if (m_physical == VK_NULL_HANDLE) {
        throw DeviceError((wanted.empty() ? "no device" : "no device that --device " + wanted + " means") +
                          (m_draws ? " draws mesh nodes; " : " runs execution graphs; ") + deviceList(names) +
                          (instance.hasLayer() ? lackingText(vk, devices, names) : adviceToHaveLayer()));
    }
}

void Device::describe(const VkuInstanceDispatchTable& vk)
{
    VkPhysicalDeviceSubgroupSizeControlProperties sizes{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES};
    VkPhysicalDeviceSubgroupProperties subgroups{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES, &sizes};
    VkPhysicalDeviceDriverProperties driver{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES, &subgroups};
    VkPhysicalDeviceProperties2 properties{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &driver};
    vk.GetPhysicalDeviceProperties2(m_physical, &properties);
    m_waves = {subgroups.subgroupSize, sizes.minSubgroupSize, sizes.maxSubgroupSize};
    m_driver = std::string(driver.driverName) + " " + driver.driverInfo;

    uint32_t count = 0;
    vk.GetPhysicalDeviceToolProperties(m_physical, &count, nullptr);
    std::vector<VkPhysicalDeviceToolProperties> tools(count, {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TOOL_PROPERTIES});
    vk.GetPhysicalDeviceToolProperties(m_physical, &count, tools.data());
    m_isEmulated = std::ranges::any_of(tools, [](const VkPhysicalDeviceToolProperties& tool) {
        return std::strcmp(tool.layer, settings::kLayerName) == 0;
    });
}

void Device::create(const Instance& instance)
{
    const VkuInstanceDispatchTable& vk = instance.vk();
    uint32_t count = 0;
    vk.GetPhysicalDeviceQueueFamilyProperties(m_physical, &count, nullptr);
    std::vector<VkQueueFamilyProperties> families(count);
    vk.GetPhysicalDeviceQueueFamilyProperties(m_physical, &count, families.data());
    VkQueueFlags needed = VK_QUEUE_COMPUTE_BIT;
    needed |= m_draws ? VK_QUEUE_GRAPHICS_BIT : 0;
    const auto family = std::ranges::find_if(
        families, [needed](const VkQueueFamilyProperties& f) { return (f.queueFlags & needed) == needed; });
    if (family == families.end()) {
        throw DeviceError(std::string(m_properties.deviceName) + " has no queue for compute" +
                          (m_draws ? " and graphics" : ""));
    }
    m_queueFamily = static_cast<uint32_t>(family - families.begin());
    m_timestampBits = family->timestampValidBits;

    const float priority = 1;
    VkDeviceQueueCreateInfo queue{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
    queue.queueFamilyIndex = m_queueFamily;
    queue.queueCount = 1;
    queue.pQueuePriorities = &priority;
    const Features features(vk, m_physical, m_draws);
    std::vector<const char*> extensions = neededExtensions(m_draws);
    addPortability(extensionsOf(vk, m_physical), extensions);
    VkDeviceCreateInfo info{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &features.all};
    info.queueCreateInfoCount = 1;
    info.pQueueCreateInfos = &queue;
    info.enabledExtensionCount = static_cast<uint32_t>(extensions.size());
    info.ppEnabledExtensionNames = extensions.data();
    // What the table of an instance leaves out.
    const auto createDevice =
        reinterpret_cast<PFN_vkCreateDevice>(instance.getProcAddr()(instance.handle(), "vkCreateDevice"));
    check(createDevice(m_physical, &info, nullptr, &m_device), "vkCreateDevice");
    const auto getProcAddr =
        reinterpret_cast<PFN_vkGetDeviceProcAddr>(instance.getProcAddr()(instance.handle(), "vkGetDeviceProcAddr"));
    vkuInitDeviceDispatchTable(m_device, &m_vk, getProcAddr);
    m_vk.GetDeviceQueue(m_device, m_queueFamily, 0, &m_queue);
    VkCommandPoolCreateInfo pool{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    pool.queueFamilyIndex = m_queueFamily;
    check(m_vk.CreateCommandPool(m_device, &pool, nullptr, &m_pool), "vkCreateCommandPool");
}

void Device::loadFunctions()
{
    load(m_vk.GetDeviceProcAddr, m_device, m_graphs.createPipelines, "vkCreateExecutionGraphPipelinesAMDX");
    load(m_vk.GetDeviceProcAddr, m_device, m_graphs.getScratchSize, "vkGetExecutionGraphPipelineScratchSizeAMDX");
    load(m_vk.GetDeviceProcAddr, m_device, m_graphs.getNodeIndex, "vkGetExecutionGraphPipelineNodeIndexAMDX");
    load(m_vk.GetDeviceProcAddr, m_device, m_graphs.initializeScratch, "vkCmdInitializeGraphScratchMemoryAMDX");
    load(m_vk.GetDeviceProcAddr, m_device, m_graphs.dispatch, "vkCmdDispatchGraphAMDX");
    load(m_vk.GetDeviceProcAddr, m_device, m_graphs.dispatchIndirect, "vkCmdDispatchGraphIndirectAMDX");
    load(m_vk.GetDeviceProcAddr, m_device, m_graphs.dispatchIndirectCount, "vkCmdDispatchGraphIndirectCountAMDX");
}

void Device::submit(const std::function<void(VkCommandBuffer)>& record) const
{
    VkCommandBufferAllocateInfo allocate{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
    allocate.commandPool = m_pool;
    allocate.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
    allocate.commandBufferCount = 1;
    VkCommandBuffer commands = VK_NULL_HANDLE;
    check(m_vk.AllocateCommandBuffers(m_device, &allocate, &commands), "vkAllocateCommandBuffers");
    VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    begin.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
    check(m_vk.BeginCommandBuffer(commands, &begin), "vkBeginCommandBuffer");
    record(commands);
    check(m_vk.EndCommandBuffer(commands), "vkEndCommandBuffer");
    const VkFenceCreateInfo fenceInfo{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    VkFence fence = VK_NULL_HANDLE;
    check(m_vk.CreateFence(m_device, &fenceInfo, nullptr, &fence), "vkCreateFence");
    VkSubmitInfo info{VK_STRUCTURE_TYPE_SUBMIT_INFO};
    info.commandBufferCount = 1;
    info.pCommandBuffers = &commands;
    VkResult result = m_vk.QueueSubmit(m_queue, 1, &info, fence);
    if (result == VK_SUCCESS)
        result = m_vk.WaitForFences(m_device, 1, &fence, VK_TRUE, UINT64_MAX);
    m_vk.DestroyFence(m_device, fence, nullptr);
    m_vk.FreeCommandBuffers(m_device, m_pool, 1, &commands);
    check(result, "running the graph: vkQueueSubmit or vkWaitForFences");
}

}  // namespace millrace::tools::run
