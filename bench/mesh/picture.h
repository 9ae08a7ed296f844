// SPDX-License-Identifier: Apache-2.0
// Pictures of two ways are one picture.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/mesh/scene.h"

namespace millrace::bench {

// Ways may run workgroups in other orders, so that another one of two triangles at the same depth is seen.
inline constexpr double kMostDiffering = 0.0005;  // of the pixels
inline constexpr int kMostApart = 2;              // steps of a component that are no difference

size_t countDiffering(const std::vector<uint32_t>& one, const std::vector<uint32_t>& other);
// Part of the pixels that are not black.
double covered(const std::vector<uint32_t>& pixels);
void writePpm(const std::string& file, const Scene& scene, const std::vector<uint32_t>& pixels);

}  // namespace millrace::bench
