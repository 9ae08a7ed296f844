// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "advisor/facts.h"

namespace millrace::advisor {

// Where the workgroup's invocations wait for each other.
std::vector<Barrier> readBarriers(const PreparedShader& shader);

}  // namespace millrace::advisor
