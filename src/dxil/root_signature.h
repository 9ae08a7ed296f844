// SPDX-License-Identifier: Apache-2.0
// Root signatures of versions 1.0 to 1.2, as containers carry them (part RTS0), and what they make of bindings.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "dxil/bindings.h"
#include "dxil/bytes.h"

namespace millrace::dxil {

struct DescriptorRange {
    ResourceClass resourceClass = ResourceClass::Srv;
    uint32_t count = 1;  // kUnbounded
    uint32_t firstRegister = 0;
    uint32_t space = 0;
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

}  // namespace millrace::dxil
