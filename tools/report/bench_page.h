// SPDX-License-Identifier: Apache-2.0
// Results of bench/run side by side: as JSON, as text, and as one HTML file that needs nothing else.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "tools/report/bench_result.h"

namespace millrace::tools::report {

nlohmann::ordered_json benchJson(const std::vector<BenchResult>& results);
std::string makeBenchPage(const std::vector<BenchResult>& results);
void printBench(std::ostream& out, const std::vector<BenchResult>& results);

}  // namespace millrace::tools::report
