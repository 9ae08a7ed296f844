// SPDX-License-Identifier: Apache-2.0
// Pipelines of libraries of which one has mesh shaders: the same pictures as of pipelines that are made at once.
#include <gtest/gtest.h>

#include <optional>

#include "mesh/picture.h"
#include "shaders/mesh_test_shaders.h"

namespace millrace::meshtest {

namespace {

class MeshLibraries : public testing::TestWithParam<Provider> {
protected:
    void SetUp() override
    {
        if (!driverHas(Beside::Libraries))
            GTEST_SKIP() << "the driver lacks VK_EXT_graphics_pipeline_library";
        if (GetParam() == Provider::Driver && !driverHasMeshShaders())
            GTEST_SKIP() << "the driver lacks VK_EXT_mesh_shader";
        m_device.emplace(GetParam(), Beside::Libraries);
        m_picture.emplace(*m_device);
    }
    void TearDown() override
    {
        m_picture.reset();
        m_device.reset();
    }

    Pixels draw(const PipelineOptions& options, const std::vector<Cell>& cells, uint32_t columns, uint32_t rows)
    {
        const VkPipeline pipeline = m_device->createPipeline(options);
        const VkCommandBuffer cmd = m_device->device.begin();
        m_picture->prepare(cmd);
        m_picture->begin(cmd);
        m_picture->bind(cmd, pipeline, m_picture->createSet(cells));
        m_device->cmdDraw(cmd, columns, rows, 1);
        vkCmdEndRendering(cmd);
        m_picture->copy(cmd);
        m_device->device.submitAndWait(cmd);
        return m_picture->pixels();
    }
    static Pixels expected(const std::vector<Cell>& cells, uint32_t green = 0)
    {
        Pixels pixels(size_t{kSize} * kSize, kClear);
        paint(pixels, cells, kCells, kCells, green);
        return pixels;
    }

private:
    std::optional<MeshDevice> m_device;
    std::optional<Picture> m_picture;
};

// What is per primitive, specialization and push constants are those of the libraries.
TEST_P(MeshLibraries, LinkedPipeline_DrawsAsOneMadeAtOnce)
{
    const std::vector<Cell> cells = randomCells(40);
    const uint32_t green = 7;
    const VkSpecializationMapEntry entry{3, 0, sizeof green};
    const VkSpecializationInfo constants{1, &entry, sizeof green, &green};
    const PipelineOptions options{.constants = &constants, .linking = Linking::Libraries};
    EXPECT_EQ(draw(options, cells, kCells, kCells), expected(cells, green));
}

// The fragment shader's library is made before it is known at which location it gets PrimitiveId.
TEST_P(MeshLibraries, PrimitiveId_ReachesAFragmentShaderThatWasMadeBefore)
{
    std::vector<Cell> cells = randomCells(41);
    const Pixels pixels =
        draw({.mesh = shaders::cells_id_mesh, .fragment = shaders::cells_id_fragment, .linking = Linking::Libraries},
             cells, kCells, kCells);
    for (Cell& cell : cells)
        for (uint32_t square = 0; square < kSquares; ++square)
            cell.colors[square] = (cell.colors[square] & 0xff0000ff) | square << 8;
    EXPECT_EQ(pixels, expected(cells));
}

TEST_P(MeshLibraries, LibrariesOfLibraries_WithTaskShaders)
{
    const std::vector<Cell> cells = randomCells(42);
    const PipelineOptions options{
        .mesh = shaders::cells_tasks_mesh, .task = shaders::cells_task, .linking = Linking::LibrariesOfLibraries};
    EXPECT_EQ(draw(options, cells, kCells, 1), expected(cells));
}

INSTANTIATE_TEST_SUITE_P(By, MeshLibraries, testing::Values(Provider::Driver, Provider::Layer),
                         [](const auto& info) { return info.param == Provider::Driver ? "Driver" : "Layer"; });

}  // namespace

}  // namespace millrace::meshtest
