// SPDX-License-Identifier: Apache-2.0
// A run of SPIRV-Tools' optimizer on words that may come from anywhere.
#pragma once

#include <initializer_list>

#include <spirv-tools/optimizer.hpp>

#include "spirv/messages.h"
#include "spirv/module.h"
#include "spirv/tools.h"

namespace millrace::spirv {

// Runs the passes in order. `what` names the operation in the diagnostic.
Result<Words> optimize(std::span<const uint32_t> words, std::string_view what,
                       std::initializer_list<spvtools::Optimizer::PassToken (*)()> passes);

}  // namespace millrace::spirv
