// SPDX-License-Identifier: Apache-2.0
#include "advisor/findings.h"

#include <algorithm>
#include <array>

#include "advisor/find.h"

namespace millrace::advisor {

namespace {

struct Search {
    std::string_view topic;
    void (*find)(const Facts&, const GpuPlan&, FindingList&);
};

// In the order in which they matter.
constexpr std::array kSearches = {
    Search{"too-much-shared-memory", findTooMuchShared},
    Search{"spilled-outputs", findSpilledOutputs},
    Search{"barriers", findBarriers},
    Search{"idle-invocations", findIdleInvocations},
    Search{"one-more-wave", findOneMoreWave},
    Search{"partial-wave", findPartialWaves},
    Search{"outputs-of-others", findForeignOutputs},
    Search{"distances", findDistances},
    Search{"low-occupancy", findLowOccupancy},
    Search{"many-registers", findManyRegisters},
    Search{"payload-atomics", findPayloadAtomics},
    Search{"large-payload", findLargePayload},
    Search{"constant-launch", findConstantLaunch},
    Search{"point-size", findPointSize},
    Search{"export-rows", findExportRows},
    Search{"workgroup-id", findWorkgroupId},
    Search{"constant-counts", findConstantCounts},
};

bool isSame(const Finding& a, const Finding& b)
{
    return a.kind == b.kind && a.topic == b.topic && a.text == b.text && a.cost == b.cost && a.advice == b.advice &&
           a.places == b.places;
}

void merge(FindingList& all, Finding finding)
{
    const auto same = std::ranges::find_if(all, [&](const Finding& other) { return isSame(other, finding); });
    if (same == all.end())
        all.push_back(std::move(finding));
    else
        same->gpus.push_back(finding.gpus.front());
}

}  // namespace

std::span<const std::string_view> findingTopics()
{
    static constexpr auto kTopics = [] {
        std::array<std::string_view, kSearches.size()> topics;
        std::ranges::transform(kSearches, topics.begin(), &Search::topic);
        return topics;
    }();
    return kTopics;
}

GpuPlan planFor(const Facts& facts, const Gpu& gpu)
{
    GpuPlan out{gpu, planLds(facts, gpu), planLaunch(facts, gpu, 64), planLaunch(facts, gpu, 32), {}, {}, 0};
    out.wideOccupancy = occupancyOf(out.lds, out.wide);
    out.narrowOccupancy = occupancyOf(out.lds, out.narrow);
    out.registers = estimateRegisters(facts, out.lds);
    return out;
}

std::vector<Finding> findIn(const Facts& facts, std::span<const GpuPlan> plans)
{
    FindingList all;
    for (const Search& search : kSearches) {
        for (const GpuPlan& plan : plans) {
            FindingList found;
            search.find(facts, plan, found);
            for (Finding& finding : found) {
                finding.topic = search.topic;
                finding.gpus = {std::string(plan.gpu.name)};
                finding.places = knownPlaces(std::move(finding.places));
                merge(all, std::move(finding));
            }
        }
    }
    std::ranges::stable_sort(all, {}, &Finding::kind);
    return all;
}

std::string counted(uint64_t number, const std::string& one, const std::string& several)
{
    std::string digits = std::to_string(number);
    for (size_t at = digits.size(); at > 3;) {
        at -= 3;
        digits.insert(at, ",");
    }
    return digits + " " + (number == 1 ? one : several);
}

std::string listed(const std::vector<std::string>& words)
{
    std::string out;
    for (size_t w = 0; w < words.size(); ++w)
        out += (w == 0 ? "" : w + 1 == words.size() ? " and " : ", ") + words[w];
    return out;
}

std::string bytesOf(uint64_t bytes)
{
    return counted(bytes, "byte", "bytes");
}

std::vector<Place> knownPlaces(std::vector<Place> places)
{
    std::erase_if(places, [](const Place& place) { return place.line == 0; });
    std::ranges::sort(places);
    places.erase(std::unique(places.begin(), places.end()), places.end());
    return places;
}

}  // namespace millrace::advisor
