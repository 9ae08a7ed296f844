// SPDX-License-Identifier: Apache-2.0
#include "runtime/residency.h"

#include <vulkan/vk_enum_string_helper.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <map>
#include <mutex>

#include "abi/probe.h"
#include "runtime/barriers.h"
#include "runtime/host_memory.h"
#include "runtime/kept_residency.h"
#include "runtime/labels.h"

namespace millrace::runtime {

namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

// Rounds begin with few workgroups that wait shortly. As long as about all of them are there at once, more begin in the
// next; then they wait longer, until it was certainly longer than starting them takes.
constexpr uint32_t kFirstGroups = 64;
constexpr uint32_t kMoreGroups = 8;
constexpr uint32_t kMostGroups = kFirstGroups * kMoreGroups * kMoreGroups * kMoreGroups;
constexpr uint32_t kFirstPolls = 256;
constexpr uint32_t kMorePolls = 4;
constexpr uint32_t kMostPolls = 1u << 20;
constexpr uint32_t kPollsForArrivals = 8;  // times as many as are quiet in the end, at most
constexpr auto kLongEnough = 300us;
constexpr auto kBudget = 8ms;  // for each size, the first round not counted

class Probe {
public:
    Probe(Device::Impl& device, const IdleQueue& queue) : m_device(device), m_table(*device.table), m_queue(queue) {}
    ~Probe();
    Probe(const Probe&) = delete;
    Probe& operator=(const Probe&) = delete;

    VkResult create();
    VkResult measure(Meta shader, uint32_t& most);

private:
    struct Round {
        uint32_t groups;
        uint32_t quietPolls;
        uint32_t resident = 0;
        Clock::duration time{};
    };
    VkResult run(Meta shader, Round& round);
    void record(Meta shader, const Round& round) const;
    void copy(VkDeviceAddress from, VkDeviceAddress to) const;

