// SPDX-License-Identifier: Apache-2.0
#include "advisor/gpu.h"

#include <array>

namespace millrace::advisor {

std::span<const Gpu> gpus()
{
    static constexpr std::array kGpus = {
        Gpu{"gfx10.3", "RDNA 2", "navi21", false, false, 1024},
        Gpu{"gfx11", "RDNA 3", "navi31", true, true, 1536},
        Gpu{"gfx11-small", "RDNA 3, Navi 33 and APUs", "navi33", true, true, 1024},
        Gpu{"gfx12", "RDNA 4", "gfx1201", true, true, 1536},
    };
    return kGpus;
}

}  // namespace millrace::advisor
