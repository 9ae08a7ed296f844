// SPDX-License-Identifier: Apache-2.0
#include "tools/vulkan/loader_filters.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <vector>

namespace millrace::tools {

namespace {

std::string_view variable(const char* name)
{
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
}

std::string lowerCase(std::string_view text)
{
    std::string lower(text);
    std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return lower;
}

std::vector<std::string> split(std::string_view list, char separator)
{
    std::vector<std::string> items;
    std::istringstream text{std::string(list)};
    for (std::string item; std::getline(text, item, separator);)
        if (!item.empty())
            items.push_back(item);
    return items;
}

// Both in lower case.
bool matches(std::string_view pattern, std::string_view name)
{
    if (pattern == "*" || pattern == "**" || pattern == "~all~" || pattern == "~explicit~")
        return true;
    const bool isOpenInFront = pattern.starts_with('*');
    pattern.remove_prefix(isOpenInFront ? 1 : 0);
    const bool isOpenBehind = pattern.ends_with('*');
    pattern.remove_suffix(isOpenBehind ? 1 : 0);
    if (isOpenInFront && isOpenBehind)
        return name.find(pattern) != std::string_view::npos;
    return isOpenInFront ? name.ends_with(pattern) : isOpenBehind ? name.starts_with(pattern) : name == pattern;
}

}  // namespace

bool isInLoaderList(std::string_view list, std::string_view layer)
{
    return std::ranges::any_of(split(lowerCase(list), ','), [name = lowerCase(layer)](const std::string& pattern) {
        return matches(pattern, name);
    });
}

std::string hiddenBy(std::string_view layer)
{
    const std::string_view disabled = variable("VK_LOADER_LAYERS_DISABLE");
    if (!isInLoaderList(disabled, layer) || isInLoaderList(variable("VK_LOADER_LAYERS_ALLOW"), layer) ||
        isInLoaderList(variable("VK_LOADER_LAYERS_ENABLE"), layer))
        return "";
    return "VK_LOADER_LAYERS_DISABLE=" + std::string(disabled);
}

std::string noDriverText()
{
    const std::string start = "there is no Vulkan driver: ";
    for (const char* name : {"VK_DRIVER_FILES", "VK_ICD_FILENAMES"}) {
        const std::string_view files = variable(name);
        for (const std::string& file : split(files, ':')) {
            std::error_code error;
            if (!std::filesystem::exists(file, error))
                return start + name + " names \"" + file + "\", which is not there";
        }
        if (!files.empty()) {
            return start + "the loader takes none of " + name + "=" + std::string(files) +
                   "; VK_LOADER_DEBUG=error,driver says why";
        }
    }
    for (const char* name : {"VK_LOADER_DRIVERS_DISABLE", "VK_LOADER_DRIVERS_SELECT"})
        if (!variable(name).empty())
            return start + "none is left by " + name + "=" + std::string(variable(name));
    return start + "Debian has drivers in the package mesa-vulkan-drivers";
}

}  // namespace millrace::tools
