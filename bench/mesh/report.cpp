// SPDX-License-Identifier: Apache-2.0
#include "bench/mesh/report.h"

#include <chrono>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <stdexcept>

#include <nlohmann/json.hpp>

namespace millrace::bench {

using Json = nlohmann::ordered_json;

namespace {

struct Ratio {
    std::string name;
    double value = 0;
};

double copyMicroseconds(const Result& result, double copyRate)
{
    return static_cast<double>(result.bytes) / copyRate / 1e3;
}

// What the goals are about: a ratio is there where both of its sides are.
std::vector<Ratio> ratiosOf(const Result& result, double copyRate)
{
    std::vector<Ratio> ratios;
    const Version* const native = result.find(kNative);
    const Version* const layer = result.find(kEmulated);
    const Version* const hand = result.find(kHand);
    const Version* const nodes = result.find(kNodes);
    const auto add = [&](const char* name, double value, double to) {
        if (to > 0)
            ratios.push_back({name, value / to});
    };
    if (nodes && hand)
        add("frame: graph / by hand", nodes->frame, hand->frame);
    if (native)
        add("frame: layer / native", layer->frame, native->frame);
    if (hand)
        add("frame: layer / by hand", layer->frame, hand->frame);
    if (result.counts) {
        add("compute: layer / by hand", layer->compute, hand->compute);
        add("compute: layer / copying its bytes", layer->compute, copyMicroseconds(result, copyRate));
        add("compute: by hand / copying its bytes", hand->compute, copyMicroseconds(result, copyRate));
    }
    return ratios;
}

std::string now()
{
    const std::time_t time = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
    char text[32];
    std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&time));
    return text;
}

Json versionJson(const Version& version, const Version& of)
{
    Json json{{"name", version.name},           {"role", version.role},          {"median", version.frame},
              {"least", version.least},         {"most", version.most},          {"compute", version.compute},
              {"recording", version.recording}, {"differing", version.differing}};
    if (version.role != "graph")
        json["graphRatio"] = of.frame / version.frame;
    return json;
}

Json caseJson(const Result& result)
{
    Json json{{"workload", "mesh"}, {"case", result.name}};
    const Version* const nodes = result.find(kNodes);
    const Version& measured = nodes ? *nodes : *result.find(kEmulated);
    if (const Version* const hand = result.find(kHand))
        json["ratio"] = measured.frame / hand->frame;
    for (const Version& version : result.versions)
        json["versions"].push_back(versionJson(version, measured));
    if (result.counts) {
        json["workgroups"] = result.counts->items;
        json["vertices"] = result.counts->vertices;
        json["triangles"] = result.counts->indices / 3;
        json["bytes"] = result.bytes;
    }
    return json;
}

}  // namespace

void printHead()
{
    std::printf("%-52s %-28s %12s %12s %12s %10s\n", "", "", "frame us", "compute us", "recording us", "differing");
}

void print(const Result& result, double copyRate)
{
    for (const Version& version : result.versions)
        std::printf("%-52s %-28s %12.1f %12.1f %12.1f %10zu\n",
                    &version == &result.versions[0] ? result.name.c_str() : "", version.name.c_str(), version.frame,
                    version.compute, version.recording, version.differing);
    if (result.counts)
        std::printf("%-52s %u workgroups, %u vertices, %u triangles, %.1f MiB, copied in %.1f us\n", "",
                    result.counts->items, result.counts->vertices, result.counts->indices / 3,
                    static_cast<double>(result.bytes) / (1 << 20), copyMicroseconds(result, copyRate));
    for (const Ratio& ratio : ratiosOf(result, copyRate))
        std::printf("%-52s = %-50s %8.2f\n", "", ratio.name.c_str(), ratio.value);
    std::fflush(stdout);
}

void writeJson(const Measured& measured, const Gpu& gpu, const Options& options)
{
    Json json{{"date", now()},
              {"device", {{"name", gpu.name()}, {"driver", gpu.driver()}, {"driverInfo", gpu.driverInfo()}}},
              {"size", options.isSmall ? "small" : "full"},
              {"runs", options.runs},
              {"unit", "us"}};
    json["cases"] = Json::array();
    json["figures"] = Json::array();
    json["figures"].push_back(
        {{"workload", "mesh"}, {"name", "copy, read and written"}, {"value", measured.copyRate}, {"unit", "GB/s"}});
    for (const Result& result : measured.results) {
        json["cases"].push_back(caseJson(result));
        for (const Ratio& ratio : ratiosOf(result, measured.copyRate))
            json["figures"].push_back({{"workload", "mesh"},
                                       {"name", result.name + ", " + ratio.name},
                                       {"value", ratio.value},
                                       {"unit", ""}});
    }
    std::ofstream out(options.json, std::ios::binary);
    out << json.dump(1) << "\n";
    out.close();
    if (!out)
        throw std::runtime_error("cannot write " + options.json);
}

}  // namespace millrace::bench
