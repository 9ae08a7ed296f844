// SPDX-License-Identifier: Apache-2.0
#include "nodes/passes/remove_extension.h"

#include <unordered_map>
#include <vector>

#include "nodes/payload_types.h"
#include "shader/globals.h"

namespace millrace::nodes {

using spirv::Id;
using spirv::Instruction;
using spirv::Module;
using spirv::Section;

namespace {

bool isExtensionDecoration(uint32_t decoration)
{
    switch (static_cast<spv::Decoration>(decoration)) {
        case spv::Decoration::NodeSharesPayloadLimitsWithAMDX:
        case spv::Decoration::NodeMaxPayloadsAMDX:
        case spv::Decoration::TrackFinishWritingAMDX:
        case spv::Decoration::PayloadNodeNameAMDX:
        case spv::Decoration::PayloadNodeBaseIndexAMDX:
        case spv::Decoration::PayloadNodeSparseArrayAMDX:
        case spv::Decoration::PayloadNodeArraySizeAMDX:
        case spv::Decoration::PayloadDispatchIndirectAMDX:
            return true;
        default:
            return false;
    }
}

bool isExtensionMode(uint32_t mode)
{
    switch (static_cast<spv::ExecutionMode>(mode)) {
        case spv::ExecutionMode::CoalescingAMDX:
        case spv::ExecutionMode::IsApiEntryAMDX:
        case spv::ExecutionMode::MaxNodeRecursionAMDX:
        case spv::ExecutionMode::StaticNumWorkgroupsAMDX:
        case spv::ExecutionMode::ShaderIndexAMDX:
        case spv::ExecutionMode::MaxNumWorkgroupsAMDX:
        case spv::ExecutionMode::SharesInputWithAMDX:
            return true;
        default:
            return false;
    }
}

void removeDecorationsAndModes(Module& module)
{
    module.removeDecorations([](const Instruction& i) {
        const bool isMember = i.op == spv::Op::OpMemberDecorate;
        const size_t operand = isMember ? 2 : 1;
        return i.operandCount() > operand && !i.isId(operand) && isExtensionDecoration(i.literal(operand));
    });
    std::erase_if(module.section(Section::ExecutionModes),
                  [](const Instruction& i) { return isExtensionMode(i.literal(1)); });
}

// The input is replaced where it was used; an entry point may list others that it does not use.
void removeVariables(Module& module)
{
    std::vector<Id> variables;
    for (const Instruction& i : module.section(Section::Globals))
        if (i.op == spv::Op::OpVariable && i.literal(0) == static_cast<uint32_t>(spv::StorageClass::NodePayloadAMDX))
            variables.push_back(i.result);
    for (const Id variable : variables) {
        shader::forget(module, variable);
        std::erase_if(module.section(Section::Globals), [&](const Instruction& i) { return i.result == variable; });
    }
}

// Types: arrays and pointers to them become handles, the other pointers change their storage class in place.
void lowerTypes(Module& module, Id handleType)
{
    constexpr auto kPayload = static_cast<uint32_t>(spv::StorageClass::NodePayloadAMDX);
    constexpr auto kPhysical = static_cast<uint32_t>(spv::StorageClass::PhysicalStorageBuffer);
    std::unordered_map<uint32_t, uint32_t> handles;
    for (const Instruction& i : module.section(Section::Globals))
        if (i.result && isHandle(module, i.result))
            handles[i.result.value] = handleType.value;
    for (Instruction& i : module.section(Section::Globals)) {
        const size_t operand = i.op == spv::Op::OpTypePointer ? 0 : 1;
        const bool hasStorage = i.op == spv::Op::OpTypePointer || i.op == spv::Op::OpTypeForwardPointer;
        if (hasStorage && i.literal(operand) == kPayload)
            i.setLiteral(operand, kPhysical);
    }
    std::erase_if(module.section(Section::Globals), [&](const Instruction& i) {
        return handles.contains(i.result.value) ||
               (i.op == spv::Op::OpTypeForwardPointer && handles.contains(i.id(0).value));
    });
    const auto isAboutHandle = [&](const Instruction& i) { return i.isId(0) && handles.contains(i.id(0).value); };
    std::erase_if(module.section(Section::DebugNames), isAboutHandle);
    module.removeDecorations(isAboutHandle);
    module.replaceUses(handles);
}

}  // namespace

void removeExtension(NodeShader& shader, Id handleType)
{
    Module& module = shader.module;
    removeVariables(module);
    shader.input = {};
    removeDecorationsAndModes(module);
    lowerTypes(module, handleType);
    std::erase_if(module.section(Section::Globals), [&](const Instruction& i) {
        const bool isString = i.op == spv::Op::OpConstantStringAMDX || i.op == spv::Op::OpSpecConstantStringAMDX;
        if (isString)
            shader::forget(module, i.result);
        return isString;
    });
    module.removeCapability(spv::Capability::ShaderEnqueueAMDX);
    module.removeExtension("SPV_AMDX_shader_enqueue");
    module.addCapability(spv::Capability::Shader);
    module.addCapability(spv::Capability::PhysicalStorageBufferAddresses);
    module.addCapability(spv::Capability::Int64);
    for (Instruction& i : module.section(Section::MemoryModel))
        if (i.op == spv::Op::OpMemoryModel)
            i.setLiteral(0, static_cast<uint32_t>(spv::AddressingModel::PhysicalStorageBuffer64));
    spirv::orderGlobals(module);
}

}  // namespace millrace::nodes
