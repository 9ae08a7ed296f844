// SPDX-License-Identifier: Apache-2.0
// Tables of scalars as text (RFC 4180): a first line of names, a line for each value.
#pragma once

#include <span>
#include <string>

#include "tools/run/data_type.h"
#include "tools/run/document.h"

namespace millrace::tools::run {

// Appends a value of the type for each row, `stride` bytes apart. The columns are those of columnsOf() in any order,
// none missing. Throws InputError.
void readCsv(const std::string& file, const DataTypeRef& type, uint64_t stride, Bytes& bytes);

std::string writeCsv(const DataTypeRef& type, std::span<const uint8_t> bytes, uint64_t stride, uint64_t count);

}  // namespace millrace::tools::run
