// SPDX-License-Identifier: Apache-2.0
// Specialization constants on command lines.
#pragma once

#include <string>
#include <vector>

#include "spirv/specialization.h"

namespace millrace::tools {

// Why the text is no "ID=VALUE", empty if it is: integers, decimal or 0x, true, false, or numbers with a point as
// 32-bit floats.
std::string checkSpecialization(const std::string& text);

// Of texts that were checked.
std::vector<spirv::SpecializationValue> specializationOf(const std::vector<std::string>& texts);

}  // namespace millrace::tools
