// SPDX-License-Identifier: Apache-2.0
// T1: what a trace costs: the same graph on devices that differ in the layer's settings.
#include <algorithm>
#include <chrono>
#include <ctime>
#include <filesystem>

#include <unistd.h>

#include "bench/workloads/fan_out.h"
#include "bench/workloads/list.h"

namespace millrace::bench {

namespace {

struct Detail {
    const char* name;
    const char* setting;  // of trace_detail; none: no trace
};

constexpr Detail kDetails[] = {{"no trace", nullptr}, {"trace", "steps"}, {"trace of nodes apart", "nodes"}};

// A device of its own with the same graph.
class Traced {
public:
    Traced(const Bench& bench, const Detail& detail, const FanOutShape& shape)
        : m_file(fileOf(detail)),
          m_device(optionsOf(detail, m_file)),
          m_bench(m_device, bench.options()),
          m_sums(m_device, shape.sums()),
          m_graph(shape.createGraph(m_device, m_sums.address())),
          m_onTheDevice{detail.setting ? Role::Other : Role::Graph, detail.name, {}},
          m_onTheHost{Role::Other, std::string(isSoftware() ? "processor time, " : "the host, ") + detail.name, {}}
    {
    }
    ~Traced() { std::filesystem::remove(m_file); }

    // Whoever else uses the processors disturbs its clock, but not the time that we spend on them.
    bool isSoftware() const { return m_device.properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU; }
    void run(bool counts);
    const Times& onTheDevice() const { return m_onTheDevice; }
    const Times& onTheHost() const { return m_onTheHost; }

private:
    double now() const  // microseconds
    {
        if (isSoftware())
            return static_cast<double>(std::clock()) * 1e6 / CLOCKS_PER_SEC;
        return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now().time_since_epoch()).count();
    }
    static std::string fileOf(const Detail& detail)
    {
        return (std::filesystem::temp_directory_path() /
                ("millrace_bench_" + std::to_string(getpid()) + "_" + (detail.setting ? detail.setting : "off")))
            .string();
    }
    static harness::DeviceOptions optionsOf(const Detail& detail, const std::string& file)
    {
        harness::DeviceOptions options;
        options.maxScratchMib = 4096;
        if (detail.setting)
            options.words = {{"trace", file}, {"trace_detail", detail.setting}};
        return options;
    }

    const std::string m_file;
    harness::Device m_device;
    Bench m_bench;
    Output m_sums;
    std::unique_ptr<Graph> m_graph;
    Times m_onTheDevice;
    Times m_onTheHost;
};

void Traced::run(bool counts)
{
    m_bench.submit([&](VkCommandBuffer cmd) { m_sums.clear(cmd); });
    m_bench.raiseClocks();
    const double begin = now();
    const double took = m_bench.time([&](VkCommandBuffer cmd) { m_graph->record(cmd); });
    const double onTheHost = now() - begin;
    std::string wrong = m_sums.difference();
    for (const std::string& message : m_device.takeMessages())
        wrong += "\n  " + message;
    if (!wrong.empty())
        throw harness::HarnessError("T1, " + m_onTheDevice.name + ": " + wrong);
    if (!counts)
        return;
    m_onTheDevice.runs.push_back(took);
    m_onTheHost.runs.push_back(onTheHost);
}

double medianOf(Times times)
{
    std::sort(times.runs.begin(), times.runs.end());
    return times.median();
}

void trace(Bench& bench, const FanOutShape& shape)
{
    std::vector<std::unique_ptr<Traced>> devices;
    for (const Detail& detail : kDetails)
        devices.push_back(std::make_unique<Traced>(bench, detail, shape));
    for (uint32_t run = 0; run <= bench.options().runs; ++run)
        for (const auto& device : devices)
            device->run(run > 0);  // the first may wait for the driver's compiler
    std::vector<Times> all;
    for (const auto& device : devices)
        all.push_back(device->onTheDevice());
    for (const auto& device : devices)
        all.push_back(device->onTheHost());
    bench.add(text(shape.payloads) + " records of " + text(shape.words * 4) + " bytes", all);
    for (size_t i = 1; i < devices.size(); ++i) {
        const bool software = devices[i]->isSoftware();
        const double off = medianOf(software ? devices[0]->onTheHost() : devices[0]->onTheDevice());
        const double on = medianOf(software ? devices[i]->onTheHost() : devices[i]->onTheDevice());
        bench.figure(std::string(kDetails[i].name) + " adds", on - off, "us");
        bench.figure(std::string(kDetails[i].name) + " adds of the time", (on / off - 1) * 100, "%");
    }
}

}  // namespace

void tracing(Bench& bench)
{
    const uint32_t records = bench.pick(1u << 20, 1u << 20, 1u << 12);
    for (uint32_t words : bench.pick<std::vector<uint32_t>>({4, 16, 64, 256}, {4, 16}, {4}))
        trace(bench, {records, words, 4});
}

}  // namespace millrace::bench
