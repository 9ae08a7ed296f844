// SPDX-License-Identifier: Apache-2.0
#include "spirv/decoration_groups.h"

#include <unordered_map>

namespace millrace::spirv {

namespace {

// A group of n decorations applied to m targets is n * m instructions from n + m words.
constexpr size_t kMaxAnnotations = size_t{1} << 20;

// `decoration` of a group, given to a target or to one of its members.
Instruction applied(const Instruction& decoration, Id target, const uint32_t* member)
{
    spv::Op op = decoration.op;
    if (member)
        op = op == spv::Op::OpDecorateString ? spv::Op::OpMemberDecorateString : spv::Op::OpMemberDecorate;
    Instruction out = instruction(op).add(target);
    if (member)
        out.add(*member);
    for (size_t o = 1; o < decoration.operandCount(); ++o) {
        const Operand& operand = decoration.operands[o];
        const auto first = decoration.words.begin() + operand.first;
        out.operands.push_back({operand.kind, static_cast<uint16_t>(out.words.size()), operand.count});
        out.words.append(first, first + operand.count);
    }
    return out;
}

}  // namespace

Status dissolveDecorationGroups(Module& module)
{
    InstructionList& annotations = module.section(Section::Annotations);
    std::unordered_map<uint32_t, InstructionList> groups;
    for (const Instruction& i : annotations)
        if (i.op == spv::Op::OpDecorationGroup)
            groups[i.result.value];
    if (groups.empty())
        return {};
    InstructionList out;
    for (Instruction& i : annotations) {
        if (i.op == spv::Op::OpDecorationGroup)
            continue;
        const auto group = i.operandCount() > 0 && i.isId(0) ? groups.find(i.id(0).value) : groups.end();
        const bool onMembers = i.op == spv::Op::OpGroupMemberDecorate;
        if (i.op != spv::Op::OpGroupDecorate && !onMembers) {
            (group == groups.end() ? out : group->second).push_back(std::move(i));
            continue;
        }
        for (size_t o = 1; o < i.operandCount() && group != groups.end(); ++o) {
            const Id target = i.id(o);
            const uint32_t member = onMembers && o + 1 < i.operandCount() ? i.literal(++o) : 0;
            for (const Instruction& decoration : group->second)
                out.push_back(applied(decoration, target, onMembers ? &member : nullptr));
            if (out.size() > kMaxAnnotations)
                return Diagnostic{"spirv", {}, "too many decorations through groups"};
        }
    }
    annotations = std::move(out);
    std::erase_if(module.section(Section::DebugNames),
                  [&](const Instruction& i) { return i.isId(0) && groups.contains(i.id(0).value); });
    return {};
}

}  // namespace millrace::spirv
