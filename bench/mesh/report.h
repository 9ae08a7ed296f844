// SPDX-License-Identifier: Apache-2.0
// The table, and the result file, which is like bench_suite's.
#pragma once

#include <vector>

#include "bench/mesh/measure.h"

namespace millrace::bench {

struct Measured {
    std::vector<Result> results;
    double copyRate = 0;  // bytes in a nanosecond
};

void printHead();
void print(const Result& result, double copyRate);
// Throws std::runtime_error if it cannot be written.
void writeJson(const Measured& measured, const Gpu& gpu, const Options& options);

}  // namespace millrace::bench
