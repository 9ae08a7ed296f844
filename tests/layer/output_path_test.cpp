// SPDX-License-Identifier: Apache-2.0
#include "layer/base/output_path.h"

#include <gtest/gtest.h>

namespace millrace::layer {

namespace {

TEST(OutputPath, SameNameAgain_HasANumber)
{
    EXPECT_EQ(outputPath("/nowhere/of.units/trace.json"), "/nowhere/of.units/trace.json");
    EXPECT_EQ(outputPath("/nowhere/of.units/trace.json"), "/nowhere/of.units/trace-2.json");
    EXPECT_EQ(outputPath("/nowhere/of.units/trace"), "/nowhere/of.units/trace");
    EXPECT_EQ(outputPath("/nowhere/of.units/trace"), "/nowhere/of.units/trace-2");
}

// A number would make a file beside the device.
TEST(OutputPath, WhatIsNoFile_IsTheSameForAll)
{
    EXPECT_EQ(outputPath("/dev/full"), "/dev/full");
    EXPECT_EQ(outputPath("/dev/full"), "/dev/full");
}

}  // namespace

}  // namespace millrace::layer
