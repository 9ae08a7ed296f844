// SPDX-License-Identifier: Apache-2.0
// What is known of the scalars of a module: 32-bit integers and Booleans that are constant, and values that are others.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "spirv/id_map.h"
#include "spirv/id_set.h"
#include "spirv/module.h"

namespace millrace::spirv {

class ScalarValues {
public:
    // The module must outlive this object. Globals may be added meanwhile, by this object only.
    explicit ScalarValues(Module& module);

    // An ordinary constant; all others, specialization constants included, are not known.
    std::optional<uint32_t> constant(Id id) const;

    // The value that stands for `id` after all that was found.
    Id resolved(Id id) const;
    bool isReplaced(Id id) const { return resolved(id) != id; }
    // Requires: resolved(value) is not `id`, and both have one type.
    void replace(Id id, Id value);
    // To be told of the instructions of a function in an order in which definitions come before what uses them.
    void define(const Instruction& i);
    // The value, of the same type, that the instruction always gives, or none. Phis are left to the caller.
    Id simplified(const Instruction& i);
    // Results that say something of themselves that another value would not say.
    bool isFixed(Id id) const { return m_isFixed.contains(id); }
    Id typeOf(Id id) const { return m_types.get(id.value); }

private:
    enum class Kind : uint8_t { Other, Integer, Boolean };

    struct Binary;

    void addConstant(const Instruction& i);
    void addType(const Instruction& i);
    Kind kindOf(Id type) const { return m_kinds.get(type.value); }
    Id makeConstant(Id type, uint32_t value);
    Id ifSameType(const Instruction& i, Id value) const { return typeOf(value) == i.type ? value : Id{}; }
    Id extracted(const Instruction& i) const;
    Id selected(const Instruction& i) const;
    Id folded(const Instruction& i);
    Id withEqualSides(const Instruction& i, Id side);
    Id withOneConstant(const Instruction& i, Id other, uint32_t value, bool isLeft);

    Module& m_module;
    IdMap<Kind> m_kinds;                      // of types
    IdMap<uint32_t> m_lengths;                // of vector types
    IdMap<Id> m_types;                        // of values
    IdSet m_isConstant;                       // values
    IdSet m_isFixed;                          // values
    IdMap<uint32_t> m_values;                 // of constants
    IdMap<Id> m_same;                         // of values: what they were replaced by
    IdMap<uint32_t> m_partsAt;                // of composites: one more than where their parts begin in m_parts
    std::vector<uint32_t> m_parts;            // how many, then which
    std::unordered_map<uint64_t, Id> m_made;  // constants by type and value
};

}  // namespace millrace::spirv
