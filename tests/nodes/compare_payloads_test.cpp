// SPDX-License-Identifier: Apache-2.0
#include "nodes/compare_payloads.h"

#include <gtest/gtest.h>

namespace millrace::nodes {

namespace {

using Kind = data::DataType::Kind;

data::DataTypeRef word(Kind kind)
{
    return data::scalarType(kind, 32);
}

TEST(ComparePayloads, SameMembersUnderOtherNames_NoDifference)
{
    const auto sent =
        data::structureType({{"place", 0, data::vectorType(word(Kind::Float), 2)}, {"n", 8, word(Kind::Signed)}});
    const auto received =
        data::structureType({{"x", 0, word(Kind::Float)}, {"y", 4, word(Kind::Float)}, {"n", 8, word(Kind::Unsigned)}});
    EXPECT_EQ(differenceOf(*sent, *received), "");
}

TEST(ComparePayloads, ReceiverReadsTheBeginning_NoDifference)
{
    const auto sent = data::structureType({{"a", 0, word(Kind::Unsigned)}, {"b", 4, word(Kind::Float)}});
    const auto received = data::structureType({{"a", 0, word(Kind::Unsigned)}});
    EXPECT_EQ(differenceOf(*sent, *received), "");
}

TEST(ComparePayloads, MembersAreSwapped_FirstIsTold)
{
    const auto sent = data::structureType({{"weight", 0, word(Kind::Float)}, {"next", 4, word(Kind::Unsigned)}});
    const auto received = data::structureType({{"next", 0, word(Kind::Unsigned)}, {"weight", 4, word(Kind::Float)}});
    EXPECT_EQ(differenceOf(*sent, *received), "byte 0 is 'float weight' there and 'uint next' here");
}

TEST(ComparePayloads, OtherLayout_PlaceIsTold)
{
    const auto padded = data::structureType({{"a", 0, word(Kind::Unsigned)}, {"b", 16, word(Kind::Unsigned)}});
    const auto dense = data::structureType({{"a", 0, word(Kind::Unsigned)}, {"b", 4, word(Kind::Unsigned)}});
    EXPECT_EQ(differenceOf(*padded, *dense), "byte 4 is no member's first there and 'uint b' here");
}

TEST(ComparePayloads, OtherWidth_IsTold)
{
    const auto sent = data::structureType({{"a", 0, data::scalarType(Kind::Unsigned, 64)}});
    const auto received = data::structureType({{"a", 0, word(Kind::Unsigned)}});
    EXPECT_EQ(differenceOf(*sent, *received), "byte 0 is 'uint64_t a' there and 'uint a' here");
}

TEST(ComparePayloads, FloatWithoutName_MayBeAnInteger)
{
    const auto sent = data::structureType({{"@0", 0, word(Kind::Float)}});
    const auto received = data::structureType({{"a", 0, word(Kind::Unsigned)}});
    EXPECT_EQ(differenceOf(*sent, *received), "");
}

}  // namespace

}  // namespace millrace::nodes
