// SPDX-License-Identifier: Apache-2.0
// JSON text to values and the places where they begin.
#pragma once

#include <string>
#include <string_view>

#include "tools/run/document.h"

namespace millrace::tools::run {

// Throws InputError for syntax errors and for keys that appear twice in an object.
void parseJson(const std::string& file, std::string_view text, Json& json, Place& place);

}  // namespace millrace::tools::run
