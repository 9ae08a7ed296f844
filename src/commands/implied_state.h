// SPDX-License-Identifier: Apache-2.0
// What code says of a pipeline without a word of its own: what it reads or writes switches something on for all that is
// drawn.
#pragma once

#include <set>

#include <spirv/unified1/spirv.hpp11>

#include "commands/variant.h"

namespace millrace::commands {

struct ImpliedState {
    // Outputs of vertex shaders that primitives have then: a layer, a viewport, a rate, a size of points, distances
    // that clip and cull. Of fragment shaders the sample mask, which bounds what is covered, and the shading rate.
    std::set<spv::BuiltIn> builtIns{};
    // Fragment shaders run for each sample (Vulkan 1.4, 28.6 Sample Shading), which bounds the shading rate as well.
    bool isPerSample = false;

    bool operator==(const ImpliedState&) const = default;
};

// Of a vertex or fragment shader. What it declares and does not mention in code counts for nothing.
ImpliedState impliedStateOf(const Variant& stage);

}  // namespace millrace::commands
