// SPDX-License-Identifier: Apache-2.0
#include "bench/suite/report.h"

#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <fstream>

#include <nlohmann/json.hpp>

#include "bench/suite/series.h"

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

// What is not known is left out.
Json scratchJson(const ScratchNeed& need)
{
    Json json = {{"least", need.least}};
    if (need.oneSweep) {
        json["oneSweep"] = need.oneSweep;
        json["payloads"] = need.regions;
    }
    if (need.live)
        json["live"] = need.live;
    return json;
}

Json growthJson(const Series& series)
{
    Json json = {{"workload", series.workload}, {"axis", series.axis}, {"what", series.what}, {"unit", series.unit}};
    const auto growth = tools::report::growthOf(series.points);
    if (!growth)
        return json;
    json["fixed"] = growth->fixed;
    json["each"] = growth->each;
    json["deviation"] = growth->deviation;
    json["exponent"] = growth->exponent;
    if (growth->ratio) {
        json["from"] = growth->from;
        json["to"] = growth->most;
        json["eachRatio"] = *growth->ratio;
    }
    json["linear"] = tools::report::isLinear(*growth);
    return json;
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
    if (result.scratch)
        json["scratch"] = scratchJson(*result.scratch);
    const double graph = result.graph();
    if (graph > 0 && result.hand() > 0)
        json["ratio"] = graph / result.hand();
    if (!result.goal.empty())
        json["goal"] = {{"version", result.goal}, {"ratio", graph / result.of(result.goal)}};
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
    json["growth"] = Json::array();
    for (const Series& series : seriesIn(bench.results()))
        json["growth"].push_back(growthJson(series));
    json["leftOut"] = bench.leftOut();
    std::ofstream out(file, std::ios::binary);
    out << json.dump(1) << "\n";
    out.close();
    if (!out)
        throw harness::HarnessError("cannot write " + file);
}

namespace {

void printPoints(const Bench& bench)
{
    std::string series;
    for (const CaseResult& result : bench.results()) {
        if (result.axis.empty())
            continue;
        if (series != result.workload + result.axis) {
            series = result.workload + result.axis;
            std::printf("\n%-4s %28s %12s %14s %12s %7s %14s %12s\n", result.workload.c_str(), result.axis.c_str(),
                        "graph us", "us for each", "by hand us", "ratio", "scratch KiB", "bytes each");
        }
        std::printf("%-4s %28.0f %12.1f %14.6f %12.1f %7.2f", "", result.x, result.graph(), result.graph() / result.x,
                    result.hand(), result.graph() / result.hand());
        if (result.scratch && result.scratch->oneSweep) {
            const auto bytes = static_cast<double>(result.scratch->oneSweep);
            std::printf(" %14.1f %12.2f", bytes / 1024, bytes / result.x);
        }
        std::printf("\n");
    }
}

void printLine(const Series& series, const tools::report::Growth& growth)
{
    char ends[64] = "-";
    if (growth.ratio)
        std::snprintf(ends, sizeof ends, "%.2f from %.0f on", *growth.ratio, growth.from);
    std::printf("%-4s %-40s %-22s %10.4g + %10.4g each %5s %7.1f %% %22s %8s\n", series.workload.c_str(),
                series.axis.c_str(), series.what.c_str(), growth.fixed < 1e-6 ? 0 : growth.fixed,
                growth.each * growth.most < 1e-6 ? 0 : growth.each, series.unit.c_str(), growth.deviation * 100, ends,
                tools::report::isLinear(growth) ? "yes" : "no");
}

}  // namespace

void printGrowth(const Bench& bench)
{
    printPoints(bench);
    const std::vector<Series> all = seriesIn(bench.results());
    if (all.empty())
        return;
    std::printf(
        "\nHow linear it is: the line whose worst point is nearest, how far that is off, and the largest size's "
        "share of\neach as a part of that of the smallest size of which the fixed part is at most a tenth.\n"
        "%-4s %-40s %-22s %34s %9s %22s %8s\n",
        "", "growth with", "of", "line", "off", "largest / smallest", "within 10 %");
    for (const Series& series : all)
        if (const auto growth = tools::report::growthOf(series.points))
            printLine(series, *growth);
        else
            std::printf("%-4s %-40s %-22s fewer than three points\n", series.workload.c_str(), series.axis.c_str(),
                        series.what.c_str());
}

namespace {

void printRow(const CaseResult& result)
{
    const double graph = result.graph();
    std::printf("%-4s %-44s %12.1f %12.1f %7.2f", result.workload.c_str(), result.name.c_str(), graph, result.hand(),
                graph / result.hand());
    for (const Times& times : result.versions)
        if (times.role == Role::Peer)
            std::printf(" %7.2f", graph / times.median());
    std::printf("\n");
    if (!result.goal.empty())
        std::printf("%-4s %-44s %12.1f %12.1f %7.2f\n", "", ("  against \"" + result.goal + "\"").c_str(), graph,
                    result.of(result.goal), graph / result.of(result.goal));
}

}  // namespace

void printTable(const Bench& bench)
{
    std::printf("\n%-4s %-44s %12s %12s %7s %7s\n", "", "", "graph us", "by hand us", "ratio", "peer");
    double logs = 0;
    uint32_t count = 0;
    for (const CaseResult& result : bench.results()) {
        if (result.graph() <= 0 || result.hand() <= 0 || !result.axis.empty())
            continue;
        printRow(result);
        if (result.workload[0] == 'W') {
            logs += std::log(result.graph() / result.hand());
            ++count;
        }
    }
    if (count)
        std::printf("%-4s %-44s %12s %12s %7.2f\n", "", "geometric mean of the W", "", "", std::exp(logs / count));
    // Ratios that follow from several cases.
    for (const Figure& figure : bench.figures())
        if (figure.unit.empty())
            std::printf("%-4s = %-68s %7.2f\n", figure.workload.c_str(), figure.name.c_str(), figure.value);
}

}  // namespace millrace::bench
