// SPDX-License-Identifier: Apache-2.0
#include "bench/gpu.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string_view>

namespace millrace::bench {

namespace {

constexpr char kLayer[] = "VK_LAYER_MILLRACE_emulation";

const char* settingOf(Extension extension)
{
    switch (extension) {
        case Extension::GeneratedCommands:
        case Extension::TokenStreams:
            return "generated_commands";
        case Extension::MeshShaders:
            return "mesh_shaders";
        case Extension::MeshNodes:
            return "mesh_nodes";
        default:
            return "mesh_nodes, mesh_shaders";
    }
}

bool lists(const std::vector<VkExtensionProperties>& extensions, const char* name)
{
    return std::ranges::any_of(extensions, [&](const auto& one) { return std::strcmp(one.extensionName, name) == 0; });
}

}  // namespace

void check(VkResult result, const char* what)
{
    if (result != VK_SUCCESS)
        throw std::runtime_error(std::string(what) + " returns " + std::to_string(result));
}

Gpu::Gpu(Provider provider, Extension extension, const std::string& name) : m_provider(provider), m_extension(extension)
{
    createInstance();
    choosePhysical(name);
    createDevice();
    vkGetDeviceQueue(m_device, 0, 0, &m_queue);
    VkCommandPoolCreateInfo pool{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    pool.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
    check(vkCreateCommandPool(m_device, &pool, nullptr, &m_pool), "vkCreateCommandPool");
    VkQueryPoolCreateInfo queries{VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO};
    queries.queryType = VK_QUERY_TYPE_TIMESTAMP;
    queries.queryCount = kStamps;
    check(vkCreateQueryPool(m_device, &queries, nullptr, &m_stamps), "vkCreateQueryPool");
    const VkFenceCreateInfo fence{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    check(vkCreateFence(m_device, &fence, nullptr, &m_fence), "vkCreateFence");
}

Gpu::~Gpu()
{
    vkDestroyFence(m_device, m_fence, nullptr);
    vkDestroyQueryPool(m_device, m_stamps, nullptr);
    vkDestroyCommandPool(m_device, m_pool, nullptr);
    vkDestroyDevice(m_device, nullptr);
    vkDestroyInstance(m_instance, nullptr);
}

void Gpu::createInstance()
{
    // Mesh nodes alone draw with the driver's mesh shaders.
    const VkBool32 on = m_extension == Extension::MeshNodes ? VK_FALSE : VK_TRUE;
    const char* const enabled = settingOf(m_extension);
    const VkLayerSettingEXT settings[] = {
        {kLayer, "enable", VK_LAYER_SETTING_TYPE_STRING_EXT, 1, &enabled},
        {kLayer, "force_enable", VK_LAYER_SETTING_TYPE_BOOL32_EXT, 1, &on},
    };
    VkLayerSettingsCreateInfoEXT layerSettings{VK_STRUCTURE_TYPE_LAYER_SETTINGS_CREATE_INFO_EXT};
    layerSettings.settingCount = 2;
    layerSettings.pSettings = settings;
    VkApplicationInfo application{VK_STRUCTURE_TYPE_APPLICATION_INFO};
    application.apiVersion = VK_API_VERSION_1_3;
    VkInstanceCreateInfo info{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
    info.pApplicationInfo = &application;
    const char* const layer = kLayer;
    if (m_provider == Provider::Layer) {
        info.pNext = &layerSettings;
        info.enabledLayerCount = 1;
        info.ppEnabledLayerNames = &layer;
    }
    check(vkCreateInstance(&info, nullptr, &m_instance), "vkCreateInstance");
}

void Gpu::choosePhysical(const std::string& name)
{
    uint32_t count = 0;
    check(vkEnumeratePhysicalDevices(m_instance, &count, nullptr), "vkEnumeratePhysicalDevices");
    std::vector<VkPhysicalDevice> devices(count);
    check(vkEnumeratePhysicalDevices(m_instance, &count, devices.data()), "vkEnumeratePhysicalDevices");
    for (const VkPhysicalDevice device : devices) {
        VkPhysicalDeviceProperties properties;
        vkGetPhysicalDeviceProperties(device, &properties);
        if (properties.apiVersion < VK_API_VERSION_1_3 || !std::strstr(properties.deviceName, name.c_str()))
            continue;
        m_name = properties.deviceName;
        VkPhysicalDeviceDriverProperties driver{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES};
        VkPhysicalDeviceProperties2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &driver};
        vkGetPhysicalDeviceProperties2(device, &all);
        m_driver = driver.driverName;
        m_driverInfo = driver.driverInfo;
        m_period = properties.limits.timestampPeriod;
        m_physical = device;
        return;
    }
    throw std::runtime_error("no Vulkan 1.3 device has \"" + name + "\" in its name");
}

std::vector<const char*> Gpu::findExtensions() const
{
    uint32_t count = 0;
    vkEnumerateDeviceExtensionProperties(m_physical, nullptr, &count, nullptr);
    std::vector<VkExtensionProperties> listed(count);
    vkEnumerateDeviceExtensionProperties(m_physical, nullptr, &count, listed.data());
    std::vector<const char*> wanted;
    if (m_extension == Extension::GeneratedCommands)
        wanted = {VK_EXT_DEVICE_GENERATED_COMMANDS_EXTENSION_NAME, VK_KHR_MAINTENANCE_5_EXTENSION_NAME};
    else if (m_extension == Extension::TokenStreams)
        wanted = {VK_NV_DEVICE_GENERATED_COMMANDS_EXTENSION_NAME, VK_KHR_MAINTENANCE_5_EXTENSION_NAME};
    else
        wanted = {VK_EXT_MESH_SHADER_EXTENSION_NAME};
    if (m_extension == Extension::MeshNodes || m_extension == Extension::MeshNodesAndShaders)
        wanted.insert(wanted.end(), {VK_AMDX_SHADER_ENQUEUE_EXTENSION_NAME, VK_KHR_MAINTENANCE_5_EXTENSION_NAME,
                                     VK_KHR_PIPELINE_LIBRARY_EXTENSION_NAME});
    if (!std::ranges::all_of(wanted, [&](const char* name) { return lists(listed, name); }))
        return {};
    if (m_extension == Extension::TokenStreams && lists(listed, VK_NV_DEVICE_GENERATED_COMMANDS_COMPUTE_EXTENSION_NAME))
        wanted.push_back(VK_NV_DEVICE_GENERATED_COMMANDS_COMPUTE_EXTENSION_NAME);
    return wanted;
}

uint32_t Gpu::mostShaderGroups() const
{
    VkPhysicalDeviceDeviceGeneratedCommandsPropertiesNV streams{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DEVICE_GENERATED_COMMANDS_PROPERTIES_NV};
    VkPhysicalDeviceProperties2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &streams};
    if (m_extension == Extension::TokenStreams && m_hasExtension)
        vkGetPhysicalDeviceProperties2(m_physical, &all);
    return streams.maxGraphicsShaderGroupCount;
}

namespace {

// Features of Vulkan and of the extensions that are measured.
struct Features {
    explicit Features(std::span<const char* const> extensions)
    {
        v13.dynamicRendering = v13.synchronization2 = VK_TRUE;
        v12.bufferDeviceAddress = v12.scalarBlockLayout = VK_TRUE;
        v11.shaderDrawParameters = VK_TRUE;
        all.features.multiDrawIndirect = all.features.drawIndirectFirstInstance = VK_TRUE;
        streams.deviceGeneratedCommands = VK_TRUE;
        computeStreams.deviceGeneratedCompute = computeStreams.deviceGeneratedComputePipelines = VK_TRUE;
        commands.deviceGeneratedCommands = maintenance5.maintenance5 = VK_TRUE;
        mesh.taskShader = mesh.meshShader = VK_TRUE;
        enqueue.shaderEnqueue = enqueue.shaderMeshEnqueue = VK_TRUE;
        for (const std::string_view name : extensions)
            addFor(name);
    }
    Features(const Features&) = delete;

    VkPhysicalDeviceVulkan13Features v13{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES};
    VkPhysicalDeviceVulkan12Features v12{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, &v13};
    VkPhysicalDeviceVulkan11Features v11{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES, &v12};
    VkPhysicalDeviceFeatures2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &v11};
    VkPhysicalDeviceDeviceGeneratedCommandsFeaturesEXT commands{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DEVICE_GENERATED_COMMANDS_FEATURES_EXT};
    VkPhysicalDeviceDeviceGeneratedCommandsFeaturesNV streams{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DEVICE_GENERATED_COMMANDS_FEATURES_NV};
    VkPhysicalDeviceDeviceGeneratedCommandsComputeFeaturesNV computeStreams{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DEVICE_GENERATED_COMMANDS_COMPUTE_FEATURES_NV};
    VkPhysicalDeviceMaintenance5Features maintenance5{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_5_FEATURES};
    VkPhysicalDeviceMeshShaderFeaturesEXT mesh{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MESH_SHADER_FEATURES_EXT};
    VkPhysicalDeviceShaderEnqueueFeaturesAMDX enqueue{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ENQUEUE_FEATURES_AMDX};

private:
    void addFor(std::string_view name)
    {
        if (name == VK_EXT_DEVICE_GENERATED_COMMANDS_EXTENSION_NAME)
            add(commands);
        else if (name == VK_NV_DEVICE_GENERATED_COMMANDS_EXTENSION_NAME)
            add(streams);
        else if (name == VK_NV_DEVICE_GENERATED_COMMANDS_COMPUTE_EXTENSION_NAME)
            add(computeStreams);
        else if (name == VK_KHR_MAINTENANCE_5_EXTENSION_NAME)
            add(maintenance5);
        else if (name == VK_EXT_MESH_SHADER_EXTENSION_NAME)
            addMesh();
        else if (name == VK_AMDX_SHADER_ENQUEUE_EXTENSION_NAME)
            add(enqueue);
    }
    void addMesh()
    {
        v13.maintenance4 = v12.drawIndirectCount = VK_TRUE;
        add(mesh);
    }
    template <typename Structure>
    void add(Structure& structure)
    {
        structure.pNext = v13.pNext;
        v13.pNext = &structure;
    }
};

}  // namespace

void Gpu::createDevice()
{
    const std::vector<const char*> extensions = findExtensions();
    m_hasExtension = !extensions.empty();
    const auto has = [&](std::string_view name) { return std::ranges::find(extensions, name) != extensions.end(); };
    m_hasLongUsage = has(VK_KHR_MAINTENANCE_5_EXTENSION_NAME);
    m_hasComputeStreams = has(VK_NV_DEVICE_GENERATED_COMMANDS_COMPUTE_EXTENSION_NAME);
    const Features features(extensions);
    const float priority = 1;
    VkDeviceQueueCreateInfo queue{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
    queue.queueCount = 1;
    queue.pQueuePriorities = &priority;
    VkDeviceCreateInfo info{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &features.all};
    info.queueCreateInfoCount = 1;
    info.pQueueCreateInfos = &queue;
    info.enabledExtensionCount = static_cast<uint32_t>(extensions.size());
    info.ppEnabledExtensionNames = extensions.data();
    check(vkCreateDevice(m_physical, &info, nullptr, &m_device), "vkCreateDevice");
}

uint32_t Gpu::memoryType(uint32_t types, VkMemoryPropertyFlags wanted) const
{
    VkPhysicalDeviceMemoryProperties memory;
    vkGetPhysicalDeviceMemoryProperties(m_physical, &memory);
    for (uint32_t i = 0; i < memory.memoryTypeCount; ++i)
        if ((types >> i & 1) && (memory.memoryTypes[i].propertyFlags & wanted) == wanted)
            return i;
    throw std::runtime_error("the device has no memory of the kind");
}

GpuBuffer Gpu::createBuffer(VkDeviceSize bytes, VkBufferUsageFlags2 usage, bool isMapped)
{
    GpuBuffer buffer;
    buffer.size = bytes;
    VkBufferUsageFlags2CreateInfo flags{VK_STRUCTURE_TYPE_BUFFER_USAGE_FLAGS_2_CREATE_INFO};
    flags.usage = usage | VK_BUFFER_USAGE_2_SHADER_DEVICE_ADDRESS_BIT | VK_BUFFER_USAGE_2_TRANSFER_DST_BIT |
                  VK_BUFFER_USAGE_2_TRANSFER_SRC_BIT;
    VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
    info.size = bytes;
    if (m_hasLongUsage)
        info.pNext = &flags;
    else
        info.usage = static_cast<VkBufferUsageFlags>(flags.usage);
    check(vkCreateBuffer(m_device, &info, nullptr, &buffer.handle), "vkCreateBuffer");
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(m_device, buffer.handle, &needs);
    VkMemoryAllocateFlagsInfo allocateFlags{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO};
    allocateFlags.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
    VkMemoryAllocateInfo allocate{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &allocateFlags};
    allocate.allocationSize = needs.size;
    allocate.memoryTypeIndex = memoryType(
        needs.memoryTypeBits, isMapped ? VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT
                                       : VkMemoryPropertyFlags{VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT});
    check(vkAllocateMemory(m_device, &allocate, nullptr, &buffer.memory), "vkAllocateMemory");
    check(vkBindBufferMemory(m_device, buffer.handle, buffer.memory, 0), "vkBindBufferMemory");
    VkBufferDeviceAddressInfo ask{VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO};
    ask.buffer = buffer.handle;
    buffer.address = vkGetBufferDeviceAddress(m_device, &ask);
    void* mapped = nullptr;
    if (isMapped)
        check(vkMapMemory(m_device, buffer.memory, 0, VK_WHOLE_SIZE, 0, &mapped), "vkMapMemory");
    buffer.words = static_cast<uint32_t*>(mapped);
    return buffer;
}

GpuBuffer Gpu::createFilled(std::span<const uint32_t> words, VkBufferUsageFlags2 usage)
{
    const GpuBuffer host = createBuffer(words.size_bytes(), 0, true);
    const GpuBuffer out = createBuffer(words.size_bytes(), usage, false);
    std::memcpy(host.words, words.data(), words.size_bytes());
    const VkCommandBuffer cmd = allocate();
    begin(cmd);
    const VkBufferCopy copy{0, 0, words.size_bytes()};
    vkCmdCopyBuffer(cmd, host.handle, out.handle, 1, &copy);
    check(vkEndCommandBuffer(cmd), "vkEndCommandBuffer");
    run(cmd);
    free(cmd);
    destroy(host);
    return out;
}

void Gpu::destroy(const GpuBuffer& buffer) const
{
    vkDestroyBuffer(m_device, buffer.handle, nullptr);
    vkFreeMemory(m_device, buffer.memory, nullptr);
}

VkDeviceMemory Gpu::bindMemory(VkImage image) const
{
    VkMemoryRequirements needs;
    vkGetImageMemoryRequirements(m_device, image, &needs);
    VkMemoryAllocateInfo allocate{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
    allocate.allocationSize = needs.size;
    allocate.memoryTypeIndex = memoryType(needs.memoryTypeBits, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
    VkDeviceMemory memory = VK_NULL_HANDLE;
    check(vkAllocateMemory(m_device, &allocate, nullptr, &memory), "vkAllocateMemory");
    check(vkBindImageMemory(m_device, image, memory, 0), "vkBindImageMemory");
    return memory;
}

VkShaderModule Gpu::createModule(std::span<const uint32_t> words) const
{
    VkShaderModuleCreateInfo info{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
    info.codeSize = words.size_bytes();
    info.pCode = words.data();
    VkShaderModule module = VK_NULL_HANDLE;
    check(vkCreateShaderModule(m_device, &info, nullptr, &module), "vkCreateShaderModule");
    return module;
}

VkCommandBuffer Gpu::allocate() const
{
    VkCommandBufferAllocateInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
    info.commandPool = m_pool;
    info.commandBufferCount = 1;
    VkCommandBuffer cmd = VK_NULL_HANDLE;
    check(vkAllocateCommandBuffers(m_device, &info, &cmd), "vkAllocateCommandBuffers");
    return cmd;
}

void Gpu::free(VkCommandBuffer commandBuffer) const
{
    vkFreeCommandBuffers(m_device, m_pool, 1, &commandBuffer);
}

void Gpu::begin(VkCommandBuffer commandBuffer) const
{
    const VkCommandBufferBeginInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    check(vkBeginCommandBuffer(commandBuffer, &info), "vkBeginCommandBuffer");
}

void Gpu::run(VkCommandBuffer commandBuffer) const
{
    VkSubmitInfo submit{VK_STRUCTURE_TYPE_SUBMIT_INFO};
    submit.commandBufferCount = 1;
    submit.pCommandBuffers = &commandBuffer;
    check(vkQueueSubmit(m_queue, 1, &submit, m_fence), "vkQueueSubmit");
    check(vkWaitForFences(m_device, 1, &m_fence, VK_TRUE, UINT64_MAX), "vkWaitForFences");
    check(vkResetFences(m_device, 1, &m_fence), "vkResetFences");
}

void Gpu::stamp(VkCommandBuffer commandBuffer, uint32_t number) const
{
    vkCmdWriteTimestamp(commandBuffer,
                        number == 0 ? VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT : VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT,
                        m_stamps, number);
}

void Gpu::resetStamps(VkCommandBuffer commandBuffer) const
{
    vkCmdResetQueryPool(commandBuffer, m_stamps, 0, kStamps);
}

double Gpu::nanosecondsBetweenStamps(uint32_t from, uint32_t to) const
{
    const auto read = [&](uint32_t number) {
        uint64_t stamp = 0;
        check(vkGetQueryPoolResults(m_device, m_stamps, number, 1, sizeof stamp, &stamp, sizeof stamp,
                                    VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT),
              "vkGetQueryPoolResults");
        return stamp;
    };
    return static_cast<double>(read(to) - read(from)) * m_period;
}

}  // namespace millrace::bench
