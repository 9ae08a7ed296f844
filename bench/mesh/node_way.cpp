// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <stdexcept>

#include "bench/mesh/way.h"
#include "nodes.h"
#include "shaders/bench_mesh_shaders.h"

namespace millrace::bench {

namespace {

constexpr VkDeviceSize kMostScratch = VkDeviceSize{256} << 20;

class NodeWay : public Way {
public:
    NodeWay(Gpu& gpu, const Scene& scene) : Way(gpu, scene, false)
    {
        const VkPipeline libraries[] = {m_pipelines.createCompute(tile_node_comp, "tiles"),
                                        m_pipelines.createDraw({.mesh = grass_node_mesh, .node = "grass"})};
        m_graph = m_pipelines.createGraph(libraries);
        gpu.load(m_initialize, "vkCmdInitializeGraphScratchMemoryAMDX");
        gpu.load(m_dispatch, "vkCmdDispatchGraphAMDX");
        createScratch();
        findNode();
    }
    ~NodeWay() override { m_gpu.destroy(m_scratch); }

protected:
    void prepare(VkCommandBuffer commands) override
    {
        m_initialize(commands, m_graph, m_scratch.address, m_scratch.size);
    }
    void draw(VkCommandBuffer commands) override
    {
        const uint32_t grid[] = {m_scene.frame.units / 64, 1, 1};
        VkDispatchGraphInfoAMDX info{m_node, 1, {.hostAddress = grid}, sizeof grid};
        const VkDispatchGraphCountInfoAMDX all{1, {.hostAddress = &info}, sizeof info};
        vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_EXECUTION_GRAPH_AMDX, m_graph);
        push(commands);
        m_dispatch(commands, m_scratch.address, m_scratch.size, &all);
    }

private:
    void createScratch()
    {
        PFN_vkGetExecutionGraphPipelineScratchSizeAMDX get = nullptr;
        m_gpu.load(get, "vkGetExecutionGraphPipelineScratchSizeAMDX");
        VkExecutionGraphPipelineScratchSizeAMDX size{VK_STRUCTURE_TYPE_EXECUTION_GRAPH_PIPELINE_SCRATCH_SIZE_AMDX};
        check(get(m_gpu.handle(), m_graph, &size), "vkGetExecutionGraphPipelineScratchSizeAMDX");
        const VkDeviceSize bytes = std::max(size.minSize, std::min(size.maxSize, kMostScratch));
        m_scratch = m_gpu.createBuffer(
            bytes, VK_BUFFER_USAGE_2_EXECUTION_GRAPH_SCRATCH_BIT_AMDX | VK_BUFFER_USAGE_2_STORAGE_BUFFER_BIT, false);
    }
    void findNode()
    {
        PFN_vkGetExecutionGraphPipelineNodeIndexAMDX get = nullptr;
        m_gpu.load(get, "vkGetExecutionGraphPipelineNodeIndexAMDX");
        VkPipelineShaderStageNodeCreateInfoAMDX name{VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_NODE_CREATE_INFO_AMDX};
        name.pName = "tiles";
        check(get(m_gpu.handle(), m_graph, &name, &m_node), "vkGetExecutionGraphPipelineNodeIndexAMDX");
    }

    VkPipeline m_graph = VK_NULL_HANDLE;
    GpuBuffer m_scratch;
    uint32_t m_node = 0;
    PFN_vkCmdInitializeGraphScratchMemoryAMDX m_initialize = nullptr;
    PFN_vkCmdDispatchGraphAMDX m_dispatch = nullptr;
};

class TileWay : public Way {
public:
    TileWay(Gpu& gpu, const Scene& scene) : Way(gpu, scene, true)
    {
        m_list = m_pipelines.createCompute(shaders::mesh_tile_hand);
        m_draw = m_pipelines.createDraw({.mesh = shaders::mesh_tile_draw});
        gpu.load(m_drawCount, "vkCmdDrawMeshTasksIndirectCountEXT");
    }

protected:
    void compute(VkCommandBuffer commands) override
    {
        constexpr Counts kNone;
        vkCmdUpdateBuffer(commands, m_data.counts().handle, 0, sizeof kNone, &kNone);
        barrier(commands);
        push(commands);
        vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, m_list);
        vkCmdDispatch(commands, m_scene.frame.units / 64, 1, 1);
        barrier(commands);
    }
    void draw(VkCommandBuffer commands) override
    {
        vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, m_draw);
        push(commands);
        m_drawCount(commands, m_data.draws().handle, 0, m_data.counts().handle, offsetof(Counts, tiles),
                    m_scene.frame.units / 64, sizeof(VkDrawMeshTasksIndirectCommandEXT));
    }

private:
    VkPipeline m_list = VK_NULL_HANDLE, m_draw = VK_NULL_HANDLE;
    PFN_vkCmdDrawMeshTasksIndirectCountEXT m_drawCount = nullptr;
};

}  // namespace

std::unique_ptr<Way> createNodeWay(Gpu& gpu, const Scene& scene)
{
    auto way = std::make_unique<NodeWay>(gpu, scene);
    way->record();
    return way;
}

std::unique_ptr<Way> createTileWay(Gpu& gpu, const Scene& scene)
{
    auto way = std::make_unique<TileWay>(gpu, scene);
    way->record();
    return way;
}

}  // namespace millrace::bench
