// SPDX-License-Identifier: Apache-2.0
// Generated commands of a trace: which sequences ran with which pipelines, and what stands out.
#pragma once

#include <ostream>
#include <vector>

#include "tools/report/findings.h"
#include "tools/report/summary.h"

namespace millrace::tools::report {

// How the sequences run, in words: "draws from the stream, all pipelines as one, preprocessed".
std::string wayText(const trace::GeneratedCall& call);
// Nothing if none ran.
void printCalls(std::ostream& out, const TraceSummary& trace);
std::vector<Finding> findInCalls(const TraceSummary& trace);

}  // namespace millrace::tools::report
