// SPDX-License-Identifier: Apache-2.0
// Mesh and task shaders in the form in which they are looked at: one entry point, specialized, without calls, and with
// values in place of local variables, as drivers see them when they decide.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "spirv/module.h"
#include "spirv/specialization.h"

namespace millrace::advisor {

enum class Stage : uint8_t { Task, Mesh };

struct Options {
    std::string entryPoint;  // only this one; empty: all
    std::vector<spirv::SpecializationValue> specialization;
};

struct PreparedShader {
    Stage stage = Stage::Mesh;
    std::string entryPoint;
    spirv::Module module;  // of one function

    const spirv::Function& function() const { return module.functions.front(); }
    const spirv::Instruction& interface() const { return module.section(spirv::Section::EntryPoints).front(); }
};

// The mesh and task shaders of a module, in its order. Errors: modules that are not valid for Vulkan 1.3, that have no
// such entry point, or whose calls cannot be inlined; shaders of VK_NV_mesh_shader.
Result<std::vector<PreparedShader>> prepare(std::span<const uint32_t> words, const Options& options);

}  // namespace millrace::advisor
