// SPDX-License-Identifier: Apache-2.0
// One draw with mesh shaders: what runs in front of the render pass instance, and what is drawn inside.
#pragma once

#include <vulkan/vulkan.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

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
    explicit MeshDraw(CommandBuffer& commandBuffer);

    void record(uint32_t x, uint32_t y, uint32_t z);
    void record(const IndirectGrids& grids);

private:
    // Where grids are: their address and that of their number, 0 where that is not the device's.
    struct Grids {
        uint64_t address;
        uint32_t stride;
        uint32_t most;
        uint64_t count;
    };
    // A dispatch: how many workgroups, or where the device says it.
    struct Dispatch {
        uint64_t table;  // SequenceArguments::table
        uint64_t grids;  // and ::stream, ::stride
        uint32_t stride;
        VkBuffer indirect;  // null: `groups` workgroups
        VkDeviceSize offset;
        uint64_t groups;
    };
    // What is drawn behind it: abi::MeshDrawCommand.
    struct Drawn {
        uint64_t address;
        VkBuffer buffer;
        VkDeviceSize offset;
    };

    bool check();
    void complain(const std::string& text) const;
    void beginFront();
    void endFront();
    std::shared_ptr<runtime::Buffer> createBuffer(runtime::BufferUse use, uint64_t bytes);
    bool isGood(VkResult result);
    MeshMemory& memory();
    bool createUpload();
    std::optional<Grids> copyGrids(const IndirectGrids& grids);
    void barrier(VkPipelineStageFlags from, VkPipelineStageFlags to) const;
    std::optional<Dispatch> list(const Grids& grids, abi::ReserveArguments arguments, Drawn* drawn);
    void recordKnown(uint64_t groups, const abi::MeshGrid& grid);
    void recordTasks(uint64_t groups, const abi::MeshGrid& grid);
    std::optional<Dispatch> upload(uint64_t groups, const abi::MeshGrid& grid, uint64_t results, uint64_t memory);
    void begin(MeshArena& arena) const;
    void addListing(const Dispatch& dispatch, const Drawn& drawn);
    std::optional<Dispatch> listMesh(const Grids& grids, Drawn& drawn);
    std::optional<Grids> runCountedTasks(const Grids& grids);
    void run(VkPipeline pipeline, const Dispatch& dispatch);
    void draw(const Dispatch& dispatch, const Drawn& drawn);

    CommandBuffer& m_commandBuffer;
    Device& m_device;
    const std::shared_ptr<MeshPipeline> m_pipeline;
    MeshUpload* m_uploaded = nullptr;
    uint64_t m_upload = 0;  // its address
    uint64_t m_pushConstants = 0;
};

}  // namespace millrace::layer
