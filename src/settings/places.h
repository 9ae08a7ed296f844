// SPDX-License-Identifier: Apache-2.0
// Where the utility library for layer settings looks for them: variables of the environment, then a file, then what the
// application gave to vkCreateInstance.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace millrace::settings {

// The environment's variable that gives this setting; empty if none does. Variables without a value do not count.
std::string variableOf(const std::string& key);

// The file with settings. It need not exist.
std::filesystem::path settingsFile();

// The settings of our layer that the environment or the file has, whether there are such or not, in lower case. Of
// the environment only those whose variable can be meant for nobody else.
struct FoundName {
    std::string key;
    std::string place;  // the variable, or "FILE, line 3"
};
std::vector<FoundName> foundNames();

}  // namespace millrace::settings
