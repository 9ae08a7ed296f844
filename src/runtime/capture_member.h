// SPDX-License-Identifier: Apache-2.0
// What "where MEMBER" of a capture means (docs/capture.md).
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "data/data_type.h"

namespace millrace::runtime {

// The scalar of a payload, whose type may be null where it is not known, or the word of "@8". Otherwise says what
// there is, and what was probably meant. Any thread.
Result<data::Column> findCaptureMember(const data::DataTypeRef& type, uint64_t payloadBytes, const std::string& member);

}  // namespace millrace::runtime
