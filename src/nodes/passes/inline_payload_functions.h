// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "spirv/module.h"

namespace millrace::nodes {

// Inlines everything if some function takes or gives what the passes change the type of: payloads, payload arrays,
// built-ins, push constants, buffers of old modules. Else changes nothing.
Status inlinePayloadFunctions(spirv::Module& module);

}  // namespace millrace::nodes
