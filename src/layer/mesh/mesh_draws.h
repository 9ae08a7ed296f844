// SPDX-License-Identifier: Apache-2.0
// One draw with mesh shaders: what runs in front of the render pass instance, and what is drawn inside.
#pragma once

#include <vulkan/vulkan.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "abi/mesh.h"
#include "layer/mesh/mesh_memory.h"
#include "layer/mesh/mesh_pipelines.h"

namespace millrace::layer {

struct CommandBuffer;

struct IndirectGrids {
    VkBuffer buffer;
    VkDeviceSize offset;
    uint32_t maxDrawCount;
    uint32_t stride;
    VkBuffer countBuffer;  // null: there are maxDrawCount
    VkDeviceSize countOffset;
};

class MeshDraw {
public:
    // Of what is bound.
    explicit MeshDraw(CommandBuffer& commandBuffer);
    // Of a list: `drawing` is the pipeline that draws, null for shader objects. `listed` outlives this.
    MeshDraw(CommandBuffer& commandBuffer, std::shared_ptr<MeshPipeline> pipeline, VkPipeline drawing,
             const ListedDraws& listed);

    // Of a batch, whose first upload is at `upload`.
    MeshDraw(CommandBuffer& commandBuffer, std::shared_ptr<MeshPipeline> pipeline, uint64_t upload);

    void record(uint32_t x, uint32_t y, uint32_t z);
    void record(const IndirectGrids& grids);
    // The list.
    void record();
    // All draws of the batch, in the instance: their mesh shaders run in any case.
    void record(std::span<const MeshBatch::Draw> batch, VkCommandBuffer inside);

private:
    // Where grids are: their address and that of their number, 0 where that is not the device's. Or the abi::MeshWork
    // of the task shaders that leave them; `most` they are in any case.
    struct Grids {
        uint64_t address;
        uint32_t stride;
        uint32_t most;
        uint64_t count;
        uint64_t before;
    };
    // A dispatch: how many workgroups, or where the device says it.
    struct Dispatch {
        uint64_t work;  // abi::MeshWork
        uint32_t stride;
        VkBuffer indirect;  // null: `groups` workgroups
        VkDeviceSize offset;
        uint64_t groups;
    };
    // What is drawn behind it: abi::MeshDrawCommand, with indices abi::MeshIndexedCommand behind it.
    struct Drawn {
        uint64_t address;
        VkBuffer buffer;
        VkDeviceSize offset;
    };

    // Where the indices of the draw are.
    struct Indexed {
        abi::MeshIndexing indexing;
        VkBuffer buffer;
    };

    bool check();
    void complain(const std::string& text) const;
    bool useArena();
    void beginFront();
    void beginMemory(MeshRoom* room);
    void endFront();
    bool isGood(VkResult result);
    MeshMemory& memory();
    bool createUpload();
    void bindSets(VkCommandBuffer target, VkPipelineBindPoint bindPoint);
    bool upload(uint64_t groups, const abi::MeshGrid& grid, uint64_t results, uint64_t memory, Dispatch& out);
    std::optional<Grids> copyGrids(const IndirectGrids& grids);
    void barrier(VkCommandBuffer commandBuffer, VkPipelineStageFlags from, VkPipelineStageFlags to) const;
    void takeIndices(uint64_t groups);
    void shareIndices();
    std::optional<abi::MeshIndexing> describeIndices() const;
    void recordKnown(uint64_t groups, const abi::MeshGrid& grid);
    void recordInArena(const abi::MeshGrid& grid);
    bool mayBeInSeries() const;
    uint32_t uploadStride() const;
    void joinSeries(MeshRoom& room, uint64_t groups);
    bool takeDrawn(uint64_t groups, MeshMemory::Part& table, Drawn& drawn);
    void joinBatch(MeshRoom& room, uint64_t groups, const abi::MeshGrid& grid);
    void listAtEnd();
    void recordOwnTasks(uint64_t groups, const abi::MeshGrid& grid);
    void recordListedTasks(uint64_t groups, const abi::MeshGrid& grid);
    bool list(const Grids& grids, uint64_t resultBytes, bool runsOnce, Dispatch& dispatch, Drawn& drawn);
    bool runTasks(Grids& grids, uint64_t most);
    void drawListed(const Grids& grids);
    void run(VkCommandBuffer commandBuffer, VkPipeline pipeline, const Dispatch& dispatch, uint32_t viewMask);
    void runMeshes(const Dispatch& dispatch);
    void bindInFront(VkCommandBuffer commandBuffer, VkPipeline pipeline);
    void bindInside(VkCommandBuffer inside);
    bool keepsSets() const;
    void launch(VkCommandBuffer commandBuffer, const Dispatch& dispatch, uint32_t view) const;
    void finish(const Dispatch& dispatch, const Drawn& drawn);
    void addListing(const Dispatch& dispatch, const Drawn& drawn);
    void draw(VkCommandBuffer inside, const Dispatch& dispatch, const Drawn& drawn);
    void bindIndices(VkCommandBuffer inside);
    abi::SequenceArguments arguments(const Dispatch& dispatch, uint32_t view) const;

    CommandBuffer& m_commandBuffer;
    Device& m_device;
    const std::shared_ptr<MeshPipeline> m_pipeline;
    const VkPipeline m_drawing = VK_NULL_HANDLE;  // null: what is bound draws
    const ListedDraws* const m_listed = nullptr;  // null: it draws no list
    abi::MeshUpload* m_uploaded = nullptr;
    uint64_t m_upload = 0;  // its address
    uint64_t m_pushConstants = 0;
    uint64_t m_tasks = 0;                // abi::MeshWork of its task shaders; 0: there are none
    std::shared_ptr<MeshArena> m_arena;  // null: the draw has memory for all that it may need
    std::optional<Indexed> m_indexed;    // none: it has no index buffer
    // That its shaders run in: the front, and with the arena Front::repeat, if there is one.
    std::vector<VkCommandBuffer> m_streams;
};

}  // namespace millrace::layer
