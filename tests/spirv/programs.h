// SPDX-License-Identifier: Apache-2.0
// Modules that several tests use.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "spirv/edit.h"
#include "spirv/module.h"
#include "spirv/tools.h"

namespace millrace::spirv::test {

// Valid modules with, between them: OpLine and OpNop in every legal place, non-semantic instructions, decoration
// groups, forward pointers, 64-bit and string literals, phis, switches, node payloads and specialization constants.
struct Program {
    const char* name;
    const char* text;
    bool isValid = true;  // says spirv-val for Vulkan
};
const std::vector<Program>& programs();

// The node shaders of tests/programs.
std::vector<std::filesystem::path> nodePrograms();
std::string load(const std::filesystem::path& file);

// These fail the running test and return nothing if the text or the words are bad.
Words assembled(std::string_view text);
Module moduleOf(std::string_view text);
std::string text(const Module& module);
std::string text(std::span<const uint32_t> words);

// Edits of words, for tests that begin and end with them.
Result<Words> specialize(std::span<const uint32_t> words, std::span<const SpecializationValue> values);
Result<Words> extractEntryPoint(std::span<const uint32_t> words, std::string_view name);
Result<Words> removeUnused(std::span<const uint32_t> words);

// A compute shader `main` with bool, uint, void and `body`, and `globals` in front of it.
std::string compute(std::string_view globals, std::string_view body, std::string_view annotations = {});

}  // namespace millrace::spirv::test
