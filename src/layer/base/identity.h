// SPDX-License-Identifier: Apache-2.0
// What the layer says of itself. The manifest says it as well; its name is settings::kLayerName.
#pragma once

#include <cstdint>

namespace millrace::layer {

inline constexpr char kLayerDescription[] = "VK_AMDX_shader_enqueue on plain compute";
inline constexpr uint32_t kLayerVersion = 1;

}  // namespace millrace::layer
