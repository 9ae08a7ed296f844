// SPDX-License-Identifier: Apache-2.0
#include "layer/fake_driver.h"

#include <vulkan/vk_layer.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "layer/command_buffer.h"
#include "layer/commands/arguments.h"
#include "layer/commands/text.h"
#include "layer/entry_points.h"

namespace millrace::layertest {

namespace {

// Dispatchable: the loader, and the layer as well, find what it belongs to by its first word.
struct Object {
    void* key;
};

constexpr uint32_t kQueues = 2;  // of each family
constexpr std::array<VkQueueFamilyProperties, 3> kFamilies = {{
    {VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT, kQueues, 64, {1, 1, 1}},
    {VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT, kQueues, 64, {1, 1, 1}},
    {VK_QUEUE_TRANSFER_BIT, kQueues, 64, {1, 1, 1}},
}};

struct State {
    std::mutex mutex;
    std::condition_variable waiting;
    bool hasWaited = false;
    Version version = Version::All;
    std::vector<Call> calls;
    std::deque<Object> commandBuffers;
    uintptr_t lastHandle = 0;
    Object instance{&instance};
    Object physical{&instance};
    Object device{&device};
    std::array<std::array<Object, kQueues>, kFamilies.size()> queues = [this] {
        std::array<std::array<Object, kQueues>, kFamilies.size()> all{};
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

VKAPI_ATTR VkResult VKAPI_CALL createInstance(const VkInstanceCreateInfo*, const VkAllocationCallbacks*,
                                              VkInstance* out)
{
    *out = asHandle<VkInstance>(state().instance);
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL createDevice(VkPhysicalDevice, const VkDeviceCreateInfo*, const VkAllocationCallbacks*,
                                            VkDevice* out)
{
    *out = asHandle<VkDevice>(state().device);
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL getProperties(VkPhysicalDevice, VkPhysicalDeviceProperties* out)
{
    *out = {};
    out->apiVersion = VK_API_VERSION_1_0;
}

VKAPI_ATTR VkResult VKAPI_CALL enumerateExtensions(VkPhysicalDevice, const char*, uint32_t* count,
                                                   VkExtensionProperties*)
{
    *count = 0;
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL getFeatures(VkPhysicalDevice, VkPhysicalDeviceFeatures2*) {}

VKAPI_ATTR void VKAPI_CALL getQueueFamilies(VkPhysicalDevice, uint32_t* count, VkQueueFamilyProperties* out)
{
    if (out)
        std::copy_n(kFamilies.begin(), std::min<size_t>(*count, kFamilies.size()), out);
    *count = static_cast<uint32_t>(kFamilies.size());
}

template <typename Info, typename Handle>
VKAPI_ATTR VkResult VKAPI_CALL create(VkDevice, const Info*, const VkAllocationCallbacks*, Handle* out)
{
    const std::lock_guard lock(state().mutex);
    *out = fakeHandle<Handle>(++state().lastHandle);
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL allocateCommandBuffers(VkDevice, const VkCommandBufferAllocateInfo* info,
                                                      VkCommandBuffer* out)
{
    const std::lock_guard lock(state().mutex);
    for (uint32_t i = 0; i < info->commandBufferCount; ++i)
        out[i] = asHandle<VkCommandBuffer>(state().commandBuffers.emplace_back(Object{&state().device}));
    return VK_SUCCESS;
}

VkResult wait(uint64_t timeout)
{
    {
        const std::lock_guard lock(state().mutex);
        state().hasWaited = true;
    }
    state().waiting.notify_all();
    constexpr std::chrono::nanoseconds kLongest = std::chrono::seconds(5);
    std::this_thread::sleep_for(std::chrono::nanoseconds(std::min<uint64_t>(timeout, kLongest.count())));
    return VK_TIMEOUT;
}

VKAPI_ATTR VkResult VKAPI_CALL waitForFences(VkDevice, uint32_t, const VkFence*, VkBool32, uint64_t timeout)
{
    return wait(timeout);
}

VKAPI_ATTR VkResult VKAPI_CALL waitSemaphores(VkDevice, const VkSemaphoreWaitInfo*, uint64_t timeout)
{
    return wait(timeout);
}

VKAPI_ATTR void VKAPI_CALL getDeviceQueue(VkDevice, uint32_t family, uint32_t index, VkQueue* out)
{
    *out = asHandle<VkQueue>(state().queues.at(family).at(index));
}

VKAPI_ATTR void VKAPI_CALL getDeviceQueue2(VkDevice device, const VkDeviceQueueInfo2* info, VkQueue* out)
{
    getDeviceQueue(device, info->queueFamilyIndex, info->queueIndex, out);
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

using Functions = std::map<std::string, PFN_vkVoidFunction>;

template <typename Function>
PFN_vkVoidFunction plain(Function function)
{
    return reinterpret_cast<PFN_vkVoidFunction>(function);
}

PFN_vkVoidFunction VKAPI_CALL getInstanceProcAddr(VkInstance, const char* name);

PFN_vkVoidFunction findIn(const Functions& own, const char* name)
{
    if (const auto found = own.find(name); found != own.end())
        return found->second;
    const Command* command = findCommand(name);
    return command && !(command->isOfVulkan14 && state().version == Version::Vulkan13) ? command->driver : nullptr;
}

PFN_vkVoidFunction VKAPI_CALL getDeviceProcAddr(VkDevice, const char* name)
{
    static const Functions own = {
        {"vkCreateCommandPool", plain(create<VkCommandPoolCreateInfo, VkCommandPool>)},
        {"vkCreateDescriptorSetLayout", plain(create<VkDescriptorSetLayoutCreateInfo, VkDescriptorSetLayout>)},
        {"vkCreatePipelineLayout", plain(create<VkPipelineLayoutCreateInfo, VkPipelineLayout>)},
        {"vkAllocateCommandBuffers", plain(allocateCommandBuffers)},
        {"vkGetDeviceQueue", plain(getDeviceQueue)},
        {"vkGetDeviceQueue2", plain(getDeviceQueue2)},
        {"vkWaitForFences", plain(waitForFences)},
        {"vkWaitSemaphores", plain(waitSemaphores)},
        {"vkGetDeviceProcAddr", plain(getDeviceProcAddr)},
    };
    return findIn(own, name);
}

PFN_vkVoidFunction VKAPI_CALL getInstanceProcAddr(VkInstance, const char* name)
{
    static const Functions own = {
        {"vkCreateInstance", plain(createInstance)},
        {"vkCreateDevice", plain(createDevice)},
        {"vkGetPhysicalDeviceProperties", plain(getProperties)},
        {"vkGetPhysicalDeviceFeatures2", plain(getFeatures)},
        {"vkGetPhysicalDeviceQueueFamilyProperties", plain(getQueueFamilies)},
        {"vkEnumerateDeviceExtensionProperties", plain(enumerateExtensions)},
        {"vkGetDeviceProcAddr", plain(getDeviceProcAddr)},
        {"vkGetInstanceProcAddr", plain(getInstanceProcAddr)},
    };
    return findIn(own, name);
}

void check(VkResult result)
{
    if (result != VK_SUCCESS)
        throw std::runtime_error("the layer fails without a reason");
}

VkInstance makeInstance()
{
    VkLayerInstanceLink link{};
    link.pfnNextGetInstanceProcAddr = getInstanceProcAddr;
    VkLayerInstanceCreateInfo loader{VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO};
    loader.function = VK_LAYER_LINK_INFO;
    loader.u.pLayerInfo = &link;
    const VkInstanceCreateInfo info{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, &loader};
    VkInstance out = VK_NULL_HANDLE;
    check(FakeDriver::get<PFN_vkCreateInstance>("vkCreateInstance")(&info, nullptr, &out));
    return out;
}

VkDevice makeDevice()
{
    VkLayerDeviceLink link{};
    link.pfnNextGetInstanceProcAddr = getInstanceProcAddr;
    link.pfnNextGetDeviceProcAddr = getDeviceProcAddr;
    VkLayerDeviceCreateInfo loader{VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO};
    loader.function = VK_LAYER_LINK_INFO;
    loader.u.pLayerInfo = &link;
    const VkDeviceCreateInfo info{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &loader};
    VkDevice out = VK_NULL_HANDLE;
    check(FakeDriver::get<PFN_vkCreateDevice>("vkCreateDevice")(asHandle<VkPhysicalDevice>(state().physical), &info,
                                                                nullptr, &out));
    return out;
}

}  // namespace

FakeDriver::FakeDriver(Version version)
    : m_instance((state().version = version, makeInstance())), m_device(makeDevice())
{
    device().uses |= layer::kUseExtension | layer::kUseGraphs;
    const VkCommandPoolCreateInfo info{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    check(get<PFN_vkCreateCommandPool>("vkCreateCommandPool")(m_device, &info, nullptr, &m_pool));
    takeCalls();
}

FakeDriver::~FakeDriver()
{
    get<PFN_vkDestroyCommandPool>("vkDestroyCommandPool")(m_device, m_pool, nullptr);
    get<PFN_vkDestroyDevice>("vkDestroyDevice")(m_device, nullptr);
    get<PFN_vkDestroyInstance>("vkDestroyInstance")(m_instance, nullptr);
    state().commandBuffers.clear();
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

VkCommandBuffer FakeDriver::begin()
{
    VkCommandBufferAllocateInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
    info.commandPool = m_pool;
    info.commandBufferCount = 1;
    VkCommandBuffer out = VK_NULL_HANDLE;
    check(get<PFN_vkAllocateCommandBuffers>("vkAllocateCommandBuffers")(m_device, &info, &out));
    const VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
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

layer::CommandBuffer& FakeDriver::of(VkCommandBuffer commandBuffer)
{
    return layer::CommandBuffer::of(commandBuffer);
}

PFN_vkVoidFunction FakeDriver::find(const char* name)
{
    const layer::EntryPoint* entry = layer::findDeviceEntryPoint(name);
    if (!entry)
        entry = layer::findInstanceEntryPoint(name);
    return entry ? entry->function : nullptr;
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
    // The same each time.
    writeOutputs(command.arguments, arguments, static_cast<uint32_t>(std::hash<std::string>()(command.name()) | 1));
    const std::lock_guard lock(state().mutex);
    state().calls.push_back(std::move(call));
    return 0;
}

}  // namespace millrace::layertest
