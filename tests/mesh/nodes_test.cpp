// SPDX-License-Identifier: Apache-2.0
// Mesh shaders as nodes of execution graphs: pictures that are what the host paints.
#include <gtest/gtest.h>

#include <optional>

#include "harness/temporary_folder.h"
#include "mesh/counts.h"
#include "mesh/node_shaders.h"
#include "trace/collect.h"
#include "trace/file.h"

namespace millrace::meshtest {

namespace {

constexpr VkPipelineCreateFlags2 kNodeFlags =
    VK_PIPELINE_CREATE_2_LIBRARY_BIT_KHR | VK_PIPELINE_CREATE_2_EXECUTION_GRAPH_BIT_AMDX;

struct NodeName {
    const char* name = "cells";
    uint32_t index = 0;
};

struct CellsPayload {
    uint32_t grid[3];
    uint32_t x;
    uint32_t y;
};

VkPhysicalDeviceShaderEnqueueFeaturesAMDX enqueueFeatures(const layertest::InstanceOptions& options)
{
    const layertest::TestInstance instance(options);
    VkPhysicalDeviceShaderEnqueueFeaturesAMDX enqueue{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ENQUEUE_FEATURES_AMDX};
    VkPhysicalDeviceFeatures2 features{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &enqueue};
    vkGetPhysicalDeviceFeatures2(instance.physical, &features);
    return enqueue;
}

class MeshNodes : public testing::TestWithParam<Provider> {
protected:
    explicit MeshNodes(Beside beside = Beside::Nothing) : m_beside(beside) {}

    void SetUp() override
    {
        if (GetParam() == Provider::Nodes && !driverHasMeshShaders())
            GTEST_SKIP() << "the driver lacks VK_EXT_mesh_shader";
        m_device.emplace(GetParam(), m_beside);
        m_picture.emplace(*m_device);
    }
    void TearDown() override
    {
        m_picture.reset();
        m_device.reset();
    }
    // Anew, with that setting.
    void traceTo(const std::string& path)
    {
        TearDown();
        m_device.emplace(GetParam(), m_beside, path);
        m_picture.emplace(*m_device);
    }

    MeshDevice& meshDevice() { return *m_device; }
    layertest::TestDevice& device() { return m_device->device; }
    Picture& picture() { return *m_picture; }

    static VkPipelineShaderStageNodeCreateInfoAMDX infoOf(const NodeName& name)
    {
        VkPipelineShaderStageNodeCreateInfoAMDX info{VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_NODE_CREATE_INFO_AMDX};
        info.pName = name.name;
        info.index = name.index;
        return info;
    }

    VkPipeline createMeshNode(const NodeName& name = {}, const Definitions& definitions = {})
    {
        const std::vector<uint32_t> words = compileNode(kCellsNode, definitions);
        const VkPipelineShaderStageNodeCreateInfoAMDX info = infoOf(name);
        const bool shares = !definitions.empty() && definitions[0].first == "SHARES";
        return meshDevice().createPipeline(
            {.mesh = words, .entry = shares ? "more" : "cells", .node = &info, .flags = kNodeFlags});
    }

    VkPipeline createRowNode(const Definitions& definitions = {})
    {
        VkPipelineCreateFlags2CreateInfo flags{VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO};
        flags.flags = kNodeFlags;
        VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO, &flags};
        info.stage = layertest::TestDevice::stage(device().createModule(compileNode(kRowNode, definitions)), "row");
        info.layout = meshDevice().layout;
        VkPipeline pipeline = VK_NULL_HANDLE;
        MILLRACE_CHECK(vkCreateComputePipelines(device().handle, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline));
        device().onDestroy([this, pipeline] { vkDestroyPipeline(device().handle, pipeline, nullptr); });
        return pipeline;
    }

    VkResult createGraph(const std::vector<VkPipeline>& libraries, VkPipeline& pipeline)
    {
        VkPipelineLibraryCreateInfoKHR list{VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR};
        list.libraryCount = static_cast<uint32_t>(libraries.size());
        list.pLibraries = libraries.data();
        VkExecutionGraphPipelineCreateInfoAMDX info{VK_STRUCTURE_TYPE_EXECUTION_GRAPH_PIPELINE_CREATE_INFO_AMDX};
        info.pLibraryInfo = &list;
        info.layout = meshDevice().layout;
        info.basePipelineIndex = -1;
        const VkResult result = device().createGraphs(device().handle, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline);
        device().onDestroy([this, pipeline] { vkDestroyPipeline(device().handle, pipeline, nullptr); });
        return result;
    }

