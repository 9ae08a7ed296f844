// SPDX-License-Identifier: Apache-2.0
#include "nodes/fusion/settle.h"

#include <algorithm>
#include <map>

#include "shader/globals.h"

namespace millrace::nodes {

using spirv::Id;
using spirv::Instruction;
using spirv::Module;
using spirv::Section;

namespace {

bool saysHowCodeRuns(spv::ExecutionMode mode)
{
    switch (mode) {
        case spv::ExecutionMode::LocalSize:
        case spv::ExecutionMode::LocalSizeId:
        case spv::ExecutionMode::LocalSizeHint:
        case spv::ExecutionMode::LocalSizeHintId:
        case spv::ExecutionMode::CoalescingAMDX:
        case spv::ExecutionMode::IsApiEntryAMDX:
        case spv::ExecutionMode::MaxNodeRecursionAMDX:
        case spv::ExecutionMode::StaticNumWorkgroupsAMDX:
        case spv::ExecutionMode::ShaderIndexAMDX:
        case spv::ExecutionMode::MaxNumWorkgroupsAMDX:
        case spv::ExecutionMode::SharesInputWithAMDX:
            return false;
        default:
            return true;
    }
}

// Only memory that a shader may write to.
bool isWritable(const Module& module, const Instruction& variable)
{
    const auto storage = static_cast<spv::StorageClass>(variable.literal(0));
    if (storage == spv::StorageClass::StorageBuffer)
        return true;
    const Instruction* type = module.findDefinition(module.pointee(variable.type));
    while (type && (type->op == spv::Op::OpTypeArray || type->op == spv::Op::OpTypeRuntimeArray))
        type = module.findDefinition(type->id(0));
    return storage == spv::StorageClass::UniformConstant && type && shader::isStorageImage(*type);
}

}  // namespace

CodeModes codeModesOf(const Module& module, Id entry)
{
    CodeModes modes;
    for (const Instruction& i : module.section(Section::ExecutionModes)) {
        if (i.id(0) == entry && saysHowCodeRuns(static_cast<spv::ExecutionMode>(i.literal(1)))) {
            const uint32_t operand = i.operandCount() < 3 ? 0 : i.isId(2) ? i.id(2).value : i.literal(2);
            modes.emplace_back(i.literal(1), operand);
        }
    }
    return modes;
}

bool satisfies(const CodeModes& given, const CodeModes& wanted)
{
    // Its operands are ids, which mean nothing in another module.
    const auto isFast = [](const auto& mode) {
        return mode.first == static_cast<uint32_t>(spv::ExecutionMode::FPFastMathDefault);
    };
    if (std::ranges::any_of(given, isFast) || std::ranges::any_of(wanted, isFast))
        return false;
    return std::ranges::all_of(wanted, [&](const auto& mode) { return std::ranges::find(given, mode) != given.end(); });
}

void allowAddresses(Module& module)
{
    for (Instruction& i : module.section(Section::MemoryModel))
        if (i.op == spv::Op::OpMemoryModel)
            i.setLiteral(0, static_cast<uint32_t>(spv::AddressingModel::PhysicalStorageBuffer64));
    module.addCapability(spv::Capability::PhysicalStorageBufferAddresses);
}

void markAliases(Module& module)
{
    std::map<std::pair<uint32_t, uint32_t>, std::vector<Id>> bindings;
    for (const Instruction& i : module.section(Section::Globals)) {
        const bool isResource = i.op == spv::Op::OpVariable && isWritable(module, i);
        const Instruction* set = isResource ? module.findDecoration(i.result, spv::Decoration::DescriptorSet) : nullptr;
        const Instruction* binding = isResource ? module.findDecoration(i.result, spv::Decoration::Binding) : nullptr;
        if (set && binding)
            bindings[{set->literal(2), binding->literal(2)}].push_back(i.result);
    }
    for (const auto& [place, variables] : bindings) {
        for (size_t v = 0; variables.size() > 1 && v < variables.size(); ++v) {
            const Id variable = variables[v];
            module.removeDecorations([&](const Instruction& i) {
                return i.op == spv::Op::OpDecorate && i.id(0) == variable &&
                       (i.literal(1) == static_cast<uint32_t>(spv::Decoration::Restrict) ||
                        i.literal(1) == static_cast<uint32_t>(spv::Decoration::Aliased));
            });
            module.decorate(variable, spv::Decoration::Aliased);
        }
    }
}

}  // namespace millrace::nodes
