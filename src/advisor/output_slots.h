// SPDX-License-Identifier: Apache-2.0
// The slots of 16 bytes in which a driver keeps a vertex's or primitive's outputs.
#pragma once

#include <string>
#include <vector>

#include "advisor/facts.h"

namespace millrace::advisor {

struct DriverSlot {
    OutputKind kind = OutputKind::Generic;  // clip and cull distances share slots and are ClipDistance
    bool isPerPrimitive = false;
    bool isForeign = false;
    std::vector<std::string> names;  // of the outputs that have something in it
};

// Built-ins have slots of their own; the words of generic outputs, and of those the primitive's number is one, are
// packed: those of vertices apart from those of primitives, and interpolated ones apart from flat ones
// (nir_opt_varyings). Indices and cull flags have none. It is taken for granted that the fragment shader reads all and
// interpolates what is not flat here. In the order in which the driver lays them out.
std::vector<DriverSlot> assignSlots(const Facts& facts);

}  // namespace millrace::advisor
