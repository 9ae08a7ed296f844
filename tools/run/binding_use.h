// SPDX-License-Identifier: Apache-2.0
// What shaders say of a descriptor.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tools/run/data_type.h"
#include "tools/run/image_access.h"

namespace millrace::tools::run {

enum class DescriptorKind { StorageBuffer, UniformBuffer, StorageImage, UniformTexelBuffer, StorageTexelBuffer };
const char* nameOf(DescriptorKind kind);
bool isTexelBuffer(DescriptorKind kind);

// A variable of a shader at a descriptor.
struct BindingUse {
    uint32_t set = 0;
    uint32_t binding = 0;
    DescriptorKind kind = DescriptorKind::StorageBuffer;
    std::string name;  // of the variable, or of its block; may be empty
    DataTypeRef type;  // buffers of blocks
    // Images and texel buffers:
    uint32_t format = 0;      // spv::ImageFormat, 0 if the shader does not say
    uint32_t scalarKind = 0;  // DataType::Kind of what the shader reads and writes
    ImageAccess access;       // of storage; reads and writes are those without a format in the shader
};

// Two variables of one descriptor that cannot be: what each of them is.
struct BindingConflict {
    std::string known;
    std::string other;
};
// Makes `known` what both say.
std::optional<BindingConflict> joinUses(BindingUse& known, const BindingUse& use);

}  // namespace millrace::tools::run
