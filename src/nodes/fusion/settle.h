// SPDX-License-Identifier: Apache-2.0
// What two nodes in one module must agree on, or be told.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "spirv/module.h"

namespace millrace::nodes {

// Execution modes that say how the code of an entry point runs, not what kind of a node it is or how large: how
// floating-point numbers are rounded, where invocations come together again. With their first operand.
using CodeModes = std::vector<std::pair<uint32_t, uint32_t>>;
CodeModes codeModesOf(const spirv::Module& module, spirv::Id entry);

// True if code that asks for `wanted` gets it from a module with `given`. What it does not ask for may be any way.
bool satisfies(const CodeModes& given, const CodeModes& wanted);

// Any addresses, which all nodes have in the end; modules that are linked must not differ in this.
void allowAddresses(spirv::Module& module);

// Says of variables with the same binding that they are the same memory, which one shader's variables never are unless
// they say so. Behind another node's write to a buffer, its contents are not what they were.
void markAliases(spirv::Module& module);

}  // namespace millrace::nodes
