// SPDX-License-Identifier: Apache-2.0
#include "bench/suite/report.h"

#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <fstream>

#include <nlohmann/json.hpp>

namespace millrace::bench {

using Json = nlohmann::ordered_json;

namespace {

std::string now()
{
    const std::time_t time = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
    char text[32];
    std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&time));
    return text;
}

// Settings change results.
Json environmentJson()
{
    Json json = Json::object();
    for (char** variable = environ; *variable; ++variable) {
        const std::string text = *variable;
        if (text.rfind("MILLRACE_", 0) == 0 || text.rfind("LP_", 0) == 0 ||
            text.rfind("VK_MILLRACE_EMULATION_", 0) == 0)
            json[text.substr(0, text.find('='))] = text.substr(text.find('=') + 1);
    }
    return json;
}

Json deviceJson(const harness::Device& device)
{
    VkPhysicalDeviceDriverProperties driver{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES};
    VkPhysicalDeviceProperties2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &driver};
    vkGetPhysicalDeviceProperties2(device.physical, &all);
    const uint32_t api = all.properties.apiVersion;
    return {{"name", all.properties.deviceName},
            {"driver", driver.driverName},
            {"driverInfo", driver.driverInfo},
            {"vulkan", std::to_string(VK_API_VERSION_MAJOR(api)) + "." + std::to_string(VK_API_VERSION_MINOR(api)) +
                           "." + std::to_string(VK_API_VERSION_PATCH(api))},
            {"validated", device.validated}};
}

Json caseJson(const CaseResult& result)
{
    Json json = {{"workload", result.workload}, {"case", result.name}};
    if (result.scratchBytes)
        json["scratchBytes"] = result.scratchBytes;
    if (!result.axis.empty()) {
        json["axis"] = result.axis;
        json["x"] = result.x;
    }
    const double graph = result.graph();
    if (graph > 0 && result.hand() > 0)
        json["ratio"] = graph / result.hand();
    for (const Times& times : result.versions) {
        Json version = {{"name", times.name},
                        {"role", nameOf(times.role)},
                        {"median", times.median()},
                        {"least", times.runs.front()},
                        {"most", times.runs.back()}};
        if (graph > 0 && times.role != Role::Graph)
            version["graphRatio"] = graph / times.median();
        json["versions"].push_back(std::move(version));
    }
    return json;
}

}  // namespace

void writeJson(const Bench& bench, const std::string& file)
{
    Json json = {{"date", now()},
                 {"device", deviceJson(bench.device())},
                 {"environment", environmentJson()},
                 {"size", nameOf(bench.options().size)},
                 {"runs", bench.options().runs},
                 {"unit", "us"}};
    json["cases"] = Json::array();
    for (const CaseResult& result : bench.results())
        json["cases"].push_back(caseJson(result));
    json["figures"] = Json::array();
    for (const Figure& figure : bench.figures())
        json["figures"].push_back(
            {{"workload", figure.workload}, {"name", figure.name}, {"value", figure.value}, {"unit", figure.unit}});
    std::ofstream out(file, std::ios::binary);
    out << json.dump(1) << "\n";
    out.close();
    if (!out)
        throw harness::HarnessError("cannot write " + file);
}

void printGrowth(const Bench& bench)
{
    std::string series;
    for (const CaseResult& result : bench.results()) {
        if (result.axis.empty())
            continue;
        if (series != result.workload + result.axis) {
            series = result.workload + result.axis;
            std::printf("\n%-4s %20s %12s %14s %12s %7s\n", result.workload.c_str(), result.axis.c_str(), "graph us",
                        "us for each", "by hand us", "ratio");
        }
        std::printf("%-4s %20.0f %12.1f %14.6f %12.1f %7.2f\n", "", result.x, result.graph(), result.graph() / result.x,
                    result.hand(), result.graph() / result.hand());
    }
}

void printTable(const Bench& bench)
{
    std::printf("\n%-4s %-44s %12s %12s %7s %7s\n", "", "", "graph us", "by hand us", "ratio", "peer");
    double logs = 0;
    uint32_t count = 0;
    for (const CaseResult& result : bench.results()) {
        const double graph = result.graph();
        const double hand = result.hand();
        if (graph <= 0 || hand <= 0 || !result.axis.empty())
            continue;
        std::printf("%-4s %-44s %12.1f %12.1f %7.2f", result.workload.c_str(), result.name.c_str(), graph, hand,
                    graph / hand);
        for (const Times& times : result.versions)
            if (times.role == Role::Peer)
                std::printf(" %7.2f", graph / times.median());
        std::printf("\n");
        if (result.workload[0] == 'W') {
            logs += std::log(graph / hand);
            ++count;
        }
    }
    if (count)
        std::printf("%-4s %-44s %12s %12s %7.2f\n", "", "geometric mean of the W", "", "", std::exp(logs / count));
}

}  // namespace millrace::bench
