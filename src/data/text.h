// SPDX-License-Identifier: Apache-2.0
// Values in memory as text.
#pragma once

#include <span>
#include <string>

#include "data/data_type.h"

namespace millrace::data {

std::string quotedJson(const std::string& text);

// Structures are objects by member name, everything else with elements is an array; floats that are no numbers are
// "nan", "inf" and "-inf". `bytes` reaches to the end of the value's memory.
std::string jsonText(const DataType& type, std::span<const uint8_t> bytes);

// Words, by their offset: {"@0": 17, "@4": 3}.
std::string jsonWords(std::span<const uint8_t> bytes);

}  // namespace millrace::data