    layertest::Graph createGraph(const std::vector<VkPipeline>& libraries,
                                 layertest::Scratch scratch = layertest::Scratch::Ample)
    {
        layertest::Graph graph;
        MILLRACE_CHECK(createGraph(libraries, graph.pipeline));
        graph.scratch = device().createScratch(graph.pipeline, scratch);
        return graph;
    }

    // Initializes and binds.
    void prepare(VkCommandBuffer cmd, const layertest::Graph& graph, VkDescriptorSet set)
    {
        picture().prepare(cmd);
        device().cmdInitialize(cmd, graph.pipeline, graph.scratch.address, graph.scratch.size);
        layertest::TestDevice::barrier(cmd);
        bindGraph(cmd, graph, set);
    }
    void bindGraph(VkCommandBuffer cmd, const layertest::Graph& graph, VkDescriptorSet set)
    {
        constexpr auto kGraph = VK_PIPELINE_BIND_POINT_EXECUTION_GRAPH_AMDX;
        vkCmdBindPipeline(cmd, kGraph, graph.pipeline);
        vkCmdBindDescriptorSets(cmd, kGraph, meshDevice().layout, 0, 1, &set, 0, nullptr);
    }
    void pushConstants(VkCommandBuffer cmd, uint32_t firstCell = 0)
    {
        vkCmdPushConstants(cmd, meshDevice().layout, kMeshStages, 0, sizeof firstCell, &firstCell);
        const float alpha = static_cast<float>(kAlpha) / 255;
        vkCmdPushConstants(cmd, meshDevice().layout, VK_SHADER_STAGE_FRAGMENT_BIT, 16, sizeof alpha, &alpha);
    }
    Pixels finish(VkCommandBuffer cmd)
    {
        picture().copy(cmd);
        device().submitAndWait(cmd);
        return picture().pixels();
    }

    // One dispatch in an instance.
    Pixels draw(const layertest::Graph& graph, const std::vector<Cell>& cells, const char* node, uint32_t count,
                const std::vector<uint32_t>& words, bool fromDevice = false)
    {
        const VkCommandBuffer cmd = device().begin();
        prepare(cmd, graph, picture().createSet(cells));
        picture().begin(cmd);
        pushConstants(cmd);
        if (fromDevice)
            device().dispatchIndirect(cmd, graph, node, count, words);
        else
            device().dispatch(cmd, graph, node, count, words);
        vkCmdEndRendering(cmd);
        return finish(cmd);
    }

