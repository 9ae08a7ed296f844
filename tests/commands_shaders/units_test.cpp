// SPDX-License-Identifier: Apache-2.0
// Layouts as numbers: memory, and the pieces of a stage's push constants.
#include <gtest/gtest.h>

#include "abi/commands.h"
#include "commands/layout.h"
#include "commands/sources.h"

namespace millrace::commands {

namespace {

using Kind = Piece::Kind;

std::string text(const std::vector<Piece>& pieces)
{
    std::string out;
    for (const Piece& piece : pieces) {
        out += piece.kind == Kind::Pushed ? "pushed " : piece.kind == Kind::Record ? "record " : "index ";
        out += std::to_string(piece.begin) + " " + (piece.end == kNoEnd ? "on" : std::to_string(piece.end)) + " " +
               std::to_string(piece.baseOffset) + "; ";
    }
    return out;
}

}  // namespace

TEST(Layout, ActionsHaveTheSizesOfVulkansCommands)
{
    EXPECT_EQ(actionBytes(Action::Dispatch), 12u);
    EXPECT_EQ(actionBytes(Action::Draw), 16u);
    EXPECT_EQ(actionBytes(Action::DrawIndexed), 20u);
    EXPECT_EQ(actionBytes(Action::DrawCount), 16u);
    EXPECT_EQ(actionBytes(Action::DrawIndexedCount), 16u);
}

TEST(Layout, MemoryOfDispatches_HoldsAllAndIsAligned)
{
    Layout layout;
    for (const uint32_t sequences : {0u, 1u, 5u, 1u << 24, ~0u}) {
        for (const uint32_t pipelines : {1u, 3u, ~0u}) {
            const PreprocessMemory memory = preprocessMemory(layout, {sequences, pipelines});
            EXPECT_EQ(memory.dispatches, 0u);
            EXPECT_GE(memory.tables, uint64_t{12} * pipelines);
            EXPECT_EQ(memory.tables % 16, 0u);
            EXPECT_GE(memory.entries, memory.tables + sizeof(abi::SequenceTable) * pipelines);
            EXPECT_EQ(memory.entries % 8, 0u);
            EXPECT_EQ(memory.bytes, memory.entries + uint64_t{8} * sequences);
        }
    }
}

TEST(Layout, Draws_NeedNoMemory)
{
    EXPECT_EQ(preprocessMemory({.action = Action::Draw, .executionSet = {}, .pushRanges = {}}, {100}).bytes, 0u);
}

TEST(Layout, MemoryOfDrawsThatKernelsWrite_HoldsAllAndIsAligned)
{
    for (const Action action : {Action::Draw, Action::DrawIndexed, Action::DrawCount, Action::DrawIndexedCount}) {
        const Layout layout{.action = action, .executionSet = 0, .pushRanges = {}};
        const uint64_t commandBytes = isIndexed(action) ? 20 : 16;
        for (const Extent& extent :
             {Extent{7, 3, 5, false}, Extent{7, 3, 5, true}, Extent{7, 3, 5, false, true}, Extent{0, 1, 1, false}}) {
            const uint64_t rows = extent.isPadded    ? 7 * 3
                                  : extent.isOrdered ? extent.maxSequenceCount
                                                     : extent.pipelineCount;
            const PreprocessMemory memory = preprocessMemory(layout, extent);
            EXPECT_GE(memory.drawEntries, memory.entries + uint64_t{8} * extent.maxSequenceCount);
            EXPECT_EQ(memory.drawEntries % 16, 0u);
            EXPECT_EQ(memory.draws, memory.drawEntries + 16 * rows * extent.rowDraws());
            EXPECT_EQ(memory.drawCounts, memory.draws + commandBytes * rows * extent.rowDraws());
            EXPECT_GE(memory.bytes, memory.drawCounts + (extent.isOrdered ? uint64_t{4} * 7 * 3 : 0));
            EXPECT_EQ(memory.bytes % 8, 0u);
        }
    }
}

TEST(Pieces, NoTokens_AreOnePiece)
{
    EXPECT_EQ(text(findPieces({}, 1)), "pushed 0 on 0; ");
}

TEST(Pieces, TokensInAnyOrder_AreSortedWithGaps)
{
    Layout layout;
    layout.pushRanges = {{PushRange::Source::SequenceIndex, 20, 4, 1, 0}, {PushRange::Source::Stream, 8, 8, 1, 4}};
    EXPECT_EQ(text(findPieces(layout, 1)),
              "pushed 0 8 0; record 8 16 -4; pushed 16 20 0; index 20 24 0; pushed 24 on 0; ");
}

TEST(Pieces, TokensOfOtherStages_DoNotCount)
{
    Layout layout;
    layout.pushRanges = {{PushRange::Source::Stream, 0, 8, 1, 4}, {PushRange::Source::Stream, 0, 8, 0x10, 12}};
    EXPECT_EQ(text(findPieces(layout, 0x10)), "record 0 8 12; pushed 8 on 0; ");
    EXPECT_EQ(text(findPieces(layout, 0x20)), "pushed 0 on 0; ");
}

// VK_NV_device_generated_commands has no rule against them.
TEST(Pieces, TokensThatOverlap_TheLastOneWins)
{
    Layout layout;
    layout.pushRanges = {{PushRange::Source::Stream, 4, 16, 1, 100},
                         {PushRange::Source::Stream, 8, 4, 1, 200},
                         {PushRange::Source::Stream, 0, 8, 1, 300},
                         {PushRange::Source::Stream, 0, 8, 2, 400}};
    EXPECT_EQ(text(findPieces(layout, 1)), "record 0 8 300; record 8 12 192; record 12 20 96; pushed 20 on 0; ");
    EXPECT_EQ(text(findPieces(layout, 2)), "record 0 8 400; pushed 8 on 0; ");
}

TEST(Pieces, NeighboursInBothPlaces_AreOnePiece)
{
    Layout layout;
    layout.pushRanges = {{PushRange::Source::Stream, 4, 4, 1, 8},
                         {PushRange::Source::Stream, 8, 4, 1, 12},
                         {PushRange::Source::Stream, 12, 4, 1, 20}};
    EXPECT_EQ(text(findPieces(layout, 1)), "pushed 0 4 0; record 4 12 4; record 12 16 8; pushed 16 on 0; ");
}

}  // namespace millrace::commands
