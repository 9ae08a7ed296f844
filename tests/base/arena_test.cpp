// SPDX-License-Identifier: Apache-2.0
#include "base/arena.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <vector>

namespace millrace {

namespace {

TEST(Arena, ManyPieces_ApartAndAligned)
{
    Arena arena;
    std::vector<std::byte*> pieces;
    for (size_t bytes = 1; bytes < 500; ++bytes) {
        pieces.push_back(arena.take(bytes));
        EXPECT_EQ(reinterpret_cast<uintptr_t>(pieces.back()) % alignof(std::max_align_t), 0u);
        std::memset(pieces.back(), static_cast<int>(bytes % 251), bytes);
    }
    for (size_t bytes = 1; bytes < 500; ++bytes)
        for (size_t i = 0; i < bytes; ++i)
            ASSERT_EQ(pieces[bytes - 1][i], static_cast<std::byte>(bytes % 251)) << bytes;
}

TEST(Arena, Cleared_SameMemoryAgain)
{
    Arena arena;
    arena.take(100000);
    arena.clear();
    const std::byte* const first = arena.take(64);
    arena.clear();
    EXPECT_EQ(arena.take(64), first);
}

TEST(Arena, ClearedBeforeAnythingWasTaken_Works)
{
    Arena arena;
    arena.clear();
    EXPECT_NE(arena.take(16), arena.take(16));
}

}  // namespace

}  // namespace millrace
