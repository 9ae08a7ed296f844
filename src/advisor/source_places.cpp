// SPDX-License-Identifier: Apache-2.0
#include "advisor/source_places.h"

namespace millrace::advisor {

using spirv::Instruction;

namespace {

// Of NonSemantic.Shader.DebugInfo.100.
constexpr uint32_t kDebugSource = 35;
constexpr uint32_t kDebugLine = 103;
constexpr uint32_t kDebugNoLine = 104;

std::string stringOf(const spirv::Module& module, spirv::Id id)
{
    for (const Instruction& i : module.section(spirv::Section::DebugStrings))
        if (i.result == id && i.op == spv::Op::OpString)
            return i.string(0);
    return {};
}

}  // namespace

SourcePlaces::SourcePlaces(const spirv::Module& module) : m_module(module)
{
    for (const Instruction& i : module.section(spirv::Section::ExtInstImports))
        if (i.string(0) == "NonSemantic.Shader.DebugInfo.100")
            m_debugInfo = i.result;
}

bool SourcePlaces::step(const Instruction& i)
{
    switch (i.op) {
        case spv::Op::OpLine:
            m_place = {stringOf(m_module, i.id(0)), i.literal(1)};
            return true;
        case spv::Op::OpNoLine:
            m_place = {};
            return true;
        case spv::Op::OpExtInst:
            return m_debugInfo && i.id(0) == m_debugInfo && stepDebug(i);
        default:
            return false;
    }
}

bool SourcePlaces::stepDebug(const Instruction& i)
{
    if (i.literal(1) == kDebugNoLine) {
        m_place = {};
    } else if (i.literal(1) == kDebugLine && i.operandCount() > 3 && i.isId(2) && i.isId(3)) {
        uint32_t line = 0;
        m_module.constantValue(i.id(3), line);
        m_place = {fileOf(i.id(2)), line};
    }
    return true;
}

std::string SourcePlaces::fileOf(spirv::Id source) const
{
    const Instruction* definition = m_module.findDefinition(source);
    const bool isSource = definition != nullptr && definition->op == spv::Op::OpExtInst &&
                          definition->literal(1) == kDebugSource && definition->operandCount() > 2;
    return isSource ? stringOf(m_module, definition->id(2)) : std::string();
}

}  // namespace millrace::advisor
