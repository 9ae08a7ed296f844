// SPDX-License-Identifier: Apache-2.0
// Which elements of payload arrays many blocks of a function ask for.
#pragma once

#include <compare>
#include <set>

#include "spirv/module.h"

namespace millrace::nodes {

struct ElementOfArray {
    spirv::Id array;  // a handle, the input variable too
    spirv::Id index;

    auto operator<=>(const ElementOfArray&) const = default;
};

// Those of a constant index, before they are lowered: with the array their address is known. Few blocks ask each by
// itself, so that an address is not kept for long.
std::set<ElementOfArray> findSharedElements(const spirv::Module& module, const spirv::Function& function);

}  // namespace millrace::nodes
