// SPDX-License-Identifier: Apache-2.0
// Creation of instance and device: layers, their settings, features.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "harness/device.h"

namespace millrace::harness {

namespace {

bool hasLayer(const char* name)
{
    uint32_t count = 0;
    vkEnumerateInstanceLayerProperties(&count, nullptr);
    std::vector<VkLayerProperties> layers(count);
    vkEnumerateInstanceLayerProperties(&count, layers.data());
    for (const VkLayerProperties& layer : layers)
        if (std::strcmp(layer.layerName, name) == 0)
            return true;
    return false;
}

// Decides once, and says so: a run without validation must not look like one with it.
bool wantsValidation()
{
    static const bool wanted = [] {
        const char* off = std::getenv("MILLRACE_TEST_NO_VALIDATION");
        if (off && std::strcmp(off, "0") != 0) {
            std::printf("note: validation is off (MILLRACE_TEST_NO_VALIDATION)\n");
            return false;
        }
        if (!hasLayer(kValidationName))
            throw HarnessError(std::string(kValidationName) +
                               " is not installed; set MILLRACE_TEST_NO_VALIDATION=1 to go without");
        return true;
    }();
    return wanted;
}

// Settings of both layers, with the memory that they point to.
struct LayerSettings {
    std::vector<VkLayerSettingEXT> list;
    std::vector<std::unique_ptr<VkBool32>> switches;
    std::vector<std::unique_ptr<const char*>> words;
    std::vector<std::unique_ptr<int32_t>> numbers;

