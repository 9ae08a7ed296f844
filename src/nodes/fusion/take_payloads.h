// SPDX-License-Identifier: Apache-2.0
// Functions that allocations become where several share an array of payloads.
#pragma once

#include "nodes/fusion/kept_outputs.h"

namespace millrace::nodes {

// void take(uint count, uint index), with `count` at most KeptOutput::most: so many payloads for node index `index`, or
// fewer where there is no room. Sets KeptOutput::count, indices, and what else says which they are.

// For one of several allocations of an invocation: behind those that it has. Sets `handle`.
spirv::Id writeTakeInLine(spirv::Module& module, const KeptOutput& kept);

// For an invocation of a workgroup, whose payloads lie one after the other as invocations come. Sets `first`.
spirv::Id writeTakeShared(spirv::Module& module, const KeptOutput& kept);

}  // namespace millrace::nodes
