// SPDX-License-Identifier: Apache-2.0
// Run by the build: with two rows of one name there is no test program.
#include "layer/loader/entry_points.h"

#include <gtest/gtest.h>

#include <array>
#include <type_traits>

#include "layer/base/content_hash.h"
#include "layer/fake_driver.h"

namespace millrace::layer {

namespace {

// A row of a table takes what is guarded against exceptions, and nothing else.
static_assert(std::is_same_v<decltype(EntryPoint::function), EntryFunction>);
static_assert(!std::is_constructible_v<EntryFunction, PFN_vkVoidFunction>);
static_assert(!std::is_constructible_v<EntryFunction, PFN_vkDestroyDevice>);

TEST(EntryPoints, NoNameTwice)
{
    EXPECT_EQ(repeatedEntryPoints(), std::vector<const char*>());
}

TEST(EntryPoints, CommandsOfAllTables_Found)
{
    for (const char* name : {"vkCmdBindPipeline", "vkCmdSetViewport", "vkCmdDraw", "vkQueueSubmit", "vkDestroyDevice"})
        EXPECT_NE(findDeviceEntryPoint(name), nullptr) << name;
    EXPECT_NE(findInstanceEntryPoint("vkCreateInstance"), nullptr);
}

// The driver's own is what it is fastest with: for each command that is recorded, some drivers allocate memory.
TEST(Devices, OfApplicationsWithoutAllocationCallbacks_HaveNone)
{
    const layertest::FakeDriver driver;
    EXPECT_EQ(layertest::FakeDriver::deviceAllocator(), nullptr);
}

TEST(ContentHash, SameWordsInOtherLists_NotTheSame)
{
    const std::array<uint32_t, 3> words{1, 2, 3};
    ContentHash one, other;
    one.add(std::span(words).first(1));
    one.add(std::span(words).last(2));
    other.add(std::span(words).first(2));
    other.add(std::span(words).last(1));
    EXPECT_NE(one.value(), other.value());
}

}  // namespace

}  // namespace millrace::layer
