// SPDX-License-Identifier: Apache-2.0
// Files by name.
#pragma once

#include <string>

namespace millrace::tools {

// The whole file, as it is. False for what cannot be read, folders among them.
bool readFile(const std::string& path, std::string& content);

}  // namespace millrace::tools
