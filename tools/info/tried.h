// SPDX-License-Identifier: Apache-2.0
// How far somebody has tried Millrace on a kind of driver (docs/drivers.md, "What was run, simulated, believed").
#pragma once

#include <vulkan/vulkan.h>

#include <cstdint>

namespace millrace::tools {

struct Tried {
    // "run": graphs ran on the driver. "simulated": on a software driver that had no more than this one says.
    // "compiled": the driver's compiler has compiled graphs, without its device. "believed": what is needed is there by
    // the driver's documents, and nobody has tried it.
    const char* how = "believed";
    const char* text = "";  // what was tried, for people
};

// Of any driver; of one that nobody has tried, too.
Tried whatWasTried(VkDriverId driver);

}  // namespace millrace::tools
