// SPDX-License-Identifier: Apache-2.0
// How a measured series grows: whether a line with a fixed part describes it.
#pragma once

#include <cmath>
#include <optional>
#include <string>
#include <vector>

namespace millrace::tools::report {

struct Point {
    double x = 0;
    double y = 0;
};

struct Growth {
    // Of all lines y = fixed + each * x without negative parts the one whose worst point is nearest.
    double fixed = 0;
    double each = 0;
    double deviation = 0;  // of that point, as a part of its y
    double exponent = 0;   // of x, over the upper half of the points
    double most = 0;       // x of the largest point
    // The x of the least point of whose y the fixed part is at most a tenth, and y / x of the largest point as a part
    // of that of this one. No ratio if only the largest point is such a one, or none is.
    double from = 0;
    std::optional<double> ratio;
};

// Further from the line, or a ratio further from 1, is not linear.
inline constexpr double kLinearWithin = 0.1;

inline bool isLinear(const Growth& growth)
{
    return growth.deviation <= kLinearWithin && (!growth.ratio || std::abs(*growth.ratio - 1) <= kLinearWithin);
}

// Nothing for fewer than three points: a line goes through any two.
std::optional<Growth> growthOf(std::vector<Point> points);

// "linear within 10 % (at most 3.1 % off 12 us + 0.0013 us each; 1.02 times as much each at 67108864 as at 1048576)".
std::string wordsFor(const Growth& growth, const std::string& unit);

}  // namespace millrace::tools::report
