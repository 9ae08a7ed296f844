// SPDX-License-Identifier: Apache-2.0
// Files by name.
#pragma once

#include <string>
#include <string_view>

namespace millrace::tools {

// Writes the file anew; "-" is standard output. Reports what went wrong and returns the exit status.
int writeFile(const std::string& path, std::string_view content);

}  // namespace millrace::tools
