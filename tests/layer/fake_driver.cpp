// SPDX-License-Identifier: Apache-2.0
#include "layer/fake_driver.h"

#include <vulkan/vk_layer.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "layer/commands/arguments.h"
#include "layer/commands/text.h"
#include "layer/graphs/pipelines_ahead.h"
#include "layer/loader/entry_points.h"
#include "layer/recording/command_buffer.h"

namespace millrace::layertest {

namespace {

// Dispatchable: the loader, and the layer as well, find what it belongs to by its first word.
struct Object {
    void* key;
};

constexpr uint32_t kMostAtOnce = 16;  // command buffers that are allocated
constexpr uint32_t kQueues = FakeDriver::kQueueCount;
constexpr uint32_t kAllQueues = kQueues + FakeDriver::kSpareQueueCount;
constexpr std::array<VkQueueFamilyProperties, FakeDriver::kFamilyCount> kFamilies = {{
    {VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT, kAllQueues, 64, {1, 1, 1}},
    {VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT, kAllQueues, 64, {1, 1, 1}},
    {VK_QUEUE_TRANSFER_BIT, kAllQueues, 64, {1, 1, 1}},
}};

struct Free {
    void operator()(void* data) const { std::free(data); }
};
using Memory = std::unique_ptr<void, Free>;

struct State {
    std::mutex mutex;
    std::condition_variable waiting;
    bool hasWaited = false;
    bool isDone = true;  // all that is waited for
    Version version = Version::All;
    std::vector<Call> calls;
    std::deque<Object> commandBuffers;
    std::map<std::string, uint32_t> counts;  // of calls
    const VkAllocationCallbacks* deviceAllocator = nullptr;
    std::map<VkBuffer, VkDeviceSize> sizes;
    std::map<VkDeviceMemory, Memory> memory;
    Object instance{&instance};
    Object physical{&instance};
    Object device{&device};
    std::array<std::array<Object, kAllQueues>, kFamilies.size()> queues = [this] {
        std::array<std::array<Object, kAllQueues>, kFamilies.size()> all{};
        for (auto& family : all)
            family.fill({&device});
        return all;
    }();
};

State& state()
{
    static State all;
    return all;
}

template <typename Handle>
Handle asHandle(Object& object)
{
    return reinterpret_cast<Handle>(&object);
}

VkResult wait(uint64_t timeout)
{
    {
        const std::lock_guard lock(state().mutex);
        state().hasWaited = true;
        if (state().isDone)
            return VK_SUCCESS;
    }
    state().waiting.notify_all();
    constexpr std::chrono::nanoseconds kLongest = std::chrono::seconds(5);
    std::this_thread::sleep_for(std::chrono::nanoseconds(std::min<uint64_t>(timeout, kLongest.count())));
    return VK_TIMEOUT;
}

// What a command is called with.
class Parameters {
public:
    Parameters(const Command& command, void* at) : m_command(command), m_at(static_cast<std::byte*>(at)) {}

