// SPDX-License-Identifier: Apache-2.0
#define SPV_ENABLE_UTILITY_CODE
#include "shader/diagnose.h"

namespace millrace::shader {

std::string opcodeName(spv::Op op)
{
    const std::string name = spv::OpToString(op);
    return name == "Unknown" ? "OpUnknown(" + std::to_string(static_cast<uint32_t>(op)) + ")" : name;
}

std::string describe(const spirv::Module& module, spirv::Id id)
{
    const std::string name = module.name(id);
    const std::string number = "%" + std::to_string(id.value);
    return name.empty() ? number : number + " \"" + name + "\"";
}

std::string describe(const spirv::Module& module, const spirv::Instruction& i)
{
    if (i.result)
        return describe(module, i.result) + " = " + opcodeName(i.op);
    const bool hasTarget = i.operandCount() > 0 && i.isId(0);
    return hasTarget ? opcodeName(i.op) + " " + describe(module, i.id(0)) : opcodeName(i.op);
}

bool Failure::at(const spirv::Module& module, const spirv::Instruction& i, std::string message)
{
    return at(describe(module, i), std::move(message));
}

bool Failure::at(std::string where, std::string message)
{
    if (!m_failed) {
        m_failed = true;
        m_diagnostic = {m_pass, std::move(where), std::move(message)};
    }
    return false;
}

}  // namespace millrace::shader
