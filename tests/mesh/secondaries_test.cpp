// SPDX-License-Identifier: Apache-2.0
// Mesh shaders in secondary command buffers with instances of their own, in nested ones, and in instances that are
// divided; by the layer and by the driver if it can: pictures equal to what the host paints.
#include <gtest/gtest.h>

#include <optional>

#include "mesh/picture.h"
#include "shaders/mesh_test_shaders.h"

namespace millrace::meshtest {

namespace {

class MeshSecondaries : public testing::TestWithParam<Provider> {
protected:
    void SetUp() override
    {
        if (GetParam() == Provider::Driver && !driverHasMeshShaders())
            GTEST_SKIP() << "the driver lacks VK_EXT_mesh_shader";
        start(Beside::Nothing);
    }
    void TearDown() override
    {
        m_picture.reset();
        m_device.reset();
    }
    void start(Beside beside)
    {
        TearDown();
        m_device.emplace(GetParam(), beside);
        m_picture.emplace(*m_device);
    }

    MeshDevice& device() { return *m_device; }
    Picture& picture() { return *m_picture; }

    // In an instance of its own, the whole picture or its first rows.
    void drawInstance(VkCommandBuffer cmd, VkPipeline pipeline, const std::vector<Cell>& cells, uint32_t rows,
                      VkAttachmentLoadOp loadOp)
    {
        picture().begin(cmd, 0, loadOp);
        picture().bind(cmd, pipeline, picture().createSet(cells));
        device().cmdDraw(cmd, kCells, rows, 1);
        vkCmdEndRendering(cmd);
    }
    VkCommandBuffer beginPrimary()
    {
        const VkCommandBuffer cmd = device().device.begin();
        picture().prepare(cmd);
        return cmd;
    }
    void execute(VkCommandBuffer cmd, VkCommandBuffer secondary)
    {
        MILLRACE_CHECK(vkEndCommandBuffer(secondary));
        vkCmdExecuteCommands(cmd, 1, &secondary);
    }
    // A secondary one that continues the instance and draws the first rows.
    VkCommandBuffer beginContinuing(VkPipeline pipeline, const std::vector<Cell>& cells, uint32_t rows)
    {
        const VkCommandBuffer secondary = picture().beginSecondary();
        picture().bind(secondary, pipeline, picture().createSet(cells));
        device().cmdDraw(secondary, kCells, rows, 1);
        return secondary;
    }
    Pixels finish(VkCommandBuffer cmd)
    {
        picture().copy(cmd);
        device().device.submitAndWait(cmd);
        return picture().pixels();
    }
    static Pixels expected(const std::vector<Cell>& first, const std::vector<Cell>& second, uint32_t rows)
    {
        Pixels pixels(size_t{kSize} * kSize, kClear);
        paint(pixels, first, kCells, kCells);
        paint(pixels, second, kCells, rows);
        return pixels;
    }

private:
    std::optional<MeshDevice> m_device;
    std::optional<Picture> m_picture;
};

// Two of them, the second one in two instances, with state of its own behind the first.
TEST_P(MeshSecondaries, InstancesOfTheirOwn_DrawnInOrder)
{
    const std::vector<Cell> first = randomCells(71), second = randomCells(72);
    const VkPipeline pipeline = device().createPipeline();
    const VkCommandBuffer cmd = beginPrimary();
    VkCommandBuffer secondary = picture().beginLooseSecondary();
    drawInstance(secondary, pipeline, second, kCells, VK_ATTACHMENT_LOAD_OP_CLEAR);
    execute(cmd, secondary);
    secondary = picture().beginLooseSecondary();
    // Bound in front of the instance.
    picture().bind(secondary, pipeline, picture().createSet(first));
    Picture::setState(secondary);
    const VkRenderingInfo info = picture().rendering();
    vkCmdBeginRendering(secondary, &info);
    device().cmdDraw(secondary, kCells, kCells, 1);
    vkCmdEndRendering(secondary);
    drawInstance(secondary, pipeline, second, 3, VK_ATTACHMENT_LOAD_OP_LOAD);
    execute(cmd, secondary);
    EXPECT_EQ(finish(cmd), expected(first, second, 3));
}

TEST_P(MeshSecondaries, InstanceThatIsSuspended_DrawnInBothParts)
{
    const std::vector<Cell> first = randomCells(73), second = randomCells(74);
    const VkPipeline pipeline = device().createPipeline();
    const VkCommandBuffer cmd = beginPrimary();
    const VkCommandBuffer secondary = picture().beginLooseSecondary();
    picture().begin(secondary, VK_RENDERING_SUSPENDING_BIT);
    picture().bind(secondary, pipeline, picture().createSet(first));
    device().cmdDraw(secondary, kCells, kCells, 1);
    vkCmdEndRendering(secondary);
    picture().begin(secondary, VK_RENDERING_RESUMING_BIT);
    picture().bind(secondary, pipeline, picture().createSet(second));
    device().cmdDraw(secondary, kCells, 2, 1);
    vkCmdEndRendering(secondary);
    execute(cmd, secondary);
    EXPECT_EQ(finish(cmd), expected(first, second, 2));
}

// One that continues the instance executes others that do.
TEST_P(MeshSecondaries, Nested_DrawnInOrder)
{
    if (!driverHas(Beside::NestedSecondaries))
        GTEST_SKIP() << "the driver lacks VK_EXT_nested_command_buffer";
    start(Beside::NestedSecondaries);
    const std::vector<Cell> first = randomCells(75), second = randomCells(76);
    const VkPipeline pipeline = device().createPipeline();
    const VkCommandBuffer cmd = beginPrimary();
    const VkCommandBuffer outer = picture().beginSecondary();
    execute(outer, beginContinuing(pipeline, first, kCells));
    execute(outer, beginContinuing(pipeline, second, 4));
    MILLRACE_CHECK(vkEndCommandBuffer(outer));
    const VkRenderingInfo info = picture().rendering(VK_RENDERING_CONTENTS_SECONDARY_COMMAND_BUFFERS_BIT);
    vkCmdBeginRendering(cmd, &info);
    vkCmdExecuteCommands(cmd, 1, &outer);
    vkCmdEndRendering(cmd);
    EXPECT_EQ(finish(cmd), expected(first, second, 4));
}

// One without an instance executes one with an instance of its own, and begins one in which another draws.
TEST_P(MeshSecondaries, NestedWithInstances_DrawnInOrder)
{
    if (!driverHas(Beside::NestedSecondaries))
        GTEST_SKIP() << "the driver lacks VK_EXT_nested_command_buffer";
    start(Beside::NestedSecondaries);
    const std::vector<Cell> first = randomCells(77), second = randomCells(78);
    const VkPipeline pipeline = device().createPipeline();
    const VkCommandBuffer cmd = beginPrimary();
    const VkCommandBuffer outer = picture().beginLooseSecondary();
    const VkCommandBuffer inner = picture().beginLooseSecondary();
    drawInstance(inner, pipeline, first, kCells, VK_ATTACHMENT_LOAD_OP_CLEAR);
    execute(outer, inner);
    const VkRenderingInfo info =
        picture().rendering(VK_RENDERING_CONTENTS_SECONDARY_COMMAND_BUFFERS_BIT, VK_ATTACHMENT_LOAD_OP_LOAD);
    vkCmdBeginRendering(outer, &info);
    execute(outer, beginContinuing(pipeline, second, 5));
    vkCmdEndRendering(outer);
    execute(cmd, outer);
    EXPECT_EQ(finish(cmd), expected(first, second, 5));
}

// The layer knew of no mesh shaders when the instance began: it is divided in front of the draw.
TEST_P(MeshSecondaries, FirstPipelineInsideTheInstance_Drawn)
{
    const std::vector<Cell> cells = randomCells(79);
    const VkCommandBuffer cmd = beginPrimary();
    picture().begin(cmd);
    const VkDescriptorSet set = picture().createSet(cells);
    picture().bind(cmd, device().createPipeline(), set);
    device().cmdDraw(cmd, kCells, kCells, 1);
    vkCmdEndRendering(cmd);
    EXPECT_EQ(finish(cmd), expected(cells, cells, 0));
}

// The instance of another command buffer goes on, is divided, and its second part draws.
TEST_P(MeshSecondaries, InstanceOfAnotherCommandBuffer_Drawn)
{
    const std::vector<Cell> first = randomCells(80), second = randomCells(81);
    const VkPipeline pipeline = device().createPipeline();
    const VkCommandBuffer commands[] = {beginPrimary(), device().device.begin()};
    picture().begin(commands[0], VK_RENDERING_SUSPENDING_BIT);
    picture().bind(commands[0], pipeline, picture().createSet(first));
    device().cmdDraw(commands[0], kCells, kCells, 1);
    vkCmdEndRendering(commands[0]);
    MILLRACE_CHECK(vkEndCommandBuffer(commands[0]));
    picture().begin(commands[1], VK_RENDERING_RESUMING_BIT);
    picture().bind(commands[1], pipeline, picture().createSet(second));
    device().cmdDraw(commands[1], kCells, 6, 1);
    vkCmdEndRendering(commands[1]);
    picture().copy(commands[1]);
    MILLRACE_CHECK(vkEndCommandBuffer(commands[1]));
    VkSubmitInfo submit{VK_STRUCTURE_TYPE_SUBMIT_INFO};
    submit.commandBufferCount = 2;
    submit.pCommandBuffers = commands;
    MILLRACE_CHECK(vkQueueSubmit(device().device.queue, 1, &submit, VK_NULL_HANDLE));
    MILLRACE_CHECK(vkQueueWaitIdle(device().device.queue));
    EXPECT_EQ(picture().pixels(), expected(first, second, 6));
}

INSTANTIATE_TEST_SUITE_P(By, MeshSecondaries, testing::Values(Provider::Layer, Provider::Driver),
                         [](const testing::TestParamInfo<Provider>& info) {
                             return info.param == Provider::Layer ? "Layer" : "Driver";
                         });

}  // namespace

}  // namespace millrace::meshtest
