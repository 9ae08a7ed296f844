// SPDX-License-Identifier: Apache-2.0
// The spy layer complains where the layer under test is missing. In all other tests it has to be silent.
#include <gtest/gtest.h>

#include "layer/test_device.h"

namespace millrace::layertest {

namespace {

size_t complaints(TestInstance& instance)
{
    size_t count = 0;
    for (const Message& message : instance.takeMessages())
        count += message.id == "Spy";
    return count;
}

TEST(Spy, WithoutTheLayer_Complains)
{
    ASSERT_TRUE(spyInstalled()) << "VK_ADD_LAYER_PATH must name the folder of the spy layer";
    TestDevice device({.emulation = false}, {.extension = false});
    EXPECT_EQ(complaints(device.instance), 0u);
    VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
    info.size = 64;
    info.usage = VK_BUFFER_USAGE_EXECUTION_GRAPH_SCRATCH_BIT_AMDX;
    VkBuffer buffer = VK_NULL_HANDLE;
    vkCreateBuffer(device.handle, &info, nullptr, &buffer);
    vkDestroyBuffer(device.handle, buffer, nullptr);
    EXPECT_EQ(complaints(device.instance), 1u);
}

}  // namespace

}  // namespace millrace::layertest
