// SPDX-License-Identifier: Apache-2.0
// Shader objects with mesh shaders, by the layer and by the driver if it can: pictures equal to what the host paints.
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <optional>

#include "harness/temporary_folder.h"
#include "mesh/picture.h"
#include "shaders/mesh_test_shaders.h"
#include "trace/collect.h"
#include "trace/file.h"

namespace millrace::meshtest {

namespace {

// By stage.
using Objects = std::map<VkShaderStageFlagBits, VkShaderEXT>;

struct ObjectCode {
    std::span<const uint32_t> mesh = shaders::cells_mesh;
    std::span<const uint32_t> task = {};  // none: there is none
    const VkSpecializationInfo* constants = nullptr;
    VkShaderCreateFlagsEXT flags = 0;
};

class MeshObjects : public testing::TestWithParam<Provider> {
protected:
    void SetUp() override
    {
        if (GetParam() == Provider::Driver && !driverHasMeshShaders())
            GTEST_SKIP() << "the driver lacks VK_EXT_mesh_shader";
        if (!driverHas(Beside::ShaderObjects))
            GTEST_SKIP() << "the driver lacks VK_EXT_shader_object";
        m_device.emplace(GetParam(), Beside::ShaderObjects);
        m_picture.emplace(*m_device);
    }
    void TearDown() override { stop(); }
    void stop()
    {
        m_picture.reset();
        m_device.reset();
    }
    // Another device, which writes to this file.
    std::string startTraced()
    {
        stop();
        std::string path = m_folder.file("a.mrtrace");
        m_device.emplace(GetParam(), Beside::ShaderObjects, path);
        m_picture.emplace(*m_device);
        return path;
    }

    MeshDevice& device() { return *m_device; }
    Picture& picture() { return *m_picture; }

    struct StageCode {
        VkShaderStageFlagBits stage;
        VkShaderStageFlags next;
        std::span<const uint32_t> words;
        VkShaderCreateFlagsEXT flags = 0;
        const VkSpecializationInfo* constants = nullptr;
    };
    Objects create(const std::vector<StageCode>& stages)
    {
        const VkPushConstantRange ranges[] = {{kMeshStages, 0, 16}, {VK_SHADER_STAGE_FRAGMENT_BIT, 16, 16}};
        std::vector<VkShaderCreateInfoEXT> infos;
        for (const StageCode& stage : stages) {
            VkShaderCreateInfoEXT info{VK_STRUCTURE_TYPE_SHADER_CREATE_INFO_EXT};
            info.flags = stage.flags;
            info.stage = stage.stage;
            info.nextStage = stage.next;
            info.codeType = VK_SHADER_CODE_TYPE_SPIRV_EXT;
            info.codeSize = stage.words.size_bytes();
            info.pCode = stage.words.data();
            info.pName = "main";
            info.pSpecializationInfo = stage.constants;
            info.setLayoutCount = 1;
            info.pSetLayouts = &device().setLayout;
            info.pushConstantRangeCount = 2;
            info.pPushConstantRanges = ranges;
            infos.push_back(info);
        }
        std::vector<VkShaderEXT> made(infos.size());
        const auto create = device().device.get<PFN_vkCreateShadersEXT>("vkCreateShadersEXT");
        MILLRACE_CHECK(
            create(device().device.handle, static_cast<uint32_t>(infos.size()), infos.data(), nullptr, made.data()));
        Objects objects;
        for (size_t i = 0; i < made.size(); ++i) {
            objects[infos[i].stage] = made[i];
            device().device.onDestroy([this, shader = made[i]] {
                device().device.get<PFN_vkDestroyShaderEXT>("vkDestroyShaderEXT")(device().device.handle, shader,
                                                                                  nullptr);
            });
        }
        return objects;
    }

    Objects create(const ObjectCode& code)
    {
        std::vector<StageCode> stages;
        if (!code.task.empty())
            stages.push_back({VK_SHADER_STAGE_TASK_BIT_EXT, VK_SHADER_STAGE_MESH_BIT_EXT, code.task, code.flags});
        const VkShaderCreateFlagsEXT alone = code.task.empty() ? VK_SHADER_CREATE_NO_TASK_SHADER_BIT_EXT : 0;
        stages.push_back({VK_SHADER_STAGE_MESH_BIT_EXT, VK_SHADER_STAGE_FRAGMENT_BIT, code.mesh, code.flags | alone,
                          code.constants});
        stages.push_back({VK_SHADER_STAGE_FRAGMENT_BIT, 0, shaders::cells_fragment, code.flags});
        return create(stages);
    }