    void add(const char* layer, const char* name, uint32_t value)
    {
        numbers.push_back(std::make_unique<int32_t>(static_cast<int32_t>(value)));
        list.push_back({layer, name, VK_LAYER_SETTING_TYPE_INT32_EXT, 1, numbers.back().get()});
    }
    void add(const char* layer, const char* name, bool value)
    {
        switches.push_back(std::make_unique<VkBool32>(value));
        list.push_back({layer, name, VK_LAYER_SETTING_TYPE_BOOL32_EXT, 1, switches.back().get()});
    }
    // `value` must stay where it is.
    void add(const char* layer, const char* name, const std::string& value)
    {
        words.push_back(std::make_unique<const char*>(value.c_str()));
        list.push_back({layer, name, VK_LAYER_SETTING_TYPE_STRING_EXT, 1, words.back().get()});
    }
};

std::string disabledBy(const DeviceOptions& options)
{
    std::string list = options.path == "indirect" ? "direct" : "";
    for (const std::string& word : options.disabled)
        list += (list.empty() ? "" : ",") + word;
    return list;
}

std::string traitsOf(const DeviceOptions& options)
{
    std::string list;
    for (const auto& [name, value] : options.traits)
        list += (list.empty() ? "" : ",") + name + "=" + std::to_string(value);
    return list;
}

template <typename Pointer>
void load(VkDevice device, Pointer& pointer, const char* name)
{
    pointer = reinterpret_cast<Pointer>(vkGetDeviceProcAddr(device, name));
    if (!pointer)
        throw HarnessError(std::string("no entry point ") + name);
}

}  // namespace

void Device::createInstance(const DeviceOptions& options)
{
    validated = wantsValidation();
    if (!hasLayer(kLayerName))
        throw HarnessError(std::string(kLayerName) + " was not found; ctest sets VK_ADD_LAYER_PATH to its folder");
    // The first layer is nearest to the application.
    std::vector<const char*> layers = {kLayerName};
    LayerSettings settings;
    const std::string disabled = disabledBy(options);
    const std::string traits = traitsOf(options);
    settings.add(kLayerName, "disable", disabled);
    settings.add(kLayerName, "traits", traits);
    settings.add(kLayerName, "max_scratch_mib", options.maxScratchMib);
    for (const auto& [name, value] : options.switches)
        settings.add(kLayerName, name.c_str(), value);
    for (const auto& [name, value] : options.words)
        settings.add(kLayerName, name.c_str(), value);
    if (validated) {
        layers.push_back(kValidationName);
        settings.add(kValidationName, "validate_core", true);
        settings.add(kValidationName, "validate_sync", true);
        settings.add(kValidationName, "syncval_submit_time_validation", true);
        settings.add(kValidationName, "thread_safety", true);
        settings.add(kValidationName, "enable_message_limit", false);
    }
    // The last one is nearest to the driver.
    for (const auto& [variable, layer] : {std::pair{"MILLRACE_TEST_SHUFFLE", kShuffleName},
                                          {"MILLRACE_TEST_DRIVER", kDriverName},
                                          {"MILLRACE_TEST_PIPELINES", kRecordName},
                                          {"MILLRACE_TEST_SUBGROUPS", kSubgroupsName},
                                          {"MILLRACE_TEST_DEVICE_FILE", kDeviceName}}) {
        if (!std::getenv(variable))
            continue;
        if (!hasLayer(layer))
            throw HarnessError(std::string(layer) + " was not found, for which " + variable + " asks");
        layers.push_back(layer);
    }
    VkDebugUtilsMessengerCreateInfoEXT messenger{VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT};
    messenger.messageSeverity =
        VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
    messenger.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT |
                            VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT |
                            VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT;
    messenger.pfnUserCallback = onMessage;
    messenger.pUserData = this;
    VkLayerSettingsCreateInfoEXT layerSettings{VK_STRUCTURE_TYPE_LAYER_SETTINGS_CREATE_INFO_EXT, &messenger};
    layerSettings.settingCount = static_cast<uint32_t>(settings.list.size());
    layerSettings.pSettings = settings.list.data();
    const char* extensions[] = {VK_EXT_DEBUG_UTILS_EXTENSION_NAME, VK_EXT_LAYER_SETTINGS_EXTENSION_NAME};
    VkApplicationInfo application{VK_STRUCTURE_TYPE_APPLICATION_INFO};
    application.apiVersion = VK_API_VERSION_1_3;
    VkInstanceCreateInfo info{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, &layerSettings};
    info.pApplicationInfo = &application;
    info.enabledLayerCount = static_cast<uint32_t>(layers.size());
    info.ppEnabledLayerNames = layers.data();
    info.enabledExtensionCount = 2;
    info.ppEnabledExtensionNames = extensions;
    check(vkCreateInstance(&info, nullptr, &instance), "vkCreateInstance");
    const auto create = reinterpret_cast<PFN_vkCreateDebugUtilsMessengerEXT>(
        vkGetInstanceProcAddr(instance, "vkCreateDebugUtilsMessengerEXT"));
    check(create(instance, &messenger, nullptr, &m_messenger), "vkCreateDebugUtilsMessengerEXT");
}

void Device::queryFeatures()
{
    VkPhysicalDeviceMeshShaderFeaturesEXT mesh{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MESH_SHADER_FEATURES_EXT};
    enqueueFeatures = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ENQUEUE_FEATURES_AMDX, &mesh};
    features13 = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES, &enqueueFeatures};
    features11 = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES, &features13};
    features12 = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, &features11};
    features = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &features12};
    vkGetPhysicalDeviceFeatures2(physical, &features);
    hasMeshShaders = mesh.meshShader != 0 && mesh.taskShader != 0;
    enqueueFeatures.pNext = nullptr;
    limits = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ENQUEUE_PROPERTIES_AMDX};
    VkPhysicalDeviceProperties2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &limits};
    vkGetPhysicalDeviceProperties2(physical, &all);
    properties = all.properties;
}

