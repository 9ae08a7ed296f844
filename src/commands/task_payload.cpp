// SPDX-License-Identifier: Apache-2.0
#include "commands/task_payload.h"

#include "shader/globals.h"

namespace millrace::commands {

using spirv::Id;
using spirv::Instruction;
using spirv::Module;
using spirv::Section;

namespace {

constexpr spv::StorageClass kPayload = spv::StorageClass::TaskPayloadWorkgroupEXT;

std::vector<Id> findPayloads(const Module& module)
{
    std::vector<Id> found;
    for (const Instruction& i : module.section(Section::Globals))
        if (i.op == spv::Op::OpVariable && i.literal(0) == static_cast<uint32_t>(kPayload))
            found.push_back(i.result);
    return found;
}

bool hasExplicitLayout(const Module& module, Id type)
{
    return module.findMemberDecoration(type, 0, spv::Decoration::Offset) != nullptr;
}

// Whoever puts such a structure together has a part more.
void completeConstructs(Module& module, Id type, Id zero)
{
    const auto complete = [&](Instruction& i) {
        const bool isWhole = i.op == spv::Op::OpCompositeConstruct || i.op == spv::Op::OpConstantComposite ||
                             i.op == spv::Op::OpSpecConstantComposite;
        if (isWhole && i.type == type)
            i.add(zero);
    };
    for (Instruction& i : module.section(Section::Globals))
        complete(i);
    for (spirv::Function& function : module.functions) {
        for (spirv::Block& block : function.blocks)
            for (Instruction& i : block.body)
                complete(i);
    }
}

PayloadWord createPayload(Module& module, Id wordType)
{
    const Id type = module.newId();
    module.section(Section::Globals).push_back(spirv::instruction(spv::Op::OpTypeStruct, {}, type).add(wordType));
    const Id variable = module.createVariable(module.getPointerType(kPayload, type), kPayload);
    module.setName(variable, "sequence_payload");
    return {variable, 0};
}

}  // namespace

Result<PayloadWord> addPayloadWord(Module& module, Id wordType)
{
    const std::vector<Id> payloads = findPayloads(module);
    if (payloads.empty())
        return createPayload(module, wordType);
    const Id type = module.pointee(module.typeOf(payloads[0]));
    Instruction* const definition = module.findDefinition(type);
    if (payloads.size() > 1 || definition->op != spv::Op::OpTypeStruct || hasExplicitLayout(module, type)) {
        return Diagnostic{"commands",
                          {},
                          "the payload of the task shader has no place for the number of the sequence: it is no "
                          "structure, or has an explicit layout"};
    }
    const auto member = static_cast<uint32_t>(definition->operandCount());
    definition->add(wordType);
    completeConstructs(module, type, shader::getNull(module, wordType));
    return PayloadWord{payloads[0], member};
}

Id pointerTo(spirv::Emitter& out, const PayloadWord& word, Id wordType)
{
    Module& module = out.module();
    const Id pointer = module.getPointerType(kPayload, wordType);
    return out.emit(spv::Op::OpAccessChain, pointer, {word.variable, module.getConstant(word.member)});
}

}  // namespace millrace::commands
