// SPDX-License-Identifier: Apache-2.0
// Whether gl_NumWorkGroups behind an indirect dispatch is what the dispatch has (docs/gpu.md, "What drivers do"): one
// shader writes the arguments, a barrier follows, the other looks. The command buffer runs many times in a submission.
// usage: num_workgroups [a part of the device's name]. The exit status is 0 if all saw the right number.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "drivers/bare_device.h"
#include "shaders/num_workgroups_shaders.h"

namespace millrace::drivers {

namespace {

constexpr uint32_t kRuns = 48;
constexpr uint32_t kWordsPerRun = 4;
constexpr VkDeviceSize kGridOffset = 0, kRunOffset = 64, kResultOffset = 256;
constexpr VkDeviceSize kBytes = kResultOffset + kRuns * kWordsPerRun * 4;

void recordBarrier(VkCommandBuffer commands, VkPipelineStageFlags to, VkAccessFlags access)
{
    VkMemoryBarrier barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
    barrier.srcAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT;
    barrier.dstAccessMask = access;
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, to, 0, 1, &barrier, 0, nullptr, 0, nullptr);
}

VkCommandBuffer record(BareDevice& device, bool withUniformRead)
{
    const VkPipeline write = device.createPipeline(shaders::write_grid), see = device.createPipeline(shaders::see_grid);
    const VkCommandBuffer commands = device.begin(VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT);
    const VkDeviceAddress address = device.address();
    const VkDeviceAddress arguments[] = {address + kGridOffset, address + kRunOffset, address + kResultOffset};
    device.push(commands, arguments, sizeof(arguments));
    constexpr VkPipelineStageFlags kStages = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT;
    constexpr VkAccessFlags kShader = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT;
    recordBarrier(commands, kStages, kShader);
    device.bind(commands, write);
    vkCmdDispatch(commands, 1, 1, 1);
    recordBarrier(commands, kStages,
                  kShader | VK_ACCESS_INDIRECT_COMMAND_READ_BIT |
                      (withUniformRead ? VkAccessFlags(VK_ACCESS_UNIFORM_READ_BIT) : VkAccessFlags(0)));
    device.bind(commands, see);
    vkCmdDispatchIndirect(commands, device.buffer(), kGridOffset);
    return commands;
}

// Of the indirect dispatches, how many had a workgroup that saw another number than there were.
uint32_t countOld(BareDevice& device, bool withUniformRead)
{
    std::memset(device.words(), 0, kBytes);
    device.run(record(device, withUniformRead), kRuns);
    uint32_t old = 0;
    for (uint32_t run = 0; run < kRuns; ++run) {
        const uint32_t* result = device.words() + kResultOffset / 4 + run * kWordsPerRun;
        if (result[0] == 0 || result[1] != result[0])
            throw std::runtime_error("run " + std::to_string(run) + " had another number of workgroups");
        old += result[2] != result[0] || result[3] != result[0] ? 1 : 0;
    }
    return old;
}

// Of the families with compute. Returns how many dispatches of all saw an old number.
uint32_t lookAtFamilies(VkPhysicalDevice physical)
{
    uint32_t count = 0;
    vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, nullptr);
    std::vector<VkQueueFamilyProperties> families(count);
    vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, families.data());
    uint32_t old = 0;
    for (uint32_t family = 0; family < count; ++family) {
        if (!(families[family].queueFlags & VK_QUEUE_COMPUTE_BIT))
            continue;
        const char* graphics = families[family].queueFlags & VK_QUEUE_GRAPHICS_BIT ? "with" : "without";
        for (const bool withUniformRead : {false, true}) {
            BareDevice device(physical, family, kBytes, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT,
                              3 * sizeof(VkDeviceAddress));
            const uint32_t here = countOld(device, withUniformRead);
            std::printf(
                "queue family %u (%s graphics), barrier %s VK_ACCESS_UNIFORM_READ_BIT: %u of %u dispatches saw "
                "an old gl_NumWorkGroups\n",
                family, graphics, withUniformRead ? "with" : "without", here, kRuns);
            old += here;
        }
    }
    return old;
}

}  // namespace

}  // namespace millrace::drivers

int main(int argc, char** argv)
{
    using namespace millrace::drivers;
    try {
        const VkInstance instance = createInstance();
        const uint32_t old = lookAtFamilies(findDevice(instance, argc > 1 ? argv[1] : wantedDevice()));
        vkDestroyInstance(instance, nullptr);
        return old > 0 ? 1 : 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "num_workgroups: %s\n", error.what());
        return 2;
    }
}
