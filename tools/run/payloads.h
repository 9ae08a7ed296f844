// SPDX-License-Identifier: Apache-2.0
// Payloads and push constants as bytes.
#pragma once

#include "tools/run/work.h"

namespace millrace::tools::run {

// Throw InputError.
Launch prepareLaunch(const LaunchDescription& description, const Program& program);
// An object writes the members that it names; an array of words replaces them all. `given` is 1 for bytes that were
// written before, and becomes so for those that are now.
void encodePushConstants(const Value& value, const Program& program, Bytes& bytes, Bytes& given);
// The members that nobody has written.
std::string missingPushConstants(const Program& program, const Bytes& given);

}  // namespace millrace::tools::run
