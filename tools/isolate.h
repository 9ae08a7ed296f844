// SPDX-License-Identifier: Apache-2.0
// Work on untrusted input in a process of its own.
#pragma once

#include <functional>
#include <string>

#include "base/result.h"

namespace millrace::tools {

// The bytes that `work` gives in a child process. Errors: the child crashed, took longer than `seconds`, or more memory
// than one should need.
Result<std::string> runIsolated(const std::function<std::string()>& work, unsigned seconds);

}  // namespace millrace::tools
