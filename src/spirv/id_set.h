// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "spirv/id_map.h"
#include "spirv/module.h"

namespace millrace::spirv {

// A set of ids: a bit for each, since ids of a module are small numbers and mostly stand together.
class IdSet {
public:
    // False if it was there.
    bool insert(Id id)
    {
        uint32_t& bits = m_bits.at(id.value / kBits);
        const bool isNew = (bits & bitOf(id)) == 0;
        bits |= bitOf(id);
        return isNew;
    }
    bool contains(Id id) const { return (m_bits.get(id.value / kBits) & bitOf(id)) != 0; }

private:
    static constexpr uint32_t kBits = 32;
    static uint32_t bitOf(Id id) { return 1u << id.value % kBits; }

    IdMap<uint32_t> m_bits;
};

// What instructions in functions mention.
IdSet usedInFunctions(const Module& module);

}  // namespace millrace::spirv
