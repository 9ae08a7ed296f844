// SPDX-License-Identifier: Apache-2.0
// Scalars in memory as numbers in text, and back.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tools/run/data_type.h"
#include "tools/run/document.h"

namespace millrace::tools::run {

// Of any scalar type, as a double; exact but for integers above 2^53.
double readNumber(const DataType& scalar, const uint8_t* bytes);

// As a JSON number, in the fewest digits that give the same value again; "nan", "inf" and "-inf" are strings.
Json scalarToJson(const DataType& scalar, const uint8_t* bytes);

// Writes the number and returns nothing, or says why the type cannot hold it.
std::optional<std::string> scalarFromJson(const DataType& scalar, const Json& json, uint8_t* bytes);
// The same for text as in CSV files.
std::optional<std::string> scalarFromText(const DataType& scalar, std::string_view text, uint8_t* bytes);

}  // namespace millrace::tools::run
