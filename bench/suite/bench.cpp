// SPDX-License-Identifier: Apache-2.0
#include "bench/suite/bench.h"

#include <algorithm>
#include <cstdio>

namespace millrace::bench {

using harness::check;
using harness::HarnessError;

const char* nameOf(Size size)
{
    return size == Size::Full ? "full" : size == Size::Small ? "small" : "smallest";
}

const char* nameOf(Role role)
{
    return role == Role::Graph ? "graph" : role == Role::Hand ? "hand" : role == Role::Peer ? "peer" : "other";
}

double CaseResult::of(const std::string& version) const
{
    for (const Times& times : versions)
        if (times.name == version)
            return times.median();
    return 0;
}

double CaseResult::graph() const
{
    for (const Times& times : versions)
        if (times.role == Role::Graph)
            return times.median();
    return 0;
}

double CaseResult::hand() const
{
    double least = 0;
    for (const Times& times : versions)
        if (times.role == Role::Hand && (least == 0 || times.median() < least))
            least = times.median();
    return least;
}

Bench::Bench(harness::Device& device, const Options& options) : m_device(device), m_options(options)
{
    VkQueryPoolCreateInfo info{VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO};
    info.queryType = VK_QUERY_TYPE_TIMESTAMP;
    info.queryCount = 2;
    check(vkCreateQueryPool(device.device, &info, nullptr, &m_times), "vkCreateQueryPool");
    if (!isSmall())
        m_clocks.emplace(*this);
}

Bench::~Bench()
{
    vkDestroyQueryPool(m_device.device, m_times, nullptr);
}

uint32_t Bench::fullGrid() const
{
    // 132 x 8 fill an H200, and more cost little on a smaller device.
    return m_device.properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU ? 16 : 1056;
}

void Bench::submit(const std::function<void(VkCommandBuffer)>& record)
{
    // As an application does each frame.
    check(vkResetCommandPool(m_device.device, m_device.pool, 0), "vkResetCommandPool");
    m_device.submit(record);
}

double Bench::time(const std::function<void(VkCommandBuffer)>& record)
{
    submit([&](VkCommandBuffer cmd) {
        vkCmdResetQueryPool(cmd, m_times, 0, 2);
        vkCmdWriteTimestamp(cmd, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, m_times, 0);
        record(cmd);
        vkCmdWriteTimestamp(cmd, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, m_times, 1);
    });
    uint64_t times[2];
    check(vkGetQueryPoolResults(m_device.device, m_times, 0, 2, sizeof times, times, sizeof times[0],
                                VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT),
          "vkGetQueryPoolResults");
    return static_cast<double>(times[1] - times[0]) * m_device.properties.limits.timestampPeriod * 1e-3;
}

void Bench::raiseClocks()
{
    if (m_clocks)
        m_clocks->raise();
}

void Bench::runOnce(const Case& todo, const Version& version, std::vector<double>* times)
{
    if (todo.prepare)
        submit(todo.prepare);
    raiseClocks();
    const double took = time(version.record);
    std::string wrong = todo.check();
    for (const std::string& message : m_device.takeMessages())
        wrong += (wrong.empty() ? "" : "\n  ") + message;
    if (!wrong.empty())
        throw HarnessError(m_workload + ", " + todo.name + ", " + version.name + ": " + wrong);
    if (times)
        times->push_back(took);
}

CaseResult Bench::measure(const Case& todo)
{
    CaseResult result{m_workload, todo.name + (todo.axis.empty() ? "" : " (growth)"), {}, todo.scratchBytes, todo.axis,
                      todo.x};
    for (const Version& version : todo.versions) {
        result.versions.push_back({version.role, version.name, {}});
        runOnce(todo, version, nullptr);  // may wait for the driver's compiler
    }
    // Interleaved, so that what disturbs one version disturbs all.
    for (uint32_t run = 0; run < m_options.runs; ++run)
        for (size_t i = 0; i < todo.versions.size(); ++i)
            runOnce(todo, todo.versions[i], &result.versions[i].runs);
    result.goal = todo.goal;
    if (todo.graph)
        measureScratch(todo, result);
    finish(result);
    return m_results.back();
}

void Bench::measureScratch(const Case& todo, CaseResult& result)
{
    const auto graph = std::find_if(todo.versions.begin(), todo.versions.end(),
                                    [](const Version& version) { return version.role == Role::Graph; });
    result.scratch = findScratchNeed(m_device, *todo.graph, todo.liveBytes, [&] { runOnce(todo, *graph, nullptr); });
}

bool Bench::hasMemory(VkDeviceSize bytes, const std::string& what)
{
    VkPhysicalDeviceMemoryProperties memory;
    vkGetPhysicalDeviceMemoryProperties(m_device.physical, &memory);
    VkDeviceSize most = 0;
    for (uint32_t i = 0; i < memory.memoryHeapCount; ++i)
        if (memory.memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT)
            most = std::max(most, memory.memoryHeaps[i].size);
    return hasRoom(bytes, most / 5 * 4, what);
}

bool Bench::hasSharedMemory(uint32_t bytes, const std::string& what)
{
    return hasRoom(bytes, m_device.properties.limits.maxComputeSharedMemorySize, what);
}

bool Bench::hasRoom(VkDeviceSize bytes, VkDeviceSize most, const std::string& what)
{
    if (bytes <= most)
        return true;
    const auto kib = [](VkDeviceSize size) { return std::to_string(size >> 10) + " KiB"; };
    m_leftOut.push_back(m_workload + ", " + what + ": takes " + kib(bytes) + " of " + kib(most));
    std::printf("%-4s left out: %s\n", m_workload.c_str(), m_leftOut.back().c_str());
    return false;
}

void Bench::add(const std::string& name, std::vector<Times> versions)
{
    finish({m_workload, name, std::move(versions)});
}

void Bench::finish(CaseResult result)
{
    if (m_options.each)
        for (const Times& times : result.versions) {
            std::printf("  %s:", times.name.c_str());
            for (double run : times.runs)
                std::printf(" %.1f", run);
            std::printf("\n");
        }
    for (Times& times : result.versions)
        std::sort(times.runs.begin(), times.runs.end());
    print(result);
    m_results.push_back(std::move(result));
}

void Bench::print(const CaseResult& result) const
{
    const double graph = result.graph();
    const double hand = result.hand();
    std::printf("%-4s %-44s", result.workload.c_str(), result.name.c_str());
    if (graph > 0)
        std::printf(" %11.1f us", graph);
    if (graph > 0 && hand > 0)
        std::printf("  %6.2f of the best hand-written", graph / hand);
    std::printf("\n");
    for (const Times& times : result.versions) {
        std::printf("       %-5s %-36s %11.1f us  (%.1f to %.1f)", nameOf(times.role), times.name.c_str(),
                    times.median(), times.runs.front(), times.runs.back());
        if (graph > 0 && times.role != Role::Graph)
            std::printf("  graph is %.2f of it", graph / times.median());
        std::printf("\n");
    }
    if (result.scratch && result.scratch->oneSweep)
        std::printf("       scratch memory: %.1f KiB for one sweep, %.1f of it for payloads; at least %.1f\n",
                    result.scratch->oneSweep / 1024.0, result.scratch->regions / 1024.0,
                    result.scratch->least / 1024.0);
    std::fflush(stdout);
}

void Bench::figure(const std::string& name, double value, const std::string& unit)
{
    m_figures.push_back({m_workload, name, value, unit});
    std::printf("%-4s   = %-44s %11.3f %s\n", m_workload.c_str(), name.c_str(), value, unit.c_str());
    std::fflush(stdout);
}

}  // namespace millrace::bench
