// SPDX-License-Identifier: Apache-2.0
// Variables with which users tell the Vulkan loader what to leave out, read as the loader reads them.
#pragma once

#include <string>
#include <string_view>

namespace millrace::tools {

// Whether a list of VK_LOADER_LAYERS_ENABLE, _DISABLE or _ALLOW has the explicit layer of that name in it: names
// without regard to letter case, with "*" at their ends or none, and "~all~" and "~explicit~".
bool isInLoaderList(std::string_view list, std::string_view layer);

// The variable that hides the explicit layer, as "VK_LOADER_LAYERS_DISABLE=*"; empty if none does.
std::string hiddenBy(std::string_view layer);

// Why the loader finds no driver, and what to do.
std::string noDriverText();

}  // namespace millrace::tools
