// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "spirv/module.h"

namespace millrace::spirv {

// A set of ids: a bit for each, since ids of a module are small numbers.
class IdSet {
public:
    // False if it was there.
    bool insert(Id id)
    {
        if (contains(id))
            return false;
        if (id.value >= m_bits.size())
            m_bits.resize(2 * size_t{id.value} + 1);
        m_bits[id.value] = true;
        return true;
    }
    bool contains(Id id) const { return id.value < m_bits.size() && m_bits[id.value]; }

private:
    std::vector<bool> m_bits;
};

// What instructions in functions mention.
IdSet usedInFunctions(const Module& module);

}  // namespace millrace::spirv
