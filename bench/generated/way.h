// SPDX-License-Identifier: Apache-2.0
// A case, done in one way on one device.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "bench/generated/scene.h"
#include "bench/generated/token_streams.h"
#include "bench/gpu.h"

namespace millrace::bench {

enum class Kind {
    Generated,  // vkCmdExecuteGeneratedCommandsEXT
    Streams,    // vkCmdExecuteGeneratedCommandsNV; dispatches have no set
    Loop,       // the host records what the stream says, one by one
    Floor,      // one multi-draw-indirect or dispatch, whose shader looks up what it needs; no set
};

// Everything is made when it is constructed, and recorded once.
class Way {
public:
    Way(Gpu& gpu, const Case& scene, Kind kind);
    ~Way();
    Way(const Way&) = delete;

    // Of recording one call, on the host.
    double callNanoseconds() const { return m_callNanoseconds; }
    // Runs it; between the first and the last command on the device.
    double run();
    // What the last run has written.
    std::vector<uint32_t> result();

private:
    bool isDispatch() const { return m_scene.action == Action::Dispatch; }
    VkShaderStageFlags stages() const;
    VkPipelineBindPoint bindPoint() const;
    void createData();
    void createTarget();
    void createLayout();
    std::span<const uint32_t> code() const;
    // `others`: shader groups behind its own.
    VkPipeline createPipeline(uint32_t salt, std::span<const VkPipeline> others = {});
    VkPipeline createCompute(const VkSpecializationInfo& salt, const void* chain);
    VkPipeline createGraphics(const VkSpecializationInfo& salt, const void* chain, std::span<const VkPipeline> others);
    void createCommands();
    void createTokens();
    void createSet();
    void createPreprocess();
    void record();
    void recordCalls();
    void generate(uint32_t call);
    void loop(uint32_t call);
    void floor(uint32_t call);
    // The call's first sequence by an ordinary draw.
    void drawFirst(uint32_t call);
    void transition(VkImageLayout from, VkImageLayout to);
    void barrier();
    void onDestroy(std::function<void()> action) { m_cleanup.push_back(std::move(action)); }

    Gpu& m_gpu;
    const Case m_scene;
    const Kind m_kind;
    const RecordLayout m_layout;
    std::vector<std::function<void()>> m_cleanup;
    std::vector<uint32_t> m_words;  // the stream as the host knows it
    GpuBuffer m_vertices, m_indices, m_stream, m_data, m_out, m_readback, m_preprocess;
    VkImage m_image = VK_NULL_HANDLE;
    VkImageView m_view = VK_NULL_HANDLE;
    VkPipelineLayout m_pipelineLayout = VK_NULL_HANDLE;
    std::vector<VkPipeline> m_pipelines;
    VkIndirectCommandsLayoutEXT m_tokens = VK_NULL_HANDLE;
    VkIndirectExecutionSetEXT m_set = VK_NULL_HANDLE;
    VkCommandBuffer m_cmd = VK_NULL_HANDLE;
    PFN_vkCmdExecuteGeneratedCommandsEXT m_execute = nullptr;
    std::unique_ptr<TokenStreams> m_streams;
    double m_callNanoseconds = 0;
};

}  // namespace millrace::bench
