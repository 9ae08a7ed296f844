// SPDX-License-Identifier: Apache-2.0
// Workgroups of the hardware, and how many run side by side.
#include <gtest/gtest.h>

#include "advisor/advised.h"

namespace millrace::advisor::test {
namespace {

const Gpu& gpuNamed(std::string_view name)
{
    return *std::ranges::find(gpus(), name, &Gpu::name);
}

Facts meshOf(uint32_t invocations, uint32_t vertices, uint32_t primitives, bool hasBarrier = false)
{
    Facts facts;
    facts.workgroupSize = {invocations, 1, 1};
    facts.maxVertices = vertices;
    facts.maxPrimitives = primitives;
    if (hasBarrier)
        facts.barriers.push_back({});
    return facts;
}

TEST(Launch, OneExportPerInvocation_WorkgroupGrowsToTheOutputs)
{
    const Launch launch = planLaunch(meshOf(32, 64, 126), gpuNamed("gfx10.3"), 64);
    EXPECT_EQ(launch.invocations, 128u);
    EXPECT_EQ(launch.waves, 2u);
    EXPECT_EQ(launch.shaderWaves, 1u);
    EXPECT_EQ(launch.idleInvocations, 96u);
    EXPECT_EQ(launch.primitiveRows, 1u);
}

TEST(Launch, ExportsInRows_WorkgroupStays)
{
    const Launch launch = planLaunch(meshOf(32, 64, 126), gpuNamed("gfx11"), 32);
    EXPECT_EQ(launch.invocations, 32u);
    EXPECT_EQ(launch.idleInvocations, 0u);
    EXPECT_EQ(launch.vertexRows, 2u);
    EXPECT_EQ(launch.primitiveRows, 4u);
}

TEST(Launch, BarriersByWavesThatRunTheShader)
{
    const Gpu& old = gpuNamed("gfx10.3");
    EXPECT_EQ(planLaunch(meshOf(32, 64, 126), old, 64).barriers, BarrierClass::None);
    EXPECT_EQ(planLaunch(meshOf(32, 64, 126, true), old, 64).barriers, BarrierClass::Shrinkable);
    EXPECT_EQ(planLaunch(meshOf(33, 64, 126, true), old, 32).barriers, BarrierClass::Loop);
    EXPECT_EQ(planLaunch(meshOf(96, 96, 256, true), old, 64).barriers, BarrierClass::Loop);
    EXPECT_EQ(planLaunch(meshOf(100, 64, 126, true), old, 64).barriers, BarrierClass::None);
    EXPECT_EQ(planLaunch(meshOf(32, 64, 126, true), gpuNamed("gfx12"), 32).barriers, BarrierClass::None);
}

TEST(Launch, TaskShaders_ExportNothing)
{
    Facts facts = meshOf(40, 0, 0, true);
    facts.stage = Stage::Task;
    const Launch launch = planLaunch(facts, gpuNamed("gfx10.3"), 32);
    EXPECT_EQ(launch.invocations, 64u);
    EXPECT_EQ(launch.idleInvocations, 24u);
    EXPECT_EQ(launch.barriers, BarrierClass::None);
}

// A SIMD unit of RDNA 2 has 1,024 registers in waves of 32, in granules of 16; 512 of 64 in granules of 8.
TEST(Occupancy, ByRegisters)
{
    const Gpu& rdna2 = gpuNamed("gfx10.3");
    EXPECT_EQ(wavesForRegisters(rdna2, 32, 64), 16u);
    EXPECT_EQ(wavesForRegisters(rdna2, 32, 65), 12u);
    EXPECT_EQ(wavesForRegisters(rdna2, 64, 32), 16u);
    EXPECT_EQ(wavesForRegisters(rdna2, 64, 33), 12u);
    EXPECT_EQ(wavesForRegisters(rdna2, 64, 256), 2u);
    EXPECT_EQ(wavesForRegisters(rdna2, 32, 0), 16u);
    EXPECT_EQ(wavesForRegisters(gpuNamed("gfx11"), 32, 96), 16u);
    EXPECT_EQ(wavesForRegisters(gpuNamed("gfx11"), 32, 97), 12u);
}

TEST(Occupancy, MostRegisters_AreTheMost)
{
    for (const Gpu& gpu : gpus()) {
        for (const uint32_t waveSize : {32u, 64u}) {
            for (uint32_t waves = 1; waves <= kWavesPerSimd; ++waves) {
                const uint32_t most = registersForWaves(gpu, waveSize, waves);
                EXPECT_GE(wavesForRegisters(gpu, waveSize, most), waves);
                if (most < 256)
                    EXPECT_LT(wavesForRegisters(gpu, waveSize, most + 1), waves);
            }
        }
    }
}

TEST(Occupancy, ByLocalDataShare)
{
    LdsPlan lds;
    const Launch launch = planLaunch(meshOf(64, 64, 64), gpuNamed("gfx10.3"), 64);
    EXPECT_EQ(occupancyOf(lds, launch).waves, kWavesPerSimd);
    lds.allocatedBytes = 8192;
    EXPECT_EQ(occupancyOf(lds, launch).workgroups, 16u);
    EXPECT_EQ(occupancyOf(lds, launch).waves, 4u);
    lds.allocatedBytes = 32768;
    EXPECT_EQ(occupancyOf(lds, launch).workgroups, 4u);
    EXPECT_EQ(occupancyOf(lds, launch).waves, 1u);
}

}  // namespace
}  // namespace millrace::advisor::test