namespace {

bool listsExtension(VkPhysicalDevice physical, const char* name)
{
    uint32_t count = 0;
    vkEnumerateDeviceExtensionProperties(physical, nullptr, &count, nullptr);
    std::vector<VkExtensionProperties> all(count);
    vkEnumerateDeviceExtensionProperties(physical, nullptr, &count, all.data());
    const auto isIt = [&](const VkExtensionProperties& each) { return std::strcmp(each.extensionName, name) == 0; };
    return std::ranges::any_of(all, isIt);
}

// Features of extensions that the device has, all of them on.
class ShaderExtras {
public:
    // The names of the extensions.
    std::set<std::string> findAll(VkPhysicalDevice physical)
    {
        std::set<std::string> out;
        const auto add = [&](const char* name, auto& features) {
            if (listsExtension(physical, name)) {
                features.pNext = m_chain;
                m_chain = &features;
                out.insert(name);
            }
        };
        add(VK_KHR_COMPUTE_SHADER_DERIVATIVES_EXTENSION_NAME, m_derivatives);
        add(VK_KHR_MAINTENANCE_8_EXTENSION_NAME, m_maintenance8);
        add(VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME, m_atomicFloat);
        add(VK_KHR_SHADER_CLOCK_EXTENSION_NAME, m_clock);
        VkPhysicalDeviceFeatures2 features{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, m_chain};
        vkGetPhysicalDeviceFeatures2(physical, &features);
        return out;
    }

    void* chain() { return m_chain; }

private:
    void* m_chain = nullptr;
    VkPhysicalDeviceComputeShaderDerivativesFeaturesKHR m_derivatives{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COMPUTE_SHADER_DERIVATIVES_FEATURES_KHR};
    VkPhysicalDeviceMaintenance8FeaturesKHR m_maintenance8{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_8_FEATURES_KHR};
    VkPhysicalDeviceShaderAtomicFloatFeaturesEXT m_atomicFloat{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_FEATURES_EXT};
    VkPhysicalDeviceShaderClockFeaturesKHR m_clock{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CLOCK_FEATURES_KHR};
};

}  // namespace

// Only what the shaders of the tests use: what the layer needs besides, it has to switch on itself.
void Device::findQueueFamilies()
{
    uint32_t count = 0;
    vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, nullptr);
    std::vector<VkQueueFamilyProperties> families(count);
    vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, families.data());
    const auto find = [&](VkQueueFlags unwanted) {
        const auto found = std::ranges::find_if(families, [&](const VkQueueFamilyProperties& family) {
            return (family.queueFlags & VK_QUEUE_COMPUTE_BIT) && !(family.queueFlags & unwanted);
        });
        return static_cast<uint32_t>(found - families.begin());
    };
    m_queues.push_back({find(0)});
    const uint32_t withoutGraphics = find(VK_QUEUE_GRAPHICS_BIT);
    if (withoutGraphics < count && withoutGraphics != m_queues.front().family)
        m_queues.push_back({withoutGraphics});
}

