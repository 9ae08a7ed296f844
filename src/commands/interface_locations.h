// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "commands/variant.h"

namespace millrace::commands {

// A location below `end` at which no stage hands anything to another one, in any component. Inputs of the vertex stage
// and outputs of the fragment stage have numbers of their own and do not count.
std::optional<uint32_t> findFreeLocation(const std::vector<Variant>& stages, uint32_t end);

// True if the second stage has an input, used or not, at a location of one of these outputs of the first.
bool readsLocations(const Variant& from, const std::vector<spirv::Id>& outputs, const Variant& to);

// True if a variable of the stage has an array element for each vertex.
bool isPerVertex(const Variant& stage, const spirv::Instruction& variable);

}  // namespace millrace::commands
