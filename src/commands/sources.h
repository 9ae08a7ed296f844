// SPDX-License-Identifier: Apache-2.0
// Where one stage finds the bytes of the application's push constants.
#pragma once

#include <cstdint>
#include <vector>

#include "commands/layout.h"

namespace millrace::commands {

// Bytes that lie together. `baseOffset` + a byte's push constant offset is where it is from the beginning of what
// `kind` names: what the application pushed, or the sequence's record.
struct Piece {
    enum class Kind : uint8_t {
        Pushed,
        Record,
        SequenceIndex,  // nowhere: the value is the number of the sequence
    };
    Kind kind = Kind::Pushed;
    uint64_t begin = 0;  // push constant offsets
    uint64_t end = 0;
    int64_t baseOffset = 0;
};

inline constexpr uint64_t kNoEnd = ~uint64_t{0};

// Pieces from 0 to kNoEnd without a gap, in order, for a stage (one bit of VkShaderStageFlags).
std::vector<Piece> findPieces(const Layout& layout, uint32_t stage);

}  // namespace millrace::commands
