// SPDX-License-Identifier: Apache-2.0
// Tables of scalars as text (RFC 4180), for spreadsheets too, which take some texts for formulas and run them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/data_type.h"

namespace millrace::data {

// A field that says `text`, whoever wrote it. What a spreadsheet would take for a formula (it begins with = + - @, a
// tab or the end of a line) gets an apostrophe in front. "@8", a word of a payload, is none.
std::string csvText(std::string_view text);

// What csvText() was given, of a field without its quotation marks.
std::string_view withoutFormulaMark(std::string_view field);

// Fields with commas between them, for the first line and for a value. What lies behind the end of `bytes` is 0.
std::string csvNames(const std::vector<Column>& columns);
std::string csvValues(const std::vector<Column>& columns, std::span<const uint8_t> bytes);

}  // namespace millrace::data
