// SPDX-License-Identifier: Apache-2.0
// bench_suite: execution graphs against programs written by hand for the same work, in one process.
#include <algorithm>
#include <cstdio>

#include <CLI/CLI.hpp>

#include "bench/suite/report.h"

namespace millrace::bench {

namespace {

// As an application says that moves gigabytes at once. The programs by hand have what they need as well.
constexpr uint32_t kMaxScratchMib = 4096;

struct Choice {
    Options options;
    std::vector<std::string> only;
    std::string json;
    std::string shaders;
    bool small = false;
    bool smallest = false;
    bool list = false;
};

void addOptions(CLI::App& app, Choice& choice)
{
    app.add_option("--only", choice.only, "workloads to run, separated by commas (default: all)")->delimiter(',');
    app.add_option("--runs", choice.options.runs, "runs of each version, of which the median counts")
        ->check(CLI::Range(1, 1000));
    CLI::Option* small = app.add_flag("--small", choice.small, "sizes for a software driver");
    app.add_flag("--smallest", choice.smallest, "sizes for a test of whether it works")->excludes(small);
    app.add_flag("--peer", choice.options.peer, "the published emulation's scheme as well (W1, M3)");
    app.add_flag("--growth", choice.options.growth,
                 "how time and scratch memory grow with payloads, nodes, levels and payload size");
    app.add_flag("--each", choice.options.each, "print the time of every run");
    app.add_option("--json", choice.json, "file to write the result to")->take_last();
    app.add_option("--shaders", choice.shaders, "folder of the shaders (default: MILLRACE_BENCH_SHADERS, or as built)");
    app.add_flag("--list", choice.list, "list the workloads");
}

// Fails for a name that does not exist. Raw costs belong to every run.
std::vector<Workload> chosen(const std::vector<std::string>& only)
{
    std::vector<Workload> out;
    for (const std::string& name : only)
        if (std::none_of(workloads().begin(), workloads().end(), [&](const Workload& w) { return name == w.name; }))
            throw harness::HarnessError("no workload " + name + "; --list lists them");
    for (const Workload& workload : workloads())
        if (only.empty() || workload.name == std::string("raw") ||
            std::find(only.begin(), only.end(), workload.name) != only.end())
            out.push_back(workload);
    return out;
}

void measure(const Choice& choice)
{
    const std::vector<Workload> todo = chosen(choice.only);
    harness::DeviceOptions options;
    options.maxScratchMib = kMaxScratchMib;
    harness::Device device{options};
    std::printf("%s%s, size %s, %u runs\n", device.properties.deviceName,
                device.validated ? ", with the validation layer" : "", nameOf(choice.options.size),
                choice.options.runs);
    {
        Bench bench(device, choice.options);
        for (const Workload& workload : todo) {
            std::printf("\n%s: %s\n", workload.name, workload.title);
            bench.begin(workload.name);
            workload.run(bench);
        }
        printTable(bench);
        printGrowth(bench);
        if (!choice.json.empty())
            writeJson(bench, choice.json);
    }
    device.close();
    for (const std::string& message : device.takeMessages())
        throw harness::HarnessError(message);
}

}  // namespace

int run(int argc, char** argv)
{
    Choice choice;
    CLI::App app(
        "Time on the device of execution graphs and of programs written by hand for the same work; every result is "
        "checked. Environment: VK_ADD_LAYER_PATH for the layer, MILLRACE_TEST_DEVICE names the device, "
        "MILLRACE_TEST_NO_VALIDATION=1 to measure.");
    addOptions(app, choice);
    CLI11_PARSE(app, argc, argv);
    choice.options.size = choice.smallest ? Size::Smallest : choice.small ? Size::Small : Size::Full;
    if (!choice.shaders.empty())
        setShaderFolder(choice.shaders);
    try {
        if (choice.list)
            for (const Workload& workload : workloads())
                std::printf("%-4s %s\n", workload.name, workload.title);
        else
            measure(choice);
    } catch (const std::exception& error) {
        std::fflush(stdout);
        std::fprintf(stderr, "bench_suite: %s\n", error.what());
        return 1;
    }
    return 0;
}

}  // namespace millrace::bench

int main(int argc, char** argv)
{
    return millrace::bench::run(argc, argv);
}
