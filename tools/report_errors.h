// SPDX-License-Identifier: Apache-2.0
// What is wrong, for people and for programs, in the same form from all commands.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"

namespace millrace::tools {

// A list of "source" (a file or a part of Millrace), "where" and "message".
nlohmann::ordered_json errorsJson(const std::vector<Diagnostic>& errors);

// Writes the errors to standard error, and as a document to standard output if JSON is wanted. `document` gets the
// member "errors". Returns the exit status for it, 1.
int reportErrors(const std::vector<Diagnostic>& errors, bool asJson);
int reportErrors(const std::vector<Diagnostic>& errors, bool asJson, nlohmann::ordered_json document);

}  // namespace millrace::tools
