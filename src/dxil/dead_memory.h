// SPDX-License-Identifier: Apache-2.0
// Local variables that nobody reads, which compilers leave behind, also of types that no memory can hold: handles.
#pragma once

#include <unordered_set>

#include "dxil/ir.h"

namespace millrace::dxil {

// The instructions that serve nothing but variables of which no element is ever read: those variables, addresses in
// them, stores to them. The time is linear in the size of the function.
std::unordered_set<const Value*> findDeadMemory(const Function& function);

}  // namespace millrace::dxil
