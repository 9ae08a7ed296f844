// SPDX-License-Identifier: Apache-2.0
// Execution graphs from stages and libraries, caches, feedback, and what must not reach the driver.
#include <gtest/gtest.h>

#include "layer/test_device.h"
#include "shaders/layer_test_shaders.h"

namespace millrace::layertest {

namespace {

class Pipelines : public testing::Test {
protected:
    VkResult create(const std::vector<VkPipelineShaderStageCreateInfo>& stages,
                    const std::vector<VkPipeline>& libraries, VkPipeline& out, VkPipelineCreateFlags2 flags = 0,
                    VkPipelineCache cache = VK_NULL_HANDLE, const void* chain = nullptr)
    {
        VkPipelineCreateFlags2CreateInfo flags2{VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO, chain};
        flags2.flags = flags;
        VkPipelineLibraryCreateInfoKHR library{VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR};
        library.libraryCount = static_cast<uint32_t>(libraries.size());
        library.pLibraries = libraries.data();
        VkExecutionGraphPipelineCreateInfoAMDX info{VK_STRUCTURE_TYPE_EXECUTION_GRAPH_PIPELINE_CREATE_INFO_AMDX};
        info.pNext = &flags2;
        info.stageCount = static_cast<uint32_t>(stages.size());
        info.pStages = stages.data();
        info.pLibraryInfo = libraries.empty() ? nullptr : &library;
        info.layout = device.layout;
        info.basePipelineIndex = -1;
        const VkResult result = device.createGraphs(device.handle, cache, 1, &info, nullptr, &out);
        if (out)
            device.onDestroy([this, own = out] { vkDestroyPipeline(device.handle, own, nullptr); });
        return result;
    }

    VkPipeline computeLibrary(VkPipelineShaderStageCreateInfo stage, VkPipelineCreateFlags2 flags)
    {
        VkPipelineCreateFlags2CreateInfo flags2{VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO};
        flags2.flags = flags;
        VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO, &flags2};
        info.stage = stage;
        info.layout = device.layout;
        info.basePipelineIndex = -1;
        VkPipeline out = VK_NULL_HANDLE;
        MILLRACE_CHECK(vkCreateComputePipelines(device.handle, VK_NULL_HANDLE, 1, &info, nullptr, &out));
        device.onDestroy([this, out] { vkDestroyPipeline(device.handle, out, nullptr); });
        return out;
    }

    // level_a sends n payloads to level_b, the grid of payload i is i + 1.
    void expectTwoLevels(VkPipeline pipeline)
    {
        const Graph graph{pipeline, device.createScratch(pipeline, Scratch::Ample)};
        const Buffer out = device.createBuffer(256);
        VkCommandBuffer cmd = device.begin();
        device.prepare(cmd, graph, device.createSet(out));
        device.dispatch(cmd, graph, "a", 1, {3});
        device.submitAndWait(cmd);
        EXPECT_EQ(out.words[0], 4u);
        EXPECT_EQ(out.words[2], 12u);
        EXPECT_EQ(out.words[3], 0u);
    }

    static constexpr VkPipelineCreateFlags2 kNode =
        VK_PIPELINE_CREATE_2_LIBRARY_BIT_KHR | VK_PIPELINE_CREATE_2_EXECUTION_GRAPH_BIT_AMDX;

