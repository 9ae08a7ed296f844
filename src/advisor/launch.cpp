// SPDX-License-Identifier: Apache-2.0
#include "advisor/launch.h"

#include <algorithm>

namespace millrace::advisor {

namespace {

uint32_t divideUp(uint32_t value, uint32_t by)
{
    return (value + by - 1) / by;
}

BarrierClass classOf(const Facts& facts, const Launch& launch)
{
    if (facts.barriers.empty() || launch.shaderWaves == launch.waves)
        return BarrierClass::None;
    return launch.shaderWaves == 1 ? BarrierClass::Shrinkable : BarrierClass::Loop;
}

}  // namespace

const char* nameOf(BarrierClass barriers)
{
    switch (barriers) {
        case BarrierClass::None:
            return "none";
        case BarrierClass::Shrinkable:
            return "shrinkable";
        case BarrierClass::Loop:
            return "loop";
    }
    return "";
}

Launch planLaunch(const Facts& facts, const Gpu& gpu, uint32_t waveSize)
{
    Launch out;
    out.waveSize = waveSize;
    out.shaderWaves = divideUp(facts.invocations(), waveSize);
    out.waves = out.shaderWaves;
    if (facts.stage == Stage::Mesh && !gpu.exportsRows)
        out.waves = std::max(out.waves, divideUp(std::max(facts.maxVertices, facts.maxPrimitives), waveSize));
    out.invocations = out.waves * waveSize;
    out.idleInvocations = out.invocations - facts.invocations();
    if (facts.stage == Stage::Mesh) {
        out.vertexRows = std::max(1u, divideUp(facts.maxVertices, out.invocations));
        out.primitiveRows = std::max(1u, divideUp(facts.maxPrimitives, out.invocations));
    }
    out.barriers = classOf(facts, out);
    return out;
}

}  // namespace millrace::advisor
