// SPDX-License-Identifier: Apache-2.0
// Code on payloads: storage buffers and placeholders become payload memory and the extension's instructions.
#pragma once

#include "glsl/payload_declarations.h"

namespace millrace::glsl {

struct CodeNotes {
    // "FILE:LINE" of the first atomic operation on a payload; empty if there is none.
    std::string payloadAtomic;
};

// Of a module with the entry point's function alone. An output becomes a pointer to what was allocated where that is
// one instruction before all uses, else a variable that holds the array of the last allocation, as DXC writes it.
Result<CodeNotes> completeCode(spirv::Module& module, const std::vector<Payload>& payloads);

}  // namespace millrace::glsl
