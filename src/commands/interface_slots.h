// SPDX-License-Identifier: Apache-2.0
// Which words of which locations the variables of a stage take.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "commands/variant.h"

namespace millrace::commands {

inline constexpr uint32_t kSlotsEnd = 4096;  // of locations, more than any device has

// Of the variables of one storage class.
class Slots {
public:
    // `mostElements`: of an array whose length is a specialization constant.
    Slots(const Variant& stage, spv::StorageClass storage, uint32_t mostElements);

    bool contains(const Slots& others) const;
    // Two variables take the same.
    bool overlap() const { return m_overlap; }

private:
    void addVariable(const Variant& stage, const spirv::Instruction& variable);
    void addMembers(const spirv::Instruction& block, uint32_t location);
    uint32_t add(spirv::Id type, uint32_t location, uint32_t component);
    uint32_t addElements(spirv::Id element, uint32_t count, uint32_t location, uint32_t component);
    uint32_t words(spirv::Id scalar) const;
    uint32_t addWords(uint32_t count, uint32_t location, uint32_t component);

    const spirv::Module& m_module;
    const uint32_t m_mostElements;
    std::vector<bool> m_taken;
    bool m_overlap = false;
};

}  // namespace millrace::commands