    TestDevice device;
};

TEST_F(Pipelines, NestedLibraries)
{
    const VkPipeline a = computeLibrary(TestDevice::stage(device.createProgram("level_a"), "a"), kNode);
    VkPipeline inner = VK_NULL_HANDLE;
    VkPipeline outer = VK_NULL_HANDLE;
    VkPipeline graph = VK_NULL_HANDLE;
    MILLRACE_CHECK(create({}, {a}, inner, VK_PIPELINE_CREATE_2_LIBRARY_BIT_KHR));
    MILLRACE_CHECK(create({TestDevice::stage(device.createProgram("level_b"), "b")}, {inner}, outer,
                          VK_PIPELINE_CREATE_2_LIBRARY_BIT_KHR));
    MILLRACE_CHECK(create({}, {outer}, graph));
    expectTwoLevels(graph);
}

TEST_F(Pipelines, LibrariesAndModules_MayGoBeforeTheGraph)
{
    std::vector<uint32_t> a = TestDevice::programWords("level_a");
    std::vector<uint32_t> b = TestDevice::programWords("level_b");
    VkShaderModuleCreateInfo moduleInfo{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
    moduleInfo.codeSize = a.size() * 4;
    moduleInfo.pCode = a.data();
    VkShaderModule module = VK_NULL_HANDLE;
    MILLRACE_CHECK(vkCreateShaderModule(device.handle, &moduleInfo, nullptr, &module));
    std::string name = "a";
    VkPipelineShaderStageNodeCreateInfoAMDX node{VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_NODE_CREATE_INFO_AMDX};
    node.pName = name.c_str();
    node.index = VK_SHADER_INDEX_UNUSED_AMDX;
    VkPipelineShaderStageCreateInfo stage = TestDevice::stage(module, "a");
    stage.pNext = &node;
    VkPipelineCreateFlags2CreateInfo flags2{VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO};
    flags2.flags = kNode;
    VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO, &flags2};
    info.stage = stage;
    info.layout = device.layout;
    VkPipeline library = VK_NULL_HANDLE;
    MILLRACE_CHECK(vkCreateComputePipelines(device.handle, VK_NULL_HANDLE, 1, &info, nullptr, &library));
    vkDestroyShaderModule(device.handle, module, nullptr);
    name = "overwritten";

    // Code without a module, chained to the stage.
    VkShaderModuleCreateInfo code{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
    code.codeSize = b.size() * 4;
    code.pCode = b.data();
    VkPipelineShaderStageCreateInfo chained = TestDevice::stage(VK_NULL_HANDLE, "b");
    chained.pNext = &code;
    VkPipeline graph = VK_NULL_HANDLE;
    MILLRACE_CHECK(create({chained}, {library}, graph));
    vkDestroyPipeline(device.handle, library, nullptr);
    std::fill(b.begin(), b.end(), 0);
    expectTwoLevels(graph);
}

TEST_F(Pipelines, NamesAndIndices)
{
    VkPipelineShaderStageNodeCreateInfoAMDX info{VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_NODE_CREATE_INFO_AMDX};
    info.pName = "other";
    info.index = 3;
    VkPipelineShaderStageCreateInfo stage = TestDevice::stage(device.createProgram("single_struct"), "fill");
    VkPipeline plain = VK_NULL_HANDLE;
    VkPipeline renamed = VK_NULL_HANDLE;
    MILLRACE_CHECK(create({stage}, {}, plain));
    stage.pNext = &info;
    MILLRACE_CHECK(create({stage}, {}, renamed));
    VkPipelineShaderStageNodeCreateInfoAMDX query{VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_NODE_CREATE_INFO_AMDX};
    uint32_t index = 77;
    query.pName = "fill";
    EXPECT_EQ(device.getNodeIndex(device.handle, plain, &query, &index), VK_SUCCESS);
    EXPECT_EQ(index, 0u);
    query.pName = "other";
    query.index = 3;
    EXPECT_EQ(device.getNodeIndex(device.handle, renamed, &query, &index), VK_SUCCESS);
}

// A compute shader that knows nothing of the extension is a node with the implicit grid payload.
TEST_F(Pipelines, PlainComputeShader_AsNode)
{
    const Graph graph = device.createGraph({TestDevice::stage(device.createModule(shaders::store), "main")});
    const Buffer out = device.createBuffer(256);
    VkCommandBuffer cmd = device.begin();
    device.prepare(cmd, graph, device.createSet(out));
    const uint32_t push[] = {4, 9};
    vkCmdPushConstants(cmd, device.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, 8, push);
    device.dispatch(cmd, graph, "main", 1, {3, 1, 1});
    device.submitAndWait(cmd);
    EXPECT_EQ((std::vector<uint32_t>(out.words + 3, out.words + 8)), (std::vector<uint32_t>{0, 9, 9, 9, 0}));
}

TEST_F(Pipelines, LinkErrors_NameTheRule)
{
    VkPipeline graph = VK_NULL_HANDLE;
    EXPECT_LT(create({TestDevice::stage(device.createProgram("level_a"), "a")}, {}, graph), 0);
    EXPECT_EQ(graph, VK_NULL_HANDLE);
    device.instance.expectMessage("VUID-VkExecutionGraphPipelineCreateInfoAMDX-flags-10184");
    const VkPipelineShaderStageCreateInfo twice = TestDevice::stage(device.createProgram("recurse"), "recurse");
    EXPECT_LT(create({twice, twice}, {}, graph), 0);
    device.instance.expectMessage("VUID-VkExecutionGraphPipelineCreateInfoAMDX-None-09134");
}

TEST_F(Pipelines, NoSuchEntryPoint_Fails)
{
    VkPipeline graph = VK_NULL_HANDLE;
    EXPECT_LT(create({TestDevice::stage(device.createProgram("recurse"), "wrong")}, {}, graph), 0);
    device.instance.expectMessage("Millrace-graph-creation");
}

TEST_F(Pipelines, CapabilityInOrdinaryPipeline_Refused)
{
    VkComputePipelineCreateInfo infos[2] = {{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO},
                                            {VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO}};
    infos[0].stage = TestDevice::stage(device.createProgram("recurse"), "recurse");
    infos[1].stage = TestDevice::stage(device.createModule(shaders::store), "main");
    infos[0].layout = infos[1].layout = device.layout;
    VkPipeline pipelines[2] = {};
    EXPECT_LT(vkCreateComputePipelines(device.handle, VK_NULL_HANDLE, 2, infos, nullptr, pipelines), 0);
    EXPECT_EQ(pipelines[0], VK_NULL_HANDLE);
    EXPECT_NE(pipelines[1], VK_NULL_HANDLE) << "one failure does not stop the others";
    device.instance.expectMessage("VUID-VkComputePipelineCreateInfo-flags-09178");
    vkDestroyPipeline(device.handle, pipelines[1], nullptr);
    pipelines[1] = VK_NULL_HANDLE;

    infos[0].flags = infos[1].flags = VK_PIPELINE_CREATE_EARLY_RETURN_ON_FAILURE_BIT;
    EXPECT_LT(vkCreateComputePipelines(device.handle, VK_NULL_HANDLE, 2, infos, nullptr, pipelines), 0);
    EXPECT_EQ(pipelines[1], VK_NULL_HANDLE);
    device.instance.expectMessage("VUID-VkComputePipelineCreateInfo-flags-09178");
}

TEST_F(Pipelines, CacheAndFeedback)
{
    VkPipelineCacheCreateInfo cacheInfo{VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
    VkPipelineCache cache = VK_NULL_HANDLE;
    MILLRACE_CHECK(vkCreatePipelineCache(device.handle, &cacheInfo, nullptr, &cache));
    device.onDestroy([this, cache] { vkDestroyPipelineCache(device.handle, cache, nullptr); });
    const std::vector<VkPipelineShaderStageCreateInfo> stages = {
        TestDevice::stage(device.createProgram("level_a"), "a"),
        TestDevice::stage(device.createProgram("level_b"), "b")};
    VkPipeline graph = VK_NULL_HANDLE;
    EXPECT_EQ(create(stages, {}, graph, VK_PIPELINE_CREATE_2_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT, cache),
              VK_PIPELINE_COMPILE_REQUIRED);
    EXPECT_EQ(graph, VK_NULL_HANDLE);

    VkPipelineCreationFeedback whole{};
    VkPipelineCreationFeedback each[2]{};
    VkPipelineCreationFeedbackCreateInfo feedback{VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO};
    feedback.pPipelineCreationFeedback = &whole;
    feedback.pipelineStageCreationFeedbackCount = 2;
    feedback.pPipelineStageCreationFeedbacks = each;
    MILLRACE_CHECK(create(stages, {}, graph, 0, cache, &feedback));
    EXPECT_TRUE(whole.flags & VK_PIPELINE_CREATION_FEEDBACK_VALID_BIT);
    EXPECT_GT(whole.duration, 0u);
    for (const VkPipelineCreationFeedback& stage : each)
        EXPECT_TRUE(stage.flags & VK_PIPELINE_CREATION_FEEDBACK_VALID_BIT);
    expectTwoLevels(graph);
}

TEST_F(Pipelines, EarlyReturn_LeavesTheRestUntried)
{
    const VkPipelineShaderStageCreateInfo stages[] = {TestDevice::stage(device.createProgram("recurse"), "wrong"),
                                                      TestDevice::stage(device.createProgram("recurse"), "recurse")};
    VkExecutionGraphPipelineCreateInfoAMDX infos[2];
    for (size_t i = 0; i < 2; ++i) {
        infos[i] = {VK_STRUCTURE_TYPE_EXECUTION_GRAPH_PIPELINE_CREATE_INFO_AMDX};
        infos[i].stageCount = 1;
        infos[i].pStages = &stages[i];
        infos[i].layout = device.layout;
        infos[i].basePipelineIndex = -1;
    }
    VkPipeline graphs[2] = {};
    EXPECT_LT(device.createGraphs(device.handle, VK_NULL_HANDLE, 2, infos, nullptr, graphs), 0);
    EXPECT_EQ(graphs[0], VkPipeline{});
    EXPECT_NE(graphs[1], VkPipeline{}) << "one failure does not stop the others";
    device.instance.expectMessage("Millrace-graph-creation");
    vkDestroyPipeline(device.handle, graphs[1], nullptr);
    infos[0].flags = VK_PIPELINE_CREATE_EARLY_RETURN_ON_FAILURE_BIT;
    EXPECT_LT(device.createGraphs(device.handle, VK_NULL_HANDLE, 2, infos, nullptr, graphs), 0);
    EXPECT_EQ(graphs[1], VkPipeline{});
    device.instance.expectMessage("Millrace-graph-creation");

    // Nothing is an error here, only missing in the cache.
    infos[0].pStages = &stages[1];
    infos[0].flags |= VK_PIPELINE_CREATE_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT;
    EXPECT_EQ(device.createGraphs(device.handle, VK_NULL_HANDLE, 2, infos, nullptr, graphs),
              VK_PIPELINE_COMPILE_REQUIRED);
    EXPECT_EQ(graphs[0], VkPipeline{});
    EXPECT_EQ(graphs[1], VkPipeline{});
    infos[0].flags = VK_PIPELINE_CREATE_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT;
    EXPECT_EQ(device.createGraphs(device.handle, VK_NULL_HANDLE, 2, infos, nullptr, graphs),
              VK_PIPELINE_COMPILE_REQUIRED);
    EXPECT_EQ(graphs[0], VkPipeline{});
    EXPECT_NE(graphs[1], VkPipeline{});
    vkDestroyPipeline(device.handle, graphs[1], nullptr);
}

// Graphics pipelines with the bit need shaderMeshEnqueue.
TEST_F(Pipelines, MeshNode_Refused)
{
    VkPipelineCreateFlags2CreateInfo flags2{VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO};
    flags2.flags = kNode;
    VkGraphicsPipelineCreateInfo info{VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO, &flags2};
    VkPipeline pipeline = VK_NULL_HANDLE;
    EXPECT_LT(vkCreateGraphicsPipelines(device.handle, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline), 0);
    device.instance.expectMessage("VUID-VkExecutionGraphPipelineCreateInfoAMDX-shaderMeshEnqueue-10182");
}

// Ordinary pipelines with structures of VK_KHR_maintenance5, which a driver may not know.
TEST_F(Pipelines, OrdinaryPipelineWithMaintenance5Structures)
{
    VkShaderModuleCreateInfo code{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
    code.codeSize = shaders::store.size_bytes();
    code.pCode = shaders::store.data();
    VkPipelineCreateFlags2CreateInfo flags2{VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO};
    flags2.flags = VK_PIPELINE_CREATE_2_DISABLE_OPTIMIZATION_BIT;
    VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO, &flags2};
    info.stage = TestDevice::stage(VK_NULL_HANDLE, "main");
    info.stage.pNext = &code;
    info.layout = device.layout;
    VkPipeline pipeline = VK_NULL_HANDLE;
    MILLRACE_CHECK(vkCreateComputePipelines(device.handle, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline));
    vkDestroyPipeline(device.handle, pipeline, nullptr);
}

}  // namespace

}  // namespace millrace::layertest
