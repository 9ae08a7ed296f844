// SPDX-License-Identifier: Apache-2.0
// What SPIRV-Tools does for us, on words: text, validation, optimization, linking.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"

namespace millrace::spirv {

using Words = std::vector<uint32_t>;

Result<Words> assemble(std::string_view text);
Result<std::string> disassemble(std::span<const uint32_t> words);  // friendly names, no header, indented

// spirv-val for Vulkan 1.3 (environment vulkan1.3, scalar block layout allowed).
Status validate(std::span<const uint32_t> words);

// Gives specialization constants (by SpecId) these values: `data` is of the constant's size, VkBool32 for booleans; those
// not named keep their defaults. All become ordinary constants, strings included, and constant expressions are folded,
// except for floating-point numbers of 16 bits. Decoration groups are dissolved on the way.
struct SpecializationValue {
    uint32_t specId;
    std::vector<uint8_t> data;
};
Result<Words> specialize(std::span<const uint32_t> words, std::span<const SpecializationValue> values);

// Inlines every call that an entry point reaches and drops the functions. For modules whose functions take payload
// pointers. A module without calls comes back as it is.
Result<Words> inlineAll(std::span<const uint32_t> words);

// Keeps the entry point `name` (GLCompute) alone, with its whole interface, and drops what it cannot reach. What is kept
// is not changed.
Result<Words> extractEntryPoint(std::span<const uint32_t> words, std::string_view name);

// Resolves the imported functions of the first module with the exports of the others (spvtools::Link). Entry points list
// the variables of the functions that they got; builtin inputs that several modules declare become one.
// Requires: the same addressing and memory model everywhere.
Result<Words> link(std::span<const std::span<const uint32_t>> modules);

// Removes dead functions, variables and code, branches on constants included; keeps the names of what remains and does
// not rearrange arithmetic. Code of modules that still use ShaderEnqueueAMDX, or that validate() rejects, is left alone.
Result<Words> cleanUp(std::span<const uint32_t> words);

}  // namespace millrace::spirv
