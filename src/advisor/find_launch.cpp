// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "advisor/find.h"

namespace millrace::advisor {

namespace {

std::vector<Place> placesOf(const std::vector<Barrier>& barriers)
{
    std::vector<Place> out;
    for (const Barrier& barrier : barriers)
        out.push_back(barrier.place);
    return out;
}

uint32_t mostOutputs(const Facts& facts)
{
    return std::max(facts.maxVertices, facts.maxPrimitives);
}

std::string mostOutputsText(const Facts& facts)
{
    return facts.maxPrimitives > facts.maxVertices ? counted(facts.maxPrimitives, "primitive", "primitives")
                                                   : counted(facts.maxVertices, "vertex", "vertices");
}

std::string wavesText(const Launch& launch)
{
    return counted(launch.waves, "wave", "waves") + " of " + std::to_string(launch.waveSize);
}

std::string idleText(const Launch& launch)
{
    return std::to_string(launch.idleInvocations) + " of " + std::to_string(launch.invocations) + " invocations in " +
           wavesText(launch);
}

}  // namespace

void findIdleInvocations(const Facts& facts, const GpuPlan& plan, FindingList& out)
{
    if (plan.wide.waves == plan.wide.shaderWaves && plan.narrow.waves == plan.narrow.shaderWaves)
        return;
    Finding finding;
    finding.kind = facts.invocations() * 2 <= mostOutputs(facts) ? Finding::Kind::Problem : Finding::Kind::Hint;
    finding.text = "An invocation exports one vertex and one primitive at most, so " + mostOutputsText(facts) +
                   " need more of them than the workgroup's " + std::to_string(facts.invocations()) + ".";
    finding.cost = "While the shader runs, " + idleText(plan.wide) + " are idle (" + idleText(plan.narrow) +
                   "), and they keep their registers until the end.";
    finding.advice =
        "Make the workgroup as large as the most vertices or primitives and spread the work over all of "
        "it, or declare fewer vertices and primitives.";
    out.push_back(std::move(finding));
}

void findOneMoreWave(const Facts& facts, const GpuPlan& plan, FindingList& out)
{
    const uint32_t waveSize = plan.wide.waveSize;
    const uint32_t beyond = mostOutputs(facts) % waveSize;
    const uint32_t full = mostOutputs(facts) - beyond;
    if (plan.gpu.exportsRows || facts.stage != Stage::Mesh || beyond == 0 || beyond > waveSize / 8 || full == 0 ||
        facts.invocations() > full)
        return;
    Finding finding;
    finding.text = "Of " + mostOutputsText(facts) + ", " + std::to_string(beyond) + " do not fit in " +
                   counted(full / waveSize, "wave", "waves") + " of 64.";
    finding.cost = "One more wave of each workgroup, of which " + counted(beyond, "lane is", "lanes are") + " used.";
    finding.advice = "Declare at most " + std::to_string(full) + ".";
    out.push_back(std::move(finding));
}

void findPartialWaves(const Facts& facts, const GpuPlan& plan, FindingList& out)
{
    const uint32_t idle = plan.narrow.shaderWaves * 32 - facts.invocations();
    if (idle == 0)
        return;
    Finding finding;
    finding.kind = facts.invocations() <= 16 ? Finding::Kind::Problem : Finding::Kind::Hint;
    finding.text = "The workgroup has " + counted(facts.invocations(), "invocation", "invocations") +
                   ", no whole number of waves.";
    finding.cost = std::to_string(idle) + " of " + std::to_string(plan.narrow.shaderWaves * 32) +
                   " lanes are never used, in waves of 64 " +
                   std::to_string(plan.wide.shaderWaves * 64 - facts.invocations()) + " of " +
                   std::to_string(plan.wide.shaderWaves * 64) + ".";
    finding.advice = "Use a multiple of 32, better of 64.";
    out.push_back(std::move(finding));
}

void findExportRows(const Facts& facts, const GpuPlan& plan, FindingList& out)
{
    const uint32_t rows = std::max(plan.wide.vertexRows, plan.wide.primitiveRows);
    if (!plan.gpu.exportsRows || facts.stage != Stage::Mesh || rows < 2)
        return;
    Finding finding;
    finding.text = "The workgroup's " + counted(plan.wide.invocations, "invocation", "invocations") +
                   " in waves of 64 export " + mostOutputsText(facts) + ".";
    finding.cost = "The code that exports is a loop of up to " + std::to_string(rows) + " rounds (" +
                   std::to_string(std::max(plan.narrow.vertexRows, plan.narrow.primitiveRows)) + " in waves of 32).";
    finding.advice = "A workgroup as large as the most vertices or primitives exports in one round.";
    out.push_back(std::move(finding));
}

void findBarriers(const Facts& facts, const GpuPlan& plan, FindingList& out)
{
    const auto worst = std::max(plan.wide.barriers, plan.narrow.barriers);
    if (worst == BarrierClass::None)
        return;
    const bool isLoop = worst == BarrierClass::Loop;
    const Launch& launch = plan.wide.barriers == worst ? plan.wide : plan.narrow;
    const bool isBoth = plan.wide.barriers == plan.narrow.barriers;
    Finding finding;
    finding.kind = isLoop ? Finding::Kind::Problem : Finding::Kind::Hint;
    finding.places = placesOf(facts.barriers);
    finding.text = counted(facts.barriers.size(), "barrier", "barriers") + " in a shader that runs in " +
                   std::to_string(launch.shaderWaves) + " of the workgroup's " + wavesText(launch) +
                   (isBoth ? "." : " (not in waves of " + std::to_string(96 - launch.waveSize) + ").");
    finding.cost = isLoop ? "The other waves execute a barrier for each of the shader's, in a loop, and the end of the "
                            "shader is counted in local data share."
                          : "None: the wave that runs the shader need not wait for the others. With more than one wave "
                            "it would have to.";
    finding.advice = isLoop ? "Make the workgroup as large as the most vertices or primitives, or at most one wave; "
                              "exchange values by subgroup operations where that is possible."
                            : "Nothing, or a workgroup as large as the most vertices or primitives.";
    out.push_back(std::move(finding));
}

void findWorkgroupId(const Facts& facts, const GpuPlan& plan, FindingList& out)
{
    const bool isShared = plan.wide.shaderWaves > 1;
    if (plan.gpu.exportsRows || facts.stage != Stage::Mesh || !facts.usesWorkgroupId ||
        (!isShared && !facts.usesWorkgroupIdBeyondX))
        return;
    Finding finding;
    finding.places = {*facts.usesWorkgroupId};
    finding.text = "The hardware knows a workgroup by one number, and tells it to the first wave only.";
    finding.cost = "Once in each workgroup: ";
    finding.cost += isShared ? "a barrier and a word of local data share, for the other waves" : "";
    finding.cost += isShared && facts.usesWorkgroupIdBeyondX ? "; " : "";
    finding.cost += facts.usesWorkgroupIdBeyondX ? "divisions, since more than x of gl_WorkGroupID is used." : ".";
    finding.advice = facts.usesWorkgroupIdBeyondX ? "Number workgroups in one dimension, and use x alone."
                                                  : "Nothing, unless one wave is enough for the workgroup.";
    out.push_back(std::move(finding));
}

}  // namespace millrace::advisor
