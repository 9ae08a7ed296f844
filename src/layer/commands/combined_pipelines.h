// SPDX-License-Identifier: Apache-2.0
// The graphics pipelines of an execution set as one, whose shaders choose among theirs.
#pragma once

#include <vulkan/vulkan.h>

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "layer/commands/kept_pipeline.h"

namespace millrace::layer {

class CombinedPipelines final : public KeptPipeline {
public:
    using Members = std::vector<std::shared_ptr<KeptPipeline>>;

    // By their indices in the set; null where there is none. Requires: one that is not null.
    explicit CombinedPipelines(Members members);

    const Members& members() const { return m_members; }
    // The variant for a layout, as get() has it. Null if they are drawn with one by one: none can be made, now or
    // later; a message says why.
    const VariantHandles* find(const commands::Layout& layout, const commands::VertexInput& input);

    bool hasDynamicInput() const override { return m_first->hasDynamicInput(); }
    commands::VertexInput staticInput() const override { return m_first->staticInput(); }
    Restart primitiveRestart() const override { return m_first->primitiveRestart(); }

protected:
    VkResult create(const commands::Layout& layout, const commands::VertexInput& input,
                    VariantHandles& out) const override;

private:
    struct Failed {
        commands::Layout layout;
        commands::VertexInput input;
    };

    VkResult hinder(std::string why) const;
    bool hasFailed(const Failed& wanted) const;
    void rememberFailed(Failed failed);

    const Members m_members;
    const std::shared_ptr<KeptPipeline> m_first;
    mutable std::mutex m_obstacleMutex;
    mutable std::string m_obstacle;
    std::vector<Failed> m_failed;
};

// Of an object that has pipelines by their numbers. Thread-safe.
class Combination {
public:
    using Members = CombinedPipelines::Members;

    // All of them as one, to draw in order with; null if they are drawn with one by one.
    std::shared_ptr<CombinedPipelines> of(const Members& members);

private:
    std::mutex m_mutex;
    std::shared_ptr<CombinedPipelines> m_combined;
    uint32_t m_count = 0;  // that there have been
};

}  // namespace millrace::layer
