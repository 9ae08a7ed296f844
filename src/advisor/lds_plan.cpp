// SPDX-License-Identifier: Apache-2.0
// As ac_nir_lower_ngg_mesh.c of Mesa lays it out.
#include "advisor/lds_plan.h"

#include <algorithm>

namespace millrace::advisor {

namespace {

constexpr uint32_t kSlotBytes = 16;
constexpr uint32_t kInfoBytes = 16;
constexpr uint32_t kMaxBytes = 32 * 1024;  // graphics stages address no more

uint64_t aligned(uint64_t bytes, uint32_t alignment)
{
    return (bytes + alignment - 1) / alignment * alignment;
}

uint32_t saturated(uint64_t bytes)
{
    return static_cast<uint32_t>(std::min<uint64_t>(bytes, UINT32_MAX));
}

const Output* findOutput(const Facts& facts, OutputKind kind)
{
    const auto found = std::ranges::find(facts.outputs, kind, &Output::kind);
    return found == facts.outputs.end() ? nullptr : &*found;
}

bool isForeign(const Facts& facts, OutputKind kind)
{
    const Output* output = findOutput(facts, kind);
    return output != nullptr && output->isForeign();
}

bool goesToRing(const DriverSlot& slot, const Gpu& gpu)
{
    return gpu.hasAttributeRing && slot.kind == OutputKind::Generic;
}

uint32_t bytesOf(const Facts& facts, const DriverSlot& slot)
{
    return kSlotBytes * (slot.isPerPrimitive ? facts.maxPrimitives : facts.maxVertices);
}

uint32_t bytesOf(const Facts& facts, const std::vector<DriverSlot>& slots, bool isPerPrimitive)
{
    uint32_t bytes = 0;
    for (const DriverSlot& slot : slots)
        bytes += slot.isPerPrimitive == isPerPrimitive ? bytesOf(facts, slot) : 0;
    return bytes;
}

void sortSlots(const Facts& facts, const Gpu& gpu, LdsPlan& plan)
{
    for (DriverSlot& slot : assignSlots(facts)) {
        std::vector<DriverSlot>& list = goesToRing(slot, gpu) ? plan.attributeRing
                                        : slot.isForeign      ? plan.staged
                                                              : plan.direct;
        list.push_back(std::move(slot));
    }
}

// Primitives' outputs go first, of these the last.
void spillOne(const Facts& facts, LdsPlan& plan)
{
    const bool hasPrimitives = bytesOf(facts, plan.staged, true) > 0;
    const auto last = std::find_if(plan.staged.rbegin(), plan.staged.rend(),
                                   [&](const DriverSlot& slot) { return slot.isPerPrimitive == hasPrimitives; });
    plan.spilledBytes += bytesOf(facts, *last);
    plan.spilled.push_back(std::move(*last));
    plan.staged.erase(std::next(last).base());
}

uint64_t outputsEnd(const Facts& facts, const LdsPlan& plan)
{
    return aligned(plan.sharedBytes, kSlotBytes) + kInfoBytes + bytesOf(facts, plan.staged, false) +
           bytesOf(facts, plan.staged, true);
}

void planMesh(const Facts& facts, const Gpu& gpu, LdsPlan& plan)
{
    sortSlots(facts, gpu, plan);
    const bool stagesIndices = isForeign(facts, OutputKind::Indices);
    const bool stagesCull = isForeign(facts, OutputKind::Cull);
    const uint64_t usable = (stagesIndices || stagesCull ? 30 : 31) * 1024;
    while (outputsEnd(facts, plan) >= usable && !plan.staged.empty())
        spillOne(facts, plan);
    plan.fits = outputsEnd(facts, plan) < usable;
    plan.infoBytes = saturated(aligned(plan.sharedBytes, kSlotBytes) + kInfoBytes - plan.sharedBytes);
    plan.vertexBytes = bytesOf(facts, plan.staged, false);
    plan.primitiveBytes = bytesOf(facts, plan.staged, true);
    uint64_t end = outputsEnd(facts, plan);
    if (stagesIndices) {
        plan.indexBytes = facts.maxPrimitives * facts.verticesPerPrimitive;
        end += plan.indexBytes;
    }
    if (stagesCull) {
        const uint64_t begin = aligned(end, kSlotBytes);
        plan.cullBytes = static_cast<uint32_t>(begin - end) + facts.maxPrimitives;
        end = begin + facts.maxPrimitives;
    }
    plan.fits = plan.fits && end <= kMaxBytes;
    plan.usedBytes = saturated(end);
}

void planTask(const Facts& facts, LdsPlan& plan)
{
    plan.usedBytes = facts.sharedBytes;
    if (facts.payload && facts.payload->hasAtomics) {
        const uint64_t begin = aligned(facts.sharedBytes, kSlotBytes);
        plan.usedBytes = saturated(begin + facts.payload->bytes);
        plan.payloadBytes = plan.usedBytes - facts.sharedBytes;
    }
    plan.fits = plan.usedBytes <= 2 * kMaxBytes;
}

}  // namespace

LdsPlan planLds(const Facts& facts, const Gpu& gpu)
{
    LdsPlan plan;
    plan.sharedBytes = facts.sharedBytes;
    if (facts.stage == Stage::Mesh)
        planMesh(facts, gpu, plan);
    else
        planTask(facts, plan);
    plan.encodedBytes = saturated(aligned(plan.usedBytes, kLdsEncodedGranuleBytes));
    plan.allocatedBytes = saturated(aligned(plan.usedBytes, kLdsAllocatedGranuleBytes));
    return plan;
}

}  // namespace millrace::advisor
