// SPDX-License-Identifier: Apache-2.0
#include "nodes/payload_order.h"

#include <gtest/gtest.h>

namespace millrace::nodes {

namespace {

uint32_t beside(uint32_t together, uint32_t stride, uint32_t subgroup = 32)
{
    Target target;
    target.minSubgroupSize = subgroup;
    target.orderedBytes = 64;
    graph::CodeTraits traits;
    traits.inputTogether = together;
    traits.inputStride = stride;
    return payloadsBeside(traits, target);
}

}  // namespace

// Payload i of neighbours does not lie side by side then, but all of one sender.
TEST(PayloadsBeside, FewBytes_AreInOrder)
{
    EXPECT_EQ(beside(0, 16), 1u);
    EXPECT_EQ(beside(4, 16), 1u);
    EXPECT_EQ(beside(16, 4), 1u);
}

TEST(PayloadsBeside, AsManyOfASenderAsLeaveLinesOfSeveral)
{
    EXPECT_EQ(beside(8, 16), 4u) << "eight senders, of which 128 bytes lie side by side";
    EXPECT_EQ(beside(64, 16), 4u);
    EXPECT_EQ(beside(64, 64), 16u);
    EXPECT_EQ(beside(4, 20), 4u) << "all that one sends";
    EXPECT_EQ(beside(8, 16, 8), 1u) << "8 neighbours read 128 bytes as it is";
}

TEST(PayloadsBeside, NumbersThatLeaveNobodyAlone)
{
    EXPECT_EQ(beside(6, 16), 2u);
    EXPECT_EQ(beside(5, 20), 1u);
    EXPECT_EQ(beside(12, 32), 4u);
}

}  // namespace millrace::nodes
