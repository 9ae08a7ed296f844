// SPDX-License-Identifier: Apache-2.0
// Files that are read whole.
#pragma once

#include <string>

#include "base/result.h"

namespace millrace {

inline constexpr size_t kMaxInputBytes = size_t{512} << 20;  // what never ends must not fill the memory

// The whole file, as it is. Fails for what cannot be read, folders among them, and for what is longer than
// kMaxInputBytes; then the diagnostic has a message.
Status readInputFile(const std::string& path, std::string& content);

// "cannot read x", and why if there is more to say.
std::string withReason(const std::string& what, const Status& status);

}  // namespace millrace
