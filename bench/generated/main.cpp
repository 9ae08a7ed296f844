// SPDX-License-Identifier: Apache-2.0
// Times generated commands: by the layer, by the driver's own extension where it has one, as a loop on the host, and as
// plain indirect commands, which are the floor. Every result is checked.
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/generated/way.h"

namespace millrace::bench {

namespace {

// Their places in the table.
enum Which { kLayer, kDriver, kLayerStreams, kDriverStreams, kLoop, kFloor, kWays };
constexpr std::array<const char*, kWays> kNames{"layer",           "driver",    "layer, streams",
                                                "driver, streams", "host loop", "indirect"};

struct Options {
    std::string device;
    uint32_t runs = 11;
    uint32_t mostSequences = 100000;
    std::string only;
    std::string json;
};

struct Figures {
    std::optional<double> microseconds;  // on the device
    double callMicroseconds = 0;         // of recording one call on the host
};
using Row = std::array<Figures, kWays>;

double medianOf(std::vector<double> values)
{
    std::ranges::nth_element(values, values.begin() + static_cast<ptrdiff_t>(values.size() / 2));
    return values[values.size() / 2];
}

class Bench {
public:
    explicit Bench(const Options& options)
        : m_options(options),
          m_layer(Provider::Layer, Extension::GeneratedCommands, options.device),
          m_driver(Provider::Driver, Extension::GeneratedCommands, options.device),
          m_layerStreams(Provider::Layer, Extension::TokenStreams, options.device),
          m_driverStreams(Provider::Driver, Extension::TokenStreams, options.device)
    {
        if (!m_layer.hasExtension())
            throw std::runtime_error("the layer does not provide VK_EXT_device_generated_commands on this device");
    }
    const std::string& deviceName() const { return m_driver.name(); }
    bool hasDriver() const { return m_driver.hasExtension(); }
    bool hasDriverStreams() const { return m_driverStreams.hasExtension(); }

    Row measure(const Case& scene)
    {
        std::array<std::unique_ptr<Way>, kWays> ways;
        ways[kLayer] = std::make_unique<Way>(m_layer, scene, Kind::Generated);
        if (hasDriver())
            ways[kDriver] = std::make_unique<Way>(m_driver, scene, Kind::Generated);
        // Compute pipelines of streams are another extension's, and no shader groups.
        const auto takes = [&](const Gpu& gpu) {
            return scene.action == Action::Dispatch ? gpu.hasComputeStreams() && !scene.hasSet()
                                                    : scene.pipelines <= gpu.mostShaderGroups();
        };
        if (takes(m_layerStreams))
            ways[kLayerStreams] = std::make_unique<Way>(m_layerStreams, scene, Kind::Streams);
        if (takes(m_driverStreams))
            ways[kDriverStreams] = std::make_unique<Way>(m_driverStreams, scene, Kind::Streams);
        ways[kLoop] = std::make_unique<Way>(m_driver, scene, Kind::Loop);
        if (!(scene.action == Action::Dispatch && scene.sequences > 65535))
            ways[kFloor] = std::make_unique<Way>(m_driver, scene, Kind::Floor);
        const std::vector<uint32_t> expected = expectedOf(scene);
        for (size_t i = 0; i < kWays; ++i)
            if (ways[i])
                checkOne(*ways[i], scene, kNames[i], expected);
        std::array<std::vector<double>, kWays> times;
        for (uint32_t run = 0; run < m_options.runs; ++run)
            for (size_t i = 0; i < kWays; ++i)
                if (ways[i])
                    times[i].push_back(ways[i]->run());
        Row row;
        for (size_t i = 0; i < kWays; ++i) {
            if (!ways[i])
                continue;
            checkResult(*ways[i], scene, kNames[i], expected);
            row[i] = {medianOf(times[i]) / 1e3, ways[i]->callNanoseconds() / 1e3};
        }
        return row;
    }

private:
    // Keeps the device busy as well, so that its clocks are up.
    void checkOne(Way& way, const Case& scene, const char* name, const std::vector<uint32_t>& expected) const
    {
        const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(m_options.runs > 1 ? 60 : 0);
        do
            way.run();
        while (std::chrono::steady_clock::now() < end);
        checkResult(way, scene, name, expected);
    }
    static void checkResult(Way& way, const Case& scene, const char* name, const std::vector<uint32_t>& expected)
    {
        const std::vector<uint32_t> words = way.result();
        const auto differing = std::ranges::mismatch(words, expected);
        if (differing.in1 != words.end())
            throw std::runtime_error(scene.name + ", " + std::to_string(scene.sequences) + " sequences, " + name +
                                     ": word " + std::to_string(differing.in1 - words.begin()) + " is " +
                                     std::to_string(*differing.in1) + " instead of " + std::to_string(*differing.in2));
    }

