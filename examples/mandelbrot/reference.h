// SPDX-License-Identifier: Apache-2.0
// The same picture, computed on the host.
#pragma once

#include <vector>

#include "view.h"

struct Reference {
    std::vector<uint32_t> plain;       // each pixel by itself
    std::vector<uint32_t> subdivided;  // by Mariani-Silver subdivision
    std::vector<bool> borders;         // pixels on the border of a square of the subdivision
    Counters counters{};               // of the subdivision
};

// Uses all cores.
Reference computeReference(const View& view);
