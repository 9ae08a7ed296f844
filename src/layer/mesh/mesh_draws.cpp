// SPDX-License-Identifier: Apache-2.0
// vkCmdDrawMeshTasks*EXT.
#include <string>

#include "abi/mesh.h"
#include "layer/loader/device.h"
#include "layer/loader/entry_points.h"
#include "layer/mesh/mesh_shaders.h"
#include "layer/recording/borrowed_sets.h"
#include "layer/recording/command_buffer.h"

namespace millrace::layer {

namespace {

constexpr VkPipelineBindPoint kCompute = VK_PIPELINE_BIND_POINT_COMPUTE;
constexpr VkPipelineBindPoint kGraphics = VK_PIPELINE_BIND_POINT_GRAPHICS;

struct Grid {
    uint32_t x;
    uint32_t y;
    uint32_t z;

    uint64_t groups() const { return uint64_t{x} * y * z; }
};

// One draw, step by step.
class Draw {
public:
    explicit Draw(CommandBuffer& commandBuffer)
        : m_commandBuffer(commandBuffer),
          m_device(commandBuffer.device),
          m_pipeline(m_device.meshShaders->pipelines->find(commandBuffer.bound.pipeline(kGraphics)))
    {
    }

    void record(const Grid& grid);
    void complain(const std::string& text) const;

private:
    bool check(const Grid& grid) const;
    bool allocate(uint64_t areaBytes);
    bool copyPushConstants();
    void push(VkCommandBuffer target) const;
    void waitForEarlierWork() const;
    void runMeshShaders(const Grid& grid) const;

