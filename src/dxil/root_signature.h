// SPDX-License-Identifier: Apache-2.0
// Root signatures of versions 1.0 to 1.2, as containers carry them (part RTS0), and what they make of bindings.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "dxil/bindings.h"
#include "dxil/bytes.h"

namespace millrace::dxil {

inline constexpr uint32_t kAppended = ~0u;

struct DescriptorRange {
    ResourceClass resourceClass = ResourceClass::Srv;
    uint32_t count = 1;  // kUnbounded
    uint32_t firstRegister = 0;
    uint32_t space = 0;
    uint32_t tableOffset = kAppended;  // descriptors from the start of the table; kAppended: behind the range before
};

struct RootParameter {
    enum class Kind : uint32_t { Table, Constants, Cbv, Srv, Uav };
    Kind kind = Kind::Table;
    uint32_t shaderRegister = 0;
    uint32_t space = 0;
    uint32_t constants = 0;               // 32-bit values
    std::vector<DescriptorRange> ranges;  // Table
};

struct StaticSampler {
    uint32_t shaderRegister = 0;
    uint32_t space = 0;
};

struct RootSignature {
    std::vector<RootParameter> parameters;
    std::vector<StaticSampler> staticSamplers;
};

// Errors: an unknown version, and whatever lies outside of the part.
Result<RootSignature> readRootSignature(Bytes part);

// Adds what the root signature says to `bindings`, in front of their rules by number:
// - the k-th descriptor table is set k, its r-th range binding r, an array if the range has several descriptors;
// - static samplers are one more set, in their order;
// - constants are push constants, in the order of parameters;
// - root descriptors are 64-bit addresses in the push constants, behind the constants, in the order of parameters.
void addRootSignature(const RootSignature& signature, Bindings& bindings);

// What a local root signature says, in front of what `bindings` will get later: its arguments are a record, in the
// order of parameters as D3D12 lays them out: constants of 4 bytes; addresses and tables of 8, aligned to 8. Static
// samplers are at `Bindings::localSamplerSet`, from `firstSampler` on. Returns the bytes of the record.
uint32_t addLocalRootSignature(const RootSignature& signature, uint32_t firstSampler, Bindings& bindings);

}  // namespace millrace::dxil
