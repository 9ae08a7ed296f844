// SPDX-License-Identifier: Apache-2.0
// The tokens of a random layout for VK_NV_device_generated_commands: each in one of several streams.
#pragma once

#include <vulkan/vulkan.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "commands/generated_device.h"
#include "commands/random_layout.h"

namespace millrace::commandtest {

// Where a token's words are in the record of the random layout, and where in a stream.
struct StreamToken {
    VkIndirectCommandsLayoutTokenNV token;
    uint32_t recordWord;
    uint32_t words;
};

struct StreamLayout {
    // Draws from `random` whether there is one stream with the records as they are, how many streams there are
    // otherwise, and whether the sequences have numbers of their own.
    // `pipelines`: the address of each that an index of a set means, for dispatches.
    StreamLayout(Random& random, const RandomLayout& from, VkPipelineLayout pipelineLayout,
                 const std::vector<VkDeviceAddress>& pipelines);
    StreamLayout(const StreamLayout&) = delete;
    StreamLayout& operator=(const StreamLayout&) = delete;

    bool isIndexed = false;
    std::vector<uint32_t> strideWords;  // of each stream
    std::vector<StreamToken> tokens;

    // The streams that say what `records` do, where sequence i has number numbers[i]. State flags are random.
    std::vector<std::vector<uint32_t>> split(Random& random, const std::vector<uint32_t>& records, uint32_t recordWords,
                                             const std::vector<uint32_t>& numbers) const;
    VkIndirectCommandsLayoutNV create(VkDevice device, VkPipelineBindPoint bindPoint,
                                      VkIndirectCommandsLayoutUsageFlagsNV flags) const;

private:
    void place(Random& random, StreamToken token);

    const std::vector<VkDeviceAddress>& m_pipelines;
};

// A call's buffers and structure, for random draws or dispatches.
class StreamCall {
public:
    StreamCall(GeneratedDevice& generated, Random& random, const RandomLayout& layout,
               const std::vector<uint32_t>& records, uint32_t maxSequences, const uint32_t* deviceCount);
    StreamCall(const StreamCall&) = delete;
    StreamCall& operator=(const StreamCall&) = delete;
    ~StreamCall();

    // What create() gives to the device: the numbers of sequences, if they have any, and streams.
    std::function<void(std::vector<uint32_t>&)> changeNumbers = [](std::vector<uint32_t>&) {};
    std::function<void(std::vector<std::vector<uint32_t>>&)> changeStreams = [](std::vector<std::vector<uint32_t>>&) {};

    void create(VkPipelineBindPoint bindPoint, VkPipelineLayout pipelineLayout, VkPipeline pipeline,
                VkIndirectCommandsLayoutUsageFlagsNV flags, const std::vector<VkDeviceAddress>& pipelines = {});
    void preprocess() const;  // in a command buffer of its own, which is submitted
    void execute(VkCommandBuffer cmd, bool isPreprocessed) const;

private:
    void createPreprocess();

    GeneratedDevice& m_generated;
    Random& m_random;
    const RandomLayout& m_from;
    const std::vector<uint32_t>& m_records;
    std::vector<VkIndirectCommandsStreamNV> m_streams;
    VkGeneratedCommandsInfoNV m_info{VK_STRUCTURE_TYPE_GENERATED_COMMANDS_INFO_NV};
};

}  // namespace millrace::commandtest
