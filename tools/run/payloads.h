// SPDX-License-Identifier: Apache-2.0
// Payloads and push constants as bytes.
#pragma once

#include "tools/run/json_data.h"
#include "tools/run/work.h"

namespace millrace::tools::run {

// Throw InputError.
Launch prepareLaunch(const LaunchDescription& description, const Program& program);
// The list of payloads again and again until there are as many as the launch counts.
void repeatPayloads(Launch& launch);
// All push constants as they are so far.
struct PushConstants {
    Bytes bytes;
    Bytes given;  // 1 for bytes that have a value
    std::vector<Address> addresses;
};
// An object writes the members that it names; an array of words replaces them all.
void encodePushConstants(const Value& value, const Program& program, PushConstants& constants);
// The members that nobody has written.
std::string missingPushConstants(const Program& program, const Bytes& given);

}  // namespace millrace::tools::run