    // All stages, those without a shader as well.
    void bind(VkCommandBuffer cmd, Objects objects)
    {
        std::vector<VkShaderStageFlagBits> stages;
        std::vector<VkShaderEXT> shaders;
        VkPhysicalDeviceFeatures features;
        vkGetPhysicalDeviceFeatures(device().device.physical, &features);
        for (const VkShaderStageFlagBits stage :
             {VK_SHADER_STAGE_VERTEX_BIT, VK_SHADER_STAGE_GEOMETRY_BIT, VK_SHADER_STAGE_FRAGMENT_BIT,
              VK_SHADER_STAGE_TASK_BIT_EXT, VK_SHADER_STAGE_MESH_BIT_EXT}) {
            if (stage == VK_SHADER_STAGE_GEOMETRY_BIT && !features.geometryShader)
                continue;
            stages.push_back(stage);
            shaders.push_back(objects[stage]);
        }
        device().device.get<PFN_vkCmdBindShadersEXT>("vkCmdBindShadersEXT")(cmd, static_cast<uint32_t>(stages.size()),
                                                                            stages.data(), shaders.data());
    }

    void bindCells(VkCommandBuffer cmd, VkDescriptorSet set, uint32_t firstCell = 0)
    {
        vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, device().layout, 0, 1, &set, 0, nullptr);
        vkCmdPushConstants(cmd, device().layout, kMeshStages, 0, sizeof firstCell, &firstCell);
        const float alpha = static_cast<float>(kAlpha) / 255;
        vkCmdPushConstants(cmd, device().layout, VK_SHADER_STAGE_FRAGMENT_BIT, 16, sizeof alpha, &alpha);
    }

    // What draws with mesh shaders need.
    void setState(VkCommandBuffer cmd)
    {
        const auto set = [&]<typename Function, typename... Args>(Function, const char* name, Args... args) {
            device().device.get<Function>(name)(cmd, args...);
        };
        set(PFN_vkCmdSetRasterizerDiscardEnable(), "vkCmdSetRasterizerDiscardEnable", VK_FALSE);
        set(PFN_vkCmdSetRasterizationSamplesEXT(), "vkCmdSetRasterizationSamplesEXT", VK_SAMPLE_COUNT_1_BIT);
        const VkSampleMask mask = ~0u;
        set(PFN_vkCmdSetSampleMaskEXT(), "vkCmdSetSampleMaskEXT", VK_SAMPLE_COUNT_1_BIT, &mask);
        set(PFN_vkCmdSetAlphaToCoverageEnableEXT(), "vkCmdSetAlphaToCoverageEnableEXT", VK_FALSE);
        set(PFN_vkCmdSetPolygonModeEXT(), "vkCmdSetPolygonModeEXT", VK_POLYGON_MODE_FILL);
        set(PFN_vkCmdSetLineWidth(), "vkCmdSetLineWidth", 1.0f);
        set(PFN_vkCmdSetCullMode(), "vkCmdSetCullMode", VkCullModeFlags{0});
        set(PFN_vkCmdSetFrontFace(), "vkCmdSetFrontFace", VK_FRONT_FACE_CLOCKWISE);
        set(PFN_vkCmdSetDepthTestEnable(), "vkCmdSetDepthTestEnable", VK_FALSE);
        set(PFN_vkCmdSetDepthWriteEnable(), "vkCmdSetDepthWriteEnable", VK_FALSE);
        set(PFN_vkCmdSetDepthBiasEnable(), "vkCmdSetDepthBiasEnable", VK_FALSE);
        set(PFN_vkCmdSetStencilTestEnable(), "vkCmdSetStencilTestEnable", VK_FALSE);
        const VkBool32 blend = VK_FALSE;
        set(PFN_vkCmdSetColorBlendEnableEXT(), "vkCmdSetColorBlendEnableEXT", 0u, 1u, &blend);
        const VkColorComponentFlags components = 0xf;
        set(PFN_vkCmdSetColorWriteMaskEXT(), "vkCmdSetColorWriteMaskEXT", 0u, 1u, &components);
    }

