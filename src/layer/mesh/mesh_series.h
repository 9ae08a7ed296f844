// SPDX-License-Identifier: Apache-2.0
// Draws that follow each other with the same mesh shader and the same descriptor sets: one dispatch runs the mesh
// shaders of all of them. Each keeps its push constants, its results and its draw inside of the instance.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "abi/mesh.h"

namespace millrace::layer {

struct CommandBuffer;
struct MeshPipeline;
class MeshRoom;

// Pipeline and sets are bound in front of the first draw. So whoever else records in the front runs it before.
class MeshSeries {
public:
    // What the draws have in common.
    struct Common {
        std::shared_ptr<MeshPipeline> pipeline;
        const MeshRoom* room = nullptr;
        uint64_t sets = 0;   // as they are bound (BoundState::setsOrder())
        uint32_t bytes = 0;  // of the upload of each, push constants included
        bool operator==(const Common&) const = default;
    };

    bool isEmpty() const { return m_groups.empty(); }
    // True if the draw may be the next one. `upload`: the address of its abi::MeshUpload.
    bool takes(const Common& common, uint64_t upload, uint64_t groups) const;
    // Requires: it is empty, or takes the draw.
    void add(const Common& common, uint64_t upload, uint64_t groups);
    // Records the dispatch, if there is anything to run. It is empty afterwards.
    void run(CommandBuffer& commandBuffer);

private:
    abi::SequenceArguments arguments(CommandBuffer& commandBuffer) const;

    Common m_common;
    uint64_t m_first = 0;  // upload
    uint64_t m_total = 0;  // workgroups
    std::vector<uint32_t> m_groups;
};

}  // namespace millrace::layer
