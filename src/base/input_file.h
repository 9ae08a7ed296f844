// SPDX-License-Identifier: Apache-2.0
// Files that are read whole.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>

#include "base/result.h"

namespace millrace {

inline constexpr size_t kMaxInputBytes = size_t{512} << 20;  // what never ends must not fill the memory

// The whole file, as it is. Fails for what cannot be read, folders among them, and for what is longer than
// kMaxInputBytes; then the diagnostic has a message.
Status readInputFile(const std::string& path, std::string& content);

// Likewise, what is left of a stream.
Status readInputStream(std::istream& stream, std::string& content);

// Editors of some systems write a byte order mark in front of UTF-8. It is no character of the text.
std::string_view withoutByteOrderMark(std::string_view text);

// "cannot read x", and why if there is more to say.
std::string withReason(const std::string& what, const Status& status);

}  // namespace millrace
