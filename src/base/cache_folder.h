// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace millrace {

// Where Millrace may keep, for the user's other processes, what it can find out again: "millrace" in XDG_CACHE_HOME,
// else in ~/.cache (XDG Base Directory Specification). Need not exist. Empty if neither is set to an absolute path, or
// if somebody with fewer privileges than the process chose them.
std::string cacheFolder();

}  // namespace millrace
