// SPDX-License-Identifier: Apache-2.0
// How the records of sequences come together where their parts are in several streams
// (VK_NV_device_generated_commands). What is behind that sees one stream, whose records commands::Layout describes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "abi/commands.h"
#include "commands/layout.h"

namespace millrace::commands {

// Words that lie together in a stream.
struct StreamPart {
    uint32_t stream = 0;
    uint32_t offset = 0;  // bytes from the beginning of a sequence's part of the stream, a multiple of 4
    uint32_t words = 0;
};

// Collects what each token reads, and says where it is in the record.
class Gathering {
public:
    // `strides`: bytes from one sequence to the next, for each stream.
    explicit Gathering(std::vector<uint32_t> strides) : m_strides(std::move(strides)) {}

    // Each returns the offset in the record, in bytes.
    uint32_t copy(const StreamPart& part);
    // One word, of which `bits` stay.
    uint32_t mask(const StreamPart& part, uint32_t bits);
    // The address of a pipeline, two words, in whose place the pipeline's number is.
    uint32_t follow(const StreamPart& part);
    // The word at `recordOffset` becomes `to` where the part's first word is `from`.
    void replace(const StreamPart& part, uint32_t recordOffset, uint32_t from, uint32_t to);

    // What the words at `recordOffset` come from.
    std::optional<StreamPart> partAt(uint32_t recordOffset) const;

    // How many numbers of sequences have the part in a stream of so many bytes: 2^32 - 1 at most.
    uint32_t numbers(const StreamPart& part, uint64_t streamBytes) const;
    // The least of all parts. `streamBytes`: of each stream.
    uint32_t numbers(std::span<const uint64_t> streamBytes) const;

    const std::vector<uint32_t>& strides() const { return m_strides; }
    uint32_t recordBytes() const { return 4 * m_recordWords; }
    size_t stepCount() const { return m_steps.size(); }

    // For the kernel. `streams`: the address of each. `out` has stepCount() elements.
    void writeSteps(std::span<const uint64_t> streams, std::span<abi::GatherStep> out) const;

private:
    struct Step {
        StreamPart part;
        uint32_t kind;
        uint32_t target;
        uint32_t from;
        uint32_t to;
    };
    uint32_t add(const StreamPart& part, uint32_t kind, uint32_t words, uint32_t from);

    std::vector<uint32_t> m_strides;
    std::vector<Step> m_steps;
    uint32_t m_recordWords = 0;
};

}  // namespace millrace::commands
