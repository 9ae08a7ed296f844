// SPDX-License-Identifier: Apache-2.0
// What Millrace chooses for a device, found out as its layer does: by creating a device and measuring it.
#pragma once

#include <string>
#include <vector>

#include "settings/settings.h"
#include "tools/info/survey.h"
#include "tools/vulkan/loader.h"

namespace millrace::tools {

// Empty, and a warning says why, if no device can be created. A device that cannot be measured is a warning as well.
// Requires: the driver has what graphs need.
std::vector<TraitState> findTraits(const VulkanInstance& instance, VkPhysicalDevice physical,
                                   const settings::Settings& settings, std::vector<std::string>& warnings);

}  // namespace millrace::tools
