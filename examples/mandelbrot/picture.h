// SPDX-License-Identifier: Apache-2.0
// Colors for dwells.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "view.h"

// Pixels that are true in `marked`, which may be empty, are drawn lighter. Throws if the file cannot be written.
void writePicture(const std::string& file, const View& view, std::span<const uint32_t> dwells,
                  const std::vector<bool>& marked);
