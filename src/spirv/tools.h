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

// Gives specialization constants (by SpecId) these values, 4 or 8 bytes of `data` each; those not named keep their
// defaults. All become ordinary constants and constant expressions are folded.
struct SpecializationValue {
    uint32_t specId;
    std::vector<uint8_t> data;
};
Result<Words> specialize(std::span<const uint32_t> words, std::span<const SpecializationValue> values);

// Inlines every call. For modules whose functions take payload pointers.
Result<Words> inlineAll(std::span<const uint32_t> words);

// Keeps the entry point `name` (GLCompute) alone and drops what it cannot reach.
Result<Words> extractEntryPoint(std::span<const uint32_t> words, std::string_view name);

// Resolves the imported functions of the first module with the exports of the others (spvtools::Link).
Result<Words> link(std::span<const std::span<const uint32_t>> modules);

// Removes dead functions, variables and code, branches on constants included; keeps the names of what remains.
Result<Words> cleanUp(std::span<const uint32_t> words);

}  // namespace millrace::spirv
