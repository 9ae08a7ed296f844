// SPDX-License-Identifier: Apache-2.0
#define SPV_ENABLE_UTILITY_CODE
#include "shader/workgroup_view.h"

#include <algorithm>
#include <string_view>

namespace millrace::shader {

using spirv::Id;
using spirv::Instruction;
using spirv::Module;
using spirv::Section;

namespace {

bool isSubgroupOperation(spv::Op op)
{
    return spv::OpToString(op) != nullptr && (std::string_view(spv::OpToString(op)).starts_with("OpGroup") ||
                                              std::string_view(spv::OpToString(op)).starts_with("OpSubgroup") ||
                                              std::string_view(spv::OpToString(op)).starts_with("OpCooperative"));
}

// Bytes of a type without a layout, roughly: what the device functions leave free is rounded as well.
uint64_t bytesOf(const Module& module, Id type)
{
    const Instruction* definition = module.findDefinition(type);
    uint64_t bytes = 0;
    uint32_t length = 0;
    switch (definition ? definition->op : spv::Op::OpNop) {
        case spv::Op::OpTypeInt:
        case spv::Op::OpTypeFloat:
            return std::max(definition->literal(0) / 8, 4u);
        case spv::Op::OpTypeVector:
        case spv::Op::OpTypeMatrix:
            return bytesOf(module, definition->id(0)) * (definition->literal(1) == 3 ? 4 : definition->literal(1));
        case spv::Op::OpTypeArray:
            return module.constantValue(definition->id(1), length) ? bytesOf(module, definition->id(0)) * length
                                                                   : UINT32_MAX;
        case spv::Op::OpTypeStruct:
            for (size_t m = 0; m < definition->operandCount(); ++m)
                bytes += bytesOf(module, definition->id(m)) + 4;
            return bytes;
        default:
            return 8;
    }
}

}  // namespace

bool isSubgroupBuiltIn(spv::BuiltIn builtIn)
{
    switch (builtIn) {
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

bool seesWorkgroup(const Module& module)
{
    bool found = false;
    module.forEachInstruction([&](const Instruction& i) {
        const bool isShared =
            i.op == spv::Op::OpVariable && i.literal(0) == static_cast<uint32_t>(spv::StorageClass::Workgroup);
        const bool isMask = i.op == spv::Op::OpDecorate && i.operandCount() > 2 &&
                            i.literal(1) == static_cast<uint32_t>(spv::Decoration::BuiltIn) &&
                            isSubgroupBuiltIn(static_cast<spv::BuiltIn>(i.literal(2)));
        found |= isShared || isMask || isSubgroupOperation(i.op);
    });
    return found;
}

uint64_t sharedBytesOf(const Module& module)
{
    uint64_t bytes = 0;
    for (const Instruction& i : module.section(Section::Globals))
        if (i.op == spv::Op::OpVariable && i.literal(0) == static_cast<uint32_t>(spv::StorageClass::Workgroup))
            bytes += bytesOf(module, module.pointee(i.type));
    return bytes;
}

}  // namespace millrace::shader
