// SPDX-License-Identifier: Apache-2.0
// Small changes to shader modules, for tests that need one which is slightly wrong.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <span>
#include <vector>

namespace millrace::layertest {

inline constexpr uint32_t kOpMemberDecorate = 72;
inline constexpr uint32_t kOpExecutionModeId = 331;

// The first instruction for which `matches(operands)` holds; fails the test if there is none.
template <typename Matches>
std::span<uint32_t> findInstruction(std::vector<uint32_t>& words, uint32_t opcode, const Matches& matches)
{
    constexpr size_t kHeaderWords = 5;
    for (size_t at = kHeaderWords; at < words.size(); at += words[at] >> 16) {
        const std::span<uint32_t> instruction(words.data() + at, words[at] >> 16);
        if ((words[at] & 0xffff) == opcode && matches(instruction.subspan(1)))
            return instruction;
    }
    ADD_FAILURE() << "no such instruction";
    return {};
}

// The OpExecutionModeId instruction of a mode.
inline std::span<uint32_t> findMode(std::vector<uint32_t>& words, uint32_t mode)
{
    return findInstruction(words, kOpExecutionModeId,
                           [=](std::span<uint32_t> operands) { return operands[1] == mode; });
}

}  // namespace millrace::layertest
