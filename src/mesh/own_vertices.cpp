// SPDX-License-Identifier: Apache-2.0
#include "mesh/own_vertices.h"

namespace millrace::mesh {

using spirv::Id;
using spirv::Instruction;

OwnVertices::OwnVertices(const spirv::Module& module, const GroupSize& size)
    : m_module(module), m_lane(module, size), m_invocations(size[0] * size[1] * size[2])
{
}

bool OwnVertices::isStep(Id value) const
{
    uint32_t number = 0;
    return m_module.constantValue(value, number) && number % m_invocations == 0;
}

bool OwnVertices::isOwn(Id index) const
{
    std::unordered_set<uint32_t> assumed;
    return isOwn(index, assumed);
}

// `assumed`: values that are being looked at, which their own next value in a loop may rely on.
bool OwnVertices::isOwn(Id index, std::unordered_set<uint32_t>& assumed) const
{
    if (m_invocations == 1 || m_lane.isOwn(index) || !assumed.insert(index.value).second)
        return true;
    const Instruction* i = m_module.findDefinition(index);
    if (!i)
        return false;
    switch (i->op) {
        case spv::Op::OpCopyObject:
        case spv::Op::OpBitcast:
            return isOwn(i->id(0), assumed);
        case spv::Op::OpIAdd:
            return isStep(i->id(0)) ? isOwn(i->id(1), assumed) : isStep(i->id(1)) && isOwn(i->id(0), assumed);
        case spv::Op::OpISub:
            return isStep(i->id(1)) && isOwn(i->id(0), assumed);
        case spv::Op::OpPhi:
            for (size_t o = 0; o < i->operandCount(); o += 2)
                if (!isOwn(i->id(o), assumed))
                    return false;
            return true;
        default:
            return false;
    }
}

}  // namespace millrace::mesh
