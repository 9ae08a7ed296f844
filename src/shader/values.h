// SPDX-License-Identifier: Apache-2.0
// Where values come from, through the variables that front ends put them in.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "spirv/module.h"

namespace millrace::shader {

// A flow-insensitive look at a module, which must not change meanwhile.
class Values {
public:
    explicit Values(const spirv::Module& module);

    // What an id is a copy of: itself, or what copies, bitcasts between integers and loads from variables that are
    // written in one place only lead to.
    spirv::Id origin(spirv::Id id) const;

    // True for a variable whose loads origin() sees through.
    bool isTransparent(spirv::Id variable) const;

    // The largest value that an unsigned integer of 32 bits may have, as far as constants and selections among them
    // tell. None if they do not.
    std::optional<uint32_t> largest(spirv::Id id) const;

private:
    const spirv::Module& m_module;
    std::unordered_map<uint32_t, spirv::Id> m_stored;  // by Function or Private variable; none if not known
};

}  // namespace millrace::shader
