// SPDX-License-Identifier: Apache-2.0
// What stands out in a trace, in words, with what to do about it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/report/summary.h"

namespace millrace::tools::report {

struct Finding {
    enum class Kind { Problem, Hint };
    Kind kind = Kind::Hint;
    uint32_t graph = 0;  // unless it is of a mesh shader or of generated commands
    std::optional<uint32_t> node;
    std::optional<uint32_t> mesh = {};
    std::string text;
    std::string advice;
    std::optional<uint32_t> call = {};  // of generated commands

    bool isOfGraph() const { return !mesh && !call; }
};

// Problems first, then what matters most.
std::vector<Finding> findIn(const TraceSummary& trace);

}  // namespace millrace::tools::report
