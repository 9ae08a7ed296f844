// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "commands/layout.h"
#include "commands/variant.h"

namespace millrace::commands {

// True if some value in the block is the sequence's own for this stage.
bool dependsOnSequence(const spirv::Module& module, spirv::Id block, uint32_t stage, const Layout& layout);

// Loads of the push constant block become loads by address, of the record of Variant::sequence where the layout has a
// token for the stage, else of what the application pushed; the block is gone then. A value whose bytes come from
// several places is put together from its parts; an array element whose place is only known at run time is looked for
// there word by word.
// Requires: declareArguments(); code that sets Variant::sequence goes in front of what this puts at the start of the
// entry point. Errors: pointers that are passed on or chosen; as a whole, a structure or array with numbers of 8 or 16
// bits that the module has no arithmetic for, or one whose length is a specialization constant and whose bytes come
// from several places.
Status fetchPushConstants(Variant& variant, spirv::Id block, const Layout& layout);

}  // namespace millrace::commands
