// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "advisor/advise.h"

namespace millrace::tools {

// To standard output.
void printAdvice(const std::vector<advisor::Advice>& shaders);

}  // namespace millrace::tools
