// SPDX-License-Identifier: Apache-2.0
#include "tools/report/growth.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <tuple>
#include <utility>

namespace millrace::tools::report {

namespace {

// Where a convex function of one variable is least, and its value there.
template <typename Function>
std::pair<double, double> least(double low, double high, const Function& valueAt)
{
    for (int i = 0; i < 120; ++i) {
        const double third = (high - low) / 3;
        if (valueAt(low + third) <= valueAt(high - third))
            high -= third;
        else
            low += third;
    }
    const double at = (low + high) / 2;
    return {at, valueAt(at)};
}

double worst(const std::vector<Point>& points, double fixed, double each)
{
    double most = 0;
    for (const Point& point : points)
        most = std::max(most, std::abs(fixed + each * point.x - point.y) / point.y);
    return most;
}

// Of a line through the logarithms, by least squares.
double exponentOf(const Point* begin, const Point* end)
{
    double x = 0, y = 0, xx = 0, xy = 0;
    const auto count = static_cast<double>(end - begin);
    for (const Point* point = begin; point != end; ++point) {
        const double lx = std::log(point->x);
        const double ly = std::log(point->y);
        x += lx;
        y += ly;
        xx += lx * lx;
        xy += lx * ly;
    }
    return (count * xy - x * y) / (count * xx - x * x);
}

// What a fixed part makes of the time of each is not growth.
void compareEnds(const std::vector<Point>& points, Growth& growth)
{
    constexpr double kFixedPart = 0.1;
    const auto first = std::find_if(points.begin(), points.end(),
                                    [&](const Point& point) { return growth.fixed <= kFixedPart * point.y; });
    if (first == points.end())
        return;
    growth.from = first->x;
    const Point& last = points.back();
    if (first->x < last.x)
        growth.ratio = last.y / last.x / (first->y / first->x);
}

std::string number(double value)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.3g", value);
    // Nobody reads 1.23e+06 with ease.
    if (value >= 1000)
        std::snprintf(text, sizeof text, "%.0f", value);
    return text;
}

}  // namespace

std::optional<Growth> growthOf(std::vector<Point> points)
{
    std::erase_if(points, [](const Point& point) { return !(point.x > 0 && point.y > 0); });
    std::sort(points.begin(), points.end(), [](const Point& a, const Point& b) { return a.x < b.x; });
    const auto same = [](const Point& a, const Point& b) { return a.x == b.x; };
    points.erase(std::unique(points.begin(), points.end(), same), points.end());
    if (points.size() < 3)
        return std::nullopt;
    double highest = 0, steepest = 0;
    for (const Point& point : points) {
        highest = std::max(highest, point.y);
        steepest = std::max(steepest, point.y / point.x);
    }
    // The worst distance is convex in both.
    const auto bestFixed = [&](double each) {
        return least(0, highest, [&](double fixed) { return worst(points, fixed, each); });
    };
    Growth growth;
    growth.each = least(0, steepest, [&](double each) { return bestFixed(each).second; }).first;
    std::tie(growth.fixed, growth.deviation) = bestFixed(growth.each);
    const Point* end = points.data() + points.size();
    growth.exponent = exponentOf(end - std::max<size_t>(2, (points.size() + 1) / 2), end);
    growth.most = points.back().x;
    compareEnds(points, growth);
    return growth;
}

std::string wordsFor(const Growth& growth, const std::string& unit)
{
    char off[32], power[64];
    std::snprintf(off, sizeof off, "%.1f %%", growth.deviation * 100);
    std::snprintf(power, sizeof power, "the upper half grows as the power %.2f", growth.exponent);
    // A search that ends at 0 ends a little beside it.
    const double fixed = growth.fixed < 1e-6 ? 0 : growth.fixed;
    std::string line = number(fixed) + " " + unit + " + " + number(growth.each) + " " + unit + " each";
    if (growth.ratio) {
        char times[32];
        std::snprintf(times, sizeof times, "%.2f", *growth.ratio);
        line += "; " + std::string(times) + " times as much each at " + number(growth.most) + " as at " +
                number(growth.from);
    }
    return isLinear(growth) ? "linear within 10 % (at most " + std::string(off) + " off " + line + ")"
                            : "not linear within 10 % (" + std::string(off) + " off " + line + "; " + power + ")";
}

}  // namespace millrace::tools::report
