// SPDX-License-Identifier: Apache-2.0
// Registers for resources that declare none, which compilers leave so in libraries.
#pragma once

#include <span>
#include <vector>

#include "base/result.h"
#include "dxil/program.h"

namespace millrace::dxil {

// Gives each resource of `libraries` that has no register the first ones that are free in its class and space, and
// space 0 if it has none of that either, in the order of the lists, unbounded arrays last: what DXC's
// -auto-binding-space 0 gives, and also where DXC finds no room because it meets an unbounded array first. A variable
// that several libraries declare under one name is one resource and gets one place. Errors: no room is left, for a
// second unbounded array for example; one name for different resources.
Status assignRegisters(std::span<std::vector<Resource>* const> libraries);

}  // namespace millrace::dxil
