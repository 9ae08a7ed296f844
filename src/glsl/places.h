// SPDX-License-Identifier: Apache-2.0
// Where in the user's text a message belongs: the column, and the line itself with a mark below it.
#pragma once

#include <string>

namespace millrace::glsl {

// Messages "FILE:LINE: KIND: REASON" or "FILE:LINE:COLUMN: KIND: REASON", a line each, get the column of what REASON
// has in quotes, the one that is nearest to COLUMN of several, and two lines behind them: the line of the source, in
// from the margin by four spaces, and a caret below the column. Columns count bytes from 1. `source` is the text of
// `file`; other files are read. What names no line that there is stays as it is.
std::string withPlaces(const std::string& messages, const std::string& file, const std::string& source);

}  // namespace millrace::glsl
