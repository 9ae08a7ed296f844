// SPDX-License-Identifier: Apache-2.0
// Memory of the application's on drivers that read behind the draws of a stream.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "layer/fake_driver.h"
#include "layer/loader/device.h"

namespace millrace::layertest {

namespace {

class Allocations : public testing::Test {
protected:
    // What the driver gets for memory of 1000 bytes.
    std::string allocate(const void* chain = nullptr)
    {
        VkMemoryAllocateInfo info{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, chain};
        info.allocationSize = 1000;
        VkDeviceMemory memory = VK_NULL_HANDLE;
        FakeDriver::takeAllCalls();
        EXPECT_EQ(FakeDriver::get<PFN_vkAllocateMemory>("vkAllocateMemory")(driver.handle(), &info, nullptr, &memory),
                  VK_SUCCESS);
        const std::vector<Call> calls = FakeDriver::takeAllCalls();
        EXPECT_EQ(calls.size(), 1u);
        return calls.empty() ? std::string() : calls[0].arguments;
    }
    // Numbers are hexadecimal there.
    void expectMore(const void* chain, bool isMore)
    {
        const std::string text = allocate(chain);
        EXPECT_EQ(text.find("allocationSize=13e8") != std::string::npos, isMore) << text;
        EXPECT_EQ(text.find("allocationSize=03e8") != std::string::npos, !isMore) << text;
    }

    FakeDriver driver{Version::All, Provided::GeneratedCommands};
    VkMemoryDedicatedAllocateInfo dedicated{VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO};
};

TEST_F(Allocations, OtherDrivers_AsAsked)
{
    expectMore(nullptr, false);
}

TEST_F(Allocations, ReadBehindDraws_MoreThanAsked)
{
    driver.device().support.readsWholeStrides = true;
    VkMemoryPriorityAllocateInfoEXT priority{VK_STRUCTURE_TYPE_MEMORY_PRIORITY_ALLOCATE_INFO_EXT};
    VkMemoryAllocateFlagsInfo flags{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO, &priority};
    expectMore(nullptr, true);
    expectMore(&flags, true);
}

// Such memory has the size of its buffer, so it is none.
TEST_F(Allocations, ReadBehindDrawsOfADedicatedBuffer_NotDedicated)
{
    driver.device().support.readsWholeStrides = true;
    dedicated.buffer = fakeHandle<VkBuffer>(77);
    expectMore(&dedicated, true);
    const std::string text = allocate(&dedicated);
    EXPECT_EQ(text.find("VkMemoryDedicatedAllocateInfo"), std::string::npos) << text;
}

// Of an image there are no draws, and others know how large shared memory is.
TEST_F(Allocations, ReadBehindDraws_ImagesAndSharedMemoryAsAsked)
{
    driver.device().support.readsWholeStrides = true;
    dedicated.image = fakeHandle<VkImage>(78);
    expectMore(&dedicated, false);
    VkExportMemoryAllocateInfo shared{VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO};
    expectMore(&shared, false);
    const std::string text = allocate(&dedicated);
    EXPECT_NE(text.find("VkMemoryDedicatedAllocateInfo"), std::string::npos) << text;
}

}  // namespace

}  // namespace millrace::layertest
