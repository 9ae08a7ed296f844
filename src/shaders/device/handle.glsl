// SPDX-License-Identifier: Apache-2.0
// What a handle of a payload array says (docs/device-functions.md). Behind mr_input_element().
#ifndef MILLRACE_DEVICE_HANDLE_GLSL
#define MILLRACE_DEVICE_HANDLE_GLSL

uint64_t mr_output_element(const uvec4 handle, const uint i)
{
    return packUint2x32(handle.xy) + uint64_t(i) * uint64_t((handle.w & 0x7fffu) * 4u);
}

uint64_t mr_element(const uvec4 handle, const uint i)
{
    return packUint2x32(handle.xy) == uint64_t(0) ? mr_input_element(i) : mr_output_element(handle, i);
}

uint mr_array_length(const uvec4 handle)
{
    return handle.z & 0x7fffffffu;
}

#endif
