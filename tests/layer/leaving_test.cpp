// SPDX-License-Identifier: Apache-2.0
// Processes that leave main() with devices, command buffers or submissions alive.
#include <gtest/gtest.h>

#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <thread>

#include "layer/test_device.h"

namespace millrace::layertest {

namespace {

// In a process of its own. The validation layer does not survive all of this without ours either.
class LeavingDeathTest : public testing::Test {
protected:
    void SetUp() override
    {
        testing::FLAGS_gtest_death_test_style = "threadsafe";
        setenv("MILLRACE_TEST_NO_VALIDATION", "1", 1);
    }
    void TearDown() override { unsetenv("MILLRACE_TEST_NO_VALIDATION"); }
};

// Never destroyed.
TestDevice& aliveDevice(const InstanceOptions& options = {})
{
    return *new TestDevice(options);
}

// Goes on for long: the scratch memory has room for one workgroup's payloads on each level.
VkCommandBuffer splitCommands(TestDevice& device)
{
    constexpr uint32_t kRoots = 3000;
    const Graph graph =
        device.createGraph({TestDevice::stage(device.createProgram("recurse"), "recurse")}, Scratch::Minimum);
    const Buffer counts = device.createBuffer(256);
    VkCommandBuffer cmd = device.begin();
    device.prepare(cmd, graph, device.createSet(counts));
    for (int i = 0; i < 2; ++i) {
        device.dispatchIndirect(cmd, graph, "recurse", kRoots, std::vector<uint32_t>(kRoots, 0));
        device.barrier(cmd);
    }
    MILLRACE_CHECK(vkEndCommandBuffer(cmd));
    return cmd;
}

// Submits commands that have run once: while a process ends, lavapipe survives that they run, but not that it compiles
// them.
void submitAgain(TestDevice& device)
{
    VkCommandBuffer cmd = splitCommands(device);
    device.submit(cmd);
    vkQueueWaitIdle(device.queue);
    device.submit(cmd);
}

TEST_F(LeavingDeathTest, DeviceAndCommandBuffersAlive)
{
    EXPECT_EXIT(
        {
            splitCommands(aliveDevice());
            std::exit(0);
        },
        testing::ExitedWithCode(0), "");
}

TEST_F(LeavingDeathTest, SplitSubmissionInFlight)
{
    EXPECT_EXIT(
        {
            submitAgain(aliveDevice());
            std::exit(0);
        },
        testing::ExitedWithCode(0), "");
}

TEST_F(LeavingDeathTest, SplitSubmissionDone_ThreadsAlive)
{
    EXPECT_EXIT(
        {
            TestDevice& device = aliveDevice({.settings = {{"step_limit_ms", "1000"}}});
            VkCommandBuffer cmd = splitCommands(device);
            device.submit(cmd);
            vkQueueWaitIdle(device.queue);
            std::exit(0);
        },
        testing::ExitedWithCode(0), "");
}

// Applications destroy devices in destructors of static objects, too. Those of objects that are older than the layer's
// threads come behind what the layer does when the process ends.
TestDevice* s_device = nullptr;

void destroyLate()
{
    constexpr uint32_t kSeconds = 300;
    alarm(kSeconds);  // instead of hanging
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    vkDeviceWaitIdle(s_device->handle);
    delete s_device;
}

TEST_F(LeavingDeathTest, DestroyedByStaticObjects_ThreadsAlive)
{
    EXPECT_EXIT(
        {
            std::atexit(destroyLate);
            s_device = &aliveDevice({.settings = {{"step_limit_ms", "8"}}});
            VkCommandBuffer cmd = splitCommands(*s_device);
            s_device->submit(cmd);
            vkQueueWaitIdle(s_device->queue);
            std::exit(0);
        },
        testing::ExitedWithCode(0), "");
}

TEST_F(LeavingDeathTest, DestroyedByStaticObjects_SubmissionInFlight)
{
    EXPECT_EXIT(
        {
            std::atexit(destroyLate);
            s_device = &aliveDevice();
            submitAgain(*s_device);
            std::exit(0);
        },
        testing::ExitedWithCode(0), "");
}

TEST_F(LeavingDeathTest, DestroyedByStaticObjects_PipelinesAreMade)
{
    EXPECT_EXIT(
        {
            std::atexit(destroyLate);
            s_device = &aliveDevice();
            for (int i = 0; i < 4; ++i)
                s_device->createGraph({TestDevice::stage(s_device->createProgram("recurse"), "recurse")});
            std::exit(0);
        },
        testing::ExitedWithCode(0), "");
}

}  // namespace

}  // namespace millrace::layertest
