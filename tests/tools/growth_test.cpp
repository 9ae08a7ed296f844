// SPDX-License-Identifier: Apache-2.0
// Whether series of times count as linear, and how that is said.
#include <gtest/gtest.h>

#include <cmath>

#include "tools/report/growth.h"

namespace millrace::tools::report {

namespace {

template <typename Function>
std::vector<Point> series(const Function& valueAt)
{
    std::vector<Point> points;
    for (double x = 1 << 20; x <= 1 << 26; x *= 2)
        points.push_back({x, valueAt(x)});
    return points;
}

TEST(Growth, AFixedPartAndALine)
{
    const auto growth = growthOf(series([](double x) { return 40 + 0.002 * x; }));
    ASSERT_TRUE(growth);
    EXPECT_NEAR(growth->fixed, 40, 0.1);
    EXPECT_NEAR(growth->each, 0.002, 1e-6);
    EXPECT_LT(growth->deviation, 1e-4);
    EXPECT_NEAR(growth->exponent, 1, 0.01);
    EXPECT_TRUE(isLinear(*growth));
}

TEST(Growth, OfConstantTimeNothingIsForEach)
{
    const auto growth = growthOf(series([](double) { return 7.0; }));
    ASSERT_TRUE(growth);
    EXPECT_NEAR(growth->fixed, 7, 1e-3);
    EXPECT_NEAR(growth->each * (1 << 26), 0, 1e-3);
    EXPECT_NEAR(growth->exponent, 0, 1e-6);
    EXPECT_TRUE(isLinear(*growth));
}

TEST(Growth, TheWorstPointCounts)
{
    // 8 % up and down around a line is within 10 %, 12 % is not: no other line does better with points like these.
    for (const double by : {0.08, 0.12}) {
        double sign = 1;
        const auto growth = growthOf(series([&](double x) { return (sign = -sign, (1 + sign * by) * 0.001 * x); }));
        ASSERT_TRUE(growth);
        EXPECT_NEAR(growth->deviation, by, 0.01);
        EXPECT_EQ(isLinear(*growth), by < 0.1);
    }
}

TEST(Growth, PowersAreNotLines)
{
    for (const double power : {0.7, 1.3, 2.0}) {
        const auto growth = growthOf(series([&](double x) { return std::pow(x, power); }));
        ASSERT_TRUE(growth);
        EXPECT_FALSE(isLinear(*growth)) << power;
        EXPECT_NEAR(growth->exponent, power, 1e-6);
        const std::string words = wordsFor(*growth, "us");
        EXPECT_NE(words.find("not linear within 10 %"), std::string::npos) << words;
        char expected[32];
        std::snprintf(expected, sizeof expected, "power %.2f", power);
        EXPECT_NE(words.find(expected), std::string::npos) << words;
    }
}

TEST(Growth, WhatGrowsLessIsNoLineEither)
{
    // Time that falls is described by no line that rises.
    EXPECT_FALSE(isLinear(*growthOf({{1, 100}, {2, 50}, {4, 25}})));
}

TEST(Growth, TheEndsAreComparedFromWhereTheFixedPartIsSmall)
{
    // A tenth of 40 + 2x from x = 180 on.
    const auto growth = growthOf({{1, 42}, {10, 60}, {200, 440}, {1000, 2040}, {10000, 20040}});
    ASSERT_TRUE(growth);
    EXPECT_EQ(growth->from, 200);
    EXPECT_EQ(growth->most, 10000);
    ASSERT_TRUE(growth->ratio);
    EXPECT_NEAR(*growth->ratio, 2.004 / 2.2, 1e-6);
    EXPECT_TRUE(isLinear(*growth));
    // Only the largest; none.
    EXPECT_FALSE(growthOf({{1, 42}, {10, 60}, {200, 440}})->ratio);
    EXPECT_FALSE(growthOf({{1, 42}, {2, 44}, {3, 46}})->ratio);
}

TEST(Growth, ADriftThatALineHidesIsNotLinear)
{
    // Never 10 % from a line through 0, but the largest takes 1.15 times as much each as the smallest.
    const auto growth = growthOf({{1, 1}, {2, 2.05}, {4, 4.3}, {8, 8.9}, {16, 18.4}});
    ASSERT_TRUE(growth);
    EXPECT_LT(growth->deviation, 0.1);
    ASSERT_TRUE(growth->ratio);
    EXPECT_NEAR(*growth->ratio, 1.15, 1e-6);
    EXPECT_FALSE(isLinear(*growth));
    EXPECT_NE(wordsFor(*growth, "us").find("1.15 times as much each at 16 as at 1"), std::string::npos);
}

TEST(Growth, ThreeDifferentPointsAreNeeded)
{
    EXPECT_FALSE(growthOf({}));
    EXPECT_FALSE(growthOf({{1, 1}, {2, 2}}));
    EXPECT_FALSE(growthOf({{1, 1}, {2, 2}, {2, 3}, {0, 1}, {4, 0}}));
    EXPECT_TRUE(growthOf({{4, 4}, {1, 1}, {2, 2}}));
}

TEST(Growth, InWords)
{
    EXPECT_EQ(wordsFor({12.04, 0.00131, 0.031, 1}, "us"),
              "linear within 10 % (at most 3.1 % off 12 us + 0.00131 us each)");
    EXPECT_EQ(wordsFor({4096, 16, 0.5, 1.25}, "bytes"),
              "not linear within 10 % (50.0 % off 4096 bytes + 16 bytes each; the upper half grows as the power 1.25)");
}

}  // namespace

}  // namespace millrace::tools::report
