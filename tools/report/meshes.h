// SPDX-License-Identifier: Apache-2.0
// What a trace says of mesh shaders: as text, and what stands out.
#pragma once

#include <ostream>
#include <vector>

#include "tools/report/findings.h"
#include "tools/report/summary.h"

namespace millrace::tools::report {

// Nothing if none ran.
void printMeshes(std::ostream& out, const TraceSummary& trace);
std::vector<Finding> findInMeshes(const TraceSummary& trace);

}  // namespace millrace::tools::report
