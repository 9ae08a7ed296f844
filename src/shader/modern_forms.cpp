// SPDX-License-Identifier: Apache-2.0
#include "shader/modern_forms.h"

#include <unordered_set>
#include <vector>

#include "shader/diagnose.h"
#include "shader/pointers.h"

namespace millrace::shader {

using spirv::Id;
using spirv::Instruction;
using spirv::InstructionList;
using spirv::Module;
using spirv::Section;

namespace {

void removeDebugInformation(Module& module)
{
    std::unordered_set<uint32_t> sets;
    std::erase_if(module.section(Section::ExtInstImports), [&](const Instruction& i) {
        const std::string name = i.op == spv::Op::OpExtInstImport ? i.string(0) : std::string();
        const bool isDebug = name == "OpenCL.DebugInfo.100" || name == "NonSemantic.Shader.DebugInfo.100";
        if (isDebug)
            sets.insert(i.result.value);
        return isDebug;
    });
    if (sets.empty())
        return;
    std::unordered_set<uint32_t> gone;
    const auto isDebug = [&](const Instruction& i) {
        const bool found = spirv::isExtendedInstruction(i.op) && sets.contains(i.id(0).value);
        if (found)
            gone.insert(i.result.value);
        return found;
    };
    const auto clean = [&](InstructionList& list) { std::erase_if(list, isDebug); };
    clean(module.section(Section::Globals));
    clean(module.trailing);
    for (spirv::Function& function : module.functions) {
        clean(function.before);
        clean(function.after);
        std::erase_if(function.beforeParameter, [&](const auto& loose) { return isDebug(loose.second); });
        for (spirv::Block& block : function.blocks) {
            clean(block.before);
            clean(block.body);
        }
    }
    const auto isAboutGone = [&](const Instruction& i) { return i.isId(0) && gone.contains(i.id(0).value); };
    std::erase_if(module.section(Section::DebugNames), isAboutGone);
    module.removeDecorations(isAboutGone);
}

// The structure inside arrays of descriptors.
Id blockOf(const Module& module, Id type)
{
    const Instruction* definition = module.findDefinition(type);
    while (definition && (definition->op == spv::Op::OpTypeArray || definition->op == spv::Op::OpTypeRuntimeArray)) {
        type = definition->id(0);
        definition = module.findDefinition(type);
    }
    return type;
}

bool replaceBufferBlocks(Module& module, Failure& failure)
{
    std::unordered_set<uint32_t> blocks;
    for (Instruction& i : module.section(Section::Annotations)) {
        const bool isBufferBlock =
            i.op == spv::Op::OpDecorate && i.literal(1) == static_cast<uint32_t>(spv::Decoration::BufferBlock);
        if (isBufferBlock) {
            i.setLiteral(1, static_cast<uint32_t>(spv::Decoration::Block));
            blocks.insert(i.id(0).value);
        }
    }
    std::vector<Id> variables;
    for (const Instruction& i : module.section(Section::Globals)) {
        const bool isUniform =
            i.op == spv::Op::OpVariable && i.literal(0) == static_cast<uint32_t>(spv::StorageClass::Uniform);
        if (isUniform && blocks.contains(blockOf(module, module.pointee(i.type)).value))
            variables.push_back(i.result);
    }
    for (const Id variable : variables)
        if (!changeStorage(module, variable, spv::StorageClass::StorageBuffer, failure))
            return false;
    return true;
}

void replaceBranchesToOneLabel(Module& module)
{
    for (spirv::Function& function : module.functions) {
        for (spirv::Block& block : function.blocks) {
            const Instruction& last = block.body.back();
            if (last.op != spv::Op::OpBranchConditional || last.id(1) != last.id(2))
                continue;
            const Id target = last.id(1);
            block.body.pop_back();
            if (!block.body.empty() && block.body.back().op == spv::Op::OpSelectionMerge)
                block.body.pop_back();
            block.body.push_back(spirv::instruction(spv::Op::OpBranch).add(target));
        }
    }
}

}  // namespace

Status useModernForms(Module& module)
{
    Failure failure("useModernForms");
    removeDebugInformation(module);
    replaceBranchesToOneLabel(module);
    (void)replaceBufferBlocks(module, failure);
    return failure.status();
}

}  // namespace millrace::shader
