// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spirv/module.h"

namespace millrace::spirv {

// Gives each target of OpGroupDecorate and OpGroupMemberDecorate decorations of its own and removes the groups, so that
// nobody else has to know of them.
// Errors: so many targets and decorations that only malice explains them.
Status dissolveDecorationGroups(Module& module);

}  // namespace millrace::spirv
