// SPDX-License-Identifier: Apache-2.0
// The layer's settings that are in force for applications started from here, and who says so.
#pragma once

#include <string>
#include <vector>

#include "settings/settings.h"
#include "tools/info/survey.h"

namespace millrace::tools {

// Also as the layer has them. Values that cannot be read are added to `problems`.
std::vector<SettingState> findSettings(settings::Settings& settings, std::vector<std::string>& problems);

}  // namespace millrace::tools
