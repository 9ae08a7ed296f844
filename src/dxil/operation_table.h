// SPDX-License-Identifier: Apache-2.0
// The operations of DXIL 1.9, as calls of functions named dx.op.*: what they are called, on which types and where.
#pragma once

#include <cstdint>
#include <string_view>

namespace millrace::dxil {

struct Operation {
    uint32_t opcode;
    const char* name;
    const char* function;  // between "dx.op." and the overload
    // Types of the overload, one character each: h f d half, float, double; 1 8 w i l integers of 1, 8, 16, 32 and 64
    // bits. "*" is any; no scalars and no vectors: the function has no overload.
    const char* scalars;
    const char* vectors;  // element types of vectors of 2 to 1024 elements
    // Result and parameters, the opcode the first of them: the letters above, and v void, o the overload, e its
    // element, b and n i1 and i32 in its shape, r dx.types.ResRet of it, c the overload and an i1 (a carry), H a
    // resource handle, ? what is not checked.
    const char* signature;
    uint32_t minorVersion;  // shader model 6 of this and later
    uint32_t stages;        // bit 1 << ShaderKind

    uint32_t operandCount() const { return static_cast<uint32_t>(std::string_view(signature).size()) - 1; }
    bool hasOverload() const { return *scalars != 0 || *vectors != 0; }
};

// Null for numbers that stand for nothing.
const Operation* findOperation(uint32_t opcode);

}  // namespace millrace::dxil
