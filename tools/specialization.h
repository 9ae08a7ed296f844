// SPDX-License-Identifier: Apache-2.0
// Specialization constants on command lines.
#pragma once

#include <string>
#include <vector>

#include "spirv/specialization.h"

namespace CLI {
class App;
}

namespace millrace::tools {

// "ID=VALUE": integers, decimal or 0x, true, false, or numbers with a point as 32-bit floats.
bool parseSpecialization(const std::string& text, spirv::SpecializationValue& value);

// --spec, which may be repeated. `texts` must outlive the application.
void addSpecializationOption(CLI::App& command, std::vector<std::string>& texts);

// Of texts that the option has checked.
std::vector<spirv::SpecializationValue> specializationOf(const std::vector<std::string>& texts);

}  // namespace millrace::tools
