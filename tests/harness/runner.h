// SPDX-License-Identifier: Apache-2.0
// Runs execution graphs: creates pipelines out of SPIR-V, dispatches them in every form and keeps their output buffer.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>

#include "harness/device.h"

namespace millrace::harness {

// One node of a graph.
struct Stage {
    std::vector<uint32_t> words;
    std::string entry = "main";
    std::optional<std::string> name;  // absent: the entry point's name
    std::optional<uint32_t> index;    // absent: VK_SHADER_INDEX_UNUSED_AMDX
    std::map<uint32_t, uint32_t> specialization;
    std::vector<uint32_t> fragment = {};  // of a mesh node, entry point "main"; none: it is a compute node
    bool withNodeInfo = true;             // chain VkPipelineShaderStageNodeCreateInfoAMDX; needs neither name nor index
};

// Payloads for one node; payload i begins at bytes[i * stride].
struct Launch {
    std::string name;
    uint32_t index = 0;
    uint32_t count = 1;
    std::vector<uint8_t> bytes;
    uint64_t stride = 0;
};

// `count` payloads of equal size, one after the other.
Launch launchWords(const std::string& name, uint32_t index, uint32_t count, const std::vector<uint32_t>& words);

std::vector<uint32_t> readWords(const std::string& file);

enum class Scratch { Minimum, Between, Maximum };
enum class Form { Host, Indirect, IndirectCount };
const char* nameOf(Scratch scratch);
const char* nameOf(Form form);

struct RunOptions {
    Scratch scratch = Scratch::Minimum;
    Form form = Form::Host;
    uint64_t infoStride = sizeof(VkDispatchGraphInfoAMDX);
    // Dispatched first, with the same scratch memory; the output is cleared then.
    std::vector<Launch> rehearsal = {};
};

struct GraphOptions {
    std::vector<VkPipeline> libraries;
    VkPipelineCreateFlags2KHR flags = 0;
    VkPipelineCache cache = VK_NULL_HANDLE;
};

struct RunnerOptions {
    uint32_t outputWords = 256;
    std::vector<uint32_t> table;  // a read-only buffer at set 1, binding 3
    uint32_t pushConstantBytes = 0;
    VkBufferUsageFlags outputUsage = 0;  // besides storage buffer
    // Pixels each way that graphs draw to: dispatches are inside of rendering instances without attachments. 0: none.
    uint32_t side = 0;
    bool inPass = false;  // the instances are those of vkCmdBeginRenderPass
};

// Owns all that it creates. The output buffer is at set 0, binding 0.
class Runner {
public:
    Runner(Device& device, const RunnerOptions& options);
    ~Runner();
    Runner(const Runner&) = delete;

    Device& device() { return m_device; }
    Buffer& output() { return m_output; }
    std::vector<uint32_t> outputWords() const;
    void clearOutput();
    VkPipelineLayout layout() const { return m_layout; }
    std::vector<uint8_t> pushConstants;  // pushed before each dispatch; size as in RunnerOptions

    // The pipeline lives as long as the runner.
    VkPipeline createGraph(const std::vector<Stage>& stages, const GraphOptions& options = {});
    // Does not throw; the pipeline is null unless VK_SUCCESS is returned.
    VkResult tryCreateGraph(const std::vector<Stage>& stages, const GraphOptions& options, VkPipeline& pipeline);
    // A compute pipeline library for an execution graph.
    VkPipeline createComputeLibrary(const Stage& stage);
    // A mesh node. Requires: RunnerOptions::side.
    VkPipeline createMeshLibrary(const Stage& stage);
    uint32_t nodeIndex(VkPipeline graph, const std::string& name, uint32_t index);
    VkExecutionGraphPipelineScratchSizeAMDX scratchSize(VkPipeline graph);
    VkDeviceSize scratchBytes(VkPipeline graph, Scratch scratch);
    Buffer createScratch(VkDeviceSize bytes);
    Buffer createBuffer(VkDeviceSize size, VkBufferUsageFlags usage);  // lives as long as the runner

    // One dispatch in a command buffer of its own, with scratch memory of its own.
    void run(VkPipeline graph, const std::vector<Launch>& launches, const RunOptions& options = {});

    // The pieces of run(), for tests that record something else.
    void bind(VkCommandBuffer cmd, VkPipeline graph);
    void initialize(VkCommandBuffer cmd, VkPipeline graph, const Buffer& scratch);
    void dispatchHost(VkCommandBuffer cmd, VkPipeline graph, const Buffer& scratch, const std::vector<Launch>& launches,
                      uint64_t infoStride = sizeof(VkDispatchGraphInfoAMDX));
    // Count info, infos and payloads, count info at the start, as they are at `address`.
    std::vector<uint8_t> argumentBytes(VkPipeline graph, const std::vector<Launch>& launches, uint64_t infoStride,
                                       VkDeviceAddress address);
    // Writes them to a new buffer.
    Buffer createArguments(VkPipeline graph, const std::vector<Launch>& launches, uint64_t infoStride);
    void dispatchIndirect(VkCommandBuffer cmd, const Buffer& scratch, const Buffer& arguments, Form form);

private:
    Buffer createDeviceScratch(VkDeviceSize bytes);
    void initializeUnclear(VkCommandBuffer cmd, VkPipeline graph, const Buffer& scratch);
    // rendering.cpp
    void createPass();
    void beginRendering(VkCommandBuffer cmd) const;
    void endRendering(VkCommandBuffer cmd) const;
    void createLayouts(const RunnerOptions& options);
    void createSets(const RunnerOptions& options);
    void onDestroy(std::function<void()> action) { m_cleanup.push_back(std::move(action)); }
    VkShaderModule moduleFor(const std::vector<uint32_t>& words);

    Device& m_device;
    const uint32_t m_side;
    const VkShaderStageFlags m_stages;  // of nodes
    Buffer m_output;
    Buffer m_table;
    std::vector<VkDescriptorSetLayout> m_setLayouts;
    VkPipelineLayout m_layout = VK_NULL_HANDLE;
    std::vector<VkDescriptorSet> m_sets;
    VkRenderPass m_pass = VK_NULL_HANDLE;  // null: dynamic rendering
    VkFramebuffer m_framebuffer = VK_NULL_HANDLE;
    std::unordered_map<std::u32string, VkShaderModule> m_modules;  // by words
    std::vector<std::function<void()>> m_cleanup;
};

}  // namespace millrace::harness
