// SPDX-License-Identifier: Apache-2.0
#include "bench/mesh/way.h"

#include <chrono>

namespace millrace::bench {

Way::Way(Gpu& gpu, const Scene& scene, bool byHand)
    : m_gpu(gpu), m_scene(scene), m_pipelines(gpu), m_data(gpu, scene, byHand), m_target(gpu, scene.width, scene.height)
{
}

Way::~Way()
{
    if (m_commands)
        m_gpu.free(m_commands);
}

// Clearing and reading back are outside of what is timed. A stamp at the begin of the instance comes behind all that
// the layer does in front of it.
void Way::record()
{
    m_commands = m_gpu.allocate();
    m_gpu.begin(m_commands);
    m_gpu.resetStamps(m_commands);
    prepare(m_commands);
    m_target.clear(m_commands);
    barrier(m_commands);
    const auto start = std::chrono::steady_clock::now();
    m_gpu.stamp(m_commands, 0);
    compute(m_commands);
    m_target.begin(m_commands);
    m_gpu.stamp(m_commands, 1);
    setPicture(m_commands);
    draw(m_commands);
    vkCmdEndRendering(m_commands);
    m_gpu.stamp(m_commands, 2);
    m_recordNanoseconds = std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count();
    m_target.copy(m_commands);
    readBack(m_commands);
    barrier(m_commands);
    check(vkEndCommandBuffer(m_commands), "vkEndCommandBuffer");
}

Times Way::run()
{
    m_gpu.run(m_commands);
    return {m_gpu.nanosecondsBetweenStamps(0, 2), m_gpu.nanosecondsBetweenStamps(0, 1)};
}

void Way::push(VkCommandBuffer commands, uint32_t first) const
{
    m_pipelines.push(commands, {m_data.frame(), first});
}

void Way::setPicture(VkCommandBuffer commands) const
{
    const VkViewport viewport{0, 0, static_cast<float>(m_scene.width), static_cast<float>(m_scene.height), 0, 1};
    const VkRect2D scissor{{0, 0}, {m_scene.width, m_scene.height}};
    vkCmdSetViewportWithCount(commands, 1, &viewport);
    vkCmdSetScissorWithCount(commands, 1, &scissor);
}

void Way::barrier(VkCommandBuffer commands)
{
    VkMemoryBarrier all{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
    all.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT;
    all.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 1, &all,
                         0, nullptr, 0, nullptr);
}

}  // namespace millrace::bench
