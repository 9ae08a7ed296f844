// SPDX-License-Identifier: Apache-2.0
#include "bench/mesh/copy_rate.h"

#include <algorithm>
#include <array>

#include "bench/mesh/pipelines.h"
#include "shaders/bench_mesh_shaders.h"

namespace millrace::bench {

namespace {

constexpr VkDeviceSize kGroupBytes = 16384;  // shaders/copy.comp

// Nanoseconds.
double timeOf(Gpu& gpu, const std::function<void(VkCommandBuffer)>& copy)
{
    const VkCommandBuffer commands = gpu.allocate();
    gpu.begin(commands);
    gpu.resetStamps(commands);
    gpu.stamp(commands, 0);
    copy(commands);
    gpu.stamp(commands, 1);
    check(vkEndCommandBuffer(commands), "vkEndCommandBuffer");
    for (uint32_t i = 0; i < 3; ++i)
        gpu.run(commands);
    std::array<double, 9> times;
    for (double& time : times) {
        gpu.run(commands);
        time = gpu.nanosecondsBetweenStamps(0, 1);
    }
    std::ranges::sort(times);
    gpu.free(commands);
    return times[times.size() / 2];
}

}  // namespace

double measureCopyRate(Gpu& gpu, VkDeviceSize bytes)
{
    const GpuBuffer from = gpu.createBuffer(bytes, VK_BUFFER_USAGE_2_STORAGE_BUFFER_BIT, false);
    const GpuBuffer to = gpu.createBuffer(bytes, VK_BUFFER_USAGE_2_STORAGE_BUFFER_BIT, false);
    Pipelines pipelines(gpu);
    const VkPipeline kernel = pipelines.createCompute(shaders::mesh_copy);
    const double byCommand = timeOf(gpu, [&](VkCommandBuffer commands) {
        const VkBufferCopy whole{0, 0, bytes};
        vkCmdCopyBuffer(commands, from.handle, to.handle, 1, &whole);
    });
    const double byKernel = timeOf(gpu, [&](VkCommandBuffer commands) {
        vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, kernel);
        pipelines.pushAddresses(commands, from.address, to.address);
        vkCmdDispatch(commands, static_cast<uint32_t>(bytes / kGroupBytes), 1, 1);
    });
    gpu.destroy(from);
    gpu.destroy(to);
    return 2 * static_cast<double>(bytes) / std::min(byCommand, byKernel);
}

}  // namespace millrace::bench