    static std::vector<uint32_t> wordsOf(const std::vector<CellsPayload>& payloads)
    {
        std::vector<uint32_t> words;
        for (const CellsPayload& payload : payloads)
            words.insert(words.end(), {payload.grid[0], payload.grid[1], payload.grid[2], payload.x, payload.y});
        return words;
    }
    // Many workgroups draw outside of the picture, with as many outputs as they may have; all of these cells are drawn
    // as well, half in front of that and half behind.
    static std::vector<CellsPayload> manyPayloads(std::vector<Cell>& cells)
    {
        cells.resize(size_t{2} * kCells * kCells);
        std::vector<CellsPayload> payloads{{{8, 4, 1}, 0, 0}};
        payloads.insert(payloads.end(), 600, {{8, 8, 1}, 0, kCells});
        payloads.push_back({{8, 4, 1}, 0, 4});
        return payloads;
    }
    static Pixels clear() { return Pixels(size_t{kSize} * kSize, kClear); }
    static Pixels expected(const std::vector<Cell>& cells)
    {
        Pixels pixels = clear();
        paint(pixels, cells, kCells, kCells);
        return pixels;
    }

private:
    const Beside m_beside;
    std::optional<MeshDevice> m_device;
    std::optional<Picture> m_picture;
};

TEST_P(MeshNodes, Feature_IsThereWhereTheSettingIs)
{
    layertest::InstanceOptions options = instanceOptions(GetParam());
    EXPECT_EQ(enqueueFeatures(options).shaderMeshEnqueue, VK_TRUE);
    options.settings.erase("enable");
    EXPECT_EQ(enqueueFeatures(options).shaderMeshEnqueue, VK_FALSE);
}

TEST_P(MeshNodes, Entry_DrawsWhatTheHostDispatches)
{
    const std::vector<Cell> cells = randomCells(40);
    const layertest::Graph graph = createGraph({createMeshNode()});
    EXPECT_EQ(draw(graph, cells, "cells", 2, wordsOf({{{8, 4, 1}, 0, 0}, {{8, 4, 1}, 0, 4}})), expected(cells));
}

// NVIDIA's driver gives out something where a mesh shader does not call SetMeshOutputsEXT().
TEST_P(MeshNodes, WorkgroupsThatLeaveEarly_GiveNothingOut)
{
    std::vector<Cell> cells = randomCells(45);
    const std::vector<uint32_t> payloads = wordsOf({{{8, 4, 1}, 0, 0}, {{8, 4, 1}, 0, 4}});
    const layertest::Graph graph = createGraph({createMeshNode({}, {{"LEAVES", ""}})});
    const Pixels found = draw(graph, cells, "cells", 2, payloads);
    for (size_t cell = 1; cell < cells.size(); cell += 3)
        cells[cell].count = 0;
    EXPECT_EQ(found, expected(cells));
}

TEST_P(MeshNodes, Traced_CountsWhatTheHostCounts)
{
    const TemporaryFolder folder;
    const std::string path = folder.file("a.mrtrace");
    traceTo(path);
    const std::vector<Cell> cells = randomCells(44);
    const layertest::Graph graph = createGraph({createMeshNode()});
    EXPECT_EQ(draw(graph, cells, "cells", 2, wordsOf({{{8, 4, 1}, 0, 0}, {{8, 4, 1}, 0, 4}})), expected(cells));
    TearDown();
    trace::Collector found;
    const Status status = trace::read(trace::readBytes(path), found);
    ASSERT_TRUE(status) << status.error().text();
    ASSERT_EQ(found.meshPipelines.size(), 1u);
    ASSERT_EQ(found.meshWorks.size(), 1u);
    expectCounts(found.meshWorks[0], countsOf(cells));
}

TEST_P(MeshNodes, Entry_DrawsWhatTheDeviceDispatches)
{
    const std::vector<Cell> cells = randomCells(41);
    const layertest::Graph graph = createGraph({createMeshNode()}, layertest::Scratch::Minimum);
    std::vector<CellsPayload> payloads;
    for (uint32_t y = 0; y < kCells; ++y)
        payloads.push_back({{kCells, 1, 1}, 0, y});
    EXPECT_EQ(draw(graph, cells, "cells", kCells, wordsOf(payloads), true), expected(cells));
}

// Where the layer runs mesh shaders, that is more than the memory which they begin with.
TEST_P(MeshNodes, ManyOutputs_AreDrawnWhole)
{
    std::vector<Cell> cells = randomCells(39);
    const Pixels wanted = expected(cells);
    const std::vector<CellsPayload> payloads = manyPayloads(cells);
    const layertest::Graph graph = createGraph({createMeshNode()});
    EXPECT_EQ(draw(graph, cells, "cells", static_cast<uint32_t>(payloads.size()), wordsOf(payloads)), wanted);
}

TEST_P(MeshNodes, StaticGrid_IsTheNodes)
{
    const std::vector<Cell> cells = randomCells(42);
    const layertest::Graph graph = createGraph({createMeshNode({}, {{"STATIC_GRID", ""}})});
    std::vector<uint32_t> payloads;
    for (uint32_t y = 0; y < kCells; ++y)
        payloads.insert(payloads.end(), {0, y, 4, y});
    EXPECT_EQ(draw(graph, cells, "cells", 2 * kCells, payloads), expected(cells));
}

TEST_P(MeshNodes, ComputeNodes_SendWhatIsDrawn)
{
    const std::vector<Cell> cells = randomCells(43);
    const layertest::Graph graph = createGraph({createRowNode(), createMeshNode()});
    EXPECT_EQ(draw(graph, cells, "row", kCells, {0, 1, 2, 3, 4, 5, 6, 7}), expected(cells));
}

// The command buffer is split: what is drawn comes of several sweeps.
TEST_P(MeshNodes, ComputeNodesOfASplitGraph_SendWhatIsDrawn)
{
    const std::vector<Cell> cells = randomCells(44);
    const layertest::Graph graph = createGraph({createRowNode(), createMeshNode()}, layertest::Scratch::Minimum);
    EXPECT_EQ(draw(graph, cells, "row", kCells, {0, 1, 2, 3, 4, 5, 6, 7}, true), expected(cells));
}

TEST_P(MeshNodes, NodesOfAnArray_KnowTheirIndex)
{
    const std::vector<Cell> cells = randomCells(45);
    const layertest::Graph graph =
        createGraph({createRowNode({{"ARRAY", ""}}), createMeshNode({"cells", 1}), createMeshNode({"cells", 0})});
    Pixels wanted = clear();
    Pixels odd = clear();
    paint(wanted, cells, kCells, kCells);
    paint(odd, cells, kCells, kCells, 7);
    for (size_t i = 0; i < wanted.size(); ++i)
        if (i / kSize / 8 % 2 == 1)
            wanted[i] = odd[i];
    EXPECT_EQ(draw(graph, cells, "row", kCells, {0, 1, 2, 3, 4, 5, 6, 7}), wanted);
}

TEST_P(MeshNodes, SharedInput_IsDrawnByEach)
{
    const std::vector<Cell> cells = randomCells(46);
    const layertest::Graph graph = createGraph({createMeshNode(), createMeshNode({"more", 0}, {{"SHARES", ""}})});
    EXPECT_EQ(draw(graph, cells, "cells", 1, wordsOf({{{8, 4, 1}, 0, 0}})), expected(cells));
}

TEST_P(MeshNodes, State_IsTheApplicationsBehindTheDispatch)
{
    const std::vector<Cell> cells = randomCells(47);
    const layertest::Graph graph = createGraph({createMeshNode()});
    const VkPipeline pipeline = meshDevice().createPipeline();
    const VkDescriptorSet set = picture().createSet(cells);
    const VkDescriptorSet other = picture().createSet({cells.rbegin(), cells.rend()});
    const VkCommandBuffer cmd = device().begin();
    prepare(cmd, graph, other);
    picture().begin(cmd);
    picture().bind(cmd, pipeline, set);
    meshDevice().cmdDraw(cmd, kCells, 2, 1);
    device().dispatch(cmd, graph, "cells", 1, wordsOf({{{8, 3, 1}, 0, 2}}));
    meshDevice().cmdDraw(cmd, kCells, 1, 1);
    vkCmdEndRendering(cmd);
    Pixels wanted = clear();
    paint(wanted, cells, kCells, 2);
    Pixels nodes = clear();
    paint(nodes, {cells.rbegin(), cells.rend()}, kCells, 5);
    std::copy(nodes.begin() + 16 * kSize, nodes.begin() + 40 * kSize, wanted.begin() + 16 * kSize);
    EXPECT_EQ(finish(cmd), wanted);
}

class MeshNodesInParts : public MeshNodes {
protected:
    MeshNodesInParts() : MeshNodes(Beside::Libraries) {}

