// SPDX-License-Identifier: Apache-2.0
// What lets the headers of this folder compile as GLSL and as C++: scalar names and device addresses.
#ifndef MILLRACE_ABI_LANGUAGE_H
#define MILLRACE_ABI_LANGUAGE_H

// MR_SPEC_CONSTANT states a specialization constant: in shaders it has that name, and that value where nobody gives
// one; for the host it is its number, k<name>SpecId.
#ifdef __cplusplus
#include <cstdint>
#define MR_ABI_BEGIN namespace millrace::abi {
#define MR_ABI_END }
#define MR_CONST inline constexpr
#define MR_SPEC_CONSTANT(number, type, name, shaderName, otherwise) inline constexpr uint k##name##SpecId = number;
MR_ABI_BEGIN
using uint = std::uint32_t;
using uint64_t = std::uint64_t;
MR_ABI_END
#else
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_atomic_int64 : require
#define MR_ABI_BEGIN
#define MR_ABI_END
#define MR_CONST const
#define MR_SPEC_CONSTANT(number, type, name, shaderName, otherwise) \
    layout(constant_id = number) const type shaderName = otherwise;
#endif

#endif
