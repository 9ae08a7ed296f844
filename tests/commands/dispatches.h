// SPDX-License-Identifier: Apache-2.0
// Generated dispatches of the shader accumulate.comp, and what they compute according to a loop on the host.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "commands/generated_device.h"
#include "commands/random_layout.h"

namespace millrace::commandtest {

// The shader's buffer: sums that do not depend on the order of dispatches.
inline constexpr uint32_t kOutWords = 1024;
using Sums = std::vector<uint32_t>;

// Of the pipelines in the execution set: a specialization constant. The first is the shader's own.
inline constexpr uint32_t kSalts[] = {7, 1001, 5003};

// Adds what one dispatch does.
void addDispatch(Sums& sums, uint32_t salt, const PushWords& push, const uint32_t* grid);

// One call with everything that it is given. Drawn the same for every provider.
struct DispatchCase {
    // `streams`: for VK_NV_device_generated_commands_compute.
    explicit DispatchCase(uint32_t seed, bool streams = false);

    Random random;
    bool hasSet;
    RandomLayout layout;
    uint32_t maxSequences;
    std::optional<uint32_t> deviceCount;
    bool isExplicit, inSecondary, isPushedInParts;
    PushWords pushed{};
    // Of run(): the same command in front, once with each of these pushed, with the same memory.
    std::vector<PushWords> pushedBefore;
    std::vector<uint32_t> stream;
    VkDeviceSize memoryOffset = 0;            // of the memory for preprocessing in its buffer
    std::optional<VkDeviceSize> streamBytes;  // that the command is told, if it is not all of the stream

    uint32_t sequences() const { return std::min(maxSequences, deviceCount.value_or(maxSequences)); }
    Sums expected() const;

    // Other sequences, with records drawn anew and all counted by the host.
    void resize(uint32_t sequences);
    uint32_t* gridOf(uint32_t sequence) { return &stream[size_t{sequence} * layout.strideWords + layout.actionWord]; }

private:
    void drawStream();
};

// Adds what Dispatches::run() dispatches without tokens.
void addOwn(Sums& sums, const DispatchCase& drawn);

class Dispatches {
public:
    // `with.objects`: of shader objects instead of pipelines.
    explicit Dispatches(Provider provider, const GeneratedOptions& with = {});
    // `before`: what else is recorded in front.
    Sums run(DispatchCase& drawn, const std::function<void(VkCommandBuffer)>& before = {});
    // The same case by VK_NV_device_generated_commands_compute. Requires: `with.streams`.
    Sums runStreams(DispatchCase& drawn);

    VkPipeline first() const { return m_pipelines[0]; }
    // Puts the pipeline, or shader object, with kSalts[member] at a place of the execution set, which has one more
    // place than there are salts.
    void put(uint32_t place, uint32_t member);
    // With `with.streams`: memory for a pipeline more, whose address records have by the number std::size(kSalts),
    void placeOneMore();
    // or any other address in place of it,
    void addAddress(VkDeviceAddress address) { m_addresses.push_back(address); }
    // and that pipeline, which vkCmdUpdatePipelineIndirectBufferNV tells, or not.
    void addPipeline(uint32_t salt, bool isUpdated = true) { m_pipelines.push_back(createPipeline(salt, isUpdated)); }
    // The layout that all has been recorded with goes. Another one may be where it was.
    void replaceLayout();

    GeneratedDevice generated;
    VkCommandBufferUsageFlags usage = 0;  // of what is submitted
    // Of runStreams(): as StreamCall has them.
    std::function<void(std::vector<uint32_t>&)> changeNumbers = [](std::vector<uint32_t>&) {};
    std::function<void(std::vector<std::vector<uint32_t>>&)> changeStreams = [](std::vector<std::vector<uint32_t>>&) {};
    std::function<void()> afterRecording;  // of run() and runStreams(), before what was recorded is submitted
    // Behind each submission, with what it has computed: true if the same is to be submitted again.
    std::function<bool(const Sums&)> submitAgain;

private:
    // Returns what the last submission has computed.
    Sums submit(VkCommandBuffer cmd);
    VkPipeline createPipeline(uint32_t salt, bool isUpdated = true);
    VkShaderEXT createObject(uint32_t salt);
    // Of VK_NV_device_generated_commands_compute: memory for a pipeline, and what stands in it.
    layertest::Buffer createPlace(const VkComputePipelineCreateInfo& info);
    void updateMemory(VkPipeline pipeline, VkDeviceAddress expected);
    void createSet();
    void bindFirst(VkCommandBuffer cmd) const;
    void bind(VkCommandBuffer cmd, const DispatchCase& drawn) const;
    // What is executed has been preprocessed if the case is explicit.
    void record(VkCommandBuffer cmd, const DispatchCase& drawn, const std::function<void(VkCommandBuffer)>& preprocess,
                const std::function<void(VkCommandBuffer)>& execute);

    layertest::TestDevice& m_device;
    VkPipelineLayout m_layout = VK_NULL_HANDLE;
    const bool m_hasObjects;
    const bool m_hasStreams;
    std::vector<VkDeviceAddress> m_addresses;  // of pipelines in streams
    layertest::Buffer m_place;                 // of placeOneMore()
    std::vector<VkPipeline> m_pipelines;
    std::vector<VkShaderEXT> m_objects;  // in place of those
    VkIndirectExecutionSetEXT m_set = VK_NULL_HANDLE;
    layertest::Buffer m_out;
    VkDescriptorSet m_outSet = VK_NULL_HANDLE;
};

}  // namespace millrace::commandtest
