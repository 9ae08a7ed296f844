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
    DrawCount,  // commands that lie elsewhere, as many as the record says
    DrawIndexedCount,
    DrawMesh,
    DrawMeshCount,
};

// Bytes of one command in the stream: VkDispatchIndirectCommand, VkDrawIndirectCommand, VkDrawIndexedIndirectCommand,
// VkDrawMeshTasksIndirectCommandEXT, VkDrawIndirectCountIndirectCommandEXT.
uint32_t actionBytes(Action action);
// The same of what is drawn: of one command that the latter leads to.
uint32_t commandBytes(Action action);
inline bool isCounted(Action action)
{
    return action == Action::DrawCount || action == Action::DrawIndexedCount || action == Action::DrawMeshCount;
}
inline bool isMesh(Action action)
{
    return action == Action::DrawMesh || action == Action::DrawMeshCount;
}
inline bool isIndexed(Action action)
{
    return action == Action::DrawIndexed || action == Action::DrawIndexedCount;
}

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
    uint32_t stride = 0;                   // bytes of a sequence's record, indirectStride; a multiple of 4
    uint32_t actionOffset = 0;             // of the command in the record
    std::optional<uint32_t> executionSet;  // of the index into the set in the record, if the layout has that token
    // The same, where shaders read it to choose by it (makeCombinedVariant()): there is no executionSet then.
    std::optional<uint32_t> combinedSet;
    std::vector<PushRange> pushRanges;  // as tokens: where those of one stage overlap, the last one says the value
    std::vector<VertexBuffer> vertexBuffers;  // draws only; each binding at most once
    // Indexed draws only. Variants are drawn without indices then, see makeDrawVariant().
    std::optional<IndexBuffer> indexBuffer;
    uint32_t stages = 0;  // VkShaderStageFlags that the layout is for, shaderStages
    // What the driver's draws can do. A command draws several, and shaders know by DrawIndex which one; else each is a
    // command of its own, and SequenceArguments::firstSequence is its number.
    bool numbersDraws = true;
    // A command takes from memory how many it draws. Else there is a command for each draw that there may be.
    bool countsDraws = true;
    // Commands in memory may begin with any instance. Else kernels write those of draws that fetch their indices.
    bool startsInstances = true;
    // The number of sequences is in memory, and commands do not take it from there: kernels write all draws.
    bool endsInTable = false;

    bool operator==(const Layout&) const = default;
};

// True for draws that kernels write, with an abi::DrawTable; all others are recorded from the application's stream.
inline bool hasDrawTable(const Layout& layout)
{
    return layout.action != Action::Dispatch && (isCounted(layout.action) || layout.executionSet.has_value() ||
                                                 layout.endsInTable || (layout.indexBuffer && !layout.startsInstances));
}

// What one execution has at most.
struct Extent {
    uint32_t maxSequenceCount = 0;
    uint32_t pipelineCount = 1;  // of the execution set, 1 without one
    uint32_t maxDrawCount = 1;   // of a sequence; layouts without counts have 1
    // Draws of several pipelines keep the order of sequences: a row of draws for each sequence. Else there is a row for
    // each pipeline.
    bool isOrdered = false;
    // In place of both: each sequence has a row for each pipeline, filled up with draws of nothing. Nobody counts.
    bool isPadded = false;

    // Of one row.
    uint64_t rowDraws() const { return uint64_t{maxDrawCount} * (isOrdered || isPadded ? 1 : maxSequenceCount); }
    uint64_t rows() const
    {
        return isPadded ? uint64_t{maxSequenceCount} * pipelineCount : isOrdered ? maxSequenceCount : pipelineCount;
    }
};

// Where things are in the memory that kernels fill in front of dispatches and draws; offsets in bytes from an address
// that is a multiple of 16. Draws that are recorded from the application's stream need none: all is 0 then.
struct PreprocessMemory {
    uint64_t dispatches = 0;   // for each pipeline 16 bytes: VkDispatchIndirectCommand and padding
    uint64_t tables = 0;       // for each pipeline an abi::SequenceTable
    uint64_t entries = 0;      // abi::SequenceEntry[maxSequenceCount], those of one pipeline behind each other
    uint64_t drawEntries = 0;  // abi::DrawEntry[], rows
    uint64_t draws = 0;        // commands of commandBytes() each, rows
    uint64_t drawCounts = 0;   // ordered: for each sequence and pipeline 4 bytes
    uint64_t bytes = 0;        // in all; what kernels need for themselves may lie behind
};

// Any numbers: sums have 64 bits and cannot overflow, but for pipelineCount and maxDrawCount beyond what Vulkan allows.
PreprocessMemory preprocessMemory(const Layout& layout, const Extent& extent);

}  // namespace millrace::commands