void Device::createDevice(const DeviceOptions& options)
{
    VkPhysicalDeviceShaderEnqueueFeaturesAMDX enqueue{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ENQUEUE_FEATURES_AMDX};
    enqueue.shaderEnqueue = enqueueFeatures.shaderEnqueue;
    enqueue.shaderMeshEnqueue = options.meshNodes;
    VkPhysicalDeviceMaintenance5FeaturesKHR maintenance5{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_5_FEATURES_KHR};
    maintenance5.maintenance5 = VK_TRUE;
    VkPhysicalDeviceVulkan13Features v13{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES};
    v13.synchronization2 = VK_TRUE;
    v13.maintenance4 = VK_TRUE;
    v13.dynamicRendering = features13.dynamicRendering;
    v13.shaderZeroInitializeWorkgroupMemory = features13.shaderZeroInitializeWorkgroupMemory;
    VkPhysicalDeviceVulkan12Features v12{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, &v13};
    v12.bufferDeviceAddress = VK_TRUE;
    v12.scalarBlockLayout = features12.scalarBlockLayout;
    v12.shaderInt8 = features12.shaderInt8;
    v12.shaderFloat16 = features12.shaderFloat16;
    v12.vulkanMemoryModel = features12.vulkanMemoryModel;
    v12.vulkanMemoryModelDeviceScope = features12.vulkanMemoryModelDeviceScope;
    VkPhysicalDeviceFeatures2 on{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &v12};
    on.features.shaderInt64 = features.features.shaderInt64;
    on.features.shaderFloat64 = features.features.shaderFloat64;
    on.features.shaderInt16 = features.features.shaderInt16;
    on.features.fragmentStoresAndAtomics = options.meshNodes;
    on.features.vertexPipelineStoresAndAtomics = options.meshNodes;

    VkPhysicalDeviceVulkan11Features v11{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES, &v13};
    if (options.allFeatures) {
        v13.subgroupSizeControl = features13.subgroupSizeControl;
        v11 = features11;
        v11.pNext = &v13;
        v12 = features12;
        v12.pNext = &v11;
        on.features = features.features;
        on.features.robustBufferAccess = VK_FALSE;
    }

    std::vector<const char*> extensions;
    void** tail = &v13.pNext;
    if (options.enableEnqueue) {
        extensions.push_back(VK_AMDX_SHADER_ENQUEUE_EXTENSION_NAME);
        extensions.push_back(VK_KHR_PIPELINE_LIBRARY_EXTENSION_NAME);
        *tail = &enqueue;
        tail = &enqueue.pNext;
    }
    if (options.enableMaintenance5) {
        extensions.push_back(VK_KHR_MAINTENANCE_5_EXTENSION_NAME);
        *tail = &maintenance5;
        tail = &maintenance5.pNext;
    }
    VkPhysicalDeviceMeshShaderFeaturesEXT mesh{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MESH_SHADER_FEATURES_EXT};
    if ((options.meshShaders || options.meshNodes) && hasMeshShaders) {
        extensions.push_back(VK_EXT_MESH_SHADER_EXTENSION_NAME);
        mesh.meshShader = VK_TRUE;
        mesh.taskShader = VK_TRUE;
        *tail = &mesh;
        tail = &mesh.pNext;
    }
    // A device that has it must be created with it. Its features stay off: the tests use none.
    if (listsExtension(physical, VK_KHR_PORTABILITY_SUBSET_EXTENSION_NAME))
        extensions.push_back(VK_KHR_PORTABILITY_SUBSET_EXTENSION_NAME);
    ShaderExtras more;
    if (options.shaderExtras) {
        extras = more.findAll(physical);
        *tail = more.chain();
    }
    for (const std::string& name : extras)
        extensions.push_back(name.c_str());
    findQueueFamilies();
    const float priority = 1.0f;
    std::vector<VkDeviceQueueCreateInfo> queueInfos;
    for (const Queue& each : m_queues) {
        VkDeviceQueueCreateInfo& info = queueInfos.emplace_back();
        info.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
        info.queueFamilyIndex = each.family;
        info.queueCount = 1;
        info.pQueuePriorities = &priority;
    }
    VkDeviceCreateInfo create{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &on};
    create.queueCreateInfoCount = static_cast<uint32_t>(queueInfos.size());
    create.pQueueCreateInfos = queueInfos.data();
    create.enabledExtensionCount = static_cast<uint32_t>(extensions.size());
    create.ppEnabledExtensionNames = extensions.data();
    check(vkCreateDevice(physical, &create, nullptr, &device), "vkCreateDevice");
    if (options.enableEnqueue)
        loadEntryPoints();
}

void Device::loadEntryPoints()
{
    load(device, createGraphs, "vkCreateExecutionGraphPipelinesAMDX");
    load(device, getScratchSize, "vkGetExecutionGraphPipelineScratchSizeAMDX");
    load(device, getNodeIndex, "vkGetExecutionGraphPipelineNodeIndexAMDX");
    load(device, cmdInitializeScratch, "vkCmdInitializeGraphScratchMemoryAMDX");
    load(device, cmdDispatch, "vkCmdDispatchGraphAMDX");
    load(device, cmdDispatchIndirect, "vkCmdDispatchGraphIndirectAMDX");
    load(device, cmdDispatchIndirectCount, "vkCmdDispatchGraphIndirectCountAMDX");
}

}  // namespace millrace::harness