    void SetUp() override
    {
        if (!driverHas(Beside::Libraries))
            GTEST_SKIP() << "the driver lacks VK_EXT_graphics_pipeline_library";
        MeshNodes::SetUp();
    }
    VkPipeline createLinkedNode(Linking linking, VkRenderPass pass = VK_NULL_HANDLE)
    {
        const std::vector<uint32_t> words = compileNode(kCellsNode);
        const VkPipelineShaderStageNodeCreateInfoAMDX info = infoOf({});
        return meshDevice().createPipeline({.mesh = words,
                                            .renderPass = pass,
                                            .entry = "cells",
                                            .node = &info,
                                            .flags = kNodeFlags,
                                            .linking = linking});
    }
};

TEST_P(MeshNodesInParts, LinkedParts_DrawAsOneMadeAtOnce)
{
    const std::vector<Cell> cells = randomCells(56);
    for (const Linking linking : {Linking::Libraries, Linking::LibrariesOfLibraries}) {
        const layertest::Graph graph = createGraph({createRowNode(), createLinkedNode(linking)});
        EXPECT_EQ(draw(graph, cells, "row", kCells, {0, 1, 2, 3, 4, 5, 6, 7}), expected(cells));
    }
}

TEST_P(MeshNodesInParts, LinkedPartsOfARenderPass_DrawAsOneMadeAtOnce)
{
    const std::vector<Cell> cells = randomCells(57);
    const VkRenderPass pass = device().createRenderPass();
    const layertest::Graph graph = createGraph({createLinkedNode(Linking::Libraries, pass)});
    const VkCommandBuffer cmd = device().begin();
    prepare(cmd, graph, picture().createSet(cells));
    pushConstants(cmd);
    Picture::setState(cmd);
    picture().beginPass(cmd, pass);
    device().dispatch(cmd, graph, "cells", 1, wordsOf({{{8, 8, 1}, 0, 0}}));
    vkCmdEndRenderPass(cmd);
    EXPECT_EQ(finish(cmd), expected(cells));
}

TEST_P(MeshNodesInParts, PartAlone_IsNoLibraryOfAGraph)
{
    VkPipeline graph = VK_NULL_HANDLE;
    EXPECT_EQ(createGraph({createLinkedNode(Linking::PartAlone)}, graph), VK_ERROR_VALIDATION_FAILED_EXT);
    device().instance.expectMessage("VUID-VkExecutionGraphPipelineCreateInfoAMDX-pLibraryInfo-10183");
}

class MeshNodesInPasses : public MeshNodes {
protected:
    void SetUp() override
    {
        MeshNodes::SetUp();
        if (IsSkipped())
            return;
        m_pass = device().createRenderPass();
    }

