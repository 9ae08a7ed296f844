// SPDX-License-Identifier: Apache-2.0
// The report as one HTML file that needs nothing else.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "tools/report/findings.h"

namespace millrace::tools::report {

// Everything that the page shows, and that --json writes.
nlohmann::ordered_json reportJson(const TraceSummary& trace, const std::vector<Finding>& findings, bool withSteps);

std::string makePage(const TraceSummary& trace, const std::vector<Finding>& findings, const std::string& title);

}  // namespace millrace::tools::report
