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

constexpr uint32_t kMostAtOnce = 16;  // command buffers that are allocated
constexpr uint32_t kQueues = FakeDriver::kQueueCount;
constexpr std::array<VkQueueFamilyProperties, FakeDriver::kFamilyCount> kFamilies = {{
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
    std::map<std::string, uint32_t> counts;  // of calls
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
             *p.get<VkDevice*>("pDevice") = asHandle<VkDevice>(state().device);
             return VK_SUCCESS;
         }},
        {"vkGetPhysicalDeviceProperties",
         [](const Parameters& p) {
             auto& out = *p.get<VkPhysicalDeviceProperties*>("pProperties");
             out = {};
             out.apiVersion = VK_API_VERSION_1_0;
             return VK_SUCCESS;
         }},
        {"vkEnumerateDeviceExtensionProperties",
         [](const Parameters& p) {
             *p.get<uint32_t*>("pPropertyCount") = 0;
             return VK_SUCCESS;
         }},
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
    const auto answer = answers().find(command.name());
    const VkResult result = answer == answers().end() ? VK_SUCCESS : answer->second(Parameters(command, arguments));
    return static_cast<uint64_t>(result);
}

}  // namespace millrace::layertest
