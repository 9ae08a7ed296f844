// SPDX-License-Identifier: Apache-2.0
// What a run said, as JSON for bench/compare and as a table.
#pragma once

#include <string>

#include "bench/suite/bench.h"

namespace millrace::bench {

// Throws HarnessError if the file cannot be written.
void writeJson(const Bench& bench, const std::string& file);
// The series that --growth adds.
void printGrowth(const Bench& bench);
void printTable(const Bench& bench);

}  // namespace millrace::bench
