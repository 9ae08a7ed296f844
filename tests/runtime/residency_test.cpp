// SPDX-License-Identifier: Apache-2.0
// Measuring a device, and what happens where that fails, through functions of the driver that the tests replace.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

#include <unistd.h>

#include "harness/temporary_folder.h"
#include "runtime/kept_residency.h"
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

// A folder that is not there yet.
class KeptResidencyTest : public ResidencyTest {
protected:
    // As a process does that has not seen the device.
    KeptResidency read() const { return readKeptResidency(folder, identity); }

    const TemporaryFolder m_parent;
    const std::string folder = m_parent.file("caches");
    const DeviceIdentity identity{1, 2, 3};
};

TEST_F(KeptResidencyTest, MostOfThreeMeasurements)
{
    EXPECT_EQ(read().measurements, 0u) << "no folder";
    for (const Residency measured : {Residency{64, 16}, Residency{128, 8}, Residency{100, 10}}) {
        KeptResidency kept = read();
        EXPECT_FALSE(kept.isEnough());
        kept.add(measured);
        writeKeptResidency(folder, identity, kept);
    }
    EXPECT_TRUE(read().isEnough());
    EXPECT_EQ(read().residency.small, 128u);
    EXPECT_EQ(read().residency.large, 16u);
    EXPECT_EQ(readKeptResidency(folder, DeviceIdentity{1, 2, 4}).measurements, 0u) << "another device";
}

TEST_F(KeptResidencyTest, FileThatIsNotAsWritten_IsNothing)
{
    writeKeptResidency(folder, identity, {{4224, 1056}, 3});
    ASSERT_TRUE(read().isEnough());
    const std::filesystem::path path = std::filesystem::directory_iterator(folder)->path();
    std::string line;
    std::getline(std::ifstream(path), line);
    for (size_t length = 0; length < line.size(); ++length) {
        std::ofstream(path) << line.substr(0, length);
        EXPECT_EQ(read().measurements, 0u) << line.substr(0, length);
    }
    line[line.find("4224")] = '5';
    std::ofstream(path) << line;
    EXPECT_EQ(read().measurements, 0u) << line;
}

TEST_F(KeptResidencyTest, MeasuredDevice_IsKept_KnownDevice_IsNotMeasured)
{
    const auto first = create({.cacheFolder = folder});
    EXPECT_GE(g_submissions, 4);
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
        files.push_back(entry.path());
    ASSERT_EQ(files.size(), 1u);
    // For a device that this process has not seen, as another process would have left it.
    const std::string number = files[0].filename().string();
    ++g_device;
    char digits[9];
    std::snprintf(digits, sizeof digits, "%02x%02x%02x%02x", g_device & 0xff, g_device >> 8 & 0xff,
                  g_device >> 16 & 0xff, g_device >> 24);
    std::string other = number;
    other.replace(other.find('-') + 1, 8, digits);
    std::ofstream(folder + "/" + other) << "millrace residency 1: 3 measurements, 320 and 80 workgroups, sum 403\n";
    g_submissions = 0;
    const auto second = create({.cacheFolder = folder});
    EXPECT_EQ(g_submissions, 0);
    EXPECT_EQ(originOf(*second, "grid_max_groups"), "measured");
    EXPECT_EQ(second->traits().gridMaxGroups, 320u);
}

TEST_F(KeptResidencyTest, FolderThatCannotBeMade_IsMeasuredAllTheSame)
{
    const auto device = create({.cacheFolder = "/dev/null/caches"});
    EXPECT_GE(g_submissions, 4);
    EXPECT_EQ(originOf(*device, "grid_max_groups"), "measured");
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
