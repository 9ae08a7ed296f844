// SPDX-License-Identifier: Apache-2.0
// The advice as one HTML file that needs nothing else.
#pragma once

#include <string>
#include <vector>

#include "advisor/advise.h"

namespace millrace::tools {

std::string makeAdvicePage(const std::vector<advisor::Advice>& shaders, const std::string& title);

}  // namespace millrace::tools
