// SPDX-License-Identifier: Apache-2.0
#include "compiler/fusion/entry.h"

#include "compiler/fusion/settle.h"
#include "compiler/globals.h"
#include "spirv/edit.h"

namespace millrace::compiler {

using spirv::Id;
using spirv::Instruction;
using spirv::Module;
using spirv::Section;

void replaceEntry(NodeShader& shader, Id created)
{
    Module& module = shader.module;
    for (const Section section : {Section::EntryPoints, Section::ExecutionModes}) {
        for (Instruction& i : module.section(section)) {
            const size_t operand = section == Section::EntryPoints ? 1 : 0;
            if (i.id(operand) == shader.entry) {
                i.setId(operand, created);
            }
        }
    }
    shader.entry = created;
    spirv::removeUnused(module);
    markAliases(module);
    updateInterface(module, created);
    orderGlobals(module);
}

void setBudget(Module& module, Id array, uint32_t payloads)
{
    constexpr auto kMaxPayloads = static_cast<uint32_t>(spv::Decoration::NodeMaxPayloadsAMDX);
    module.removeDecorations([&](const Instruction& i) {
        return i.op == spv::Op::OpDecorateId && i.id(0) == array && i.literal(1) == kMaxPayloads;
    });
    const Id constant = module.getConstant(payloads);
    module.section(Section::Annotations)
        .push_back(spirv::instruction(spv::Op::OpDecorateId).add(array).add(kMaxPayloads).add(constant));
}

std::vector<std::pair<Id, Id>> takeInitializers(Module& module)
{
    std::vector<std::pair<Id, Id>> values;
    for (Instruction& i : module.section(Section::Globals)) {
        const bool isPrivate = i.op == spv::Op::OpVariable && i.operandCount() > 1 &&
                               static_cast<spv::StorageClass>(i.literal(0)) == spv::StorageClass::Private;
        if (isPrivate) {
            values.emplace_back(i.result, i.id(1));
            i = spirv::instruction(i.op, i.type, i.result).add(i.literal(0));
        }
    }
    return values;
}

}  // namespace millrace::compiler