    // `draw`: of the instance, with the state set.
    template <typename Draw>
    Pixels run(const Draw& draw)
    {
        const VkCommandBuffer cmd = device().device.begin();
        picture().prepare(cmd);
        picture().begin(cmd);
        setState(cmd);
        draw(cmd);
        vkCmdEndRendering(cmd);
        picture().copy(cmd);
        device().device.submitAndWait(cmd);
        return picture().pixels();
    }
    Pixels drawAll(const Objects& objects, const std::vector<Cell>& cells, uint32_t rows = kCells)
    {
        const VkDescriptorSet set = picture().createSet(cells);
        return run([&](VkCommandBuffer cmd) {
            bind(cmd, objects);
            bindCells(cmd, set);
            device().cmdDraw(cmd, kCells, rows, 1);
        });
    }
    static Pixels expected(const std::vector<Cell>& cells, uint32_t green = 0)
    {
        Pixels pixels(size_t{kSize} * kSize, kClear);
        paint(pixels, cells, kCells, kCells, green);
        return pixels;
    }

private:
    const TemporaryFolder m_folder;
    std::optional<MeshDevice> m_device;
    std::optional<Picture> m_picture;
};

TEST_P(MeshObjects, Cells_AsTheHostPaintsThem)
{
    const std::vector<Cell> cells = randomCells(21);
    EXPECT_EQ(drawAll(create(ObjectCode{}), cells), expected(cells));
}

TEST_P(MeshObjects, LinkedAtCreation_AsTheHostPaintsThem)
{
    const std::vector<Cell> cells = randomCells(22);
    EXPECT_EQ(drawAll(create(ObjectCode{.flags = VK_SHADER_CREATE_LINK_STAGE_BIT_EXT}), cells), expected(cells));
}

TEST_P(MeshObjects, TaskShaders_EmitWithTheirPayload)
{
    const std::vector<Cell> cells = randomCells(23);
    const Objects objects = create(ObjectCode{.mesh = shaders::cells_tasks_mesh, .task = shaders::cells_task});
    EXPECT_EQ(drawAll(objects, cells, 1), expected(cells));
}

TEST_P(MeshObjects, SpecializationConstant_HasItsValue)
{
    const std::vector<Cell> cells = randomCells(24);
    const uint32_t green = 9;
    const VkSpecializationMapEntry entry{3, 0, sizeof green};
    const VkSpecializationInfo constants{1, &entry, sizeof green, &green};
    EXPECT_EQ(drawAll(create(ObjectCode{.constants = &constants}), cells), expected(cells, green));
}

// Each of the driver's counts by itself, those of the layer that draw together in one.
TEST_P(MeshObjects, InATrace_AreCounted)
{
    const std::string path = startTraced();
    const std::vector<Cell> cells = randomCells(29);
    const Objects objects = create(ObjectCode{.mesh = shaders::cells_tasks_mesh, .task = shaders::cells_task});
    EXPECT_EQ(drawAll(objects, cells, 1), expected(cells));
    stop();
    trace::Collector found;
    const Status status = trace::read(trace::readBytes(path), found);
    ASSERT_TRUE(status) << status.error().text();
    EXPECT_EQ(found.meshPipelines.size(), GetParam() == Provider::Driver ? 2u : 1u);
    uint64_t tasks = 0, emitted = 0, groups = 0, vertices = 0, wanted = 0;
    for (const trace::MeshWork& work : found.meshWorks) {
        tasks += work.taskGroups;
        emitted += work.emittedGroups;
        groups += work.groups;
        vertices += work.vertices;
    }
    for (const Cell& cell : cells)
        wanted += uint64_t{4} * cell.count;
    EXPECT_EQ(tasks, kCells);
    EXPECT_EQ(groups, emitted);
    EXPECT_GT(groups, 0u);
    EXPECT_EQ(vertices, wanted);
}

// Lines, then triangles over them: each draw has its own topology.
TEST_P(MeshObjects, SeveralTopologies_EachWithItsOwn)
{
    const std::vector<Cell> first = randomCells(25), second = randomCells(26);
    const Objects lines = create(ObjectCode{.mesh = shaders::cells_lines_mesh}), triangles = create(ObjectCode{});
    const VkDescriptorSet sets[] = {picture().createSet(first), picture().createSet(second)};
    const Pixels pixels = run([&](VkCommandBuffer cmd) {
        bind(cmd, lines);
        bindCells(cmd, sets[0]);
        device().cmdDraw(cmd, kCells, kCells, 1);
        bind(cmd, triangles);
        bindCells(cmd, sets[1]);
        device().cmdDraw(cmd, kCells, kCells, 1);
    });
    Pixels wanted = expected(first);
    paint(wanted, second, kCells, kCells);
    EXPECT_EQ(pixels, wanted);
}

TEST_P(MeshObjects, DrawnIndirectly_AsTheHostPaintsThem)
{
    const std::vector<Cell> cells = randomCells(27);
    const layertest::Buffer grid = device().device.createBuffer(12, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT);
    grid.words[0] = grid.words[1] = kCells;
    grid.words[2] = 1;
    const Objects objects = create(ObjectCode{});
    const VkDescriptorSet set = picture().createSet(cells);
    EXPECT_EQ(run([&](VkCommandBuffer cmd) {
                  bind(cmd, objects);
                  bindCells(cmd, set);
                  device().cmdDrawIndirect(cmd, grid.handle, 0, 1, 12);
              }),
              expected(cells));
}

// Pipelines and shader objects take each other's place.
TEST_P(MeshObjects, BesideAPipeline_EachDrawsItsOwn)
{
    const std::vector<Cell> first = randomCells(28), second = randomCells(29);
    const Objects objects = create(ObjectCode{});
    const VkPipeline pipeline = device().createPipeline();
    const VkDescriptorSet sets[] = {picture().createSet(first), picture().createSet(second)};
    const Pixels pixels = run([&](VkCommandBuffer cmd) {
        picture().bind(cmd, pipeline, sets[0]);
        device().cmdDraw(cmd, kCells, kCells, 1);
        // What the pipeline has set is lost.
        setState(cmd);
        bind(cmd, objects);
        bindCells(cmd, sets[1]);
        device().cmdDraw(cmd, kCells, kCells, 1);
        picture().bind(cmd, pipeline, sets[0]);
        device().cmdDraw(cmd, kCells, 1, 1);
    });
    Pixels wanted = expected(first);
    paint(wanted, second, kCells, kCells);
    paint(wanted, first, kCells, 1);
    EXPECT_EQ(pixels, wanted);
}

// Draws with mesh shaders have no vertex state, so that what is set stays.
TEST_P(MeshObjects, VertexShadersBehind_DrawWithTheTopologyThatWasSet)
{
    const std::vector<Cell> cells = randomCells(30);
    const Objects objects = create(ObjectCode{}),
                  cover = create({{VK_SHADER_STAGE_VERTEX_BIT, VK_SHADER_STAGE_FRAGMENT_BIT, shaders::cover_vertex},
                                  {VK_SHADER_STAGE_FRAGMENT_BIT, 0, shaders::cover_fragment}});
    const VkDescriptorSet set = picture().createSet(cells);
    const Pixels pixels = run([&](VkCommandBuffer cmd) {
        vkCmdSetPrimitiveTopology(cmd, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP);
        vkCmdSetPrimitiveRestartEnable(cmd, VK_FALSE);
        device().device.get<PFN_vkCmdSetVertexInputEXT>("vkCmdSetVertexInputEXT")(cmd, 0, nullptr, 0, nullptr);
        bind(cmd, objects);
        bindCells(cmd, set);
        device().cmdDraw(cmd, kCells, kCells, 1);
        bind(cmd, cover);
        vkCmdDraw(cmd, 4, 1, 0, 0);
    });
    EXPECT_EQ(pixels, Pixels(size_t{kSize} * kSize, UINT32_MAX));
}

INSTANTIATE_TEST_SUITE_P(By, MeshObjects, testing::Values(Provider::Driver, Provider::Layer),
                         [](const auto& info) { return info.param == Provider::Driver ? "Driver" : "Layer"; });

}  // namespace

}  // namespace millrace::meshtest
