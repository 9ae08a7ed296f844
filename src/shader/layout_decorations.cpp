// SPDX-License-Identifier: Apache-2.0
#include "shader/layout_decorations.h"

namespace millrace::shader {

using spirv::Id;
using spirv::Instruction;

LayoutDecorations::LayoutDecorations(const spirv::Module& module)
{
    for (const Instruction& i : module.section(spirv::Section::Annotations)) {
        if (i.op == spv::Op::OpDecorate && i.operandCount() == 3 &&
            i.literal(1) == static_cast<uint32_t>(spv::Decoration::ArrayStride))
            m_arrayStrides[i.id(0).value] = i.literal(2);
        if (i.op != spv::Op::OpMemberDecorate || i.operandCount() < 3)
            continue;
        MemberLayout& member = m_members[{i.id(0).value, i.literal(1)}];
        // Other decorations than those below may have an id there.
        const uint32_t value = i.operandCount() > 3 && !i.isId(3) ? i.literal(3) : 0;
        switch (static_cast<spv::Decoration>(i.literal(2))) {
            case spv::Decoration::Offset:
                member.offset = value;
                break;
            case spv::Decoration::MatrixStride:
                member.matrixStride = value;
                break;
            case spv::Decoration::RowMajor:
                member.isRowMajor = true;
                break;
            default:
                break;
        }
    }
}

const MemberLayout& LayoutDecorations::member(Id structure, uint32_t index) const
{
    static const MemberLayout kUndecorated;
    const auto found = m_members.find({structure.value, index});
    return found == m_members.end() ? kUndecorated : found->second;
}

std::optional<uint32_t> LayoutDecorations::arrayStride(Id array) const
{
    const auto found = m_arrayStrides.find(array.value);
    return found == m_arrayStrides.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace millrace::shader
