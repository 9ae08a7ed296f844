// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "shader/function_writer.h"

namespace millrace::commands {

// Writes a search among `count` numbers that ascend: gives the index of the last one that is not above `wanted`. The
// first one is not. `load` writes the load of a number by its index.
spirv::Id searchLast(shader::FunctionWriter& writer, spirv::Id count, spirv::Id wanted,
                     const std::function<spirv::Id(spirv::Emitter&, spirv::Id)>& load);

}  // namespace millrace::commands
