// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "advisor/find.h"

namespace millrace::advisor {

namespace {

constexpr uint32_t kLargePayloadBytes = 4096;

}  // namespace

void findPayloadAtomics(const Facts& facts, const GpuPlan& plan, FindingList& out)
{
    if (facts.stage != Stage::Task || !facts.payload || !facts.payload->hasAtomics)
        return;
    Finding finding;
    finding.text = "Atomic operations work on the payload, \"" + facts.payload->name + "\".";
    finding.cost = bytesOf(plan.lds.payloadBytes) +
                   " of local data share, since the driver keeps such a payload there and copies it in the end.";
    finding.advice = "Count in shared memory, or by subgroup operations, and write the result to the payload.";
    out.push_back(std::move(finding));
}

void findLargePayload(const Facts& facts, const GpuPlan&, FindingList& out)
{
    if (!facts.payload || facts.payload->bytes < kLargePayloadBytes)
        return;
    Finding finding;
    finding.text = "The payload, \"" + facts.payload->name + "\", has " + bytesOf(facts.payload->bytes) + ".";
    finding.cost =
        "It goes through a ring in video memory: written by each task workgroup, read by every mesh workgroup "
        "that it starts.";
    finding.advice = "Send indices and what cannot be found again cheaply; small integers can share a word.";
    out.push_back(std::move(finding));
}

void findConstantLaunch(const Facts& facts, const GpuPlan&, FindingList& out)
{
    const auto isConstant = [](const std::optional<uint32_t>& size) { return size.has_value(); };
    std::vector<Place> places;
    for (const TaskLaunch& launch : facts.launches) {
        if (!std::ranges::all_of(launch.groups, isConstant) || launch.groups != facts.launches[0].groups)
            return;
        places.push_back(launch.place);
    }
    if (places.empty())
        return;
    const auto& groups = facts.launches[0].groups;
    const uint64_t total = uint64_t{*groups[0]} * *groups[1] * *groups[2];
    Finding finding;
    finding.places = std::move(places);
    finding.text = "Every task workgroup starts " + counted(total, "mesh workgroup", "mesh workgroups") +
                   ", whatever it finds out.";
    finding.cost = "A task shader that culls nothing costs its own time, and payloads on their way through memory.";
    finding.advice =
        total == 0 ? "Leave out the draw." : "Start as many as remain after culling, or draw without a task shader.";
    out.push_back(std::move(finding));
}

}  // namespace millrace::advisor
