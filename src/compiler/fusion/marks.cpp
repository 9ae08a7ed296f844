// SPDX-License-Identifier: Apache-2.0
#include "compiler/fusion/marks.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace millrace::compiler {

using spirv::Id;
using spirv::Instruction;
using spirv::Module;
using spirv::Section;

namespace {

constexpr std::array kMarks = {Mark::Kept, Mark::Phase, Mark::Waiting};

std::string_view textOf(Mark mark)
{
    switch (mark) {
        case Mark::Kept:
            return "millrace.kept";
        case Mark::Phase:
            return "millrace.phase";
        case Mark::Waiting:
            return "millrace.waiting";
    }
    return "";
}

bool says(const Instruction& i, Mark mark)
{
    return i.op == spv::Op::OpDecorateString && i.literal(1) == static_cast<uint32_t>(spv::Decoration::UserSemantic) &&
           i.string(2) == textOf(mark);
}

}  // namespace

void mark(Module& module, Id variable, Mark mark)
{
    module.section(Section::Annotations)
        .push_back(spirv::instruction(spv::Op::OpDecorateString)
                       .add(variable)
                       .add(static_cast<uint32_t>(spv::Decoration::UserSemantic))
                       .add(textOf(mark)));
}

std::vector<Id> marked(const Module& module, Mark mark)
{
    std::vector<Id> variables;
    for (const Instruction& i : module.section(Section::Annotations)) {
        if (says(i, mark)) {
            variables.push_back(i.id(0));
        }
    }
    return variables;
}

void unmark(Module& module)
{
    module.removeDecorations(
        [](const Instruction& i) { return std::ranges::any_of(kMarks, [&](Mark mark) { return says(i, mark); }); });
}

}  // namespace millrace::compiler
