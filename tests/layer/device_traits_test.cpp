// SPDX-License-Identifier: Apache-2.0
// The layer measures devices, lets settings win, and says where its traits come from.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <thread>

#include "layer/test_device.h"

namespace millrace::layertest {

namespace {

using Settings = std::map<std::string, std::string>;

// What messages of an identifier say; fails if there are others or not as many.
std::vector<std::string> texts(const std::vector<Message>& messages, const std::string& id, size_t count = 1)
{
    std::vector<std::string> found;
    for (const Message& message : messages)
        if (message.id == id)
            found.push_back(message.text);
    EXPECT_EQ(found.size(), count) << id;
    found.resize(count);
    return found;
}

// The traits of a device with these settings, as the layer tells them.
std::string traitsWith(Settings settings, bool driver = false)
{
    TestDevice device({.driver = driver, .info = true, .settings = std::move(settings)});
    const std::vector<Message> messages = device.instance.takeMessages();
    EXPECT_EQ(messages.size(), 1u);
    return texts(messages, "Millrace-device-traits")[0];
}

bool contains(const std::string& text, const std::string& part)
{
    return text.find(part) != std::string::npos;
}

uint32_t valueOf(const std::string& traits, const std::string& key)
{
    const size_t at = traits.find(key + " ");
    EXPECT_NE(at, std::string::npos) << key << " in " << traits;
    return at == std::string::npos ? 0 : static_cast<uint32_t>(std::stoul(traits.substr(at + key.size() + 1)));
}

bool isProcessor(const TestDevice& device)
{
    VkPhysicalDeviceProperties properties;
    vkGetPhysicalDeviceProperties(device.physical, &properties);
    return properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
}

// Runs a graph with recursion, in memory that is too small, and checks its result.
void expectRecursionRuns(Settings settings)
{
    TestDevice device({.settings = std::move(settings)});
    const Graph graph =
        device.createGraph({TestDevice::stage(device.createProgram("recurse"), "recurse")}, Scratch::Minimum);
    const Buffer out = device.createBuffer(1024);
    VkCommandBuffer cmd = device.begin();
    device.prepare(cmd, graph, device.createSet(out));
    device.dispatchIndirect(cmd, graph, "recurse", 3, {0, 0, 0});
    device.submitAndWait(cmd);
    const std::vector<uint32_t> found(out.words, out.words + 8);
    static std::vector<uint32_t> expected = found;
    EXPECT_EQ(found, expected);
}

// Makes the driver look like another while it lives, of which no process has kept anything.
struct Driver {
    explicit Driver(const char* changes)
    {
        setenv("MILLRACE_TEST_DRIVER", changes, 1);
        setenv("XDG_CACHE_HOME", "/dev/null", 1);
    }
    ~Driver()
    {
        unsetenv("MILLRACE_TEST_DRIVER");
        unsetenv("XDG_CACHE_HOME");
    }
};

TEST(DeviceTraits, Processor_TwoWorkgroupsForEachThreadOfTheHost)
{
    TestDevice device({.info = true});
    const std::string traits = texts(device.instance.takeMessages(), "Millrace-device-traits")[0];
    const std::string groups = std::to_string(2 * std::thread::hardware_concurrency());
    if (!isProcessor(device))
        GTEST_SKIP() << "the device is no processor";
    EXPECT_TRUE(contains(traits, "grid_max_groups " + groups + " (host threads)")) << traits;
    EXPECT_TRUE(contains(traits, "max_scratch_mib 256 (driver)")) << traits;
}

// With validation of the measurement's own commands.
TEST(DeviceTraits, Measured_GridFollows)
{
    const Driver driver("discrete,another");
    TestDevice device({.driver = true, .info = true});
    const std::string traits = texts(device.instance.takeMessages(), "Millrace-device-traits")[0];
    for (const char* key : {"grid_invocations", "grid_min_groups", "grid_max_groups", "grid_share_groups"})
        EXPECT_TRUE(contains(traits, std::string(key) + " " + std::to_string(valueOf(traits, key)) + " (measured)"))
            << traits;
    EXPECT_TRUE(contains(traits, "max_scratch_mib ")) << traits;
    EXPECT_GE(valueOf(traits, "grid_max_groups"), 2u) << traits;
}

// And the other way round: a processor that seems to be something else has as many places as threads, at most.
TEST(DeviceTraits, MeasuredOnAProcessor_NoMoreThanThreads)
{
    {
        TestDevice device;
        if (!isProcessor(device))
            GTEST_SKIP() << "the device is no processor";
    }
    const Driver driver("discrete,another");
    TestDevice device({.driver = true, .info = true});
    const std::string traits = texts(device.instance.takeMessages(), "Millrace-device-traits")[0];
    EXPECT_LE(valueOf(traits, "grid_max_groups"), 2 * std::thread::hardware_concurrency()) << traits;
    EXPECT_EQ(valueOf(traits, "grid_invocations"), 1u) << traits;
    EXPECT_EQ(valueOf(traits, "static_invocations"), 64u) << traits;
}

TEST(DeviceTraits, MeasuredOnce_TheSameForAllDevicesOfTheProcess)
{
    const TestInstance keepsTheLayerLoaded;
    const Driver driver("discrete");
    EXPECT_EQ(traitsWith({}, true), traitsWith({}, true));
}

TEST(DeviceTraits, ByType_NothingIsMeasured)
{
    const Driver driver("discrete");
    const std::string traits = traitsWith({{"disable", "measuring"}}, true);
    EXPECT_FALSE(contains(traits, "measured")) << traits;
    EXPECT_TRUE(contains(traits, "grid_max_groups 4224 (device type)")) << traits;
}

TEST(DeviceTraits, EachSettingWins)
{
    for (const char* key : {"grid_groups", "grid_invocations", "grid_min_groups", "grid_max_groups",
                            "grid_share_groups", "packed_invocations", "static_invocations", "dynamic_invocations",
                            "silent_chunk_groups", "ordered_bytes", "leaf_rows", "looping_leaf_rows", "kept_bytes",
                            "first_sweeps", "sweeps_per_wait", "sweep_groups", "spin_us"}) {
        const std::string traits = traitsWith({{"traits", std::string(key) + "=64"}});
        EXPECT_TRUE(contains(traits, std::string(key) + " 64 (setting)")) << traits;
    }
    const std::string traits = traitsWith({{"traits", "chunk_groups=7"}, {"max_scratch_mib", "64"}});
    EXPECT_TRUE(contains(traits, "chunk_groups 7 (setting)")) << traits;
    EXPECT_TRUE(contains(traits, "max_scratch_mib 64 (setting)")) << traits;
}

TEST(DeviceTraits, ValuesOutOfRange_AreReportedAndLeftOut)
{
    TestInstance instance({.chained = true, .settings = {{"traits", "packed_invocations=48,grid_groups=70000"}}});
    const std::vector<std::string> found = texts(instance.takeMessages(), "Millrace-setting", 2);
    EXPECT_TRUE(contains(found[0], "packed_invocations is \"48\", which is not a power of two from 32 to 1024"));
    EXPECT_TRUE(contains(found[1], "grid_groups is \"70000\", which is not from 1 to 65535"));
    EXPECT_FALSE(contains(traitsWith({}), "(setting)"));
}

// Whatever the traits, results are the same.
TEST(DeviceTraits, OddOnes_SameResults)
{
    expectRecursionRuns({});
    expectRecursionRuns({{"disable", "measuring"}});
    expectRecursionRuns({{"traits", "grid_groups=1,sweeps_per_wait=1"}});
    expectRecursionRuns({{"traits", "first_sweeps=1000,sweeps_per_wait=1000"}});
    expectRecursionRuns({{"traits", "grid_groups=300"}});
    expectRecursionRuns({{"traits", "sweep_groups=1"}});
    expectRecursionRuns({{"traits", "spin_us=1000000,grid_share_groups=1"}});
    expectRecursionRuns({{"traits", "grid_invocations=100000,grid_min_groups=37,grid_max_groups=5"}});
    expectRecursionRuns({{"traits", "packed_invocations=256,static_invocations=512,dynamic_invocations=128"}});
    expectRecursionRuns({{"traits", "packed_invocations=32,static_invocations=1,dynamic_invocations=1"}});
    expectRecursionRuns({{"traits", "chunk_groups=1,silent_chunk_groups=1,ordered_bytes=1"}});
    expectRecursionRuns({{"traits", "chunk_groups=16,silent_chunk_groups=1024,ordered_bytes=131068"}});
}

TEST(DeviceTraits, CannotBeMeasured_TypeAndMessage)
{
    const Driver driver("discrete,-compute,another");
    TestDevice device({.driver = true, .info = true});
    const std::vector<Message> messages = device.instance.takeMessages();
    const std::string why = texts(messages, "Millrace-device-not-measured")[0];
    EXPECT_TRUE(contains(why,
                         "could not be measured, because no queue of the application runs compute shaders; its "
                         "traits follow from its type"))
        << why;
    EXPECT_TRUE(contains(texts(messages, "Millrace-device-traits")[0], "grid_max_groups 4224 (device type)"));
    EXPECT_EQ(messages.size(), 2u);
}

TEST(DeviceTraits, NobodyAsksForInformation_NothingOnStderr)
{
    testing::internal::CaptureStderr();
    {
        TestDevice device({.debugUtils = false});
    }
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace

}  // namespace millrace::layertest
