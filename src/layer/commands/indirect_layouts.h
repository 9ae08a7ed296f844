// SPDX-License-Identifier: Apache-2.0
// VkIndirectCommandsLayoutEXT, VkIndirectCommandsLayoutNV and VkIndirectExecutionSetEXT: objects of the layer's, which
// the driver never sees.
#pragma once

#include <vulkan/vulkan.h>

#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "abi/commands.h"
#include "commands/gathering.h"
#include "commands/layout.h"
#include "layer/commands/combined_pipelines.h"
#include "layer/commands/kept_pipelines.h"
#include "layer/commands/member_changes.h"

namespace millrace::layer {

// Immutable.
struct IndirectLayout {
    commands::Layout layout;
    bool isUnordered = false;  // sequences may run in any order
    // Of an execution set of graphics shader objects, whose token has an index for each of them; else 0.
    VkShaderStageFlags objectStages = 0;
    // Of VkIndirectCommandsLayoutNV. `layout` describes the records that kernels gather, or without them the only
    // stream.
    std::optional<commands::Gathering> gathering;
    uint32_t onlyStream = 0;
    uint32_t streamCount = 0;  // 0: no such layout
    // A token for a vertex buffer says no stride, so that pipelines must.
    bool needsStaticStrides = false;
    // What the words at commands::Layout::executionSet mean, behind each other.
    bool hasShaderGroups = false;
    bool hasFrontFaces = false;
    bool hasPipelineNumbers = false;  // by itself
    // With it where streams are checked: of a copy of the address in the record.
    uint32_t pipelineAddress = 0;
    // The same without executionSet, for the set's pipelines as one (commands::Layout::combinedSet). Null where they
    // cannot be one.
    std::shared_ptr<const IndirectLayout> combined;
    // The same for executions whose number of sequences is in memory (commands::Layout::endsInTable). Null where one
    // layout does for both.
    std::shared_ptr<const IndirectLayout> counted;

    VkPipelineBindPoint bindPoint() const
    {
        return layout.action == commands::Action::Dispatch ? VK_PIPELINE_BIND_POINT_COMPUTE
                                                           : VK_PIPELINE_BIND_POINT_GRAPHICS;
    }
};

// Pipelines or shader objects by index; null where there is none yet. Commands take what is there when they are
// submitted (late_execution.h), or where they cannot, what was there when they were recorded (RecordedMembers).
struct ExecutionSet {
    using Pipelines = std::vector<std::shared_ptr<KeptPipeline>>;

    struct Member {
        std::shared_ptr<KeptPipeline> pipeline;  // or of a compute shader object
        VkShaderEXT shader = VK_NULL_HANDLE;
        bool operator==(const Member&) const = default;
    };
    using Members = std::vector<Member>;

    explicit ExecutionSet(size_t count) : changes(count), m_members(count) {}

    size_t size() const { return m_members.size(); }

    Combination combination;
    MemberChanges changes;

    // Requires: `index` below size().
    void set(uint32_t index, Member member)
    {
        std::lock_guard lock(m_mutex);
        if (m_members[index] == member)
            return;
        m_members[index] = std::move(member);
        changes.note(index);
    }
    Members members() const
    {
        std::lock_guard lock(m_mutex);
        return m_members;
    }

private:
    mutable std::mutex m_mutex;
    Members m_members;
};

// What a command runs: pipelines, and which of them a sequence means.
struct Choice {
    ExecutionSet::Pipelines pipelines;  // null where there is none
    // Empty: the word of the record is the number of the pipeline. Else, for each of objectStages in their order, what
    // each index of the set adds to that number, kNoMember where it has no shader of the stage.
    std::vector<uint32_t> parts;
    uint32_t setSize = 0;  // indices
    // The layout has an index for them, though no execution set was given.
    bool isSet = false;
    Combination* combination = nullptr;  // of the object that they are from, or null; lives as long as that
    // Of what they are from, where that may have others later, and its version in front of them.
    std::shared_ptr<MemberChanges> changes;
    uint64_t version = 0;
    std::vector<abi::PipelinePlace> places;  // of pipelines that are named by address
};

}  // namespace millrace::layer
