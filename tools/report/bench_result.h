// SPDX-License-Identifier: Apache-2.0
// What bench_suite --json writes.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tools/report/growth.h"

namespace millrace::tools::report {

struct BenchVersion {
    enum class Role { Graph, Hand, Peer, Other };
    Role role = Role::Hand;
    std::string name;
    double median = 0;
    double least = 0;
    double most = 0;
};

// Scratch memory in bytes; 0: not measured.
struct BenchScratch {
    double least = 0;     // minSize
    double oneSweep = 0;  // the least with which one sweep is enough
    double payloads = 0;  // of that what payloads took
    double live = 0;      // the payloads alone
};

struct BenchCase {
    std::string workload;
    std::string name;
    std::vector<BenchVersion> versions;
    // What grows along the series that the case belongs to, and how much of it there is; "": none.
    std::string axis;
    double x = 0;
    BenchScratch scratch{};

    // The graph; the fastest program by hand. Null if there is none.
    const BenchVersion* graph() const;
    const BenchVersion* hand() const;
};

struct BenchResult {
    std::string file;
    std::string date;
    std::string device;
    std::string driver;
    std::string size;
    uint32_t runs = 0;
    std::map<std::string, std::string> environment;  // settings
    std::vector<BenchCase> cases;
};

// Throws run::InputError for what is no such file, with line and column.
BenchResult readBenchResult(const std::string& file);

// What grows with one thing: times of the graph and of the best program by hand, or scratch memory.
struct GrowthLine {
    std::string name;
    bool isGraph = false;  // the graph's own; else something to compare with
    std::vector<Point> points;
    std::vector<std::pair<double, double>> range;  // least and most of each point; of times
};
struct GrowthSeries {
    std::string workload;
    std::string axis;
    std::string what;  // grows with it
    std::string unit;
    std::vector<GrowthLine> lines;
};
std::vector<GrowthSeries> growthIn(const BenchResult& result);

// Over the cases of W1 to W10, as bench_suite prints it; 0 if there is none.
double geometricMean(const BenchResult& result);

// Names that tell the results apart, by what they differ in: settings, else the files' names.
std::vector<std::string> labelsOf(const std::vector<BenchResult>& results);

}  // namespace millrace::tools::report
