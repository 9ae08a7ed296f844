// SPDX-License-Identifier: Apache-2.0
// Times mesh shaders: the driver's own, the layer's, and programs by hand that need none; and mesh nodes beside an
// indirect draw of mesh shaders. Every picture is checked.
#include <CLI/CLI.hpp>

#include <cstdio>
#include <cstdlib>
#include <exception>

#include "bench/mesh/copy_rate.h"
#include "bench/mesh/report.h"

namespace millrace::bench {

namespace {

int run(const Options& options)
{
    Devices devices(options.device);
    Gpu& driver = devices.driver();
    Measured measured;
    measured.copyRate = measureCopyRate(driver, VkDeviceSize{options.isSmall ? 16u : 512u} << 20);
    std::printf("%s (%s), %s; medians of %u; a copy reads and writes %.0f GB/s\n\n", driver.name().c_str(),
                driver.driverInfo().c_str(),
                driver.hasExtension() ? "with its driver's own mesh shaders" : "whose driver has no mesh shaders",
                options.runs, measured.copyRate);
    printHead();
    for (const Scene& scene : allScenes(options.isSmall)) {
        if (scene.name.find(options.only) == std::string::npos)
            continue;
        measured.results.push_back(measure(devices, scene, options));
        print(measured.results.back(), measured.copyRate);
    }
    if (!options.json.empty())
        writeJson(measured, driver, options);
    return 0;
}

}  // namespace

}  // namespace millrace::bench

int main(int argc, char** argv)
{
    millrace::bench::Options options;
    CLI::App app("Times mesh shaders. docs/bench.md explains it.");
    const char* const device = std::getenv("MILLRACE_TEST_DEVICE");
    options.device = device ? device : "";
    app.add_option("--device", options.device, "part of its name (MILLRACE_TEST_DEVICE)");
    app.add_option("--runs", options.runs, "of each way")->check(CLI::PositiveNumber);
    app.add_flag("--small", options.isSmall, "sizes for a software driver");
    app.add_option("--only", options.only, "cases with that in their name");
    app.add_option("--json", options.json, "a file for the result");
    app.add_option("--pictures", options.pictures, "a folder for what was drawn")->check(CLI::ExistingDirectory);
    CLI11_PARSE(app, argc, argv);
    try {
        return millrace::bench::run(options);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "bench_mesh: %s\n", error.what());
        return 1;
    }
}
