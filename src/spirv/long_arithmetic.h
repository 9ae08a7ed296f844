// SPDX-License-Identifier: Apache-2.0
// Arithmetic on 64-bit integers as two words each, for drivers that have none of 64 bits.
#pragma once

#include <unordered_map>

#include "spirv/module.h"

namespace millrace::spirv {

// Two 32-bit unsigned integers.
struct LongWords {
    Id low;
    Id high;
};

// Writes instructions on words; what is known to be constant is computed here.
class LongArithmetic {
public:
    explicit LongArithmetic(Module& module);

    Id wordType() const { return m_wordType; }
    Id constant(uint32_t value);
    // Tells of a constant that is in the module.
    void know(Id constant, uint32_t value) { m_known.emplace(constant.value, value); }
    bool isKnown(Id word, uint32_t& value) const;

    LongWords add(Emitter& out, LongWords a, LongWords b);
    LongWords subtract(Emitter& out, LongWords a, LongWords b);
    LongWords multiply(Emitter& out, LongWords a, LongWords b);
    LongWords shiftLeft(Emitter& out, LongWords a, Id count);
    LongWords shiftRight(Emitter& out, LongWords a, Id count, bool isArithmetic);
    LongWords bitwise(Emitter& out, spv::Op op, LongWords a, LongWords b);
    LongWords complement(Emitter& out, LongWords a);
    LongWords select(Emitter& out, Id condition, LongWords a, LongWords b);
    // Booleans.
    Id isEqual(Emitter& out, LongWords a, LongWords b);
    Id isLess(Emitter& out, LongWords a, LongWords b, bool isSigned);
    Id negate(Emitter& out, Id condition);

private:
    bool isConstant(Id word, uint32_t value) const;
    Id binary(Emitter& out, spv::Op op, Id a, Id b);
    Id carry(Emitter& out, Id smaller, Id larger);
    Id shift(Emitter& out, spv::Op op, Id word, uint32_t count);
    LongWords shiftLeftBy(Emitter& out, LongWords a, uint32_t count);
    LongWords shiftRightBy(Emitter& out, LongWords a, uint32_t count, bool isArithmetic);

    Module& m_module;
    Id m_wordType;
    Id m_boolType;
    Id m_productType;
    std::unordered_map<uint32_t, uint32_t> m_known;      // id to value
    std::unordered_map<uint32_t, uint32_t> m_constants;  // value to id
};

}  // namespace millrace::spirv
