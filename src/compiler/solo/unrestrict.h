// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spirv/module.h"

namespace millrace::compiler {

// Takes back what nodes say of buffers and images for themselves, that nobody writes to them and that no other name
// leads to them, where others in the module may do so.
void unrestrict(spirv::Module& module);

// Whether the module writes images and samples or fetches from images, which could be the same: such reads may see what
// was there before the dispatch.
bool samplesAndWritesImages(const spirv::Module& module);

}  // namespace millrace::compiler
