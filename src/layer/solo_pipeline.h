// SPDX-License-Identifier: Apache-2.0
// The driver's pipeline of a graph that one workgroup runs alone.
#pragma once

#include <vulkan/vulkan.h>

#include <mutex>
#include <optional>
#include <vector>

#include "compiler/solo.h"
#include "layer/pipelines.h"

namespace millrace::layer {

class SoloPipeline final : public runtime::SoloCode {
public:
    // `object`, which owns this, is asked when the code is first needed.
    explicit SoloPipeline(const GraphObject& object) : m_object(object) {}
    ~SoloPipeline() override;

    const graph::SoloShape* shape() override;
    std::span<const uint32_t> codeOfNode() const override { return m_codeOfNode; }
    VkResult getPipeline(VkPipeline& out) override;

private:
    Result<compiler::SoloModule> make();
    VkResult callDriver(VkPipeline& out) const;

    const GraphObject& m_object;
    std::mutex m_mutex;
    std::vector<uint32_t> m_codeOfNode;
    std::optional<Result<compiler::SoloModule>> m_module;
    VkPipeline m_pipeline = VK_NULL_HANDLE;
};

}  // namespace millrace::layer
