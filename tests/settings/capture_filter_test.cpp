// SPDX-License-Identifier: Apache-2.0
// Filters in words.
#include <gtest/gtest.h>

#include "abi/capture.h"
#include "settings/capture_filter.h"

namespace millrace::settings {

namespace {

std::vector<runtime::CaptureFilter> parse(const std::string& text)
{
    auto filters = parseCaptureFilters(text);
    EXPECT_TRUE(filters) << (filters ? "" : filters.error().text());
    return filters ? *filters : std::vector<runtime::CaptureFilter>();
}

TEST(CaptureFilter, NameAlone)
{
    const auto filters = parse(" shade ");
    ASSERT_EQ(filters.size(), 1u);
    EXPECT_EQ(filters[0].node, "shade");
    EXPECT_FALSE(filters[0].index);
    EXPECT_FALSE(filters[0].level);
    EXPECT_EQ(filters[0].first, 100u);
    EXPECT_EQ(filters[0].compare, abi::kCompareNothing);
}

TEST(CaptureFilter, Everything)
{
    const auto filters = parse("'a node' [3] where pair.x>=-1.5 first 10 level 2; b where @8 != 7;");
    ASSERT_EQ(filters.size(), 2u);
    EXPECT_EQ(filters[0].node, "a node");
    EXPECT_EQ(filters[0].index, 3u);
    EXPECT_EQ(filters[0].level, 2u);
    EXPECT_EQ(filters[0].first, 10u);
    EXPECT_EQ(filters[0].compare, abi::kCompareGreaterEqual);
    EXPECT_EQ(filters[0].member, "pair.x");
    EXPECT_EQ(filters[0].value, "-1.5");
    EXPECT_EQ(filters[1].compare, abi::kCompareUnequal);
    EXPECT_EQ(filters[1].member, "@8");
}

TEST(CaptureFilter, AllOperators)
{
    const std::pair<const char*, uint32_t> operators[] = {{"=", abi::kCompareEqual},        {"==", abi::kCompareEqual},
                                                          {"!=", abi::kCompareUnequal},     {"<", abi::kCompareLess},
                                                          {"<=", abi::kCompareLessEqual},   {">", abi::kCompareGreater},
                                                          {">=", abi::kCompareGreaterEqual}};
    for (const auto& [text, compare] : operators) {
        for (const char* space : {"", " "}) {
            const auto filters = parse("n where m" + (space + std::string(text)) + space + "4");
            ASSERT_EQ(filters.size(), 1u);
            EXPECT_EQ(filters[0].compare, compare) << text;
            EXPECT_EQ(filters[0].member, "m");
            EXPECT_EQ(filters[0].value, "4");
        }
    }
}

TEST(CaptureFilter, WhatIsWrongIsSaid)
{
    const std::pair<const char*, const char*> cases[] = {
        {"[3]", "name is expected"},         {"'open", "name is expected"},       {"n[x]", "name is expected"},
        {"n level", "behind \"level\""},     {"n level two", "behind \"level\""}, {"n first 0", "above 0"},
        {"n first -1", "above 0"},           {"n where", "behind \"where\""},     {"n where x", "behind \"where\""},
        {"n where x >", "behind \"where\""}, {"n where > 3", "behind \"where\""}, {"n only 3", "\"only\" is none of"},
        {"n; m first x", "above 0"},
    };
    for (const auto& [text, part] : cases) {
        const auto filters = parseCaptureFilters(text);
        ASSERT_FALSE(filters) << text;
        EXPECT_NE(filters.error().text().find(part), std::string::npos) << filters.error().text();
    }
    EXPECT_TRUE(parse("").empty());
}

}  // namespace

}  // namespace millrace::settings
