// SPDX-License-Identifier: Apache-2.0
// Where messages go: to the application's messengers, else to stderr; each once.
#include <gtest/gtest.h>

#include "layer/test_device.h"

namespace millrace::layertest {

namespace {

constexpr char kRule[] = "VUID-vkCmdDispatchGraphAMDX-None-08606";

// Dispatches without a graph, so often, in one command buffer. Returns what stderr got.
std::string misuse(TestDevice& device, int times = 1)
{
    VkDispatchGraphCountInfoAMDX counts{};
    VkCommandBuffer cmd = device.begin();
    testing::internal::CaptureStderr();
    for (int i = 0; i < times; ++i)
        device.cmdDispatch(cmd, 0, 0, &counts);
    std::string text = testing::internal::GetCapturedStderr();
    MILLRACE_CHECK(vkEndCommandBuffer(cmd));
    return text;
}

size_t count(const std::string& text, const std::string& part)
{
    size_t found = 0;
    for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
        ++found;
    return found;
}

TEST(Told, ToTheMessenger_NotToStderr)
{
    TestDevice device;
    EXPECT_EQ(misuse(device), "");
    device.instance.expectMessage(kRule);
}

TEST(Told, WithoutMessenger_ToStderr)
{
    TestDevice device({.debugUtils = false});
    const std::string text = misuse(device);
    EXPECT_EQ(text.rfind(std::string("millrace: error: [") + kRule + "] vkCmdDispatchGraphAMDX: ", 0), 0u) << text;
    EXPECT_EQ(count(text, "\n"), 1u);
    EXPECT_EQ(count(text, ". Record vkCmdBindPipeline with that bind point before.\n"), 1u) << text;
}

// A messenger that does not want messages of this kind must not make errors vanish.
TEST(Told, MessengerOfOtherTypes_ToStderr)
{
    TestDevice device({.types = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT});
    EXPECT_EQ(count(misuse(device), kRule), 1u);
    EXPECT_TRUE(device.instance.takeMessages().empty());
}

TEST(Told, OnceEach)
{
    TestDevice device;
    misuse(device, 3);
    device.instance.expectMessage(kRule);
    // In another command buffer it is news.
    misuse(device, 3);
    device.instance.expectMessage(kRule);
    TestDevice silent({.debugUtils = false});
    EXPECT_EQ(count(misuse(silent, 3), kRule), 1u);
}

// Settings are read before the application can have created a messenger, unless it gives one to vkCreateInstance.
TEST(Told, ProblemsWithSettings)
{
    InstanceOptions options{.chained = true, .settings = {{"fusion", "sideways"}}};
    {
        TestInstance instance(options);
        instance.expectMessage("Millrace-setting");
    }
    options.chained = false;
    testing::internal::CaptureStderr();
    {
        TestInstance instance(options);
    }
    const std::string text = testing::internal::GetCapturedStderr();
    EXPECT_EQ(count(text, "millrace: warning: [Millrace-setting] setting fusion is \"sideways\""), 1u) << text;
}

}  // namespace

}  // namespace millrace::layertest
