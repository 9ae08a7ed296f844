// SPDX-License-Identifier: Apache-2.0
#include "spirv/edit.h"

namespace millrace::spirv {

namespace {

struct SubgroupUses {
    bool any = false;
    bool ballot = false;
    bool arithmetic = false;
    bool shuffle = false;

    void add(spv::Op op)
    {
        any |= op >= spv::Op::OpGroupNonUniformElect && op <= spv::Op::OpGroupNonUniformQuadSwap;
        ballot |= op >= spv::Op::OpGroupNonUniformBroadcast && op <= spv::Op::OpGroupNonUniformBallotFindMSB;
        arithmetic |= op >= spv::Op::OpGroupNonUniformIAdd && op <= spv::Op::OpGroupNonUniformLogicalXor;
        shuffle |= op == spv::Op::OpGroupNonUniformShuffle || op == spv::Op::OpGroupNonUniformShuffleXor;
    }

    void add(spv::BuiltIn builtIn)
    {
        const bool isMask = builtIn >= spv::BuiltIn::SubgroupEqMask && builtIn <= spv::BuiltIn::SubgroupLtMask;
        any |= isMask || (builtIn >= spv::BuiltIn::SubgroupSize && builtIn <= spv::BuiltIn::SubgroupLocalInvocationId);
        ballot |= isMask;
    }
};

}  // namespace

void removeUnusedSubgroupCapabilities(Module& module)
{
    SubgroupUses uses;
    for (const Function& function : module.functions) {
        for (const Block& block : function.blocks)
            for (const Instruction& i : block.body)
                uses.add(i.op);
    }
    for (const Instruction& i : module.section(Section::Annotations))
        if (i.op == spv::Op::OpDecorate && i.literal(1) == static_cast<uint32_t>(spv::Decoration::BuiltIn))
            uses.add(static_cast<spv::BuiltIn>(i.literal(2)));
    if (!uses.any)
        module.removeCapability(spv::Capability::GroupNonUniform);
    if (!uses.ballot)
        module.removeCapability(spv::Capability::GroupNonUniformBallot);
    if (!uses.arithmetic)
        module.removeCapability(spv::Capability::GroupNonUniformArithmetic);
    if (!uses.shuffle)
        module.removeCapability(spv::Capability::GroupNonUniformShuffle);
}

}  // namespace millrace::spirv
