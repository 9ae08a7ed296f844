// SPDX-License-Identifier: Apache-2.0
// Scalars in memory as JSON, and back.
#pragma once

#include <optional>
#include <string>

#include "data/scalars.h"
#include "tools/run/data_type.h"
#include "tools/run/document.h"

namespace millrace::tools::run {

// As a JSON number, in the fewest digits that give the same value again; "nan", "inf" and "-inf" are strings.
Json scalarToJson(const DataType& scalar, const uint8_t* bytes);

// Writes the number and returns nothing, or says why the type cannot hold it.
std::optional<std::string> scalarFromJson(const DataType& scalar, const Json& json, uint8_t* bytes);

}  // namespace millrace::tools::run
