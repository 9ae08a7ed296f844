// SPDX-License-Identifier: Apache-2.0
// Files by name.
#pragma once

#include <string>
#include <string_view>

namespace millrace::tools {

// The whole file, as it is. False for what cannot be read, folders among them.
bool readFile(const std::string& path, std::string& content);

// Writes the file anew; "-" is standard output. Reports what went wrong and returns the exit status.
int writeFile(const std::string& path, std::string_view content);

}  // namespace millrace::tools
