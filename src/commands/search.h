// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "compiler/function_writer.h"

namespace millrace::commands {

// Writes a search among `count` numbers that ascend: gives the index of the last one that is not above `wanted`. The
// first one is not. `load` writes the load of a number by its index.
spirv::Id searchLast(compiler::FunctionWriter& writer, spirv::Id count, spirv::Id wanted,
                     const std::function<spirv::Id(spirv::Emitter&, spirv::Id)>& load);

// The same by all invocations of a subgroup that are there, which look at as many numbers at a time. They look for the
// same number, and the start of the entry point is the place: all of them are there. Requires: subgroups with ballots.
spirv::Id searchLastTogether(compiler::FunctionWriter& writer, spirv::Id count, spirv::Id wanted,
                             const std::function<spirv::Id(spirv::Emitter&, spirv::Id)>& load);

}  // namespace millrace::commands
