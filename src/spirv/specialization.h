// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace millrace::spirv {

struct SpecializationValue {
    uint32_t specId;
    std::vector<uint8_t> data;  // of the constant's size, VkBool32 for booleans
};

}  // namespace millrace::spirv
