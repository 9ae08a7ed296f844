// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace millrace::advisor {

// Where something stands in the source. Line 0: the module does not say.
struct Place {
    std::string file;
    uint32_t line = 0;
    auto operator<=>(const Place&) const = default;
};

}  // namespace millrace::advisor
