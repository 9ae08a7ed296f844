// SPDX-License-Identifier: Apache-2.0
// Stages of mesh shaders where the layer runs them: what the driver sees in their place.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>

#include "layer/fake_driver.h"
#include "layer/loader/device.h"
#include "layer/objects/pipeline_maker.h"
#include "layer/recording/command_buffer.h"

namespace millrace::layertest {

namespace {

constexpr VkPipelineStageFlags kMesh = VK_PIPELINE_STAGE_MESH_SHADER_BIT_EXT | VK_PIPELINE_STAGE_TASK_SHADER_BIT_EXT;

// The numbers that arguments have behind a name, in order.
std::vector<uint64_t> numbersOf(const Call& call, const std::string& name)
{
    std::vector<uint64_t> numbers;
    const std::string text = name + "=";
    for (size_t at = call.arguments.find(text); at != std::string::npos; at = call.arguments.find(text, at + 1))
        numbers.push_back(std::stoull(call.arguments.substr(at + text.size()), nullptr, 16));
    return numbers;
}

class MeshStages : public testing::Test {
protected:
    MeshStages()
    {
        driver.device().uses |= layer::kUseMesh;
        driver.device().needsFronts = true;
    }

    // The last call that `action` makes.
    template <typename Action>
    Call callOf(const Action& action)
    {
        FakeDriver::takeAllCalls();
        action();
        const std::vector<Call> calls = FakeDriver::takeAllCalls();
        return calls.empty() ? Call{} : calls.back();
    }

    void begin()
    {
        const VkRenderingInfo info{VK_STRUCTURE_TYPE_RENDERING_INFO};
        FakeDriver::get<PFN_vkCmdBeginRendering>("vkCmdBeginRendering")(cmd, &info);
    }
    Call barrier(VkPipelineStageFlags from, VkPipelineStageFlags to)
    {
        return callOf([&] {
            FakeDriver::get<PFN_vkCmdPipelineBarrier>("vkCmdPipelineBarrier")(cmd, from, to, 0, 0, nullptr, 0, nullptr,
                                                                              0, nullptr);
        });
    }
    Call barrier2(VkPipelineStageFlags2 from, VkPipelineStageFlags2 to)
    {
        VkMemoryBarrier2 memory{VK_STRUCTURE_TYPE_MEMORY_BARRIER_2};
        memory.srcStageMask = from;
        memory.dstStageMask = to;
        VkDependencyInfo info{VK_STRUCTURE_TYPE_DEPENDENCY_INFO};
        info.memoryBarrierCount = 1;
        info.pMemoryBarriers = &memory;
        return callOf([&] { FakeDriver::get<PFN_vkCmdPipelineBarrier2>("vkCmdPipelineBarrier2")(cmd, &info); });
    }
    layer::CommandBuffer& known() { return FakeDriver::of(cmd); }

