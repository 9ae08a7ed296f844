// SPDX-License-Identifier: Apache-2.0
#include "nodes/payload_types.h"

#include <cstdint>
#include <unordered_set>

#include "shader/type_layouts.h"

namespace millrace::nodes {

using spirv::Id;
using spirv::Instruction;
using spirv::Module;

namespace {

// `seen`: types that hold none, so that structures that many others contain are looked at once.
bool holdsHandles(const Module& module, Id type, std::unordered_set<uint32_t>& seen)
{
    if (isHandle(module, type))
        return true;
    const Instruction* definition = module.findDefinition(type);
    if (!definition || !seen.insert(type.value).second)
        return false;
    switch (definition->op) {
        case spv::Op::OpTypeArray:
        case spv::Op::OpTypeRuntimeArray:
            return holdsHandles(module, definition->id(0), seen);
        case spv::Op::OpTypeStruct:
            for (size_t o = 0; o < definition->operandCount(); ++o)
                if (holdsHandles(module, definition->id(o), seen))
                    return true;
            return false;
        default:
            return false;
    }
}

}  // namespace

bool isPayloadArray(const Module& module, Id type)
{
    const Instruction* definition = module.findDefinition(type);
    return definition && definition->op == spv::Op::OpTypeNodePayloadArrayAMDX;
}

bool isHandle(const Module& module, Id type)
{
    return isPayloadArray(module, type) || (module.storageOf(type) == spv::StorageClass::NodePayloadAMDX &&
                                            isPayloadArray(module, module.pointee(type)));
}

bool isPayloadPointer(const Module& module, Id type)
{
    return module.storageOf(type) == spv::StorageClass::NodePayloadAMDX &&
           !isPayloadArray(module, module.pointee(type));
}

Id payloadArrayOf(const Module& module, Id type)
{
    if (isPayloadArray(module, type))
        return type;
    const Id pointee = module.pointee(type);
    return isPayloadArray(module, pointee) ? pointee : Id{};
}

Id queriedPayloadArray(const Module& module, const Instruction& query)
{
    const Id operand = query.id(0);
    return isPayloadArray(module, operand) ? operand : payloadArrayOf(module, module.typeOf(operand));
}

bool holdsHandles(const Module& module, Id type)
{
    // Most types are neither, and this is asked of every instruction.
    const Instruction* definition = module.findDefinition(type);
    const bool isComposite =
        definition && (definition->op == spv::Op::OpTypeArray || definition->op == spv::Op::OpTypeRuntimeArray ||
                       definition->op == spv::Op::OpTypeStruct);
    if (!isComposite)
        return isHandle(module, type);
    std::unordered_set<uint32_t> seen;
    return holdsHandles(module, type, seen);
}

std::optional<size_t> payloadIndexOperand(const Module& module, const Instruction& chain)
{
    Id type = module.pointee(module.typeOf(chain.id(0)));
    for (size_t o = shader::firstIndexOperand(chain.op); o < chain.operandCount(); ++o) {
        if (isPayloadArray(module, type))
            return o;
        type = shader::elementType(module, type, chain.id(o));
    }
    return std::nullopt;
}

}  // namespace millrace::nodes
