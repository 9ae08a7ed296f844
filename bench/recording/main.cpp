// SPDX-License-Identifier: Apache-2.0
// Times the recording of commands on the host: without the layer, with it where the application enables nothing of it,
// and where shaderEnqueue is enabled and no graph is dispatched. Nothing is submitted.
#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "bench/recording/device.h"
#include "bench/recording/memory.h"
#include "bench/recording/scene.h"

namespace millrace::bench {

namespace {

// That drivers record into. The C library's speed depends on the order in which memory was given back before.
enum class RecordedMemory { OfLibrary, OfProgram };

struct Options {
    std::vector<std::string> devices{"null", "llvmpipe"};
    size_t commands = 100000;
    int runs = 21;
    bool each = false;
};

constexpr std::array<Mode, 3> kModes{Mode::NoLayer, Mode::LayerAlone, Mode::WithFeature};
using Times = std::array<std::vector<double>, kModes.size()>;
using Medians = std::array<double, kModes.size()>;

// Of the calling thread, so that other programs' work does not count.
double cpuNanoseconds()
{
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

Medians mediansOf(Times times)
{
    Medians medians{};
    for (size_t mode = 0; mode < kModes.size(); ++mode) {
        std::vector<double>& list = times[mode];
        std::nth_element(list.begin(), list.begin() + static_cast<ptrdiff_t>(list.size() / 2), list.end());
        medians[mode] = list[list.size() / 2];
    }
    return medians;
}

// A command pool with one command buffer, for one thread.
class Target {
public:
    Target(const RecordingDevice& device, RecordedMemory memory)
        : m_device(device), m_callbacks(memory == RecordedMemory::OfProgram ? m_memory.callbacks() : nullptr)
    {
        const VkCommandPoolCreateInfo info{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
        check(device.table().CreateCommandPool(device.handle(), &info, m_callbacks, &m_pool), "vkCreateCommandPool");
        VkCommandBufferAllocateInfo allocation{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
        allocation.commandPool = m_pool;
        allocation.commandBufferCount = 1;
        check(device.table().AllocateCommandBuffers(device.handle(), &allocation, &m_commandBuffer),
              "vkAllocateCommandBuffers");
        m_memory.keep();
    }
    ~Target() { m_device.table().DestroyCommandPool(m_device.handle(), m_pool, m_callbacks); }
    Target(const Target&) = delete;

    // Nanoseconds for each command of those that `record` says it has recorded.
    template <typename Record>
    double time(const Record& record)
    {
        const VkuDeviceDispatchTable& table = m_device.table();
        check(table.ResetCommandPool(m_device.handle(), m_pool, 0), "vkResetCommandPool");
        VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
        begin.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
        check(table.BeginCommandBuffer(m_commandBuffer, &begin), "vkBeginCommandBuffer");
        const double start = cpuNanoseconds();
        const size_t count = record(m_device, m_commandBuffer);
        const double taken = cpuNanoseconds() - start;
        check(table.EndCommandBuffer(m_commandBuffer), "vkEndCommandBuffer");
        return taken / static_cast<double>(count);
    }

private:
    const RecordingDevice& m_device;
    PoolMemory m_memory;
    const VkAllocationCallbacks* m_callbacks;
    VkCommandPool m_pool = VK_NULL_HANDLE;
    VkCommandBuffer m_commandBuffer = VK_NULL_HANDLE;
};

// The mean over threads that record at once, each the same.
template <typename Record>
double timeThreads(std::vector<std::unique_ptr<Target>>& targets, const Record& record)
{
    std::vector<double> times(targets.size());
    std::vector<std::thread> threads;
    for (size_t i = 1; i < targets.size(); ++i)
        threads.emplace_back([&, i] { times[i] = targets[i]->time(record); });
    times[0] = targets[0]->time(record);
    for (std::thread& thread : threads)
        thread.join();
    double sum = 0;
    for (double time : times)
        sum += time;
    return sum / static_cast<double>(times.size());
}

using Devices = std::array<std::unique_ptr<RecordingDevice>, kModes.size()>;

// All modes in turn, once more than `runs`, since the first does not count.
template <typename Record>
Medians measure(const Devices& devices, size_t threads, RecordedMemory memory, int runs, const Record& record)
{
    std::array<std::vector<std::unique_ptr<Target>>, kModes.size()> targets;
    for (size_t mode = 0; mode < kModes.size(); ++mode)
        for (size_t i = 0; i < threads; ++i)
            targets[mode].push_back(std::make_unique<Target>(*devices[mode], memory));
    Times times;
    for (int run = 0; run <= runs; ++run)
        for (size_t mode = 0; mode < kModes.size(); ++mode) {
            const double time = timeThreads(targets[mode], record);
            if (run > 0)
                times[mode].push_back(time);
        }
    return mediansOf(times);
}

void printRow(const std::string& name, const Medians& medians)
{
    const auto [without, alone, with] = medians;
    std::printf("%-24s %10.2f %10.2f %10.2f %8.2f %8.2f %8.2f\n", name.c_str(), without, alone, with, alone / without,
                with / without, with - without);
}

Medians measureCreation(const std::string& name, int runs)
{
    Times times;
    for (size_t mode = 0; mode < kModes.size(); ++mode) {
        const RecordingInstance instance(kModes[mode], name);
        for (int run = 0; run <= runs; ++run) {
            const auto start = std::chrono::steady_clock::now();
            const VkDevice device = instance.createDevice();
            const std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - start;
            const auto destroy = reinterpret_cast<PFN_vkDestroyDevice>(vkGetDeviceProcAddr(device, "vkDestroyDevice"));
            destroy(device, nullptr);
            if (run > 0)
                times[mode].push_back(taken.count());
        }
    }
    return mediansOf(times);
}

void measureDevice(const std::string& name, const Options& options)
{
    Devices devices;
    for (size_t mode = 0; mode < kModes.size(); ++mode)
        devices[mode] = std::make_unique<RecordingDevice>(kModes[mode], name);
    std::printf("%s: %zu commands, medians of %d\n%-24s %10s %10s %10s %8s %8s %8s\n", name.c_str(), options.commands,
                options.runs, "ns a command", "no layer", "layer", "enabled", "layer", "enabled", "more");
    for (RecordedMemory memory : {RecordedMemory::OfLibrary, RecordedMemory::OfProgram})
        for (size_t threads : {1, 4})
            printRow((memory == RecordedMemory::OfLibrary ? "frame, threads: " : "own memory, threads: ") +
                         std::to_string(threads),
                     measure(devices, threads, memory, options.runs,
                             [&](const RecordingDevice& device, VkCommandBuffer target) {
                                 return recordFrame(device, target, options.commands / threads);
                             }));
    for (const CommandKind& kind : commandKinds())
        if (options.each)
            printRow(kind.name, measure(devices, 1, RecordedMemory::OfLibrary, options.runs,
                                        [&](const RecordingDevice& device, VkCommandBuffer target) {
                                            kind.record(device, target, options.commands);
                                            return options.commands;
                                        }));
    printRow("creating a device, ms", measureCreation(name, options.runs));
}

// Of the build tree, and the null driver beside the others. A user's own setting of drivers stands.
void addToSearchPaths()
{
    const auto add = [](const char* name, const std::string& path) {
        const char* before = std::getenv(name);
        setenv(name, before ? (std::string(before) + ":" + path).c_str() : path.c_str(), 1);
    };
    add("VK_ADD_LAYER_PATH", MILLRACE_LAYER_FOLDER);
    add(std::getenv("VK_DRIVER_FILES") ? "VK_DRIVER_FILES" : "VK_ADD_DRIVER_FILES", MILLRACE_NULL_DRIVER);
    setenv("MESA_SHADER_CACHE_DISABLE", "true", 0);
}

int run(int argc, char** argv)
{
    CLI::App app("Times the recording of commands with and without the layer");
    Options options;
    app.add_option("--device", options.devices, "parts of the devices' names")->capture_default_str();
    app.add_option("--commands", options.commands, "how many for a run")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    app.add_option("--runs", options.runs, "how often, for the median")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    app.add_flag("--each", options.each, "also each kind of command by itself");
    CLI11_PARSE(app, argc, argv);
    addToSearchPaths();
    for (const std::string& device : options.devices)
        measureDevice(device, options);
    return 0;
}

}  // namespace

}  // namespace millrace::bench

int main(int argc, char** argv)
{
    try {
        return millrace::bench::run(argc, argv);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "recording: error: %s\n", error.what());
        return 1;
    }
}
