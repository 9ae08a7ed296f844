// SPDX-License-Identifier: Apache-2.0
// Messages that have no better receiver than stderr.
#pragma once

#include <string_view>

namespace millrace {

enum class Severity { Info, Warning, Error };

// One line to stderr, prefixed "millrace: warning: ". Thread-safe.
void log(Severity severity, std::string_view message);

}  // namespace millrace
