// SPDX-License-Identifier: Apache-2.0
#include "bench/mesh/way.h"
#include "shaders/bench_mesh_shaders.h"

namespace millrace::bench {

namespace {

constexpr uint32_t kCommandBytes = sizeof(VkDrawMeshTasksIndirectCommandEXT);

DrawShaders shadersOf(const Scene& scene)
{
    switch (scene.shape) {
        case Shape::Meshlets:
            return {.task = shaders::mesh_meshlets_task, .mesh = shaders::mesh_meshlets_mesh};
        case Shape::Grass:
            return {.task = shaders::mesh_grass_task, .mesh = shaders::mesh_grass_mesh};
        default:
            return {.mesh = shaders::mesh_tiny_mesh};
    }
}

class MeshWay : public Way {
public:
    MeshWay(Gpu& gpu, const Scene& scene) : Way(gpu, scene, false)
    {
        gpu.load(m_drawDirect, "vkCmdDrawMeshTasksEXT");
        gpu.load(m_drawIndirect, "vkCmdDrawMeshTasksIndirectEXT");
        gpu.load(m_drawCount, "vkCmdDrawMeshTasksIndirectCountEXT");
        m_pipeline = m_pipelines.createDraw(shadersOf(scene));
    }

protected:
    void draw(VkCommandBuffer commands) override
    {
        const uint32_t units = m_scene.frame.units;
        vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, m_pipeline);
        push(commands);
        switch (m_scene.draws) {
            case Draws::Tasks:
                m_drawDirect(commands, (units + kTaskUnits - 1) / kTaskUnits, 1, 1);
                break;
            case Draws::Indirect:
                m_drawIndirect(commands, m_data.commands().handle, 0, units, kCommandBytes);
                break;
            case Draws::IndirectCount:
                m_drawCount(commands, m_data.commands().handle, 0, m_data.count().handle, 0, units, kCommandBytes);
                break;
            default:
                for (uint32_t i = 0; i < units; ++i) {
                    push(commands, i);
                    m_drawDirect(commands, 1, 1, 1);
                }
        }
    }

private:
    PFN_vkCmdDrawMeshTasksEXT m_drawDirect = nullptr;
    PFN_vkCmdDrawMeshTasksIndirectEXT m_drawIndirect = nullptr;
    PFN_vkCmdDrawMeshTasksIndirectCountEXT m_drawCount = nullptr;
    VkPipeline m_pipeline = VK_NULL_HANDLE;
};

}  // namespace

std::unique_ptr<Way> createMeshWay(Gpu& gpu, const Scene& scene)
{
    auto way = std::make_unique<MeshWay>(gpu, scene);
    way->record();
    return way;
}

}  // namespace millrace::bench
