// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "tools/console.h"
#include "tools/report/bench_page.h"

namespace millrace::tools::report {

namespace {

std::string fixed(double value, int digits)
{
    char text[40];
    std::snprintf(text, sizeof text, "%.*f", digits, value);
    return text;
}

void printCases(std::ostream& out, const BenchResult& result)
{
    Table table({"", "", "graph us", "by hand us", "ratio"});
    for (const BenchCase& each : result.cases) {
        if (each.axis.empty() && each.graph() != nullptr && each.hand() != nullptr) {
            table.add({printable(each.workload), printable(each.name), fixed(each.graph()->median, 1),
                       fixed(each.hand()->median, 1), fixed(each.graph()->median / each.hand()->median, 2)});
        }
    }
    if (const double mean = geometricMean(result); mean > 0)
        table.add({"", "geometric mean of W1 to W10", "", "", fixed(mean, 2)});
    if (table.rowCount() > 0)
        table.print(out, "  ");
}

void printGrowth(std::ostream& out, const BenchResult& result)
{
    Table table({"", "growth with", "of", "", ""});
    for (const GrowthSeries& series : growthIn(result)) {
        for (const GrowthLine& line : series.lines) {
            const auto growth = growthOf(line.points);
            table.add({printable(series.workload), printable(series.axis), series.what, printable(line.name),
                       growth ? printable(wordsFor(*growth, series.unit)) : "fewer than three points"});
        }
    }
    if (table.rowCount() > 0)
        table.print(out, "  ");
}

}  // namespace

void printBench(std::ostream& out, const std::vector<BenchResult>& results)
{
    const std::vector<std::string> labels = labelsOf(results);
    for (size_t r = 0; r < results.size(); ++r) {
        const BenchResult& result = results[r];
        out << (r > 0 ? "\n" : "") << colour(Colour::Bold, printable(result.device)) << ", " << printable(result.driver)
            << ", " << printable(result.date) << ", size " << printable(result.size) << ", " << result.runs << " runs"
            << (results.size() > 1 ? ", " + printable(labels[r]) : "") << "\n";
        printCases(out, result);
        printGrowth(out, result);
    }
}

}  // namespace millrace::tools::report
