// SPDX-License-Identifier: Apache-2.0
// Scalars in memory as numbers and as text, and back.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "data/data_type.h"

namespace millrace::data {

uint64_t loadUnsigned(uint32_t bits, const uint8_t* bytes);
int64_t loadSigned(uint32_t bits, const uint8_t* bytes);

// Of any scalar type, as a double; exact but for integers above 2^53.
double readNumber(const DataType& scalar, const uint8_t* bytes);

// In the fewest digits that give the same value again; also "nan", "inf" and "-inf".
std::string scalarText(const DataType& scalar, const uint8_t* bytes);

// Rounds to the type's precision.
void storeFloat(uint32_t bits, double value, uint8_t* bytes);

// Write the number and return nothing, or say why the type cannot hold it.
std::optional<std::string> storeUnsigned(const DataType& scalar, uint64_t value, uint8_t* bytes);
std::optional<std::string> storeNegative(const DataType& scalar, int64_t value, uint8_t* bytes);
std::optional<std::string> scalarFromText(const DataType& scalar, std::string_view text, uint8_t* bytes);

}  // namespace millrace::data
