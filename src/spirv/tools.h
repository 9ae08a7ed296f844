// SPDX-License-Identifier: Apache-2.0
// What SPIRV-Tools does for us, on words: text, validation, optimization.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace millrace::spirv {

using Words = std::vector<uint32_t>;
using SharedWords = std::shared_ptr<const Words>;

Result<Words> assemble(std::string_view text);
Result<std::string> disassemble(std::span<const uint32_t> words);  // friendly names, no header, indented

// spirv-val, scalar block layout allowed. Vulkan knows no modules that are to be linked.
enum class Environment : uint8_t { Vulkan13, Universal };
Status validate(std::span<const uint32_t> words, Environment environment = Environment::Vulkan13);

// Inlines every call that an entry point reaches and drops the functions. For modules whose functions take payload
// pointers. A module without calls comes back as it is. Errors: checkInlinedSize(), before anything is inlined.
Result<Words> inlineAll(std::span<const uint32_t> words);

// Removes dead code, branches on constants included, and what nothing needs then; keeps the names of what remains and
// does not rearrange arithmetic.
// Requires: a valid module but for its linkage, since SPIRV-Tools trusts its input; not one that uses
// ShaderEnqueueAMDX, because their passes do not look at decorations that take ids.
Result<Words> simplify(std::span<const uint32_t> words);

}  // namespace millrace::spirv
