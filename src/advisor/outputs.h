// SPDX-License-Identifier: Apache-2.0
// The outputs of a mesh shader, what of them is written, and by which invocations.
#pragma once

#include <vector>

#include "advisor/facts.h"
#include "shader/own_lane.h"

namespace millrace::advisor {

// In the order of the interface, members in their order; those that nothing writes are left out.
std::vector<Output> readOutputs(const PreparedShader& shader, const shader::OwnLane& lanes);

}  // namespace millrace::advisor
