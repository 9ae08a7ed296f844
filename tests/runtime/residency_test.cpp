// SPDX-License-Identifier: Apache-2.0
// Measuring a device, and what happens where that fails, through functions of the driver that the tests replace.
#include <gtest/gtest.h>

#include <cstring>
#include <thread>

#include "runtime/runtime.h"
#include "runtime/vulkan_device.h"

namespace millrace::runtime {

namespace {

VkuInstanceDispatchTable g_instanceTable;
VkuDeviceDispatchTable g_deviceTable;
uint32_t g_device = 0;   // number of the device that the process has not seen
int g_submissions = 0;   // so far
int g_failingFrom = -1;  // submission; never

// Neither a processor nor seen before.
VKAPI_ATTR void VKAPI_CALL anotherDevice(VkPhysicalDevice physical, VkPhysicalDeviceProperties2* out)
{
    g_instanceTable.GetPhysicalDeviceProperties2(physical, out);
    out->properties.deviceType = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU;
    for (auto* item = static_cast<VkBaseOutStructure*>(out->pNext); item; item = item->pNext)
        if (item->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES)
            std::memcpy(reinterpret_cast<VkPhysicalDeviceIDProperties*>(item)->deviceUUID, &g_device, sizeof g_device);
}

VKAPI_ATTR VkResult VKAPI_CALL countingSubmit(VkQueue queue, uint32_t count, const VkSubmitInfo* submits, VkFence fence)
{
    return g_submissions++ == g_failingFrom ? VK_ERROR_OUT_OF_DEVICE_MEMORY
                                            : g_deviceTable.QueueSubmit(queue, count, submits, fence);
}

class ResidencyTest : public testing::Test {
protected:
    void SetUp() override
    {
        g_instanceTable = vulkan.instanceTable;
        g_deviceTable = vulkan.table;
        ++g_device;
        g_submissions = 0;
        g_failingFrom = -1;
        instanceTable = vulkan.instanceTable;
        instanceTable.GetPhysicalDeviceProperties2 = anotherDevice;
        table = vulkan.table;
        table.QueueSubmit = countingSubmit;
    }

    std::unique_ptr<Device> create(const Settings& settings = {}, bool withQueue = true)
    {
        std::unique_ptr<Device> device;
        const IdleQueue queue{.handle = withQueue ? vulkan.queue : VK_NULL_HANDLE, .family = 0};
        EXPECT_EQ(Device::create(vulkan.instance, vulkan.physical, vulkan.device, instanceTable, table, settings, queue,
                                 device),
                  VK_SUCCESS);
        EXPECT_EQ(vulkan.messages(), 0u);
        return device;
    }

    static std::string originOf(const Device& device, const std::string& key)
    {
        for (const TraitText& text : traitTexts(device.traitChoice()))
            if (text.key == key)
                return text.origin;
        return "";
    }

    test::VulkanDevice vulkan;
    VkuInstanceDispatchTable instanceTable{};
    VkuDeviceDispatchTable table{};
};

TEST_F(ResidencyTest, Measured)
{
    const auto device = create();
    EXPECT_EQ(device->whyNotMeasured(), "");
    EXPECT_EQ(originOf(*device, "grid_max_groups"), "measured");
    EXPECT_GE(device->traits().gridMaxGroups, 2u);
    EXPECT_LE(device->traits().gridMaxGroups, 65535u);
    EXPECT_GE(g_submissions, 4) << "a first and a second round for each size";
}

TEST_F(ResidencyTest, SecondDeviceOfTheProcess_IsNotMeasuredAgain)
{
    const auto first = create();
    const int submissions = g_submissions;
    const auto second = create();
    EXPECT_EQ(g_submissions, submissions);
    EXPECT_EQ(first->traits().gridMaxGroups, second->traits().gridMaxGroups);
    EXPECT_EQ(originOf(*second, "grid_max_groups"), "measured");
}

TEST_F(ResidencyTest, TwoThreadsAtOnce_MeasureOnce)
{
    std::unique_ptr<Device> other;
    std::thread thread([&] { other = create(); });
    const auto device = create();
    thread.join();
    EXPECT_EQ(device->traits().gridMaxGroups, other->traits().gridMaxGroups);
}

TEST_F(ResidencyTest, WithoutQueue_ByType)
{
    const auto device = create({}, false);
    EXPECT_EQ(device->whyNotMeasured(), "no queue of the application runs compute shaders");
    EXPECT_EQ(originOf(*device, "grid_max_groups"), "device type");
    EXPECT_EQ(device->traits().gridMaxGroups, 4224u);
}

TEST_F(ResidencyTest, AnySubmissionFails_ByTypeAndLaterMeasured)
{
    for (const int failing : {0, 1, 2}) {
        g_submissions = 0;
        g_failingFrom = failing;
        const auto device = create();
        EXPECT_EQ(device->whyNotMeasured(), "a submission for it failed with VK_ERROR_OUT_OF_DEVICE_MEMORY");
        EXPECT_EQ(originOf(*device, "grid_max_groups"), "device type");
    }
    g_failingFrom = -1;
    EXPECT_EQ(originOf(*create(), "grid_max_groups"), "measured");
}

TEST_F(ResidencyTest, SettingSaysNot_NothingIsSubmitted)
{
    const auto device = create({.measures = false});
    EXPECT_EQ(g_submissions, 0);
    EXPECT_EQ(device->whyNotMeasured(), "");
    EXPECT_EQ(originOf(*device, "grid_max_groups"), "device type");
}

}  // namespace

}  // namespace millrace::runtime
