// SPDX-License-Identifier: Apache-2.0
#include "bench/suite/series.h"

#include <algorithm>

namespace millrace::bench {

namespace {

struct Quantity {
    const char* name;
    const char* unit;
    double (*of)(const CaseResult& result);
};

double scratchOf(const CaseResult& result, VkDeviceSize ScratchNeed::*member)
{
    return result.scratch ? static_cast<double>((*result.scratch).*member) : 0;
}

constexpr Quantity kQuantities[] = {
    {"time", "us", [](const CaseResult& result) { return result.graph(); }},
    {"time by hand", "us", [](const CaseResult& result) { return result.hand(); }},
    {"scratch for one sweep", "bytes",
     [](const CaseResult& result) { return scratchOf(result, &ScratchNeed::oneSweep); }},
    {"scratch for payloads", "bytes",
     [](const CaseResult& result) { return scratchOf(result, &ScratchNeed::regions); }},
    {"least scratch", "bytes", [](const CaseResult& result) { return scratchOf(result, &ScratchNeed::least); }},
};

}  // namespace

std::vector<Series> seriesIn(const std::vector<CaseResult>& results)
{
    std::vector<std::pair<std::string, std::string>> axes;
    for (const CaseResult& result : results) {
        const std::pair key{result.workload, result.axis};
        if (!result.axis.empty() && std::find(axes.begin(), axes.end(), key) == axes.end())
            axes.push_back(key);
    }
    std::vector<Series> all;
    for (const auto& [workload, axis] : axes)
        for (const Quantity& quantity : kQuantities) {
            Series series{workload, axis, quantity.name, quantity.unit, {}};
            for (const CaseResult& result : results)
                if (result.workload == workload && result.axis == axis)
                    series.points.push_back({result.x, quantity.of(result)});
            if (std::all_of(series.points.begin(), series.points.end(), [](const auto& point) { return point.y > 0; }))
                all.push_back(std::move(series));
        }
    return all;
}

}  // namespace millrace::bench
