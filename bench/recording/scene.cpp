// SPDX-License-Identifier: Apache-2.0
#include "bench/recording/scene.h"

#include <array>

namespace millrace::bench {

namespace {

constexpr VkPipelineBindPoint kGraphics = VK_PIPELINE_BIND_POINT_GRAPHICS;
constexpr VkPipelineBindPoint kCompute = VK_PIPELINE_BIND_POINT_COMPUTE;

// Calls the commands through the device's table, as an application with functions of vkGetDeviceProcAddr does.
class Commands {
public:
    Commands(const RecordingDevice& device, VkCommandBuffer commandBuffer)
        : m_device(device), m_table(device.table()), m_target(commandBuffer)
    {
    }

    size_t count() const { return m_count; }

    void bindPipeline(VkPipelineBindPoint point, size_t i)
    {
        const auto& pipelines = point == kGraphics ? m_device.graphics : m_device.compute;
        m_table.CmdBindPipeline(m_target, point, pipelines[i % RecordingDevice::kPipelines]);
        ++m_count;
    }
    void bindSets(VkPipelineBindPoint point, uint32_t first, uint32_t count, size_t i)
    {
        const std::array<uint32_t, 3> offsets{static_cast<uint32_t>(i % 16 * 256), 0, 256};
        m_table.CmdBindDescriptorSets(m_target, point, m_device.layout, first, count,
                                      &m_device.sets[i % (RecordingDevice::kSets - 3)], count, offsets.data());
        ++m_count;
    }
    void pushConstants(size_t i)
    {
        const std::array<size_t, 8> values{i, i + 1, i + 2};
        m_table.CmdPushConstants(m_target, m_device.layout, VK_SHADER_STAGE_ALL, 0, sizeof values, values.data());
        ++m_count;
    }
    void bindVertexBuffers(size_t i)
    {
        const std::array<VkBuffer, 2> buffers{m_device.buffer, m_device.buffer};
        const std::array<VkDeviceSize, 2> offsets{i % 64 * 16, 0};
        m_table.CmdBindVertexBuffers(m_target, 0, 2, buffers.data(), offsets.data());
        ++m_count;
    }
    void bindIndexBuffer(size_t i)
    {
        m_table.CmdBindIndexBuffer(m_target, m_device.buffer, i % 64 * 16, VK_INDEX_TYPE_UINT16);
        ++m_count;
    }
    void setViewport(size_t i)
    {
        const VkViewport viewport{0, 0, 128 + static_cast<float>(i % 64), 128, 0, 1};
        m_table.CmdSetViewport(m_target, 0, 1, &viewport);
        ++m_count;
    }
    void setScissor(size_t i)
    {
        const VkRect2D scissor{{0, 0}, {128 + static_cast<uint32_t>(i % 64), 128}};
        m_table.CmdSetScissor(m_target, 0, 1, &scissor);
        ++m_count;
    }
    void draw()
    {
        m_table.CmdDrawIndexed(m_target, 36, 1, 0, 0, 0);
        ++m_count;
    }
    void dispatch()
    {
        m_table.CmdDispatch(m_target, 8, 8, 1);
        ++m_count;
    }
    void barrier()
    {
        VkMemoryBarrier2 memory{VK_STRUCTURE_TYPE_MEMORY_BARRIER_2};
        memory.srcStageMask = memory.dstStageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
        memory.srcAccessMask = VK_ACCESS_2_MEMORY_WRITE_BIT;
        memory.dstAccessMask = VK_ACCESS_2_MEMORY_READ_BIT;
        VkDependencyInfo info{VK_STRUCTURE_TYPE_DEPENDENCY_INFO};
        info.memoryBarrierCount = 1;
        info.pMemoryBarriers = &memory;
        m_table.CmdPipelineBarrier2(m_target, &info);
        ++m_count;
    }
    void beginRendering()
    {
        VkRenderingAttachmentInfo color{VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO};
        color.imageView = m_device.target;
        color.imageLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
        color.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
        color.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
        VkRenderingInfo info{VK_STRUCTURE_TYPE_RENDERING_INFO};
        info.renderArea.extent = RecordingDevice::kExtent;
        info.layerCount = 1;
        info.colorAttachmentCount = 1;
        info.pColorAttachments = &color;
        m_table.CmdBeginRendering(m_target, &info);
        ++m_count;
    }
    void endRendering()
    {
        m_table.CmdEndRendering(m_target);
        ++m_count;
    }

private:
    const RecordingDevice& m_device;
    const VkuDeviceDispatchTable& m_table;
    VkCommandBuffer m_target;
    size_t m_count = 0;
};

void recordDraws(Commands& commands, size_t draws)
{
    for (size_t i = 0; i < draws; ++i) {
        if (i % 4 == 0) {
            if (i % 8 == 0)
                commands.bindPipeline(kGraphics, i / 8);
            commands.bindSets(kGraphics, 1, 1, i / 4);
        }
        if (i % 2 == 0) {
            commands.bindVertexBuffers(i);
            commands.bindIndexBuffer(i);
        }
        commands.bindSets(kGraphics, 2, 1, i);
        commands.pushConstants(i);
        commands.draw();
    }
}

void recordDispatches(Commands& commands, size_t dispatches)
{
    for (size_t i = 0; i < dispatches; ++i) {
        commands.bindPipeline(kCompute, i);
        commands.bindSets(kCompute, 0, 3, i);
        commands.pushConstants(i);
        commands.dispatch();
        commands.barrier();
    }
}

template <auto Record>
void repeat(const RecordingDevice& device, VkCommandBuffer commandBuffer, size_t count)
{
    Commands commands(device, commandBuffer);
    for (size_t i = 0; i < count; ++i)
        Record(commands, i);
}

// Render pass instances in pairs of commands, half as many of each.
void repeatRendering(const RecordingDevice& device, VkCommandBuffer commandBuffer, size_t count)
{
    Commands commands(device, commandBuffer);
    while (commands.count() < count) {
        commands.beginRendering();
        commands.endRendering();
    }
}

}  // namespace

size_t recordFrame(const RecordingDevice& device, VkCommandBuffer commandBuffer, size_t count)
{
    constexpr size_t kDrawsOfPass = 100;
    constexpr size_t kDispatchesOfPass = 4;
    Commands commands(device, commandBuffer);
    for (size_t pass = 0; commands.count() < count; ++pass) {
        commands.barrier();
        commands.beginRendering();
        commands.setViewport(pass);
        commands.setScissor(pass);
        commands.bindSets(kGraphics, 0, 1, pass);
        recordDraws(commands, kDrawsOfPass);
        commands.endRendering();
        commands.barrier();
        recordDispatches(commands, kDispatchesOfPass);
    }
    return commands.count();
}

std::span<const CommandKind> commandKinds()
{
    static constexpr CommandKind kKinds[] = {
        {"bind pipeline", repeat<[](Commands& c, size_t i) { c.bindPipeline(kGraphics, i); }>},
        {"bind set", repeat<[](Commands& c, size_t i) { c.bindSets(kGraphics, 1 + i % 2, 1, i); }>},
        {"push constants", repeat<[](Commands& c, size_t i) { c.pushConstants(i); }>},
        {"vertex buffers", repeat<[](Commands& c, size_t i) { c.bindVertexBuffers(i); }>},
        {"index buffer", repeat<[](Commands& c, size_t i) { c.bindIndexBuffer(i); }>},
        {"viewport", repeat<[](Commands& c, size_t i) { c.setViewport(i); }>},
        {"draw", repeat<[](Commands& c, size_t) { c.draw(); }>},
        {"dispatch", repeat<[](Commands& c, size_t) { c.dispatch(); }>},
        {"barrier", repeat<[](Commands& c, size_t) { c.barrier(); }>},
        {"rendering instance", repeatRendering},
    };
    return kKinds;
}

}  // namespace millrace::bench
