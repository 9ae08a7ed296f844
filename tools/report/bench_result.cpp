// SPDX-License-Identifier: Apache-2.0
#include "tools/report/bench_result.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "tools/run/document.h"

namespace millrace::tools::report {

namespace {

using run::Value;

std::string textOr(const Value& object, std::string_view key, const std::string& otherwise)
{
    const auto value = object.find(key);
    return value ? value->string() : otherwise;
}

// Times and amounts. The page draws logarithms.
double positive(const Value& value)
{
    const double number = value.number();
    if (!(number > 0 && std::isfinite(number)))
        value.fail("a number above 0 is expected");
    return number;
}

template <typename Item>
void readAxis(const Value& object, Item& item)
{
    item.axis = textOr(object, "axis", "");
    if (!item.axis.empty())
        item.x = positive(object.get("x"));
}

BenchVersion readVersion(const Value& object)
{
    BenchVersion version;
    version.role = static_cast<BenchVersion::Role>(object.get("role").choice({"graph", "hand", "peer", "other"}));
    version.name = object.get("name").string();
    version.median = positive(object.get("median"));
    version.least = positive(object.get("least"));
    version.most = positive(object.get("most"));
    return version;
}

BenchScratch readScratch(const Value& object)
{
    const auto bytes = [&](std::string_view key) {
        const auto value = object.find(key);
        const double number = value ? value->number() : 0;
        if (number < 0)
            value->fail("a number of bytes is expected");
        return number;
    };
    return {bytes("least"), bytes("oneSweep"), bytes("payloads"), bytes("live")};
}

BenchCase readCase(const Value& object)
{
    BenchCase result{.workload = object.get("workload").string(), .name = object.get("case").string()};
    for (const Value& version : object.get("versions").items())
        result.versions.push_back(readVersion(version));
    readAxis(object, result);
    if (const auto scratch = object.find("scratch"))
        result.scratch = readScratch(*scratch);
    return result;
}

void readDevice(const Value& device, BenchResult& result)
{
    result.device = device.get("name").string();
    result.driver = textOr(device, "driver", "") + " " + textOr(device, "driverInfo", "");
}

GrowthSeries& seriesFor(std::vector<GrowthSeries>& all, const BenchCase& each, const std::string& what,
                        const std::string& unit)
{
    const auto found = std::find_if(all.begin(), all.end(), [&](const GrowthSeries& series) {
        return series.workload == each.workload && series.axis == each.axis && series.what == what;
    });
    return found != all.end() ? *found : all.emplace_back(GrowthSeries{each.workload, each.axis, what, unit, {}});
}

GrowthLine& lineFor(GrowthSeries& series, const std::string& name, bool isGraph)
{
    const auto found = std::find_if(series.lines.begin(), series.lines.end(),
                                    [&](const GrowthLine& line) { return line.name == name; });
    return found != series.lines.end() ? *found : series.lines.emplace_back(GrowthLine{name, isGraph, {}, {}});
}

void addTime(GrowthSeries& series, const char* name, double x, const BenchVersion* version)
{
    if (version == nullptr)
        return;
    GrowthLine& line = lineFor(series, name, version->role == BenchVersion::Role::Graph);
    line.points.push_back({x, version->median});
    line.range.emplace_back(version->least, version->most);
}

void addBytes(std::vector<GrowthSeries>& all, const BenchCase& each, const std::string& what, const char* name,
              double bytes)
{
    if (bytes > 0) {
        const bool isGraph = name == std::string_view("graph");
        lineFor(seriesFor(all, each, what, "bytes"), name, isGraph).points.push_back({each.x, bytes});
    }
}

// One of W1 to W10.
bool countsForTheMean(const std::string& workload)
{
    static const std::set<std::string> counted{"W1", "W2", "W3", "W4", "W5", "W6", "W7", "W8", "W9", "W10"};
    return counted.contains(workload);
}

std::string settingOf(const BenchResult& result, const std::string& name)
{
    const auto found = result.environment.find(name);
    return found != result.environment.end() ? found->second : "";
}

bool isSameInAll(const std::vector<BenchResult>& results, const std::string& name)
{
    return std::all_of(results.begin(), results.end(), [&](const BenchResult& result) {
        return settingOf(result, name) == settingOf(results.front(), name);
    });
}

std::string shortName(const std::string& setting)
{
    constexpr std::string_view kPrefix = "VK_MILLRACE_EMULATION_";
    return setting.starts_with(kPrefix) ? setting.substr(kPrefix.size()) : setting;
}

}  // namespace

const BenchVersion* BenchCase::graph() const
{
    const auto found = std::find_if(versions.begin(), versions.end(), [](const BenchVersion& version) {
        return version.role == BenchVersion::Role::Graph;
    });
    return found != versions.end() ? &*found : nullptr;
}

const BenchVersion* BenchCase::hand() const
{
    const BenchVersion* best = nullptr;
    for (const BenchVersion& version : versions)
        if (version.role == BenchVersion::Role::Hand && (best == nullptr || version.median < best->median))
            best = &version;
    return best;
}

BenchResult readBenchResult(const std::string& file)
{
    const run::Document document = run::Document::read(file);
    const Value root = document.root();
    BenchResult result{.file = file};
    if (!root.has("cases") || !root.has("figures"))
        root.fail("this is no result of bench/run: \"cases\" and \"figures\" are expected");
    if (const std::string unit = root.get("unit").string(); unit != "us")
        root.get("unit").fail("times are expected in \"us\", not \"" + unit + "\"");
    result.date = root.get("date").string();
    readDevice(root.get("device"), result);
    result.size = root.get("size").string();
    result.runs = static_cast<uint32_t>(root.get("runs").count(1, 1000000));
    for (const auto& [name, value] : root.get("environment").members())
        result.environment[name] = value.string();
    for (const Value& object : root.get("cases").items())
        result.cases.push_back(readCase(object));
    return result;
}

std::vector<GrowthSeries> growthIn(const BenchResult& result)
{
    std::vector<GrowthSeries> all;
    for (const BenchCase& each : result.cases) {
        if (!each.axis.empty()) {
            GrowthSeries& series = seriesFor(all, each, "time", "us");
            addTime(series, "graph", each.x, each.graph());
            addTime(series, "by hand", each.x, each.hand());
            addBytes(all, each, "scratch for one sweep", "graph", each.scratch.oneSweep);
            addBytes(all, each, "scratch for one sweep", "payloads alone", each.scratch.live);
            addBytes(all, each, "scratch for payloads", "graph", each.scratch.payloads);
            addBytes(all, each, "least scratch", "graph", each.scratch.least);
        }
    }
    return all;
}

double geometricMean(const BenchResult& result)
{
    double logs = 0;
    size_t count = 0;
    for (const BenchCase& each : result.cases) {
        if (each.axis.empty() && countsForTheMean(each.workload) && each.graph() != nullptr && each.hand() != nullptr) {
            logs += std::log(each.graph()->median / each.hand()->median);
            ++count;
        }
    }
    return count > 0 ? std::exp(logs / static_cast<double>(count)) : 0;
}

std::vector<std::string> labelsOf(const std::vector<BenchResult>& results)
{
    std::set<std::string> names;
    for (const BenchResult& result : results)
        for (const auto& [name, value] : result.environment)
            names.insert(name);
    std::erase_if(names, [&](const std::string& name) { return isSameInAll(results, name); });
    std::vector<std::string> labels;
    for (const BenchResult& result : results) {
        std::string label;
        for (const std::string& name : names) {
            const std::string value = settingOf(result, name);
            label += value.empty() ? "" : (label.empty() ? "" : ", ") + shortName(name) + "=" + value;
        }
        labels.push_back(label.empty() ? "as it comes" : label);
    }
    if (std::set<std::string>(labels.begin(), labels.end()).size() < labels.size()) {
        std::transform(results.begin(), results.end(), labels.begin(),
                       [](const BenchResult& result) { return result.file; });
    }
    return labels;
}

}  // namespace millrace::tools::report