    Device::Impl& m_device;
    const VkuDeviceDispatchTable& m_table;
    const IdleQueue& m_queue;
    VkCommandPool m_pool = VK_NULL_HANDLE;
    VkCommandBuffer m_commands = VK_NULL_HANDLE;
    VkFence m_fence = VK_NULL_HANDLE;
    Buffer m_state;  // of the device, so that nobody waits for a bus
    Buffer m_host;   // zeros, and behind them the result
};

Probe::~Probe()
{
    m_table.DestroyFence(m_device.device, m_fence, hostMemory());
    m_table.DestroyCommandPool(m_device.device, m_pool, hostMemory());
}

VkResult Probe::create()
{
    VkCommandPoolCreateInfo pool{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    pool.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT | VK_COMMAND_POOL_CREATE_TRANSIENT_BIT;
    pool.queueFamilyIndex = m_queue.family;
    VkResult result = m_table.CreateCommandPool(m_device.device, &pool, hostMemory(), &m_pool);
    VkCommandBufferAllocateInfo allocate{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
    allocate.commandPool = m_pool;
    allocate.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
    allocate.commandBufferCount = 1;
    if (result == VK_SUCCESS)
        result = m_table.AllocateCommandBuffers(m_device.device, &allocate, &m_commands);
    if (result == VK_SUCCESS && m_queue.adopt)
        result = m_queue.adopt(m_commands);
    const VkFenceCreateInfo fence{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    if (result == VK_SUCCESS)
        result = m_table.CreateFence(m_device.device, &fence, hostMemory(), &m_fence);
    if (result == VK_SUCCESS)
        result = m_device.meta.add(Meta::Init);  // copies
    if (result == VK_SUCCESS)
        result = m_device.memory.createBuffer(BufferUse::Indirect, sizeof(abi::ProbeState), m_state);
    if (result == VK_SUCCESS)
        result = m_device.memory.createBuffer(BufferUse::Readback, 2 * sizeof(abi::ProbeState), m_host);
    if (result != VK_SUCCESS)
        return result;
    std::memset(m_host.data(), 0, 2 * sizeof(abi::ProbeState));
    m_device.names.set(VK_OBJECT_TYPE_COMMAND_POOL, m_pool, {"command pool"});
    m_device.names.set(VK_OBJECT_TYPE_COMMAND_BUFFER, m_commands, {"measure the device"});
    m_device.names.set(VK_OBJECT_TYPE_FENCE, m_fence, {"measure the device"});
    m_device.names.set(VK_OBJECT_TYPE_BUFFER, m_state.handle(), {"measure the device, state"});
    m_device.names.set(VK_OBJECT_TYPE_BUFFER, m_host.handle(), {"measure the device, result"});
    return VK_SUCCESS;
}

VkResult Probe::measure(Meta shader, uint32_t& most)
{
    VkResult result = m_device.meta.add(shader);
    Round round{.groups = 1, .quietPolls = 1};
    // Drivers compile, and start threads, when they first run something.
    if (result == VK_SUCCESS)
        result = run(shader, round);
    round = {.groups = kFirstGroups, .quietPolls = kFirstPolls};
    most = 1;
    const Clock::time_point end = Clock::now() + kBudget;
    while (result == VK_SUCCESS && Clock::now() < end) {
        result = run(shader, round);
        most = std::max(most, round.resident);
        if (2 * round.resident > round.groups && round.groups < kMostGroups)
            round.groups *= kMoreGroups;
        else if (round.time < kLongEnough && round.quietPolls < kMostPolls)
            round.quietPolls *= kMorePolls;
        else
            break;
    }
    return result;
}

VkResult Probe::run(Meta shader, Round& round)
{
    const VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, nullptr,
                                         VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
    VkResult result = m_table.BeginCommandBuffer(m_commands, &begin);
    if (result != VK_SUCCESS)
        return result;
    record(shader, round);
    result = m_table.EndCommandBuffer(m_commands);
    VkSubmitInfo submit{VK_STRUCTURE_TYPE_SUBMIT_INFO};
    submit.commandBufferCount = 1;
    submit.pCommandBuffers = &m_commands;
    const Clock::time_point start = Clock::now();
    if (result == VK_SUCCESS)
        result = m_table.QueueSubmit(m_queue.handle, 1, &submit, m_fence);
    // It ends, since no workgroup looks more often than maxPolls.
    if (result == VK_SUCCESS)
        result = m_table.WaitForFences(m_device.device, 1, &m_fence, VK_TRUE, UINT64_MAX);
    round.time = Clock::now() - start;
    if (result == VK_SUCCESS)
        result = m_table.ResetFences(m_device.device, 1, &m_fence);
    abi::ProbeState state;
    std::memcpy(&state, m_host.data() + sizeof state, sizeof state);
    round.resident = state.resident;
    return result;
}

void Probe::record(Meta shader, const Round& round) const
{
    abi::ProbeArguments arguments{};
    arguments.state = m_state.address();
    arguments.quietPolls = round.quietPolls;
    arguments.maxPolls = kPollsForArrivals * round.quietPolls;
    const Label label(m_device, m_commands, "Millrace: measure the device");
    copy(m_host.address(), m_state.address());
    computeBarrier(m_device, m_commands);
    m_device.meta.dispatch(m_commands, shader, arguments, round.groups);
    computeBarrier(m_device, m_commands);
    copy(m_state.address(), m_host.address() + sizeof(abi::ProbeState));
    hostBarrier(m_device, m_commands);
}

void Probe::copy(VkDeviceAddress from, VkDeviceAddress to) const
{
    const abi::InitArguments arguments{from, to, sizeof(abi::ProbeState) / sizeof(uint32_t), 0};
    m_device.meta.dispatch(m_commands, Meta::Init, arguments, 1);
}

Result<Residency> measure(Device::Impl& device, const IdleQueue& queue)
{
    if (!queue.handle)
        return Diagnostic{"", "", "no queue of the application runs compute shaders"};
    Probe probe(device, queue);
    Residency residency;
    VkResult result = probe.create();
    if (result == VK_SUCCESS)
        result = probe.measure(Meta::ProbeSmall, residency.small);
    // Where there are no such workgroups, none run.
    if (result == VK_SUCCESS && device.meta.width() >= Residency::kLarge)
        result = probe.measure(Meta::ProbeLarge, residency.large);
    if (result != VK_SUCCESS)
        return Diagnostic{"", "", std::string("a submission for it failed with ") + string_VkResult(result)};
    return residency;
}

}  // namespace

Result<Residency> measureResidency(Device::Impl& device, const IdleQueue& queue, const DeviceIdentity& identity)
{
    // Recursive: what drivers and layers say meanwhile may lead to another device. Never destroyed: threads may outlive
    // main().
    static std::recursive_mutex mutex;
    static auto& known = *new std::map<DeviceIdentity, Residency>;
    const std::lock_guard lock(mutex);
    if (const auto found = known.find(identity); found != known.end())
        return found->second;
    KeptResidency kept = readKeptResidency(device.settings.cacheFolder, identity);
    if (!kept.isEnough()) {
        const Result<Residency> measured = measure(device, queue);
        if (!measured)
            return measured;
        kept.add(*measured);
        writeKeptResidency(device.settings.cacheFolder, identity, kept);
    }
    known[identity] = kept.residency;
    return kept.residency;
}

}  // namespace millrace::runtime
