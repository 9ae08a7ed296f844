// SPDX-License-Identifier: Apache-2.0
// Where a payload says how many workgroups it is for.
#pragma once

#include <optional>

#include "base/result.h"
#include "graph/graph.h"
#include "spirv/module.h"

namespace millrace::nodes {

// The member of `type` that is decorated PayloadDispatchIndirectAMDX, in nested structures too. Errors: a type that is
// no grid.
Result<std::optional<graph::GridMember>> findGridMember(const spirv::Module& module, spirv::Id type);

}  // namespace millrace::nodes
