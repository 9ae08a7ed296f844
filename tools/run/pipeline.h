// SPDX-License-Identifier: Apache-2.0
// The execution graph as a pipeline, with its layout.
#pragma once

#include "tools/run/device.h"
#include "tools/run/program.h"
#include "tools/run/work.h"

namespace millrace::tools::run {

class Pipeline {
public:
    // Throws DeviceError.
    Pipeline(const Device& device, const Program& program, const Work& work);
    ~Pipeline();
    Pipeline(const Pipeline&) = delete;
    Pipeline& operator=(const Pipeline&) = delete;

    VkPipeline handle() const { return m_pipeline; }
    VkPipelineLayout layout() const { return m_layout; }
    // All that the graph has: of descriptors and push constants.
    VkShaderStageFlags stages() const { return m_stages; }
    const std::vector<VkDescriptorSetLayout>& setLayouts() const { return m_setLayouts; }
    // Of Program::nodes, for dispatches.
    uint32_t nodeIndex(size_t node) const { return m_nodeIndices[node]; }
    const VkExecutionGraphPipelineScratchSizeAMDX& scratch() const { return m_scratch; }

private:
    void createLayout(const Program& program);
    void create(const Program& program, const Work& work);
    void destroy();

    const Device& m_device;
    const VkShaderStageFlags m_stages;
    std::vector<VkDescriptorSetLayout> m_setLayouts;
    VkPipelineLayout m_layout = VK_NULL_HANDLE;
    std::vector<VkPipeline> m_libraries;
    VkPipeline m_pipeline = VK_NULL_HANDLE;
    std::vector<uint32_t> m_nodeIndices;
    VkExecutionGraphPipelineScratchSizeAMDX m_scratch{VK_STRUCTURE_TYPE_EXECUTION_GRAPH_PIPELINE_SCRATCH_SIZE_AMDX};
};

VkDescriptorType descriptorType(DescriptorKind kind);

}  // namespace millrace::tools::run