    const Options& m_options;
    Gpu m_layer;
    Gpu m_driver;
    Gpu m_layerStreams;
    Gpu m_driverStreams;
};

std::string number(std::optional<double> value)
{
    char text[32];
    std::snprintf(text, sizeof text, !value ? "-" : *value < 10 ? "%.2f" : "%.0f", value.value_or(0));
    return text;
}

std::optional<double> ratio(std::optional<double> a, std::optional<double> b)
{
    return a && b && *b > 0 ? std::optional(*a / *b) : std::nullopt;
}

// Of the layer to another way, over all cases.
struct Total {
    double logs = 0, most = 0;
    uint32_t count = 0;

    void add(std::optional<double> value)
    {
        if (!value || *value <= 0)
            return;
        logs += std::log(*value);
        most = std::max(most, *value);
        ++count;
    }
    void print(const char* name) const
    {
        if (count)
            std::printf("layer / %s: %.2f in the geometric mean of %u cases, %.2f at most\n", name,
                        std::exp(logs / count), count, most);
    }
};

nlohmann::json jsonOf(const Case& scene, const Row& row)
{
    nlohmann::json out{{"case", scene.name}, {"sequences", scene.sequences}, {"calls", scene.calls}};
    for (size_t i = 0; i < kWays; ++i)
        if (row[i].microseconds)
            out[kNames[i]] = {{"us", *row[i].microseconds}, {"callUs", row[i].callMicroseconds}};
    return out;
}

int run(const Options& options)
{
    Bench bench(options);
    std::printf(
        "%s, whose driver %s VK_EXT_device_generated_commands and %s VK_NV_device_generated_commands (streams); "
        "microseconds on the device (median of %u), and of a call on the host\n\n",
        bench.deviceName().c_str(), bench.hasDriver() ? "has" : "lacks", bench.hasDriverStreams() ? "has" : "lacks",
        options.runs);
    std::printf(
        "| case | sequences | layer | driver | layer, streams | driver, streams | host loop | indirect | "
        "layer / driver | streams: layer / driver | layer / indirect | host loop / layer | call: layer | call: driver "
        "|\n|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
    Total toDriver, toDriverStreams, toFloor;
    nlohmann::json results = nlohmann::json::array();
    for (const Case& scene : allCases(options.mostSequences)) {
        if (scene.name.find(options.only) == std::string::npos)
            continue;
        const Row row = bench.measure(scene);
        const auto time = [&](Which which) { return row[which].microseconds; };
        const auto call = [&](Which which) {
            // The first call of a command buffer has to allocate.
            return time(which) && scene.calls > 1 ? std::optional(row[which].callMicroseconds) : std::nullopt;
        };
        const std::optional<double> driver = ratio(time(kLayer), time(kDriver));
        const std::optional<double> streams = ratio(time(kLayerStreams), time(kDriverStreams));
        toDriver.add(driver);
        toDriverStreams.add(streams);
        if (!scene.hasSet() && scene.action != Action::Dispatch)
            toFloor.add(ratio(time(kLayer), time(kFloor)));
        const std::string count =
            std::to_string(scene.sequences) + (scene.calls > 1 ? " x " + std::to_string(scene.calls) : "");
        std::printf("| %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", scene.name.c_str(),
                    count.c_str(), number(time(kLayer)).c_str(), number(time(kDriver)).c_str(),
                    number(time(kLayerStreams)).c_str(), number(time(kDriverStreams)).c_str(),
                    number(time(kLoop)).c_str(), number(time(kFloor)).c_str(), number(driver).c_str(),
                    number(streams).c_str(), number(ratio(time(kLayer), time(kFloor))).c_str(),
                    number(ratio(time(kLoop), time(kLayer))).c_str(), number(call(kLayer)).c_str(),
                    number(call(kDriver)).c_str());
        std::fflush(stdout);
        results.push_back(jsonOf(scene, row));
    }
    std::printf("\n");
    toDriver.print("driver");
    toDriverStreams.print("driver, streams");
    toFloor.print("indirect, where no kernel runs");
    if (!options.json.empty())
        std::ofstream(options.json) << nlohmann::json{{"device", bench.deviceName()}, {"cases", results}}.dump(2)
                                    << "\n";
    return 0;
}

}  // namespace

}  // namespace millrace::bench

int main(int argc, char** argv)
{
    millrace::bench::Options options;
    CLI::App app("Times generated commands. docs/bench.md explains it.");
    const char* const device = std::getenv("MILLRACE_TEST_DEVICE");
    options.device = device ? device : "";
    app.add_option("--device", options.device, "part of its name (MILLRACE_TEST_DEVICE)");
    app.add_option("--runs", options.runs, "of each way")->check(CLI::PositiveNumber);
    app.add_option("--most", options.mostSequences, "no cases with more sequences");
    app.add_option("--only", options.only, "cases with that in their name");
    app.add_option("--json", options.json, "a file for the result");
    CLI11_PARSE(app, argc, argv);
    try {
        return millrace::bench::run(options);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "bench_generated: %s\n", error.what());
        return 1;
    }
}
