// SPDX-License-Identifier: Apache-2.0
#define SPV_ENABLE_UTILITY_CODE
#include "compiler/workgroup_view.h"

#include <string_view>

namespace millrace::compiler {

using spirv::Instruction;
using spirv::Module;

namespace {

bool isSubgroupOperation(spv::Op op)
{
    return spv::OpToString(op) != nullptr && (std::string_view(spv::OpToString(op)).starts_with("OpGroup") ||
                                              std::string_view(spv::OpToString(op)).starts_with("OpSubgroup") ||
                                              std::string_view(spv::OpToString(op)).starts_with("OpCooperative"));
}

bool isSubgroupBuiltIn(uint32_t builtIn)
{
    switch (static_cast<spv::BuiltIn>(builtIn)) {
        case spv::BuiltIn::SubgroupSize:
        case spv::BuiltIn::NumSubgroups:
        case spv::BuiltIn::SubgroupId:
        case spv::BuiltIn::SubgroupLocalInvocationId:
        case spv::BuiltIn::SubgroupEqMask:
        case spv::BuiltIn::SubgroupGeMask:
        case spv::BuiltIn::SubgroupGtMask:
        case spv::BuiltIn::SubgroupLeMask:
        case spv::BuiltIn::SubgroupLtMask:
            return true;
        default:
            return false;
    }
}

}  // namespace

bool seesWorkgroup(const Module& module)
{
    bool found = false;
    module.forEachInstruction([&](const Instruction& i) {
        const bool isShared =
            i.op == spv::Op::OpVariable && i.literal(0) == static_cast<uint32_t>(spv::StorageClass::Workgroup);
        const bool isMask = i.op == spv::Op::OpDecorate && i.operandCount() > 2 &&
                            i.literal(1) == static_cast<uint32_t>(spv::Decoration::BuiltIn) &&
                            isSubgroupBuiltIn(i.literal(2));
        found |= isShared || isMask || isSubgroupOperation(i.op);
    });
    return found;
}

bool isCollective(const NodeShader& shader)
{
    if (seesWorkgroup(shader.module)) {
        return true;
    }
    const bool isSingle = graph::invocationsOf(shader.node) == 1;
    bool found = false;
    shader.module.forEachInstruction([&](const Instruction& i) {
        const bool asksAll = shader.device.isCall(i, DeviceFunction::AllocateWorkgroup) ||
                             shader.device.isCall(i, DeviceFunction::FinishWriting);
        found |= i.op == spv::Op::OpControlBarrier || (asksAll && !isSingle);
    });
    return found;
}

}  // namespace millrace::compiler