    template <typename Value>
    Value get(std::string_view name) const
    {
        const auto& members = m_command.arguments.members;
        const auto found = std::ranges::find(members, name, &Member::name);
        Value value;
        std::memcpy(&value, m_at + found->offset, sizeof value);
        return value;
    }

private:
    const Command& m_command;
    std::byte* m_at;
};

// Those whose features the driver has, which the layer has to find listed.
VkResult enumerateExtensions(const Parameters& p)
{
    constexpr VkExtensionProperties kAll[] = {
        {VK_KHR_MAINTENANCE_5_EXTENSION_NAME, VK_KHR_MAINTENANCE_5_SPEC_VERSION},
        {VK_KHR_DRAW_INDIRECT_COUNT_EXTENSION_NAME, VK_KHR_DRAW_INDIRECT_COUNT_SPEC_VERSION}};
    constexpr auto kCount = static_cast<uint32_t>(std::size(kAll));
    auto& count = *p.get<uint32_t*>("pPropertyCount");
    auto* properties = p.get<VkExtensionProperties*>("pProperties");
    const uint32_t given = properties ? std::min(count, kCount) : kCount;
    if (properties)
        std::copy_n(kAll, given, properties);
    count = given;
    return given < kCount ? VK_INCOMPLETE : VK_SUCCESS;
}

VkResult allocateCommandBuffers(const Parameters& all)
{
    const std::lock_guard lock(state().mutex);
    auto* out = all.get<VkCommandBuffer*>("pCommandBuffers");
    const uint32_t count = all.get<const VkCommandBufferAllocateInfo*>("pAllocateInfo")->commandBufferCount;
    const size_t first = size_t{kMostAtOnce} * state().counts.at("vkAllocateCommandBuffers");
    state().commandBuffers.resize(std::max(state().commandBuffers.size(), first + kMostAtOnce),
                                  Object{&state().device});
    for (uint32_t i = 0; i < std::min(count, kMostAtOnce); ++i)
        out[i] = asHandle<VkCommandBuffer>(state().commandBuffers[first + i]);
    return VK_SUCCESS;
}

VkResult getQueueFamilies(const Parameters& all)
{
    auto& count = *all.get<uint32_t*>("pQueueFamilyPropertyCount");
    if (auto* out = all.get<VkQueueFamilyProperties*>("pQueueFamilyProperties"))
        std::copy_n(kFamilies.begin(), std::min<size_t>(count, kFamilies.size()), out);
    count = static_cast<uint32_t>(kFamilies.size());
    return VK_SUCCESS;
}

VkResult getQueue(VkQueue* out, uint32_t family, uint32_t index)
{
    *out = asHandle<VkQueue>(state().queues.at(family).at(index));
    return VK_SUCCESS;
}

VkPhysicalDeviceProperties properties()
{
    VkPhysicalDeviceProperties out{};
    out.apiVersion = VK_API_VERSION_1_3;
    out.limits.maxPushConstantsSize = 256;
    out.limits.maxBoundDescriptorSets = 32;
    for (uint32_t& count : out.limits.maxComputeWorkGroupCount)
        count = 65535;
    for (uint32_t& size : out.limits.maxComputeWorkGroupSize)
        size = 1024;
    out.limits.maxComputeWorkGroupInvocations = 1024;
    out.limits.maxComputeSharedMemorySize = 32768;
    out.limits.maxDrawIndirectCount = UINT32_MAX;
    for (uint32_t* components :
         {&out.limits.maxVertexOutputComponents, &out.limits.maxTessellationControlPerVertexInputComponents,
          &out.limits.maxTessellationControlPerVertexOutputComponents,
          &out.limits.maxTessellationEvaluationInputComponents, &out.limits.maxTessellationEvaluationOutputComponents,
          &out.limits.maxGeometryInputComponents, &out.limits.maxGeometryOutputComponents,
          &out.limits.maxFragmentInputComponents})
        *components = 64;
    out.limits.maxMemoryAllocationCount = 4096;
    out.limits.bufferImageGranularity = out.limits.nonCoherentAtomSize = 1;
    out.limits.minStorageBufferOffsetAlignment = 4;
    out.limits.maxStorageBufferRange = 1u << 30;
    return out;
}

void fillProperties(VkBaseOutStructure* properties)
{
    constexpr VkSubgroupFeatureFlags kOperations =
        VK_SUBGROUP_FEATURE_BASIC_BIT | VK_SUBGROUP_FEATURE_ARITHMETIC_BIT | VK_SUBGROUP_FEATURE_BALLOT_BIT;
    if (properties->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES) {
        auto& out = *reinterpret_cast<VkPhysicalDeviceSubgroupProperties*>(properties);
        out.subgroupSize = 32;
        out.supportedStages = VK_SHADER_STAGE_COMPUTE_BIT;
        out.supportedOperations = kOperations;
    } else if (properties->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES) {
        auto& out = *reinterpret_cast<VkPhysicalDeviceVulkan11Properties*>(properties);
        out.subgroupSize = 32;
        out.subgroupSupportedStages = VK_SHADER_STAGE_COMPUTE_BIT;
        out.subgroupSupportedOperations = kOperations;
        out.maxMemoryAllocationSize = VkDeviceSize{1} << 32;
    } else if (properties->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES) {
        auto& out = *reinterpret_cast<VkPhysicalDeviceVulkan13Properties*>(properties);
        out.minSubgroupSize = out.maxSubgroupSize = 32;
        out.maxBufferSize = VkDeviceSize{1} << 32;
    }
}

// Buffers are far from each other: handles differ by numbers of commands.
VkDeviceAddress addressOf(VkBuffer buffer)
{
    uint64_t number = 0;
    std::memcpy(&number, &buffer, sizeof buffer);
    return number << 16;
}

VkMemoryRequirements requirements(VkBuffer buffer)
{
    const std::lock_guard lock(state().mutex);
    return {(state().sizes[buffer] + 255) / 256 * 256, 256, 1};
}

// Of those for which it is not enough to fill what they return with something.
using Answer = VkResult (*)(const Parameters& all);
const std::map<std::string_view, Answer>& answers()
{
    static const std::map<std::string_view, Answer> all = {
        {"vkCreateInstance",
         [](const Parameters& p) {
             *p.get<VkInstance*>("pInstance") = asHandle<VkInstance>(state().instance);
             return VK_SUCCESS;
         }},
        {"vkCreateDevice",
         [](const Parameters& p) {
             state().deviceAllocator = p.get<const VkAllocationCallbacks*>("pAllocator");
             *p.get<VkDevice*>("pDevice") = asHandle<VkDevice>(state().device);
             return VK_SUCCESS;
         }},
        {"vkGetPhysicalDeviceProperties",
         [](const Parameters& p) {
             *p.get<VkPhysicalDeviceProperties*>("pProperties") = properties();
             return VK_SUCCESS;
         }},
        {"vkGetPhysicalDeviceProperties2",
         [](const Parameters& p) {
             auto* all = p.get<VkPhysicalDeviceProperties2*>("pProperties");
             all->properties = properties();
             for (auto* next = static_cast<VkBaseOutStructure*>(all->pNext); next; next = next->pNext)
                 fillProperties(next);
             return VK_SUCCESS;
         }},
        {"vkGetPhysicalDeviceMemoryProperties",
         [](const Parameters& p) {
             auto& out = *p.get<VkPhysicalDeviceMemoryProperties*>("pMemoryProperties");
             out = {};
             out.memoryTypeCount = out.memoryHeapCount = 1;
             out.memoryTypes[0].propertyFlags = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT |
                                                VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                                VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
             out.memoryHeaps[0] = {VkDeviceSize{1} << 32, VK_MEMORY_HEAP_DEVICE_LOCAL_BIT};
             return VK_SUCCESS;
         }},
        {"vkCreateBuffer",
         [](const Parameters& p) {
             const std::lock_guard lock(state().mutex);
             state().sizes[*p.get<VkBuffer*>("pBuffer")] = p.get<const VkBufferCreateInfo*>("pCreateInfo")->size;
             return VK_SUCCESS;
         }},
        {"vkGetBufferMemoryRequirements",
         [](const Parameters& p) {
             *p.get<VkMemoryRequirements*>("pMemoryRequirements") = requirements(p.get<VkBuffer>("buffer"));
             return VK_SUCCESS;
         }},
        {"vkGetBufferMemoryRequirements2",
         [](const Parameters& p) {
             p.get<VkMemoryRequirements2*>("pMemoryRequirements")->memoryRequirements =
                 requirements(p.get<const VkBufferMemoryRequirementsInfo2*>("pInfo")->buffer);
             return VK_SUCCESS;
         }},
        {"vkMapMemory",
         [](const Parameters& p) {
             const std::lock_guard lock(state().mutex);
             const auto memory = p.get<VkDeviceMemory>("memory");
             *p.get<void**>("ppData") =
                 static_cast<std::byte*>(state().memory.at(memory).get()) + p.get<VkDeviceSize>("offset");
             return VK_SUCCESS;
         }},
        {"vkAllocateMemory",
         [](const Parameters& p) {
             const std::lock_guard lock(state().mutex);
             const VkDeviceSize bytes = p.get<const VkMemoryAllocateInfo*>("pAllocateInfo")->allocationSize;
             // Of which most is never touched.
             void* const data = std::calloc(bytes, 1);
             state().memory.insert_or_assign(*p.get<VkDeviceMemory*>("pMemory"), Memory(data));
             return data ? VK_SUCCESS : VK_ERROR_OUT_OF_DEVICE_MEMORY;
         }},
        {"vkFreeMemory",
         [](const Parameters& p) {
             const std::lock_guard lock(state().mutex);
             state().memory.erase(p.get<VkDeviceMemory>("memory"));
             return VK_SUCCESS;
         }},
        {"vkEnumerateDeviceExtensionProperties", enumerateExtensions},
        {"vkGetPhysicalDeviceQueueFamilyProperties", getQueueFamilies},
        {"vkAllocateCommandBuffers", allocateCommandBuffers},
        {"vkGetDeviceQueue",
         [](const Parameters& p) {
             return getQueue(p.get<VkQueue*>("pQueue"), p.get<uint32_t>("queueFamilyIndex"),
                             p.get<uint32_t>("queueIndex"));
         }},
        {"vkGetDeviceQueue2",
         [](const Parameters& p) {
             const auto& info = *p.get<const VkDeviceQueueInfo2*>("pQueueInfo");
             return getQueue(p.get<VkQueue*>("pQueue"), info.queueFamilyIndex, info.queueIndex);
         }},
        {"vkWaitForFences", [](const Parameters& p) { return wait(p.get<uint64_t>("timeout")); }},
        {"vkWaitSemaphores", [](const Parameters& p) { return wait(p.get<uint64_t>("timeout")); }},
        {"vkWaitSemaphoresKHR", [](const Parameters& p) { return wait(p.get<uint64_t>("timeout")); }},
    };
    return all;
}

const Command* findCommand(const std::string& name)
{
    static const std::map<std::string, const Command*> byName = [] {
        std::map<std::string, const Command*> map;
        for (const Command* command : commands())
            map.emplace(command->name(), command);
        return map;
    }();
    const auto found = byName.find(name);
    return found == byName.end() ? nullptr : found->second;
}

PFN_vkVoidFunction VKAPI_CALL getInstanceProcAddr(VkInstance, const char* name);

PFN_vkVoidFunction VKAPI_CALL getDeviceProcAddr(VkDevice, const char* name)
{
    if (std::string_view(name) == "vkGetDeviceProcAddr")
        return reinterpret_cast<PFN_vkVoidFunction>(getDeviceProcAddr);
    const Command* command = findCommand(name);
    return command && !(command->isOfVulkan14 && state().version == Version::Vulkan13) ? command->driver : nullptr;
}

PFN_vkVoidFunction VKAPI_CALL getInstanceProcAddr(VkInstance, const char* name)
{
    if (std::string_view(name) == "vkGetInstanceProcAddr")
        return reinterpret_cast<PFN_vkVoidFunction>(getInstanceProcAddr);
    return getDeviceProcAddr(VK_NULL_HANDLE, name);
}

void check(VkResult result)
{
    if (result != VK_SUCCESS)
        throw std::runtime_error("the layer fails without a reason");
}

VkInstance makeInstance(Provided provided, std::vector<VkLayerSettingEXT> list)
{
    VkLayerInstanceLink link{};
    link.pfnNextGetInstanceProcAddr = getInstanceProcAddr;
    VkLayerInstanceCreateInfo loader{VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO};
    loader.function = VK_LAYER_LINK_INFO;
    loader.u.pLayerInfo = &link;
    VkApplicationInfo application{VK_STRUCTURE_TYPE_APPLICATION_INFO};
    application.apiVersion = VK_API_VERSION_1_3;
    const char* const words[] = {"generated_commands", "mesh_shaders"};
    if (provided != Provided::Graphs)
        list.push_back({settings::kLayerName, "enable", VK_LAYER_SETTING_TYPE_STRING_EXT,
                        provided == Provided::MeshShaders ? 2u : 1u, words});
    VkLayerSettingsCreateInfoEXT settings{VK_STRUCTURE_TYPE_LAYER_SETTINGS_CREATE_INFO_EXT, &loader,
                                          static_cast<uint32_t>(list.size()), list.data()};
    VkInstanceCreateInfo info{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, &loader};
    if (!list.empty())
        info.pNext = &settings;
    info.pApplicationInfo = &application;
    VkInstance out = VK_NULL_HANDLE;
    check(FakeDriver::get<PFN_vkCreateInstance>("vkCreateInstance")(&info, nullptr, &out));
    return out;
}

VkDevice makeDevice(Provided provided)
{
    VkLayerDeviceLink link{};
    link.pfnNextGetInstanceProcAddr = getInstanceProcAddr;
    link.pfnNextGetDeviceProcAddr = getDeviceProcAddr;
    VkLayerDeviceCreateInfo loader{VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO};
    loader.function = VK_LAYER_LINK_INFO;
    loader.u.pLayerInfo = &link;
    VkPhysicalDeviceShaderEnqueueFeaturesAMDX enqueue{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ENQUEUE_FEATURES_AMDX,
                                                      &loader, VK_TRUE};
    const float priorities[kQueues] = {1.0f, 1.0f};
    std::array<VkDeviceQueueCreateInfo, kFamilies.size()> queues{};
    for (uint32_t i = 0; i < queues.size(); ++i) {
        queues[i].sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
        queues[i].queueFamilyIndex = i;
        queues[i].queueCount = kQueues;
        queues[i].pQueuePriorities = priorities;
    }
    constexpr const char* kExtensions[] = {VK_AMDX_SHADER_ENQUEUE_EXTENSION_NAME,
                                           VK_EXT_DEVICE_GENERATED_COMMANDS_EXTENSION_NAME,
                                           VK_EXT_MESH_SHADER_EXTENSION_NAME};
    VkPhysicalDeviceDeviceGeneratedCommandsFeaturesEXT generated{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DEVICE_GENERATED_COMMANDS_FEATURES_EXT, &enqueue, VK_TRUE};
    VkPhysicalDeviceMeshShaderFeaturesEXT meshes{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MESH_SHADER_FEATURES_EXT, &generated,
                                                 VK_TRUE, VK_TRUE};
    VkDeviceCreateInfo info{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &enqueue};
    if (provided == Provided::GeneratedCommands)
        info.pNext = &generated;
    if (provided == Provided::MeshShaders)
        info.pNext = &meshes;
    // Else the layer enables them for fragment shaders, and unbinds them for shader objects.
    VkPhysicalDeviceFeatures features{};
    features.geometryShader = VK_TRUE;
    info.pEnabledFeatures = provided == Provided::MeshShaders ? &features : nullptr;
    info.queueCreateInfoCount = static_cast<uint32_t>(queues.size());
    info.pQueueCreateInfos = queues.data();
    info.enabledExtensionCount = 1 + static_cast<uint32_t>(provided);
    info.ppEnabledExtensionNames = kExtensions;
    VkDevice out = VK_NULL_HANDLE;
    check(FakeDriver::get<PFN_vkCreateDevice>("vkCreateDevice")(asHandle<VkPhysicalDevice>(state().physical), &info,
                                                                nullptr, &out));
    return out;
}

}  // namespace

VkLayerSettingEXT switchedOn(const char* name)
{
    static constexpr VkBool32 kYes = VK_TRUE;
    return {settings::kLayerName, name, VK_LAYER_SETTING_TYPE_BOOL32_EXT, 1, &kYes};
}

VkLayerSettingEXT setTo(const char* name, const char* const& text)
{
    return {settings::kLayerName, name, VK_LAYER_SETTING_TYPE_STRING_EXT, 1, &text};
}

FakeDriver::FakeDriver(Version version, Provided provided, const std::vector<VkLayerSettingEXT>& settings)
    : m_instance((state().version = version, makeInstance(provided, settings))), m_device(makeDevice(provided))
{
    if (provided != Provided::Graphs && !device().usesCommands())
        throw std::runtime_error("there are no generated commands");
    if (provided == Provided::MeshShaders && !device().usesMesh())
        throw std::runtime_error("there are no mesh shaders");
    if (!device().usesGraphs())
        throw std::runtime_error("there are no graphs");
    const VkCommandPoolCreateInfo info{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    check(get<PFN_vkCreateCommandPool>("vkCreateCommandPool")(m_device, &info, nullptr, &m_pool));
    takeAllCalls();
    state().isDone = false;
}

FakeDriver::~FakeDriver()
{
    state().isDone = true;
    for (const std::function<void()>& destroy : m_cleanup)
        destroy();
    get<PFN_vkDestroyCommandPool>("vkDestroyCommandPool")(m_device, m_pool, nullptr);
    get<PFN_vkDestroyDevice>("vkDestroyDevice")(m_device, nullptr);
    get<PFN_vkDestroyInstance>("vkDestroyInstance")(m_instance, nullptr);
    state().commandBuffers.clear();
    state().counts.clear();
    state().sizes.clear();
    state().memory.clear();
}

layer::Instance& FakeDriver::instance() const
{
    return layer::Instance::of(m_instance);
}

layer::Device& FakeDriver::device() const
{
    return layer::Device::of(m_device);
}

VkPhysicalDevice FakeDriver::physical() const
{
    return asHandle<VkPhysicalDevice>(state().physical);
}

VkCommandBuffer FakeDriver::begin(VkCommandBufferUsageFlags usage)
{
    VkCommandBufferAllocateInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
    info.commandPool = m_pool;
    info.commandBufferCount = 1;
    VkCommandBuffer out = VK_NULL_HANDLE;
    check(get<PFN_vkAllocateCommandBuffers>("vkAllocateCommandBuffers")(m_device, &info, &out));
    VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    begin.flags = usage;
    check(get<PFN_vkBeginCommandBuffer>("vkBeginCommandBuffer")(out, &begin));
    return out;
}

void FakeDriver::split(VkCommandBuffer commandBuffer)
{
    layer::CommandBuffer& known = of(commandBuffer);
    interruptRendering(known, true);
    interruptPredicate(known, true);
    if (!known.divide({}, "behind a split"))
        throw std::runtime_error("the command buffer is not split");
    known.log.replay(layer::kScopeOutsideRendering, known.device.table, known.current);
    resumeRendering(known, false);
}

void FakeDriver::createGraph()
{
    std::ifstream file(MILLRACE_TEST_SHADERS "/recurse.spv", std::ios::binary);
    const std::string code{std::istreambuf_iterator<char>(file), {}};
    VkShaderModuleCreateInfo moduleInfo{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
    moduleInfo.codeSize = code.size();
    moduleInfo.pCode = reinterpret_cast<const uint32_t*>(code.data());
    VkShaderModule module = VK_NULL_HANDLE;
    check(get<PFN_vkCreateShaderModule>("vkCreateShaderModule")(m_device, &moduleInfo, nullptr, &module));
    const VkDescriptorSetLayoutBinding binding{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT};
    VkDescriptorSetLayoutCreateInfo setInfo{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
    setInfo.bindingCount = 1;
    setInfo.pBindings = &binding;
    VkDescriptorSetLayout set = VK_NULL_HANDLE;
    check(get<PFN_vkCreateDescriptorSetLayout>("vkCreateDescriptorSetLayout")(m_device, &setInfo, nullptr, &set));
    VkPipelineLayoutCreateInfo layoutInfo{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    layoutInfo.setLayoutCount = 1;
    layoutInfo.pSetLayouts = &set;
    VkPipelineLayout layout = VK_NULL_HANDLE;
    check(get<PFN_vkCreatePipelineLayout>("vkCreatePipelineLayout")(m_device, &layoutInfo, nullptr, &layout));
    VkPipelineShaderStageCreateInfo stage{VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO};
    stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    stage.module = module;
    stage.pName = "recurse";
    VkExecutionGraphPipelineCreateInfoAMDX info{VK_STRUCTURE_TYPE_EXECUTION_GRAPH_PIPELINE_CREATE_INFO_AMDX};
    info.stageCount = 1;
    info.pStages = &stage;
    info.layout = layout;
    info.basePipelineIndex = -1;
    check(get<PFN_vkCreateExecutionGraphPipelinesAMDX>("vkCreateExecutionGraphPipelinesAMDX")(
        m_device, VK_NULL_HANDLE, 1, &info, nullptr, &m_graph));
    VkExecutionGraphPipelineScratchSizeAMDX size{VK_STRUCTURE_TYPE_EXECUTION_GRAPH_PIPELINE_SCRATCH_SIZE_AMDX};
    check(get<PFN_vkGetExecutionGraphPipelineScratchSizeAMDX>("vkGetExecutionGraphPipelineScratchSizeAMDX")(
        m_device, m_graph, &size));
    m_scratchBytes = size.minSize;
    m_cleanup = {
        [this] { get<PFN_vkDestroyPipeline>("vkDestroyPipeline")(m_device, m_graph, nullptr); },
        [this, layout] { get<PFN_vkDestroyPipelineLayout>("vkDestroyPipelineLayout")(m_device, layout, nullptr); },
        [this, set] { get<PFN_vkDestroyDescriptorSetLayout>("vkDestroyDescriptorSetLayout")(m_device, set, nullptr); },
        [this, module] { get<PFN_vkDestroyShaderModule>("vkDestroyShaderModule")(m_device, module, nullptr); }};
}

void FakeDriver::bindGraph(VkCommandBuffer commandBuffer)
{
    if (!m_graph) {
        state().isDone = true;
        createGraph();
        device().pipelinesAhead->stop();  // its calls would come at any time
        state().isDone = false;
    }
    get<PFN_vkCmdBindPipeline>("vkCmdBindPipeline")(commandBuffer, VK_PIPELINE_BIND_POINT_EXECUTION_GRAPH_AMDX,
                                                    m_graph);
}

void FakeDriver::dispatchGraph(VkCommandBuffer commandBuffer, bool fits)
{
    constexpr VkDeviceAddress kScratch = 0x100000;
    const uint32_t payload = 0;
    VkDispatchGraphInfoAMDX info{};
    info.payloadCount = 1;
    info.payloads.hostAddress = &payload;
    info.payloadStride = sizeof payload;
    VkDispatchGraphCountInfoAMDX count{};
    count.count = 1;
    count.stride = sizeof info;
    if (fits) {
        count.infos.hostAddress = &info;
        get<PFN_vkCmdDispatchGraphAMDX>("vkCmdDispatchGraphAMDX")(commandBuffer, kScratch, m_scratchBytes, &count);
    } else {
        count.infos.deviceAddress = 0x200000;
        get<PFN_vkCmdDispatchGraphIndirectAMDX>("vkCmdDispatchGraphIndirectAMDX")(commandBuffer, kScratch,
                                                                                  m_scratchBytes, &count);
    }
}

layer::CommandBuffer& FakeDriver::of(VkCommandBuffer commandBuffer)
{
    return layer::CommandBuffer::of(commandBuffer);
}

Version FakeDriver::version()
{
    return state().version;
}

const VkAllocationCallbacks* FakeDriver::deviceAllocator()
{
    return state().deviceAllocator;
}

bool FakeDriver::isIntercepted(const char* name) const
{
    const layer::EntryPoint* entry = layer::findDeviceEntryPoint(name);
    return entry ? (entry->uses & device().uses) != 0 : layer::findInstanceEntryPoint(name) != nullptr;
}

PFN_vkVoidFunction FakeDriver::find(const char* name)
{
    const layer::EntryPoint* entry = layer::findDeviceEntryPoint(name);
    if (!entry)
        entry = layer::findInstanceEntryPoint(name);
    return entry ? entry->function.get() : nullptr;
}

std::vector<Call> FakeDriver::takeCalls()
{
    std::vector<Call> calls = takeAllCalls();
    std::erase_if(calls, [](const Call& call) { return !call.command.starts_with("vkCmd"); });
    return calls;
}

std::vector<Call> FakeDriver::takeAllCalls()
{
    const std::lock_guard lock(state().mutex);
    state().hasWaited = false;
    return std::exchange(state().calls, {});
}

VkQueue FakeDriver::queue(uint32_t family, uint32_t index) const
{
    VkQueue out = VK_NULL_HANDLE;
    get<PFN_vkGetDeviceQueue>("vkGetDeviceQueue")(m_device, family, index, &out);
    return out;
}

void FakeDriver::forget(const std::string& command)
{
    const std::lock_guard lock(state().mutex);
    state().counts.erase(command);
}

void FakeDriver::waitForWait()
{
    std::unique_lock lock(state().mutex);
    state().waiting.wait(lock, [] { return state().hasWaited; });
}

uint64_t receive(const Command& command, void* arguments)
{
    VkCommandBuffer target = VK_NULL_HANDLE;
    if (std::string_view(command.name()).starts_with("vkCmd"))
        std::memcpy(&target, arguments, sizeof target);
    Call call{command.name(), target, textOfInputs(comparable(command), arguments)};
    uint32_t count = 0;
    {
        const std::lock_guard lock(state().mutex);
        state().calls.push_back(std::move(call));
        count = ++state().counts[command.name()];
    }
    // What is created is different each time.
    const auto number = static_cast<uint32_t>(std::hash<std::string>()(command.name())) | 0x1000000;
    writeOutputs(command.arguments, arguments, number + count * 1000);
    if (std::string_view(command.name()).starts_with("vkGetBufferDeviceAddress"))
        return addressOf(Parameters(command, arguments).get<const VkBufferDeviceAddressInfo*>("pInfo")->buffer);
    const auto answer = answers().find(command.name());
    const VkResult result = answer == answers().end() ? VK_SUCCESS : answer->second(Parameters(command, arguments));
    return static_cast<uint64_t>(result);
}

}  // namespace millrace::layertest
