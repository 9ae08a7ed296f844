// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "tools/console.h"
#include "tools/report/bench_page.h"
#include "tools/report/page_parts.h"
#include "tools/report/template.h"

namespace millrace::tools::report {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kRoles[] = {"graph", "hand", "peer", "other"};

Json resultJson(const BenchResult& result, const std::string& label)
{
    const double mean = geometricMean(result);
    Json settings = Json::object();
    for (const auto& [name, value] : result.environment)
        settings[printable(name)] = printable(value);
    return {{"label", printable(label)},
            {"file", printable(result.file)},
            {"date", printable(result.date)},
            {"device", printable(result.device)},
            {"driver", printable(result.driver)},
            {"size", printable(result.size)},
            {"runs", result.runs},
            {"settings", std::move(settings)},
            {"mean", mean > 0 ? Json(mean) : Json(nullptr)}};
}

Json timesJson(const BenchCase& each)
{
    Json out{{"ratio", each.graph()->median / each.hand()->median}, {"versions", Json::array()}};
    for (const BenchVersion& version : each.versions) {
        out["versions"].push_back({{"role", kRoles[static_cast<size_t>(version.role)]},
                                   {"name", printable(version.name)},
                                   {"median", version.median},
                                   {"least", version.least},
                                   {"most", version.most}});
    }
    return out;
}

// A case of all results, null where a result lacks it.
Json casesJson(const std::vector<BenchResult>& results)
{
    Json cases = Json::array();
    for (size_t r = 0; r < results.size(); ++r) {
        for (const BenchCase& each : results[r].cases) {
            if (!each.axis.empty() || each.graph() == nullptr || each.hand() == nullptr)
                continue;
            const std::string workload = printable(each.workload), name = printable(each.name);
            auto found = std::find_if(cases.begin(), cases.end(), [&](const Json& other) {
                return other["workload"] == workload && other["case"] == name;
            });
            if (found == cases.end()) {
                Json empty{{"workload", workload}, {"case", name}, {"results", std::vector<Json>(results.size())}};
                found = cases.insert(cases.end(), std::move(empty));
            }
            (*found)["results"][r] = timesJson(each);
        }
    }
    return cases;
}

Json lineJson(const GrowthLine& line, size_t result, const std::string& unit)
{
    Json out{{"name", printable(line.name)}, {"result", result}, {"is_graph", line.isGraph}, {"points", Json::array()}};
    for (size_t i = 0; i < line.points.size(); ++i) {
        Json point{line.points[i].x, line.points[i].y};
        if (!line.range.empty()) {
            point.push_back(line.range[i].first);
            point.push_back(line.range[i].second);
        }
        out["points"].push_back(std::move(point));
    }
    if (const auto growth = growthOf(line.points)) {
        out["fixed"] = growth->fixed;
        out["each"] = growth->each;
        out["deviation"] = growth->deviation;
        out["exponent"] = growth->exponent;
        if (growth->ratio) {
            out["from"] = growth->from;
            out["each_ratio"] = *growth->ratio;
        }
        out["linear"] = isLinear(*growth);
        out["words"] = printable(wordsFor(*growth, unit));
    }
    return out;
}

Json growthJson(const std::vector<BenchResult>& results)
{
    Json all = Json::array();
    for (size_t r = 0; r < results.size(); ++r) {
        for (const GrowthSeries& series : growthIn(results[r])) {
            const std::string workload = printable(series.workload), axis = printable(series.axis);
            auto found = std::find_if(all.begin(), all.end(), [&](const Json& other) {
                return other["workload"] == workload && other["axis"] == axis && other["what"] == series.what;
            });
            if (found == all.end()) {
                Json empty{{"workload", workload},
                           {"axis", axis},
                           {"what", series.what},
                           {"unit", series.unit},
                           {"lines", Json::array()}};
                found = all.insert(all.end(), std::move(empty));
            }
            for (const GrowthLine& line : series.lines)
                (*found)["lines"].push_back(lineJson(line, r, series.unit));
        }
    }
    return all;
}

}  // namespace

Json benchJson(const std::vector<BenchResult>& results)
{
    const std::vector<std::string> labels = labelsOf(results);
    Json out{{"results", Json::array()}};
    for (size_t r = 0; r < results.size(); ++r)
        out["results"].push_back(resultJson(results[r], labels[r]));
    out["cases"] = casesJson(results);
    out["growth"] = growthJson(results);
    return out;
}

std::string makeBenchPage(const std::vector<BenchResult>& results)
{
    return fillIn(kBenchHtml, {{"style", std::string(kPageCss) + kBenchCss},
                               {"d3", fillIn(kD3Html, {{"code", joined(kPageD3)}})},
                               {"script", std::string(kBasicsJs) + kBenchJs},
                               {"data", jsonForScript(benchJson(results))}});
}

}  // namespace millrace::tools::report
