// SPDX-License-Identifier: Apache-2.0
// A word more in the payload between task and mesh shaders.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "commands/variant.h"

namespace millrace::commands {

struct PayloadWord {
    spirv::Id variable;
    uint32_t member = 0;
};

// Behind all that the payload's structure has, or in a payload of its own where there is none: the same in a task and a
// mesh shader that belong together. Errors: several payloads, one that is no structure or has an explicit layout.
Result<PayloadWord> addPayloadWord(spirv::Module& module, spirv::Id wordType);
spirv::Id pointerTo(spirv::Emitter& out, const PayloadWord& word, spirv::Id wordType);

}  // namespace millrace::commands
