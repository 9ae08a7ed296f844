// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "advisor/find.h"

namespace millrace::advisor {

namespace {

constexpr uint32_t kSlotBytes = 16;

std::vector<std::string> namesOf(const std::vector<DriverSlot>& slots)
{
    std::vector<std::string> out;
    for (const DriverSlot& slot : slots) {
        for (const std::string& name : slot.names)
            if (std::ranges::find(out, name) == out.end())
                out.push_back(name);
    }
    return out;
}

uint32_t bytesOfOutput(const Facts& facts, const Output& output, const std::vector<DriverSlot>& slots)
{
    uint32_t bytes = 0;
    for (const DriverSlot& slot : slots)
        if (std::ranges::find(slot.names, output.name) != slot.names.end())
            bytes += kSlotBytes * (slot.isPerPrimitive ? facts.maxPrimitives : facts.maxVertices);
    return bytes;
}

// Of local data share, for what an output has there.
uint32_t stagedBytes(const Facts& facts, const GpuPlan& plan, const Output& output)
{
    switch (output.kind) {
        case OutputKind::Indices:
            return plan.lds.indexBytes;
        case OutputKind::Cull:
            return plan.lds.cullBytes;
        default:
            return bytesOfOutput(facts, output, plan.lds.staged);
    }
}

std::string howToWrite(const Facts& facts, const Output& output)
{
    if (output.isIndexed)
        return "Choose its elements by constants: the driver cannot keep in registers what is indexed.";
    const uint32_t most = output.isPerPrimitive ? facts.maxPrimitives : facts.maxVertices;
    const std::string what = output.isPerPrimitive ? "primitive" : "vertex";
    return "Let each invocation write the " + what +
           " whose number is gl_LocalInvocationIndex, and that value itself "
           "be the index" +
           (facts.invocations() < most ? ", in a workgroup of " + std::to_string(most) + "." : ".");
}

}  // namespace

void findForeignOutputs(const Facts& facts, const GpuPlan& plan, FindingList& out)
{
    for (const Output& output : facts.outputs) {
        const uint32_t bytes = output.isForeign() ? stagedBytes(facts, plan, output) : 0;
        if (bytes == 0)
            continue;
        Finding finding;
        finding.places = output.foreignStores;
        finding.text = output.name + " is written by invocations with another number than the " +
                       (output.isPerPrimitive ? "primitive" : "vertex") + ", as far as the driver can tell.";
        finding.cost = bytesOf(bytes) + " of local data share, to which it is written and from which it is read again.";
        finding.advice = howToWrite(facts, output);
        out.push_back(std::move(finding));
    }
}

void findDistances(const Facts& facts, const GpuPlan& plan, FindingList& out)
{
    std::vector<std::string> names;
    uint32_t bytes = 0;
    for (const DriverSlot& slot : plan.lds.staged) {
        if (slot.kind == OutputKind::ClipDistance) {
            bytes += kSlotBytes * facts.maxVertices;
            names.insert(names.end(), slot.names.begin(), slot.names.end());
        }
    }
    std::ranges::sort(names);
    names.erase(std::unique(names.begin(), names.end()), names.end());
    std::erase_if(names, [&](const std::string& name) {
        const auto output = std::ranges::find(facts.outputs, name, &Output::name);
        return output != facts.outputs.end() && output->isForeign();
    });
    if (names.empty())
        return;
    Finding finding;
    finding.text = listed(names) + (names.size() == 1 ? " goes" : " go") +
                   " through local data share, whoever writes " + (names.size() == 1 ? "it." : "them.");
    finding.cost = bytesOf(bytes) + " of local data share for all distances, written and read again.";
    finding.advice = "Cull whole primitives instead where that is enough: by gl_CullPrimitiveEXT, or by writing fewer.";
    out.push_back(std::move(finding));
}

void findSpilledOutputs(const Facts& facts, const GpuPlan& plan, FindingList& out)
{
    if (plan.lds.spilled.empty())
        return;
    Finding finding;
    finding.kind = Finding::Kind::Problem;
    const std::vector<std::string> names = namesOf(plan.lds.spilled);
    for (const Output& output : facts.outputs)
        if (std::ranges::find(names, output.name) != names.end())
            finding.places.insert(finding.places.end(), output.foreignStores.begin(), output.foreignStores.end());
    finding.text = listed(names) + (names.size() == 1 ? " does" : " do") + " not fit in local data share beside " +
                   bytesOf(facts.sharedBytes) + " of shared memory.";
    finding.cost = bytesOf(plan.lds.spilledBytes) + " of each workgroup are written to video memory and read again.";
    finding.advice =
        "Declare fewer vertices or primitives, fewer outputs or less shared memory, or let each invocation "
        "write the vertex and primitive of its own number.";
    out.push_back(std::move(finding));
}

void findTooMuchShared(const Facts& facts, const GpuPlan& plan, FindingList& out)
{
    if (plan.lds.fits)
        return;
    Finding finding;
    finding.kind = Finding::Kind::Problem;
    finding.text = bytesOf(facts.sharedBytes) + " of shared memory leave no room for what the driver needs.";
    finding.cost = "The pipeline cannot be created, or its creation fails in the driver.";
    finding.advice = facts.stage == Stage::Mesh ? "Use at most 28,672 bytes, which Vulkan guarantees."
                                                : "Use at most 32,768 bytes, which Vulkan guarantees.";
    out.push_back(std::move(finding));
}

void findLowOccupancy(const Facts& facts, const GpuPlan& plan, FindingList& out)
{
    const uint32_t waves = plan.wideOccupancy.waves;
    const bool isBound =
        kLdsBytesPerWgp / std::max(1u, plan.lds.allocatedBytes) < kWavesPerSimd * kSimdsPerWgp / plan.wide.waves;
    if (!plan.lds.fits || !isBound || waves > kWavesPerSimd / 2)
        return;
    Finding finding;
    finding.kind = waves <= kWavesPerSimd / 4 ? Finding::Kind::Problem : Finding::Kind::Hint;
    const uint32_t own = plan.lds.sharedBytes;
    finding.text = "A workgroup takes " + bytesOf(plan.lds.allocatedBytes) + " of local data share, " +
                   (own > 0 ? bytesOf(own) + " of them the shader's own." : "none of them the shader's own.");
    finding.cost = "At most " + counted(plan.wideOccupancy.workgroups, "workgroup runs", "workgroups run") +
                   " at a time on a work group processor, " + counted(waves, "wave", "waves") + " of 64 of " +
                   std::to_string(kWavesPerSimd) + " on a SIMD unit.";
    finding.advice = own * 2 > plan.lds.usedBytes
                         ? "Use less shared memory; subgroup operations need none."
                         : "Let each invocation write the vertex and primitive of its own number, or declare fewer.";
    if (facts.stage == Stage::Task)
        finding.advice = "Use less shared memory; subgroup operations need none.";
    out.push_back(std::move(finding));
}

void findManyRegisters(const Facts&, const GpuPlan& plan, FindingList& out)
{
    const uint32_t waves = wavesForRegisters(plan.gpu, 64, plan.registers);
    if (waves > kWavesPerSimd / 2)
        return;
    Finding finding;
    finding.text = "The shader keeps about " + std::to_string(plan.registers) + " registers full.";
    finding.cost = "About " + counted(waves, "wave", "waves") + " of 64 at a time on a SIMD unit, of " +
                   std::to_string(kWavesPerSimd) + ".";
    finding.advice = "Write outputs as soon as they are known, and keep fewer values across barriers and loops.";
    out.push_back(std::move(finding));
}

void findPointSize(const Facts& facts, const GpuPlan& plan, FindingList& out)
{
    const auto isSize = [](const Output& output) { return output.kind == OutputKind::PointSize; };
    const auto size = std::ranges::find_if(facts.outputs, isSize);
    if (facts.verticesPerPrimitive == 1 || size == facts.outputs.end())
        return;
    const uint32_t bytes = bytesOfOutput(facts, *size, plan.lds.staged);
    Finding finding;
    finding.places = size->foreignStores;
    finding.text = size->name + " is written, but no points are drawn.";
    finding.cost = "A second export of each vertex" +
                   (bytes == 0 ? std::string(".") : ", and " + bytesOf(bytes) + " of local data share.");
    finding.advice = "Do not write it.";
    out.push_back(std::move(finding));
}

void findConstantCounts(const Facts& facts, const GpuPlan&, FindingList& out)
{
    std::vector<Place> places;
    for (const OutputCounts& counts : facts.outputCounts) {
        if (counts.vertices != facts.maxVertices || counts.primitives != facts.maxPrimitives)
            return;
        places.push_back(counts.place);
    }
    const auto isCull = [](const Output& output) { return output.kind == OutputKind::Cull; };
    const bool culls = std::ranges::any_of(facts.outputs, isCull);
    if (places.empty() || !culls)
        return;
    Finding finding;
    finding.places = std::move(places);
    finding.text = "Primitives are culled by gl_CullPrimitiveEXT, while every workgroup has all " +
                   counted(facts.maxVertices, "vertex", "vertices") + " and " +
                   counted(facts.maxPrimitives, "primitive", "primitives") + ".";
    finding.cost = "What is culled is exported all the same.";
    finding.advice = "Where many are culled, count those that remain by subgroup operations, and write them alone.";
    out.push_back(std::move(finding));
}

}  // namespace millrace::advisor
