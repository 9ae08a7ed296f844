// SPDX-License-Identifier: Apache-2.0
// Diagnostics that name pass and instruction.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "spirv/module.h"

namespace millrace::shader {

// "OpStore", or "OpUnknown(12345)".
std::string opcodeName(spv::Op op);

// "%12", with the name if it has one: "%12 \"grid\"".
std::string describe(const spirv::Module& module, spirv::Id id);

// "%12 = OpLoad", or "OpStore %12" for an instruction without a result.
std::string describe(const spirv::Module& module, const spirv::Instruction& i);

// Says at most one thing that went wrong in a pass: the first.
class Failure {
public:
    explicit Failure(std::string_view pass) : m_pass(pass) {}
    explicit operator bool() const { return m_failed; }

    // Both return false, so that a handler can end with them.
    bool at(const spirv::Module& module, const spirv::Instruction& i, std::string message);
    bool at(std::string where, std::string message);

    Status status() const { return m_failed ? Status(m_diagnostic) : Status(); }
    const Diagnostic& diagnostic() const { return m_diagnostic; }

private:
    std::string m_pass;
    bool m_failed = false;
    Diagnostic m_diagnostic;
};

}  // namespace millrace::shader