    VkPipeline createMeshNodeOfPass()
    {
        const std::vector<uint32_t> words = compileNode(kCellsNode);
        const VkPipelineShaderStageNodeCreateInfoAMDX info = infoOf({});
        return meshDevice().createPipeline(
            {.mesh = words, .renderPass = m_pass, .entry = "cells", .node = &info, .flags = kNodeFlags});
    }
    void beginPass(VkCommandBuffer cmd) { picture().beginPass(cmd, m_pass); }
    VkRenderPass pass() const { return m_pass; }

private:
    VkRenderPass m_pass = VK_NULL_HANDLE;
};

TEST_P(MeshNodesInPasses, ComputeNodes_RunInFront)
{
    const std::vector<Cell> cells = randomCells(51);
    const layertest::Graph graph = createGraph({createRowNode(), createMeshNodeOfPass()});
    const VkCommandBuffer cmd = device().begin();
    prepare(cmd, graph, picture().createSet(cells));
    pushConstants(cmd);
    Picture::setState(cmd);
    beginPass(cmd);
    device().dispatch(cmd, graph, "row", 4, {0, 1, 2, 3});
    device().dispatch(cmd, graph, "row", 4, {4, 5, 6, 7});
    vkCmdEndRenderPass(cmd);
    EXPECT_EQ(finish(cmd), expected(cells));
}

TEST_P(MeshNodesInPasses, DrawsOfTheApplication_KeepTheirState)
{
    const std::vector<Cell> cells = randomCells(52);
    const layertest::Graph graph = createGraph({createMeshNodeOfPass()});
    const VkPipeline pipeline = meshDevice().createPipeline({.renderPass = pass()});
    const VkDescriptorSet set = picture().createSet(cells);
    const VkCommandBuffer cmd = device().begin();
    prepare(cmd, graph, set);
    Picture::setState(cmd);
    beginPass(cmd);
    picture().bind(cmd, pipeline, set);
    device().dispatch(cmd, graph, "cells", 1, wordsOf({{{8, 6, 1}, 0, 2}}));
    meshDevice().cmdDraw(cmd, kCells, 2, 1);
    vkCmdEndRenderPass(cmd);
    EXPECT_EQ(finish(cmd), expected(cells));
}

TEST_P(MeshNodesInPasses, ManyOutputs_AreDrawnWhole)
{
    std::vector<Cell> cells = randomCells(55);
    const Pixels wanted = expected(cells);
    const std::vector<CellsPayload> payloads = manyPayloads(cells);
    const layertest::Graph graph = createGraph({createMeshNodeOfPass()});
    const VkCommandBuffer cmd = device().begin();
    prepare(cmd, graph, picture().createSet(cells));
    pushConstants(cmd);
    Picture::setState(cmd);
    beginPass(cmd);
    device().dispatch(cmd, graph, "cells", static_cast<uint32_t>(payloads.size()), wordsOf(payloads));
    vkCmdEndRenderPass(cmd);
    EXPECT_EQ(finish(cmd), wanted);
}

// Nothing says how many sweeps it takes, and the pass cannot be divided.
TEST_P(MeshNodesInPasses, GraphThatMayNotFit_RunsWithAWarning)
{
    const std::vector<Cell> cells = randomCells(53);
    const layertest::Graph graph = createGraph({createRowNode(), createMeshNodeOfPass()}, layertest::Scratch::Minimum);
    const VkCommandBuffer cmd = device().begin();
    prepare(cmd, graph, picture().createSet(cells));
    pushConstants(cmd);
    Picture::setState(cmd);
    beginPass(cmd);
    device().dispatchIndirect(cmd, graph, "row", kCells, {0, 1, 2, 3, 4, 5, 6, 7});
    device().instance.expectMessage("Millrace-graph-not-continued");
    vkCmdEndRenderPass(cmd);
    EXPECT_EQ(finish(cmd), expected(cells));
}

// Where the layer runs mesh shaders: drivers may have none of several views.
class MeshNodesInViews : public MeshNodes {
protected:
    static constexpr uint32_t kViewMask = 5;

