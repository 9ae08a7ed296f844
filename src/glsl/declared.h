// SPDX-License-Identifier: Apache-2.0
// The declarations that a module really has, with their values as ids.
#pragma once

#include <map>
#include <vector>

#include "base/result.h"
#include "glsl/declarations.h"
#include "spirv/module.h"

namespace millrace::glsl {

struct Declared {
    uint32_t number = 0;
    const Declaration* source = nullptr;
    std::map<Attribute, std::vector<spirv::Id>> values;  // constants, specialization constants among them

    bool has(Attribute attribute) const
    {
        return values.contains(attribute) || source->flags.contains(attribute) || source->strings.contains(attribute);
    }
    spirv::Id value(Attribute attribute) const
    {
        const auto found = values.find(attribute);
        return found == values.end() ? spirv::Id{} : found->second.at(0);
    }
    std::string at() const { return glsl::at(source->file, source->line); }
};

// Takes the functions that carry the values out of the module. `declarations` must outlive the result, which is in the
// order of their numbers.
std::vector<Declared> takeDeclared(spirv::Module& module, const Declarations& declarations);

// The extended instructions of kPlaceholderSet; none if the module has no such set.
spirv::Id placeholderSet(const spirv::Module& module);

// What does not depend on code: which declarations go together, and what their values must be.
Status checkDeclared(const spirv::Module& module, const std::vector<Declared>& declared);

}  // namespace millrace::glsl
