// SPDX-License-Identifier: Apache-2.0
// Mesh shaders of the layer's beside an extension that is newer than its headers: structures reach the driver, or a
// message says that they cannot; commands find bound what the application has bound.
#include <gtest/gtest.h>

#include <memory>

#include "layer/tomorrow.h"
#include "mesh/picture.h"
#include "shaders/mesh_test_shaders.h"

namespace millrace::meshtest {

namespace {

using layertest::Arrival;
using layertest::kTomorrowValue;
using layertest::takeArrivals;
using layertest::tomorrow;
using layertest::valuesOf;

const std::multiset<uint64_t> kOne = {kTomorrowValue};
const std::multiset<uint64_t> kNone;

std::unique_ptr<MeshDevice> createDevice(Beside beside = Beside::Nothing)
{
    auto made = std::make_unique<MeshDevice>(Provider::Layer, beside, "", true);
    made->device.instance.expectMessage("Millrace-unknown-extension");
    takeArrivals();
    return made;
}

// Behind draws that the layer has bound something for.
TEST(MeshTomorrow, UnknownDraw_FindsWhatTheApplicationHasBound)
{
    const std::unique_ptr<MeshDevice> mesh = createDevice();
    Picture picture(*mesh);
    const std::vector<Cell> cells = randomCells(50);
    const VkPipeline pipeline = mesh->createPipeline();
    const VkPipeline fill = mesh->device.createGraphics({.layout = mesh->layout});
    const VkDescriptorSet set = picture.createSet(cells);
    const VkCommandBuffer cmd = mesh->device.begin();
    picture.prepare(cmd);
    picture.begin(cmd);
    picture.bind(cmd, pipeline, set);
    const float color[] = {0.2f, 0.4f, 0.6f, 0.8f};
    vkCmdPushConstants(cmd, mesh->layout, VK_SHADER_STAGE_FRAGMENT_BIT, 16, sizeof color, color);
    mesh->cmdDraw(cmd, kCells, kCells, 1);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, fill);
    vkCmdSetCullMode(cmd, VK_CULL_MODE_NONE);
    mesh->device.get<PFN_vkCmdDrawTomorrowEXT>("vkCmdDrawTomorrowEXT")(cmd);
    vkCmdEndRendering(cmd);
    picture.copy(cmd);
    mesh->device.submitAndWait(cmd);
    EXPECT_EQ(picture.pixels(), Pixels(size_t{kSize} * kSize, 0xcc996633));
}

TEST(MeshTomorrow, Pipelines_KeepTheirStructures)
{
    const std::unique_ptr<MeshDevice> mesh = createDevice();
    const VkTomorrowEXT ofStage = tomorrow(), ofPipeline = tomorrow();
    mesh->createPipeline({.node = &ofStage, .chain = &ofPipeline});
    const std::vector<Arrival> arrivals = takeArrivals();
    EXPECT_EQ(valuesOf(arrivals, "vkCreateComputePipelines, stage"), kOne);
    EXPECT_EQ(valuesOf(arrivals, "vkCreateGraphicsPipelines"), kOne);
}

// What libraries had is gone when they are linked; what links them is there.
TEST(MeshTomorrow, LinkedLibraries_HaveTheirOwnAndSayThatOthersAreLost)
{
    if (!driverHas(Beside::Libraries))
        GTEST_SKIP() << "the driver lacks VK_EXT_graphics_pipeline_library";
    const std::unique_ptr<MeshDevice> mesh = createDevice(Beside::Libraries);
    const VkTomorrowEXT chain = tomorrow();
    mesh->createPipeline({.linking = Linking::Libraries, .linkChain = &chain});
    EXPECT_EQ(valuesOf(takeArrivals(), "vkCreateGraphicsPipelines"), kOne);
    EXPECT_TRUE(mesh->device.instance.takeMessages().empty());
    const VkTomorrowEXT ofStage = tomorrow();
    mesh->createPipeline({.node = &ofStage, .linking = Linking::Libraries});
    mesh->device.instance.expectMessage("Millrace-unknown-structure");
    mesh->createPipeline({.node = &ofStage, .linking = Linking::Libraries});
    EXPECT_TRUE(mesh->device.instance.takeMessages().empty()) << "once";
}

TEST(MeshTomorrow, LibraryThatOnlyLinks_SaysThatItsOwnAreLost)
{
    if (!driverHas(Beside::Libraries))
        GTEST_SKIP() << "the driver lacks VK_EXT_graphics_pipeline_library";
    const std::unique_ptr<MeshDevice> mesh = createDevice(Beside::Libraries);
    const VkTomorrowEXT chain = tomorrow();
    mesh->createPipeline({.linking = Linking::LibrariesOfLibraries, .linkChain = &chain});
    EXPECT_EQ(valuesOf(takeArrivals(), "vkCreateGraphicsPipelines"), kOne);
    mesh->device.instance.expectMessage("Millrace-unknown-structure");
}

// Nobody but the layer makes a mesh shader.
TEST(MeshTomorrow, ShaderObjects_SayWhatTheLayersDrawWithout)
{
    if (!driverHas(Beside::ShaderObjects))
        GTEST_SKIP() << "the driver lacks VK_EXT_shader_object";
    const std::unique_ptr<MeshDevice> mesh = createDevice(Beside::ShaderObjects);
    const auto create = mesh->device.get<PFN_vkCreateShadersEXT>("vkCreateShadersEXT");
    const auto destroy = mesh->device.get<PFN_vkDestroyShaderEXT>("vkDestroyShaderEXT");
    const VkPushConstantRange ranges[] = {{kMeshStages, 0, 16}, {VK_SHADER_STAGE_FRAGMENT_BIT, 16, 16}};
    const VkTomorrowEXT chain = tomorrow();
    const auto make = [&](VkShaderStageFlagBits stage, std::span<const uint32_t> code) {
        VkShaderCreateInfoEXT info{VK_STRUCTURE_TYPE_SHADER_CREATE_INFO_EXT, &chain};
        info.flags = stage == VK_SHADER_STAGE_MESH_BIT_EXT ? VK_SHADER_CREATE_NO_TASK_SHADER_BIT_EXT : 0;
        info.stage = stage;
        info.codeType = VK_SHADER_CODE_TYPE_SPIRV_EXT;
        info.codeSize = code.size_bytes();
        info.pCode = code.data();
        info.pName = "main";
        info.setLayoutCount = 1;
        info.pSetLayouts = &mesh->setLayout;
        info.pushConstantRangeCount = 2;
        info.pPushConstantRanges = ranges;
        VkShaderEXT shader = VK_NULL_HANDLE;
        MILLRACE_CHECK(create(mesh->device.handle, 1, &info, nullptr, &shader));
        destroy(mesh->device.handle, shader, nullptr);
    };
    make(VK_SHADER_STAGE_FRAGMENT_BIT, shaders::cells_fragment);
    EXPECT_EQ(valuesOf(takeArrivals(), "vkCreateShadersEXT"), kOne);
    EXPECT_TRUE(mesh->device.instance.takeMessages().empty()) << "the driver has it";
    make(VK_SHADER_STAGE_MESH_BIT_EXT, shaders::cells_mesh);
    EXPECT_EQ(valuesOf(takeArrivals(), "vkCreateShadersEXT"), kNone);
    mesh->device.instance.expectMessage("Millrace-unknown-structure");
}

}  // namespace

}  // namespace millrace::meshtest
