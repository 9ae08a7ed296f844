// SPDX-License-Identifier: Apache-2.0
#include "shader/own_lane.h"

namespace millrace::shader {

using spirv::Id;
using spirv::Instruction;

Id samePlace(const spirv::Module& module, Id pointer)
{
    for (const Instruction* i = module.findDefinition(pointer); i != nullptr; i = module.findDefinition(pointer)) {
        const bool isChain = i->op == spv::Op::OpAccessChain || i->op == spv::Op::OpInBoundsAccessChain;
        if (i->op != spv::Op::OpCopyObject && !(isChain && i->operandCount() == 1))
            break;
        pointer = i->id(0);
    }
    return pointer;
}

OwnLane::OwnLane(const spirv::Module& module, const std::array<uint32_t, 3>& workgroupSize)
    : m_module(module), m_workgroupSize(workgroupSize)
{
}

bool OwnLane::isBuiltIn(Id variable, spv::BuiltIn builtIn) const
{
    const Instruction* decoration = m_module.findDecoration(variable, spv::Decoration::BuiltIn);
    return decoration != nullptr && decoration->literal(2) == static_cast<uint32_t>(builtIn);
}

// In a direction in which the workgroup has no extent the component is the constant 0.
bool OwnLane::isOwnComponent(uint32_t component) const
{
    if (component > 2 || m_workgroupSize[component] == 1)
        return false;
    for (uint32_t d = 0; d < 3; ++d)
        if (d != component && m_workgroupSize[d] > 1)
            return false;
    return true;
}

bool OwnLane::isLoadOfOwn(const Instruction& load) const
{
    const Id pointer = samePlace(m_module, load.id(0));
    if (isBuiltIn(pointer, spv::BuiltIn::LocalInvocationIndex))
        return true;
    const Instruction* chain = m_module.findDefinition(pointer);
    uint32_t component = 0;
    return chain != nullptr && chain->op == spv::Op::OpAccessChain && chain->operandCount() == 2 &&
           isBuiltIn(samePlace(m_module, chain->id(0)), spv::BuiltIn::LocalInvocationId) &&
           m_module.constantValue(chain->id(1), component) && isOwnComponent(component);
}

bool OwnLane::isOwn(Id index) const
{
    const Instruction* value = m_module.findDefinition(index);
    while (value != nullptr && (value->op == spv::Op::OpCopyObject || value->op == spv::Op::OpBitcast))
        value = m_module.findDefinition(value->id(0));
    if (value == nullptr)
        return false;
    if (value->op == spv::Op::OpLoad)
        return isLoadOfOwn(*value);
    if (value->op != spv::Op::OpCompositeExtract || value->operandCount() != 2)
        return false;
    const Instruction* vector = m_module.findDefinition(value->id(0));
    return vector != nullptr && vector->op == spv::Op::OpLoad &&
           isBuiltIn(samePlace(m_module, vector->id(0)), spv::BuiltIn::LocalInvocationId) &&
           isOwnComponent(value->literal(1));
}

}  // namespace millrace::shader
