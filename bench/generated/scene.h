// SPDX-License-Identifier: Apache-2.0
// What is generated: cases, their streams, and what has to come out.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace millrace::bench {

inline constexpr uint32_t kWidth = 1024;
inline constexpr uint32_t kHeight = 512;
inline constexpr uint32_t kPixels = kWidth * kHeight;
inline constexpr uint32_t kVertices = 4;  // of a sequence, or invocations: each has a pixel

enum class Action { Draw, DrawBuffers, Dispatch };

struct Case {
    std::string name;
    Action action = Action::Draw;
    uint32_t sequences = 1;  // of one call
    uint32_t calls = 1;
    uint32_t pipelines = 1;  // in an execution set, if there are several
    bool isOrdered = false;
    bool hasOwnDraws = false;  // behind each call an ordinary draw, of its first sequence again

    bool hasSet() const { return pipelines > 1; }
    uint32_t total() const { return sequences * calls; }
};

std::vector<Case> allCases(uint32_t mostSequences);

// Words of a record, and where in it what lies.
struct RecordLayout {
    explicit RecordLayout(const Case& scene);

    uint32_t set = 0;  // where there is one
    uint32_t push = 0;
    uint32_t indices = 0;   // VkBindIndexBufferIndirectCommandEXT
    uint32_t vertices = 0;  // VkBindVertexBufferIndirectCommandEXT
    uint32_t action = 0;
    uint32_t words = 0;
};

// Pipeline number `p` adds p * kSalt to what is written.
inline constexpr uint32_t kSalt = 0x01000193;
inline uint32_t pipelineOf(const Case& scene, uint32_t sequence)
{
    return sequence * 7 % scene.pipelines;
}
inline uint32_t colorOf(uint32_t sequence)
{
    return sequence * 0x9e3779b1u;
}
// Four indices each, of so many orders: which vertex of its own a sequence draws when.
inline constexpr uint32_t kOrders = 4;
inline uint32_t indexOf(uint32_t order, uint32_t number)
{
    return (order + number) % kVertices;
}

// `vertices`, `indices`: addresses of the pixels of all sequences, and of kOrders times four indices of 16 bits.
std::vector<uint32_t> streamOf(const Case& scene, uint64_t vertices, uint64_t indices);
// What pixels or words are: 0 where nothing is drawn.
std::vector<uint32_t> expectedOf(const Case& scene);

}  // namespace millrace::bench
