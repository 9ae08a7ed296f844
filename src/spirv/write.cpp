// SPDX-License-Identifier: Apache-2.0
#include <cassert>

#include "spirv/module.h"

namespace millrace::spirv {

namespace {

struct Writer {
    std::vector<uint32_t> out;

    void add(const Instruction& i)
    {
        const size_t count = 1 + (i.type ? 1 : 0) + (i.result ? 1 : 0) + i.words.size();
        assert(count <= 0xffff);
        out.push_back(static_cast<uint32_t>(count << 16) | static_cast<uint32_t>(i.op));
        if (i.type)
            out.push_back(i.type.value);
        if (i.result)
            out.push_back(i.result.value);
        out.insert(out.end(), i.words.begin(), i.words.end());
    }

    void add(const InstructionList& list)
    {
        for (const Instruction& i : list)
            add(i);
    }

    void add(const Function& function)
    {
        add(function.before);
        add(function.definition);
        auto loose = function.beforeParameter.begin();
        for (size_t p = 0; p < function.parameters.size(); ++p) {
            for (; loose != function.beforeParameter.end() && loose->first <= p; ++loose)
                add(loose->second);
            add(function.parameters[p]);
        }
        for (const Block& block : function.blocks) {
            add(block.before);
            add(instruction(spv::Op::OpLabel, {}, block.label));
            add(block.body);
        }
        add(function.after);
        add(instruction(spv::Op::OpFunctionEnd));
    }
};

}  // namespace

std::vector<uint32_t> write(const Module& module)
{
    Writer writer;
    writer.out = {spv::MagicNumber, module.version, module.generator, module.bound, 0};
    for (const InstructionList& list : module.sections)
        writer.add(list);
    for (const bool declarations : {true, false}) {
        for (const Function& function : module.functions)
            if (function.blocks.empty() == declarations)
                writer.add(function);
    }
    writer.add(module.trailing);
    return std::move(writer.out);
}

}  // namespace millrace::spirv