    FakeDriver driver;
    VkCommandBuffer cmd = driver.begin();
};

struct Stages {
    VkPipelineStageFlags2 application;
    VkPipelineStageFlags2 driver;
};

// Vertex shaders may compute again what mesh shaders have (docs/mesh-shaders.md).
TEST_F(MeshStages, Barrier_NamesComputeShaders)
{
    constexpr VkPipelineStageFlags2 kCompute = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT;
    const Stages cases[] = {
        {VK_PIPELINE_STAGE_2_MESH_SHADER_BIT_EXT, kCompute | VK_PIPELINE_STAGE_2_VERTEX_SHADER_BIT},
        {VK_PIPELINE_STAGE_2_TASK_SHADER_BIT_EXT | VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT,
         kCompute | VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT},
        {VK_PIPELINE_STAGE_2_ALL_GRAPHICS_BIT, VK_PIPELINE_STAGE_2_ALL_GRAPHICS_BIT | kCompute},
        {VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT,
         VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT | VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT},
        {VK_PIPELINE_STAGE_2_COPY_BIT, VK_PIPELINE_STAGE_2_COPY_BIT},
        {VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT},
        {VK_PIPELINE_STAGE_2_PRE_RASTERIZATION_SHADERS_BIT,
         VK_PIPELINE_STAGE_2_PRE_RASTERIZATION_SHADERS_BIT | kCompute},
    };
    for (const Stages& stages : cases) {
        const Call second = barrier2(stages.application, stages.application);
        EXPECT_EQ(numbersOf(second, "srcStageMask"), std::vector<uint64_t>{stages.driver}) << second.arguments;
        EXPECT_EQ(numbersOf(second, "dstStageMask"), std::vector<uint64_t>{stages.driver}) << second.arguments;
        if (stages.application >> 32)
            continue;
        const auto old = static_cast<VkPipelineStageFlags>(stages.application);
        const Call first = barrier(old, old);
        EXPECT_EQ(numbersOf(first, "srcStageMask"), std::vector<uint64_t>{stages.driver}) << first.arguments;
        EXPECT_EQ(numbersOf(first, "dstStageMask"), std::vector<uint64_t>{stages.driver}) << first.arguments;
    }
}

// They are copied.
TEST_F(MeshStages, BarrierForIndirectCommands_MakesThemVisibleToCopies)
{
    VkMemoryBarrier2 memory{VK_STRUCTURE_TYPE_MEMORY_BARRIER_2};
    memory.dstStageMask = VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT;
    memory.dstAccessMask = VK_ACCESS_2_INDIRECT_COMMAND_READ_BIT;
    VkDependencyInfo info{VK_STRUCTURE_TYPE_DEPENDENCY_INFO};
    info.memoryBarrierCount = 1;
    info.pMemoryBarriers = &memory;
    const Call call = callOf([&] { FakeDriver::get<PFN_vkCmdPipelineBarrier2>("vkCmdPipelineBarrier2")(cmd, &info); });
    EXPECT_EQ(numbersOf(call, "dstAccessMask"),
              std::vector<uint64_t>{VK_ACCESS_2_INDIRECT_COMMAND_READ_BIT | VK_ACCESS_2_TRANSFER_READ_BIT});
}

TEST_F(MeshStages, BarrierInsideAnInstance_NamesVertexShadersAndNothingBehindItGoesInFront)
{
    begin();
    const Call from = barrier(kMesh, VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT);
    EXPECT_EQ(numbersOf(from, "srcStageMask"), std::vector<uint64_t>{VK_PIPELINE_STAGE_VERTEX_SHADER_BIT});
    EXPECT_EQ(numbersOf(from, "dstStageMask"), std::vector<uint64_t>{VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT});
    EXPECT_TRUE(known().front.isOpen());
    const Call to = barrier(VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT, kMesh);
    EXPECT_EQ(numbersOf(to, "dstStageMask"), std::vector<uint64_t>{VK_PIPELINE_STAGE_VERTEX_SHADER_BIT});
    EXPECT_FALSE(known().front.isOpen());
    // It cannot be divided.
    settleWait(known());
    EXPECT_FALSE(known().front.isOpen());
    EXPECT_NE(known().front.obstacle, nullptr);
}

TEST_F(MeshStages, Barrier2InsideAnInstanceThatMeshShadersWaitAt_NothingBehindItGoesInFront)
{
    begin();
    barrier2(VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT, VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT);
    EXPECT_TRUE(known().front.isOpen());
    barrier2(VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT, VK_PIPELINE_STAGE_2_ALL_GRAPHICS_BIT);
    EXPECT_FALSE(known().front.isOpen());
}

TEST_F(MeshStages, PushConstants_ReachTheDriverForStagesThatItKnows)
{
    const auto push = FakeDriver::get<PFN_vkCmdPushConstants>("vkCmdPushConstants");
    const auto layout = fakeHandle<VkPipelineLayout>(7);
    const uint32_t values[] = {11, 22};
    const Call shared = callOf(
        [&] { push(cmd, layout, VK_SHADER_STAGE_MESH_BIT_EXT | VK_SHADER_STAGE_FRAGMENT_BIT, 0, 4, &values[0]); });
    EXPECT_EQ(numbersOf(shared, "stageFlags"), std::vector<uint64_t>{VK_SHADER_STAGE_FRAGMENT_BIT});
    const Call own = callOf([&] { push(cmd, layout, VK_SHADER_STAGE_MESH_BIT_EXT, 4, 4, &values[1]); });
    EXPECT_EQ(own.command, "");
    std::array<uint32_t, 2> seen{};
    known().bound.readPushConstants(VK_SHADER_STAGE_MESH_BIT_EXT,
                                    {reinterpret_cast<uint8_t*>(seen.data()), sizeof seen});
    EXPECT_EQ(seen[0], 11u);
    EXPECT_EQ(seen[1], 22u);
    // Behind a split, too.
    FakeDriver::takeCalls();
    driver.split(cmd);
    const std::vector<Call> behind = FakeDriver::takeCalls();
    EXPECT_EQ(std::ranges::count(behind, "vkCmdPushConstants", &Call::command), 1);
}

TEST_F(MeshStages, Layouts_HaveStagesThatTheDriverKnows)
{
    VkDescriptorSetLayoutBinding bindings[] = {
        {0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_MESH_BIT_EXT},
        {1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_TASK_BIT_EXT | VK_SHADER_STAGE_FRAGMENT_BIT},
        {2, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_ALL},
    };
    VkDescriptorSetLayoutCreateInfo setInfo{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
    setInfo.bindingCount = 3;
    setInfo.pBindings = bindings;
    VkDescriptorSetLayout set = VK_NULL_HANDLE;
    const Call setCall = callOf([&] {
        FakeDriver::get<PFN_vkCreateDescriptorSetLayout>("vkCreateDescriptorSetLayout")(driver.handle(), &setInfo,
                                                                                        nullptr, &set);
    });
    EXPECT_EQ(numbersOf(setCall, "stageFlags"),
              (std::vector<uint64_t>{VK_SHADER_STAGE_COMPUTE_BIT | VK_SHADER_STAGE_VERTEX_BIT,
                                     VK_SHADER_STAGE_COMPUTE_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, VK_SHADER_STAGE_ALL}));
    const VkPushConstantRange ranges[] = {{VK_SHADER_STAGE_MESH_BIT_EXT, 0, 16},
                                          {VK_SHADER_STAGE_TASK_BIT_EXT | VK_SHADER_STAGE_FRAGMENT_BIT, 16, 16}};
    VkPipelineLayoutCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    info.setLayoutCount = 1;
    info.pSetLayouts = &set;
    info.pushConstantRangeCount = 2;
    info.pPushConstantRanges = ranges;
    VkPipelineLayout layout = VK_NULL_HANDLE;
    FakeDriver::takeAllCalls();
    FakeDriver::get<PFN_vkCreatePipelineLayout>("vkCreatePipelineLayout")(driver.handle(), &info, nullptr, &layout);
    const std::vector<Call> calls = FakeDriver::takeAllCalls();
    ASSERT_FALSE(calls.empty());
    EXPECT_EQ(numbersOf(calls.front(), "stageFlags"), std::vector<uint64_t>{VK_SHADER_STAGE_FRAGMENT_BIT});
    EXPECT_EQ(numbersOf(calls.front(), "offset"), std::vector<uint64_t>{16});
    FakeDriver::get<PFN_vkDestroyPipelineLayout>("vkDestroyPipelineLayout")(driver.handle(), layout, nullptr);
    FakeDriver::get<PFN_vkDestroyDescriptorSetLayout>("vkDestroyDescriptorSetLayout")(driver.handle(), set, nullptr);
}

TEST_F(MeshStages, SubpassDependency_NamesVertexShaders)
{
    const VkSubpassDependency dependency{VK_SUBPASS_EXTERNAL, 0, VK_PIPELINE_STAGE_TRANSFER_BIT,
                                         kMesh | VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT};
    VkRenderPassCreateInfo info{VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO};
    info.dependencyCount = 1;
    info.pDependencies = &dependency;
    VkRenderPass pass = VK_NULL_HANDLE;
    const Call call = callOf(
        [&] { FakeDriver::get<PFN_vkCreateRenderPass>("vkCreateRenderPass")(driver.handle(), &info, nullptr, &pass); });
    EXPECT_EQ(call.command, "vkCreateRenderPass");
    EXPECT_EQ(numbersOf(call, "dstStageMask"),
              std::vector<uint64_t>{VK_PIPELINE_STAGE_VERTEX_SHADER_BIT | VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT});
}

// Copies of indirect commands are made in front of the instance.
TEST_F(MeshStages, SubpassThatReadsIndirectCommands_NamesStagesOfGraphics)
{
    VkSubpassDescription subpass{};
    const VkSubpassDependency dependency{VK_SUBPASS_EXTERNAL,
                                         0,
                                         VK_PIPELINE_STAGE_TRANSFER_BIT,
                                         VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT,
                                         VK_ACCESS_MEMORY_WRITE_BIT,
                                         VK_ACCESS_INDIRECT_COMMAND_READ_BIT,
                                         0};
    VkRenderPassCreateInfo info{VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO};
    info.subpassCount = 1;
    info.pSubpasses = &subpass;
    info.dependencyCount = 1;
    info.pDependencies = &dependency;
    VkRenderPass pass = VK_NULL_HANDLE;
    const Call call = callOf(
        [&] { FakeDriver::get<PFN_vkCreateRenderPass>("vkCreateRenderPass")(driver.handle(), &info, nullptr, &pass); });
    EXPECT_EQ(numbersOf(call, "dstStageMask"), std::vector<uint64_t>{VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT});
}

// The layer has enabled geometry shaders for what it makes.
TEST_F(MeshStages, ShaderObjectsWhereOnlyTheLayerHasGeometryShaders_HaveNone)
{
    driver.device().support.meshLimits.fragmentPrimitiveId = true;
    const VkShaderStageFlagBits stages[] = {VK_SHADER_STAGE_VERTEX_BIT, VK_SHADER_STAGE_FRAGMENT_BIT};
    const VkShaderEXT shaders[] = {fakeHandle<VkShaderEXT>(1), fakeHandle<VkShaderEXT>(2)};
    const auto bind = [&] { FakeDriver::get<PFN_vkCmdBindShadersEXT>("vkCmdBindShadersEXT")(cmd, 2, stages, shaders); };
    EXPECT_EQ(numbersOf(callOf(bind), "stageCount"), std::vector<uint64_t>{3});
    driver.device().enabled.geometry = true;
    EXPECT_EQ(numbersOf(callOf(bind), "stageCount"), std::vector<uint64_t>{2});
}

TEST_F(MeshStages, SemaphoreThatWaitsAtMeshShaders_WaitsAtAllCommands)
{
    VkSemaphoreSubmitInfo waits[2] = {{VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO},
                                      {VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO}};
    waits[0].stageMask = VK_PIPELINE_STAGE_2_MESH_SHADER_BIT_EXT;
    waits[1].stageMask = VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT;
    VkSubmitInfo2 info{VK_STRUCTURE_TYPE_SUBMIT_INFO_2};
    info.waitSemaphoreInfoCount = 2;
    info.pWaitSemaphoreInfos = waits;
    const VkQueue queue = driver.queue();
    const Call call =
        callOf([&] { FakeDriver::get<PFN_vkQueueSubmit2>("vkQueueSubmit2")(queue, 1, &info, VK_NULL_HANDLE); });
    EXPECT_EQ(numbersOf(call, "stageMask"), (std::vector<uint64_t>{VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
                                                                   VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT}));
}

// Says of one pipeline that it has mesh shaders.
class FakeMaker final : public layer::PipelineMaker {
public:
    explicit FakeMaker(VkPipeline own) : m_own(own) {}
    bool makes(const VkGraphicsPipelineCreateInfo&) const override { return false; }
    VkResult create(const VkGraphicsPipelineCreateInfo&, VkPipelineCache, const VkAllocationCallbacks*,
                    VkPipeline*) override
    {
        return VK_ERROR_UNKNOWN;
    }
    VkResult createDrawer(const VkGraphicsPipelineCreateInfo&, std::vector<layer::SharedWords>,
                          std::shared_ptr<layer::SequenceLayout>, VkPipelineCache,
                          std::shared_ptr<const layer::ListDrawer>&) override
    {
        return VK_ERROR_UNKNOWN;
    }
    VkResult createDrawer(std::span<const std::shared_ptr<const layer::KeptShader>>, std::vector<layer::SharedWords>,
                          std::shared_ptr<const layer::ListDrawer>&) override
    {
        return VK_ERROR_UNKNOWN;
    }
    bool isMade(VkPipeline pipeline) const override { return pipeline == m_own; }
    void destroyed(VkPipeline) override {}
    VkResult replaceShaders(std::span<VkShaderCreateInfoEXT>, layer::ReplacedCode&) override
    {
        return VK_INCOMPATIBLE_SHADER_BINARY_EXT;
    }
    void shaderCreated(const VkShaderCreateInfoEXT&, VkShaderEXT) override {}
    void shaderDestroyed(VkShaderEXT) override {}

private:
    VkPipeline m_own;
};

// It has no topology of its own, so the one that is set stays.
TEST_F(MeshStages, PipelineBehindOneWithMeshShaders_HasTheTopologyThatWasSet)
{
    const auto mesh = fakeHandle<VkPipeline>(40), plain = fakeHandle<VkPipeline>(41);
    driver.device().pipelineMaker = std::make_shared<FakeMaker>(mesh);
    const auto bind = [&](VkPipeline pipeline) {
        FakeDriver::get<PFN_vkCmdBindPipeline>("vkCmdBindPipeline")(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    };
    const auto set = FakeDriver::get<PFN_vkCmdSetPrimitiveTopology>("vkCmdSetPrimitiveTopology");
    set(cmd, VK_PRIMITIVE_TOPOLOGY_LINE_LIST);
    FakeDriver::get<PFN_vkCmdSetLineWidth>("vkCmdSetLineWidth")(cmd, 1.0f);
    bind(mesh);
    FakeDriver::takeCalls();
    bind(plain);
    const std::vector<Call> behind = FakeDriver::takeCalls();
    ASSERT_EQ(behind.size(), 2u);
    EXPECT_EQ(behind[0].command, "vkCmdSetPrimitiveTopology");
    EXPECT_EQ(numbersOf(behind[0], "primitiveTopology"), std::vector<uint64_t>{VK_PRIMITIVE_TOPOLOGY_LINE_LIST});
    EXPECT_EQ(behind[1].command, "vkCmdBindPipeline");
    bind(plain);
    EXPECT_EQ(FakeDriver::takeCalls().size(), 1u) << "nothing is lost";
}

TEST_F(MeshStages, ShaderObjectsThatCannotBeMade_Refused)
{
    driver.device().pipelineMaker = std::make_shared<FakeMaker>(VK_NULL_HANDLE);
    VkShaderCreateInfoEXT infos[2] = {{VK_STRUCTURE_TYPE_SHADER_CREATE_INFO_EXT},
                                      {VK_STRUCTURE_TYPE_SHADER_CREATE_INFO_EXT}};
    infos[0].stage = VK_SHADER_STAGE_FRAGMENT_BIT;
    infos[1].stage = VK_SHADER_STAGE_MESH_BIT_EXT;
    VkShaderEXT shaders[2] = {fakeHandle<VkShaderEXT>(1), fakeHandle<VkShaderEXT>(2)};
    VkResult result = VK_SUCCESS;
    const Call call = callOf([&] {
        result =
            FakeDriver::get<PFN_vkCreateShadersEXT>("vkCreateShadersEXT")(driver.handle(), 2, infos, nullptr, shaders);
    });
    EXPECT_EQ(result, VK_INCOMPATIBLE_SHADER_BINARY_EXT);
    EXPECT_EQ(call.command, "");
    EXPECT_EQ(shaders[0], VkShaderEXT{});
}

TEST_F(MeshStages, NoShaderObjectForMeshShaders_NothingOfThemReachesTheDriver)
{
    driver.device().enabled.geometry = true;
    const VkShaderStageFlagBits stages[] = {VK_SHADER_STAGE_TASK_BIT_EXT, VK_SHADER_STAGE_VERTEX_BIT,
                                            VK_SHADER_STAGE_MESH_BIT_EXT};
    const VkShaderEXT shaders[] = {VK_NULL_HANDLE, fakeHandle<VkShaderEXT>(5), VK_NULL_HANDLE};
    const Call call =
        callOf([&] { FakeDriver::get<PFN_vkCmdBindShadersEXT>("vkCmdBindShadersEXT")(cmd, 3, stages, shaders); });
    EXPECT_EQ(numbersOf(call, "stageCount"), std::vector<uint64_t>{1});
}

// Where the driver has mesh shaders itself everything stays as it is.
TEST_F(MeshStages, DriverKnowsThem_NothingChanges)
{
    driver.device().uses &= ~uint32_t{layer::kUseMesh};
    const Call call = barrier(kMesh, kMesh);
    EXPECT_EQ(numbersOf(call, "srcStageMask"), std::vector<uint64_t>{kMesh});
}

}  // namespace

}  // namespace millrace::layertest