    CommandBuffer& m_commandBuffer;
    Device& m_device;
    const std::shared_ptr<MeshPipeline> m_pipeline;
    abi::MeshArguments m_arguments{};
};

void Draw::complain(const std::string& text) const
{
    if (m_commandBuffer.isNews("Millrace-mesh-shaders", text))
        m_device.messages().error("Millrace-mesh-shaders", m_commandBuffer.reference(),
                                  "a draw with mesh shaders is left out: " + text,
                                  "docs/mesh-shaders.md says what is there");
}

bool Draw::check(const Grid& grid) const
{
    if (!m_pipeline) {
        complain("no pipeline with a mesh shader is bound");
        return false;
    }
    const Front& front = m_commandBuffer.front;
    if (!front.isOpen()) {
        complain(std::string("it is ") + (front.obstacle            ? front.obstacle
                                          : m_commandBuffer.primary ? "in no render pass instance"
                                                                    : "in a secondary command buffer"));
        return false;
    }
    const uint64_t vertices = grid.groups() * m_pipeline->outputs.maxPrimitives * m_pipeline->outputs.corners;
    if (grid.groups() > kMaxMeshGroups || vertices > UINT32_MAX ||
        grid.groups() * m_pipeline->outputs.areaBytes > kMaxMeshDrawBytes) {
        complain("its outputs may take more than " + std::to_string(kMaxMeshDrawBytes) + " bytes");
        return false;
    }
    return true;
}

// For as long as the command buffer may run.
bool Draw::allocate(uint64_t areaBytes)
{
    auto buffer = std::make_shared<runtime::Buffer>();
    const VkResult result = m_device.meshShaders->memory.createBuffer(runtime::BufferUse::Indirect, areaBytes, *buffer);
    if (result != VK_SUCCESS) {
        m_commandBuffer.fail(result);
        return false;
    }
    m_arguments.areas = buffer->address();
    m_commandBuffer.keepAlive.push_back(std::move(buffer));
    return true;
}

// As they are now, since the application may change them behind this command.
bool Draw::copyPushConstants()
{
    const uint32_t bytes = m_pipeline->layout->pushConstantBytes;
    if (bytes == 0)
        return true;
    auto buffer = std::make_shared<runtime::Buffer>();
    const VkResult result = m_device.meshShaders->memory.createBuffer(runtime::BufferUse::Upload, bytes, *buffer);
    if (result != VK_SUCCESS) {
        m_commandBuffer.fail(result);
        return false;
    }
    constexpr VkShaderStageFlags kStages =
        VK_SHADER_STAGE_ALL_GRAPHICS | VK_SHADER_STAGE_TASK_BIT_EXT | VK_SHADER_STAGE_MESH_BIT_EXT;
    m_commandBuffer.bound.readPushConstants(kStages, {reinterpret_cast<uint8_t*>(buffer->data()), bytes});
    m_arguments.pushConstants = buffer->address();
    m_commandBuffer.keepAlive.push_back(std::move(buffer));
    return true;
}

void Draw::push(VkCommandBuffer target) const
{
    m_device.table.CmdPushConstants(target, m_pipeline->layout->handle, kSequenceStages, 0, sizeof m_arguments,
                                    &m_arguments);
}

// What the instance waits for when it begins, its shaders in front of it wait for as well: dependencies of a render
// pass, and where the command buffer may still run, what reads the same memory.
void Draw::waitForEarlierWork() const
{
    const bool isPending = m_commandBuffer.usage & VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT;
    if (m_commandBuffer.front.isUsed || !(m_commandBuffer.rendering.legacyPass || isPending))
        return;
    VkMemoryBarrier barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
    barrier.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT;
    barrier.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
    m_device.table.CmdPipelineBarrier(m_commandBuffer.front.stream, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                                      VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 1, &barrier, 0, nullptr, 0, nullptr);
}

void Draw::runMeshShaders(const Grid& grid) const
{
    const VkuDeviceDispatchTable& table = m_device.table;
    const VkCommandBuffer front = m_commandBuffer.front.stream;
    const RenderingScope& scope = m_commandBuffer.rendering;
    waitForEarlierWork();
    m_commandBuffer.front.isUsed = true;
    if (scope.conditional)
        table.CmdBeginConditionalRenderingEXT(front, &scope.conditionalInfo);
    m_commandBuffer.log.replay(kScopeDescriptorBuffers, table, front);
    bindBorrowedSets(m_commandBuffer, kGraphics, *m_pipeline->layout, front, kCompute);
    push(front);
    table.CmdBindPipeline(front, kCompute, m_pipeline->compute);
    table.CmdDispatch(front, grid.x, grid.y, grid.z);
    if (scope.conditional)
        table.CmdEndConditionalRenderingEXT(front);
}

void Draw::record(const Grid& grid)
{
    if (grid.groups() == 0 || !check(grid))
        return;
    const mesh::MeshLayout& outputs = m_pipeline->outputs;
    if (!allocate(grid.groups() * outputs.areaBytes) || !copyPushConstants())
        return;
    runMeshShaders(grid);
    const VkCommandBuffer inside = m_commandBuffer.current;
    bindBorrowedSets(m_commandBuffer, kGraphics, *m_pipeline->layout);
    push(inside);
    const auto vertices = static_cast<uint32_t>(grid.groups() * outputs.maxPrimitives * outputs.corners);
    if (vertices > 0)
        m_device.table.CmdDraw(inside, vertices, 1, 0, 0);
    m_commandBuffer.bound.restore(kGraphics, m_device.table, inside);
}

VKAPI_ATTR void VKAPI_CALL CmdDrawMeshTasksEXT(VkCommandBuffer handle, uint32_t x, uint32_t y, uint32_t z)
{
    CommandBuffer& commandBuffer = CommandBuffer::of(handle);
    if (!commandBuffer.device.usesMesh())
        commandBuffer.device.table.CmdDrawMeshTasksEXT(commandBuffer.current, x, y, z);
    else
        Draw(commandBuffer).record({x, y, z});
}

constexpr char kNoIndirect[] = "vkCmdDrawMeshTasksIndirect*EXT is not provided";

VKAPI_ATTR void VKAPI_CALL CmdDrawMeshTasksIndirectEXT(VkCommandBuffer handle, VkBuffer buffer, VkDeviceSize offset,
                                                       uint32_t drawCount, uint32_t stride)
{
    CommandBuffer& commandBuffer = CommandBuffer::of(handle);
    if (!commandBuffer.device.usesMesh())
        commandBuffer.device.table.CmdDrawMeshTasksIndirectEXT(commandBuffer.current, buffer, offset, drawCount,
                                                               stride);
    else
        Draw(commandBuffer).complain(kNoIndirect);
}

VKAPI_ATTR void VKAPI_CALL CmdDrawMeshTasksIndirectCountEXT(VkCommandBuffer handle, VkBuffer buffer,
                                                            VkDeviceSize offset, VkBuffer countBuffer,
                                                            VkDeviceSize countBufferOffset, uint32_t maxDrawCount,
                                                            uint32_t stride)
{
    CommandBuffer& commandBuffer = CommandBuffer::of(handle);
    if (!commandBuffer.device.usesMesh())
        commandBuffer.device.table.CmdDrawMeshTasksIndirectCountEXT(commandBuffer.current, buffer, offset, countBuffer,
                                                                    countBufferOffset, maxDrawCount, stride);
    else
        Draw(commandBuffer).complain(kNoIndirect);
}

}  // namespace

EntryPoints meshDrawEntryPoints()
{
    static const EntryPoint entries[] = {
        MILLRACE_ENTRY(CmdDrawMeshTasksEXT, kUseStreams, true, kUseMesh),
        MILLRACE_ENTRY(CmdDrawMeshTasksIndirectEXT, kUseStreams, true, kUseMesh),
        MILLRACE_ENTRY(CmdDrawMeshTasksIndirectCountEXT, kUseStreams, true, kUseMesh),
    };
    return entries;
}

}  // namespace millrace::layer
