// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "commands/layout.h"
#include "commands/variant.h"

namespace millrace::commands {

// One of the codes that a stage may run.
struct MemberCode {
    spirv::Id entry;
    std::vector<uint32_t> members;  // whose it is
};

// Gives the stage an entry point that runs the code of its sequence's member. A vertex shader whose sequence has none
// draws nothing; later stages do not run for it. Requires: declareArguments(), layout.combinedSet; Variant::sequence
// is set (handOnSequence() behind it).
void chooseMember(Variant& variant, const std::vector<MemberCode>& codes, const Layout& layout);

}  // namespace millrace::commands
