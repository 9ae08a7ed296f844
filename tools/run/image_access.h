// SPDX-License-Identifier: Apache-2.0
// What shaders do with storage images and storage texel buffers that not every format allows.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "spirv/module.h"

namespace millrace::tools::run {

struct ImageAccess {
    bool reads = false;
    bool writes = false;
    bool isAtomic = false;

    ImageAccess& operator|=(const ImageAccess& other);
    bool operator==(const ImageAccess&) const = default;
};

// Of variables, by their ids; also of what functions get as parameters. All functions of the module count. For modules
// that are valid.
std::unordered_map<uint32_t, ImageAccess> findImageAccesses(const spirv::Module& module);

}  // namespace millrace::tools::run
