// SPDX-License-Identifier: Apache-2.0
// Cases that belong together: how time and memory grow with one thing.
#pragma once

#include <string>
#include <vector>

#include "bench/suite/bench.h"
#include "tools/report/growth.h"

namespace millrace::bench {

struct Series {
    std::string workload;
    std::string axis;
    std::string what;  // grows with it
    std::string unit;
    std::vector<tools::report::Point> points;
};

// In the order of the cases. What was not measured for all points is left out.
std::vector<Series> seriesIn(const std::vector<CaseResult>& results);

}  // namespace millrace::bench
