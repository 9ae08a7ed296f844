// SPDX-License-Identifier: Apache-2.0
// Queries for the times of a trace: who gets some, and that nobody shares them.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "layer/fake_driver.h"
#include "layer/loader/device.h"
#include "layer/recording/timestamps.h"

namespace millrace::layer {

namespace {

using layertest::Call;
using layertest::FakeDriver;

constexpr size_t kParts = 150;  // more than a pool has

class StreamTimes : public testing::Test {
protected:
    std::vector<std::shared_ptr<TimedPart>> take()
    {
        std::vector<std::shared_ptr<TimedPart>> parts;
        for (size_t i = 0; i < kParts; ++i)
            parts.push_back(times.take(0));
        return parts;
    }

    FakeDriver driver;
    Timestamps times{driver.device()};
};

TEST_F(StreamTimes, FamilyWithoutAClock_Nothing)
{
    EXPECT_NE(times.take(0), nullptr);
    driver.device().queueFamilies[0].timestampValidBits = 0;
    EXPECT_EQ(times.take(0), nullptr);
    EXPECT_EQ(times.take(FakeDriver::kFamilyCount), nullptr);
}

TEST_F(StreamTimes, Parts_ResetAndWriteQueriesOfTheirOwn)
{
    const VkCommandBuffer cmd = driver.begin();
    FakeDriver::takeCalls();
    const std::vector<std::shared_ptr<TimedPart>> parts = take();
    for (const std::shared_ptr<TimedPart>& part : parts) {
        part->begin(cmd);
        part->end(cmd);
    }
    std::set<std::string> resets, writes;
    for (const Call& call : FakeDriver::takeCalls())
        (call.command == "vkCmdResetQueryPool" ? resets : writes).insert(call.arguments);
    EXPECT_EQ(resets.size(), kParts);
    EXPECT_EQ(writes.size(), 2 * kParts);
}

TEST_F(StreamTimes, PartsThatAreGone_TakenAgain)
{
    take();
    FakeDriver::takeAllCalls();
    take();
    EXPECT_EQ(std::ranges::count(FakeDriver::takeAllCalls(), "vkCreateQueryPool", &Call::command), 0);
}

TEST_F(StreamTimes, PartWithoutAnEnd_HasNoTime)
{
    const std::shared_ptr<TimedPart> part = times.take(0);
    part->begin(driver.begin());
    FakeDriver::takeAllCalls();
    EXPECT_FALSE(part->takeNews());
    EXPECT_TRUE(FakeDriver::takeAllCalls().empty()) << "the query may not be there";
}

}  // namespace

}  // namespace millrace::layer
