// SPDX-License-Identifier: Apache-2.0
#include "spirv/effects.h"

#include <algorithm>

namespace millrace::spirv {

namespace {

// GLSL.std.450, which the grammar has no header for here: what writes through a pointer.
constexpr uint32_t kModf = 35;
constexpr uint32_t kFrexp = 51;

struct Range {
    spv::Op first;
    spv::Op last;
};

// By number, as the specification groups them.
constexpr Range kComputing[] = {
    {spv::Op::OpUndef, spv::Op::OpUndef},
    {spv::Op::OpVariable, spv::Op::OpVariable},
    {spv::Op::OpAccessChain, spv::Op::OpArrayLength},
    {spv::Op::OpInBoundsPtrAccessChain, spv::Op::OpInBoundsPtrAccessChain},
    {spv::Op::OpVectorExtractDynamic, spv::Op::OpTranspose},
    {spv::Op::OpConvertFToU, spv::Op::OpBitcast},
    {spv::Op::OpSNegate, spv::Op::OpSMulExtended},
    {spv::Op::OpAny, spv::Op::OpFUnordGreaterThanEqual},
    {spv::Op::OpShiftRightLogical, spv::Op::OpBitCount},
    {spv::Op::OpPhi, spv::Op::OpPhi},
    {spv::Op::OpGroupNonUniformElect, spv::Op::OpGroupNonUniformQuadSwap},
};

bool isVolatile(const Instruction& load)
{
    constexpr auto kVolatile = static_cast<uint32_t>(spv::MemoryAccessMask::Volatile);
    return load.operandCount() > 1 && (load.literal(1) & kVolatile) != 0;
}

}  // namespace

bool onlyComputes(const Instruction& i, Id extended)
{
    if (!i.result)
        return false;
    if (i.op == spv::Op::OpLoad)
        return !isVolatile(i);
    if (i.op == spv::Op::OpExtInst)
        return extended && i.id(0) == extended && i.literal(1) != kModf && i.literal(1) != kFrexp;
    return std::ranges::any_of(kComputing,
                               [&](const Range& range) { return i.op >= range.first && i.op <= range.last; });
}

Id findExtendedInstructions(const Module& module)
{
    for (const Instruction& i : module.section(Section::ExtInstImports))
        if (i.string(0) == "GLSL.std.450")
            return i.result;
    return {};
}

}  // namespace millrace::spirv
