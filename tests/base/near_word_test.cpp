// SPDX-License-Identifier: Apache-2.0
#include "base/near_word.h"

#include <gtest/gtest.h>

#include <array>

namespace millrace {

namespace {

constexpr std::array<std::string_view, 4> kWords = {"fusion", "trace", "trace_detail", "validate"};

TEST(NearWord, OneOrTwoLettersAway_Found)
{
    EXPECT_EQ(nearWord("fusin", kWords), "fusion");
    EXPECT_EQ(nearWord("fuison", kWords), "fusion");
    EXPECT_EQ(nearWord("traces", kWords), "trace");
    EXPECT_EQ(nearWord("vlaidate", kWords), "validate");
}

TEST(NearWord, LongWords_AThirdOfTheirLetters)
{
    EXPECT_EQ(nearWord("trace_details_", kWords), "trace_detail");
    EXPECT_EQ(nearWord("tracing_detail", kWords), "trace_detail");
    EXPECT_EQ(nearWord("trace_detailed_of", kWords), "trace_detail");
    EXPECT_EQ(nearWord("trace_detail_of_all", kWords), "");
}

TEST(NearWord, NothingNear_Empty)
{
    EXPECT_EQ(nearWord("solo", kWords), "");
    EXPECT_EQ(nearWord("", kWords), "");
    EXPECT_EQ(nearWord(std::string(1 << 20, 'f'), kWords), "");
    EXPECT_EQ(nearWord("fusion", {}), "");
}

// All letters of a short word could be replaced.
TEST(NearWord, NothingInCommon_Empty)
{
    constexpr std::array<std::string_view, 1> kShort = {"ab"};
    EXPECT_EQ(nearWord("xy", kShort), "");
}

TEST(NearWord, SuggestionIsAHalfSentence)
{
    EXPECT_EQ(suggestion("fuse", kWords), "");
    EXPECT_EQ(suggestion("Fusion", kWords), "; did you mean \"fusion\"?");
}

TEST(NearWord, NoneOfTheWords_AllAreNamed)
{
    EXPECT_EQ(noneOf("trace", kWords), "");
    EXPECT_EQ(noneOf("solo", kWords), "\"solo\" is none of fusion, trace, trace_detail and validate");
    EXPECT_EQ(noneOf("fuse", std::span(kWords).first(1)), "\"fuse\" is none of fusion");
}

}  // namespace

}  // namespace millrace
