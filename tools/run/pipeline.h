// SPDX-License-Identifier: Apache-2.0
// The execution graph as a pipeline, with its layout.
#pragma once

#include "tools/run/device.h"
#include "tools/run/program.h"

namespace millrace::tools::run {

class Pipeline {
public:
    // Throws DeviceError.
    Pipeline(const Device& device, const Program& program);
    ~Pipeline();
    Pipeline(const Pipeline&) = delete;
    Pipeline& operator=(const Pipeline&) = delete;

    VkPipeline handle() const { return m_pipeline; }
    VkPipelineLayout layout() const { return m_layout; }
    const std::vector<VkDescriptorSetLayout>& setLayouts() const { return m_setLayouts; }
    // Of Program::nodes, for dispatches.
    uint32_t nodeIndex(size_t node) const { return m_nodeIndices[node]; }
    const VkExecutionGraphPipelineScratchSizeAMDX& scratch() const { return m_scratch; }

private:
    void createLayout(const Program& program);
    void create(const Program& program);
    void destroy();

    const Device& m_device;
    std::vector<VkDescriptorSetLayout> m_setLayouts;
    VkPipelineLayout m_layout = VK_NULL_HANDLE;
    VkPipeline m_pipeline = VK_NULL_HANDLE;
    std::vector<uint32_t> m_nodeIndices;
    VkExecutionGraphPipelineScratchSizeAMDX m_scratch{VK_STRUCTURE_TYPE_EXECUTION_GRAPH_PIPELINE_SCRATCH_SIZE_AMDX};
};

VkDescriptorType descriptorType(DescriptorKind kind);

}  // namespace millrace::tools::run
