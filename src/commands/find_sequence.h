// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "commands/layout.h"
#include "commands/variant.h"

namespace millrace::commands {

// Gives a compute shader a new entry point that finds the sequence of the workgroup in abi::SequenceTable, sets
// Variant::sequence, and Variant::group if there is one, and calls the old one; workgroups beyond the last sequence's
// end at once. The built-ins that tell of the dispatch become Private variables with the values of the sequence.
// Requires: declareArguments(). Errors: such a built-in whose pointer is passed on.
Status findSequence(Variant& variant, const Layout& layout);

}  // namespace millrace::commands
