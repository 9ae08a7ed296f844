// SPDX-License-Identifier: Apache-2.0
#include "advisor/occupancy.h"

#include <algorithm>

namespace millrace::advisor {

namespace {

// Registers are reserved in granules that depend on how many there are. All counts are for waves of the given size.
struct RegisterFile {
    uint32_t registers = 0;
    uint32_t granule = 0;
};

RegisterFile registerFileOf(const Gpu& gpu, uint32_t waveSize)
{
    const uint32_t perWave64 = gpu.vectorRegisters / 2;
    return {waveSize == 32 ? gpu.vectorRegisters : perWave64, perWave64 / 64 * (waveSize == 32 ? 2 : 1)};
}

}  // namespace

uint32_t wavesForRegisters(const Gpu& gpu, uint32_t waveSize, uint32_t registers)
{
    const RegisterFile file = registerFileOf(gpu, waveSize);
    const uint32_t reserved = (std::max(registers, 1u) + file.granule - 1) / file.granule * file.granule;
    return std::min(kWavesPerSimd, file.registers / reserved);
}

uint32_t estimateRegisters(const Facts& facts, const LdsPlan& lds)
{
    constexpr uint32_t kSlotWords = 4;
    constexpr uint32_t kDriversOwn = 2;  // of what the wave begins with
    const auto isOfVertex = [](const DriverSlot& slot) { return !slot.isPerPrimitive; };
    const auto slots = std::ranges::count_if(lds.staged, isOfVertex) + std::ranges::count_if(lds.spilled, isOfVertex);
    return std::max(facts.liveWords, static_cast<uint32_t>(slots) * kSlotWords) + kDriversOwn;
}

uint32_t registersForWaves(const Gpu& gpu, uint32_t waveSize, uint32_t waves)
{
    const RegisterFile file = registerFileOf(gpu, waveSize);
    return std::min(256u, file.registers / std::max(waves, 1u) / file.granule * file.granule);
}

Occupancy occupancyOf(const LdsPlan& lds, const Launch& launch)
{
    const uint32_t bySlots = kWavesPerSimd * kSimdsPerWgp / launch.waves;
    const uint32_t byLds = lds.allocatedBytes == 0 ? bySlots : kLdsBytesPerWgp / lds.allocatedBytes;
    Occupancy out;
    out.workgroups = std::min(bySlots, byLds);
    out.waves = std::min(kWavesPerSimd, (out.workgroups * launch.waves + kSimdsPerWgp - 1) / kSimdsPerWgp);
    return out;
}

}  // namespace millrace::advisor
