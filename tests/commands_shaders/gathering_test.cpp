// SPDX-License-Identifier: Apache-2.0
// What streams have of the records that kernels put together.
#include <gtest/gtest.h>

#include <vector>

#include "commands/gathering.h"

namespace millrace::commands {

namespace {

// Stream 0 has 12 bytes at byte 4 of each 16, stream 1 a word at byte 0 of each 8, stream 2 nothing.
Gathering twoStreams()
{
    Gathering gathering({16, 8, 4});
    gathering.copy({0, 4, 3});
    gathering.mask({1, 0, 1}, 1);
    return gathering;
}

TEST(Gathering, NumbersOfSequences_AreThoseOfTheShortestStream)
{
    const Gathering gathering = twoStreams();
    const auto numbers = [&](uint64_t first, uint64_t second) {
        return gathering.numbers(std::vector<uint64_t>{first, second, 0});
    };
    EXPECT_EQ(numbers(0, 800), 0u);
    EXPECT_EQ(numbers(15, 800), 0u);
    EXPECT_EQ(numbers(16, 800), 1u);
    EXPECT_EQ(numbers(31, 800), 1u);
    EXPECT_EQ(numbers(32, 800), 2u);
    EXPECT_EQ(numbers(1600, 3), 0u);
    EXPECT_EQ(numbers(1600, 8 * 6 + 4), 7u);
    EXPECT_EQ(numbers(1600, 8 * 6 + 3), 6u);
    EXPECT_EQ(numbers(uint64_t{1} << 60, uint64_t{1} << 60), UINT32_MAX);
}

// Whatever lies at the beginning is there for all sequences.
TEST(Gathering, StreamWithoutAStride_HasAllNumbersOrNone)
{
    Gathering gathering({0});
    gathering.copy({0, 8, 1});
    EXPECT_EQ(gathering.numbers(std::vector<uint64_t>{12}), UINT32_MAX);
    EXPECT_EQ(gathering.numbers(std::vector<uint64_t>{11}), 0u);
}

TEST(Gathering, WordsOfARecord_KnowWhereTheyAreFrom)
{
    const Gathering gathering = twoStreams();
    const auto first = gathering.partAt(0);
    const auto second = gathering.partAt(12);
    ASSERT_TRUE(first && second);
    EXPECT_EQ(first->stream, 0u);
    EXPECT_EQ(first->offset, 4u);
    EXPECT_EQ(second->stream, 1u);
    EXPECT_EQ(second->offset, 0u);
    EXPECT_FALSE(gathering.partAt(4));
}

}  // namespace

}  // namespace millrace::commands
