// SPDX-License-Identifier: Apache-2.0
// Draws of a series with nothing between them inside of the instance either: one draw, whose workgroups are those of
// all of them. What it takes is known, and so recorded, when something else is recorded there.
#pragma once

#include <vulkan/vulkan.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "abi/mesh.h"
#include "layer/recording/current_stream.h"

namespace millrace::layer {

struct CommandBuffer;
struct MeshPipeline;

class MeshBatch final : public CurrentStream::PutOff {
public:
    struct Draw {
        abi::MeshUpload* upload;  // its results are chosen by whoever draws
        uint32_t groups;
    };

    // Whether a draw of so many workgroups may be the next one. What was bound for the first one is bound for it.
    bool takes(const MeshPipeline& pipeline, uint64_t groups) const;
    // The first upload is at `address`. The command buffer outlives this.
    void begin(CommandBuffer& commandBuffer, std::shared_ptr<MeshPipeline> pipeline, uint64_t address);
    // Requires: it has just begun, or takes the draw.
    void add(const Draw& draw);
    // It takes nothing afterwards.
    void record(VkCommandBuffer stream) override;

private:
    CommandBuffer* m_commandBuffer = nullptr;
    std::shared_ptr<MeshPipeline> m_pipeline;  // null: none is under way
    uint64_t m_address = 0;
    uint64_t m_groups = 0;
    std::vector<Draw> m_draws;
};

}  // namespace millrace::layer
