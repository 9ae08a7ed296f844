// SPDX-License-Identifier: Apache-2.0
// Filling the pages' placeholders.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace millrace::tools::report {

// For the text of an element or an attribute.
std::string htmlText(const std::string& text);

// Inside a script element, which no text can end.
std::string jsonForScript(const nlohmann::ordered_json& json);

// Replaces each {{name}} of the page by its text, in which no names are looked for: others may have written it.
std::string fillIn(std::string_view page, const std::map<std::string, std::string, std::less<>>& texts);

// The files of a library, a null pointer behind the last.
std::string joined(const char* const* files);

}  // namespace millrace::tools::report