    VkPipeline createMeshNodeOfViews(VkRenderPass pass)
    {
        const std::vector<uint32_t> words = compileNode(kCellsNode, {{"VIEWS", "1"}});
        const VkPipelineShaderStageNodeCreateInfoAMDX info = infoOf({});
        return meshDevice().createPipeline({.mesh = words,
                                            .renderPass = pass,
                                            .viewMask = kViewMask,
                                            .entry = "cells",
                                            .node = &info,
                                            .flags = kNodeFlags});
    }
    // Dispatches in an instance that has begun.
    void expectViews(VkCommandBuffer cmd, Picture& views, const std::vector<Cell>& cells)
    {
        views.copy(cmd);
        device().submitAndWait(cmd);
        for (const uint32_t view : {0u, 2u})
            EXPECT_EQ(views.pixels(view), expected(cellsOfView(cells, view))) << "view " << view;
    }
};

TEST_P(MeshNodesInViews, EachViewIsDrawnByItself)
{
    const std::vector<Cell> cells = randomCells(58);
    for (const bool hasPass : {false, true}) {
        Picture views(meshDevice(), kViewMask);
        const uint32_t viewMask = kViewMask;
        const VkRenderPass pass =
            hasPass ? device().createRenderPass({}, 1, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL, {&viewMask, 1})
                    : VK_NULL_HANDLE;
        const layertest::Graph graph = createGraph({createRowNode(), createMeshNodeOfViews(pass)});
        const VkCommandBuffer cmd = device().begin();
        const VkDescriptorSet set = views.createSet(cells);
        prepare(cmd, graph, set);
        views.prepare(cmd);
        if (hasPass)
            views.beginPass(cmd, pass);
        else
            views.begin(cmd);
        // Where there are several views, a subpass begins without any state.
        bindGraph(cmd, graph, set);
        pushConstants(cmd);
        Picture::setState(cmd);
        device().dispatch(cmd, graph, "row", 4, {0, 1, 2, 3});
        device().dispatch(cmd, graph, "cells", 1, wordsOf({{{8, 4, 1}, 0, 4}}));
        if (hasPass)
            vkCmdEndRenderPass(cmd);
        else
            vkCmdEndRendering(cmd);
        expectViews(cmd, views, cells);
    }
}

INSTANTIATE_TEST_SUITE_P(By, MeshNodesInViews, testing::Values(Provider::NodesOfLayer),
                         [](const auto&) { return "Layer"; });

TEST_P(MeshNodes, SuspendedInstance_HasItsNodesInFront)
{
    const std::vector<Cell> cells = randomCells(54);
    const layertest::Graph graph = createGraph({createMeshNode()});
    const VkCommandBuffer cmd = device().begin();
    prepare(cmd, graph, picture().createSet(cells));
    pushConstants(cmd);
    picture().begin(cmd, VK_RENDERING_SUSPENDING_BIT);
    device().dispatch(cmd, graph, "cells", 1, wordsOf({{{8, 4, 1}, 0, 0}}));
    vkCmdEndRendering(cmd);
    picture().begin(cmd, VK_RENDERING_RESUMING_BIT);
    device().dispatch(cmd, graph, "cells", 1, wordsOf({{{8, 4, 1}, 0, 4}}));
    vkCmdEndRendering(cmd);
    EXPECT_EQ(finish(cmd), expected(cells));
}

TEST_P(MeshNodes, CommandBuffer_RunsAgain)
{
    const std::vector<Cell> cells = randomCells(48);
    const layertest::Graph graph = createGraph({createRowNode(), createMeshNode()});
    const VkCommandBuffer cmd = device().begin();
    prepare(cmd, graph, picture().createSet(cells));
    picture().begin(cmd);
    pushConstants(cmd);
    device().dispatch(cmd, graph, "row", 3, {0, 3, 5});
    vkCmdEndRendering(cmd);
    const Pixels first = finish(cmd);
    VkSubmitInfo again{VK_STRUCTURE_TYPE_SUBMIT_INFO};
    again.commandBufferCount = 1;
    again.pCommandBuffers = &cmd;
    MILLRACE_CHECK(vkQueueSubmit(device().queue, 1, &again, VK_NULL_HANDLE));
    MILLRACE_CHECK(vkQueueWaitIdle(device().queue));
    EXPECT_EQ(picture().pixels(), first);
    EXPECT_NE(first, clear());
}

TEST_P(MeshNodes, TooLargeGrids_AreReportedAndNotDrawn)
{
    const std::vector<Cell> cells = randomCells(49);
    const layertest::Graph graph = createGraph({createMeshNode()});
    VkCommandBuffer cmd = device().begin();
    prepare(cmd, graph, picture().createSet(cells));
    picture().begin(cmd);
    pushConstants(cmd);
    // The node declares 8 x 8 at most.
    device().dispatch(cmd, graph, "cells", 3, wordsOf({{{8, 1, 1}, 0, 0}, {{9, 1, 1}, 0, 1}, {{0, 5, 1}, 0, 2}}));
    vkCmdEndRendering(cmd);
    Pixels wanted = clear();
    paint(wanted, cells, kCells, 1);
    EXPECT_EQ(finish(cmd), wanted);
    device().instance.expectMessage("VUID-vkCmdDispatchGraphAMDX-maxComputeWorkGroupCount-09186");
}

TEST_P(MeshNodes, OutsideOfRendering_IsRefused)
{
    const layertest::Graph graph = createGraph({createMeshNode()});
    const VkCommandBuffer cmd = device().begin();
    prepare(cmd, graph, picture().createSet(randomCells(50)));
    device().dispatch(cmd, graph, "cells", 1, wordsOf({{{1, 1, 1}, 0, 0}}));
    device().instance.expectMessage("VUID-vkCmdDispatchGraphAMDX-None-10195");
    device().submitAndWait(cmd);
}

TEST_P(MeshNodes, FlagsAndStages_AreAsTheExtensionSays)
{
    const std::vector<uint32_t> words = compileNode(kCellsNode);
    const auto refused = [&](PipelineOptions options, const char* rule) {
        VkResult result = VK_SUCCESS;
        options.entry = "cells";
        options.mesh = words;
        EXPECT_EQ(meshDevice().createPipeline(options, result), VK_NULL_HANDLE);
        EXPECT_EQ(result, VK_ERROR_VALIDATION_FAILED_EXT);
        device().instance.expectMessage(rule);
    };
    refused({}, "VUID-VkGraphicsPipelineCreateInfo-flags-10188");
    refused({.flags = VK_PIPELINE_CREATE_2_LIBRARY_BIT_KHR}, "VUID-VkGraphicsPipelineCreateInfo-pStages-10189");
    refused({.task = words, .flags = kNodeFlags}, "VUID-VkGraphicsPipelineCreateInfo-flags-10190");
}

TEST_P(MeshNodes, NameOfComputeAndMeshNodes_IsRefused)
{
    VkPipeline graph = VK_NULL_HANDLE;
    EXPECT_EQ(createGraph({createRowNode(), createMeshNode(), createMeshNode({"row", 1})}, graph),
              VK_ERROR_VALIDATION_FAILED_EXT);
    device().instance.takeMessages();
}

std::string nameOf(const testing::TestParamInfo<Provider>& info)
{
    return info.param == Provider::Nodes ? "Native" : "Emulated";
}

INSTANTIATE_TEST_SUITE_P(By, MeshNodes, testing::Values(Provider::Nodes, Provider::NodesOfLayer), nameOf);
INSTANTIATE_TEST_SUITE_P(By, MeshNodesInParts, testing::Values(Provider::Nodes, Provider::NodesOfLayer), nameOf);
INSTANTIATE_TEST_SUITE_P(By, MeshNodesInPasses, testing::Values(Provider::Nodes, Provider::NodesOfLayer), nameOf);

}  // namespace

}  // namespace millrace::meshtest
