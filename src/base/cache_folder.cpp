// SPDX-License-Identifier: Apache-2.0
#include "base/cache_folder.h"

#include <cstdlib>
#include <filesystem>

#include "base/system.h"

namespace millrace {

namespace {

// Relative paths are to be ignored.
std::string absolutePath(const char* variable)
{
    const char* const value = std::getenv(variable);
    return value && std::filesystem::path(value).is_absolute() ? value : "";
}

}  // namespace

std::string cacheFolder()
{
    if (hasMorePrivileges())
        return "";
    if (const std::string caches = absolutePath("XDG_CACHE_HOME"); !caches.empty())
        return caches + "/millrace";
    const std::string home = absolutePath("HOME");
    return home.empty() ? "" : home + "/.cache/millrace";
}

}  // namespace millrace
