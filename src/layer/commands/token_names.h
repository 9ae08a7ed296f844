// SPDX-License-Identifier: Apache-2.0
// Tokens by the names that Vulkan has for them, without their prefixes.
#pragma once

#include <string>
#include <vector>

#include "commands/layout.h"

namespace millrace::layer {

struct IndirectLayout;

const char* nameOf(commands::Action action);

// What sequences choose their pipeline by. Beside shader groups the token STATE_FLAGS may choose, too; whatever it says
// leads somewhere.
enum class Chooser { ExecutionSet, ShaderGroup, StateFlags, Pipeline };
Chooser chooserOf(const IndirectLayout& layout);
const char* nameOf(Chooser chooser);

// Those of a layout, in words for people: {"EXECUTION_SET", "PUSH_CONSTANT x 3", "DRAW"}.
std::vector<std::string> tokenNames(const IndirectLayout& layout);

}  // namespace millrace::layer
