// SPDX-License-Identifier: Apache-2.0
// What a node in SPIR-V may say and seldom means. glsl/warnings.h has the same for GLSL, in the words of that.
#pragma once

#include <string>
#include <vector>

#include "spirv/module.h"

namespace millrace::nodes {

struct Warning {
    std::string place;  // "FILE:LINE"; empty where the module has no lines
    std::string reason;
    bool operator==(const Warning&) const = default;
};

// Of a module with instructions of SPV_AMDX_shader_enqueue; of what is certain to be wrong wherever it is executed,
// however the module is specialized:
// - an allocation of more payloads than NodeMaxPayloadsAMDX, where both are constants;
// - payloads that are read or written behind their enqueue, where no allocation is in between;
// - an allocation for the workgroup where only some of its invocations come by: in a branch or behind a return that
//   depends on the invocation's number.
// The function of the entry point is looked at, and of those that it calls the numbers of payloads alone.
std::vector<Warning> findWarnings(const spirv::Module& module, const std::string& entryPoint);

}  // namespace millrace::nodes
