// SPDX-License-Identifier: Apache-2.0
// What an indirect commands layout of VK_EXT_device_generated_commands says, as data. No Vulkan types: the code that
// sizes memory, the kernels and the variants of shaders all begin here.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace millrace::commands {

// What each sequence ends with.
enum class Action : uint8_t {
    Dispatch,
    Draw,
    DrawIndexed,
};

// Bytes of one command in the stream: VkDispatchIndirectCommand, VkDrawIndirectCommand, VkDrawIndexedIndirectCommand.
uint32_t actionBytes(Action action);

// Push constants that each sequence has its own values of. Offsets and sizes in bytes, multiples of 4.
struct PushRange {
    enum class Source : uint8_t {
        Stream,         // VK_INDIRECT_COMMANDS_TOKEN_TYPE_PUSH_CONSTANT_EXT
        SequenceIndex,  // VK_INDIRECT_COMMANDS_TOKEN_TYPE_SEQUENCE_INDEX_EXT: the number of the sequence, 4 bytes
    };
    Source source = Source::Stream;
    uint32_t destination = 0;   // VkPushConstantRange::offset of the token's update range
    uint32_t size = 0;          // of it; 4 for SequenceIndex
    uint32_t stages = 0;        // VkShaderStageFlags that see the values; others keep those of vkCmdPushConstants
    uint32_t streamOffset = 0;  // Stream: from the beginning of a sequence's record

    bool operator==(const PushRange&) const = default;
};

// Each sequence has a buffer of its own for a binding: VkBindVertexBufferIndirectCommandEXT in its record.
struct VertexBuffer {
    uint32_t binding = 0;       // VkIndirectCommandsVertexBufferTokenEXT::vertexBindingUnit
    uint32_t streamOffset = 0;  // of the command in the record

    bool operator==(const VertexBuffer&) const = default;
};

// Each sequence has an index buffer of its own: VkBindIndexBufferIndirectCommandEXT in its record.
struct IndexBuffer {
    enum class Types : uint8_t {
        Vulkan,  // VK_INDIRECT_COMMANDS_INPUT_MODE_VULKAN_INDEX_BUFFER_EXT: VkIndexType
        Dxgi,    // VK_INDIRECT_COMMANDS_INPUT_MODE_DXGI_INDEX_BUFFER_EXT: DXGI_FORMAT
    };
    Types types = Types::Vulkan;
    uint32_t streamOffset = 0;  // of the command in the record

    bool operator==(const IndexBuffer&) const = default;
};

struct Layout {
    Action action = Action::Dispatch;
    uint32_t stride = 0;                      // bytes of a sequence's record, indirectStride; a multiple of 4
    uint32_t actionOffset = 0;                // of the command in the record
    std::optional<uint32_t> executionSet;     // of the index into the set in the record, if the layout has that token
    std::vector<PushRange> pushRanges;        // any order; those of one stage do not overlap (VUID 11146)
    std::vector<VertexBuffer> vertexBuffers;  // draws only; each binding at most once
    // DrawIndexed only. Variants are drawn without indices then, see makeDrawVariant().
    std::optional<IndexBuffer> indexBuffer;
    uint32_t stages = 0;  // VkShaderStageFlags that the layout is for, shaderStages

    bool operator==(const Layout&) const = default;
};

// Where things are in the memory that a kernel fills in front of dispatches; offsets in bytes from an address that is a
// multiple of 16. Draws are recorded from the application's stream and need none: all is 0 then.
struct PreprocessMemory {
    uint64_t dispatches = 0;  // for each pipeline 16 bytes: VkDispatchIndirectCommand and padding
    uint64_t tables = 0;      // for each pipeline an abi::SequenceTable
    uint64_t entries = 0;     // abi::SequenceEntry[maxSequenceCount], those of one pipeline behind each other
    uint64_t bytes = 0;       // in all; what kernels need for themselves may lie behind
};

// `pipelineCount`: of the execution set, 1 without one. Any numbers: sums have 64 bits and cannot overflow.
PreprocessMemory preprocessMemory(const Layout& layout, uint32_t maxSequenceCount, uint32_t pipelineCount);

}  // namespace millrace::commands
