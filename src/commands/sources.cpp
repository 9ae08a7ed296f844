// SPDX-License-Identifier: Apache-2.0
#include "commands/sources.h"

#include <algorithm>

namespace millrace::commands {

namespace {

Piece pieceOf(const PushRange& range)
{
    const bool isIndex = range.source == PushRange::Source::SequenceIndex;
    return {isIndex ? Piece::Kind::SequenceIndex : Piece::Kind::Record, range.destination,
            uint64_t{range.destination} + range.size,
            isIndex ? 0 : int64_t{range.streamOffset} - int64_t{range.destination}};
}

// What is left of them where a later token says something else.
std::vector<Piece> cut(const std::vector<Piece>& ranges, const Piece& later)
{
    std::vector<Piece> left;
    for (const Piece& range : ranges) {
        Piece before = range, behind = range;
        before.end = std::min(range.end, later.begin);
        behind.begin = std::max(range.begin, later.end);
        for (const Piece& part : {before, behind})
            if (part.begin < part.end)
                left.push_back(part);
    }
    return left;
}

}  // namespace

std::vector<Piece> findPieces(const Layout& layout, uint32_t stage)
{
    std::vector<Piece> ranges;
    for (const PushRange& range : layout.pushRanges) {
        if ((range.stages & stage) != 0 && range.size > 0) {
            ranges = cut(ranges, pieceOf(range));
            ranges.push_back(pieceOf(range));
        }
    }
    std::ranges::sort(ranges, {}, &Piece::begin);
    std::vector<Piece> pieces;
    uint64_t end = 0;
    for (const Piece& range : ranges) {
        if (range.begin > end)
            pieces.push_back({Piece::Kind::Pushed, end, range.begin, 0});
        // What one token after the other copies to places side by side is one piece.
        const bool continues = !pieces.empty() && pieces.back().kind == Piece::Kind::Record &&
                               range.kind == Piece::Kind::Record && pieces.back().end == range.begin &&
                               pieces.back().baseOffset == range.baseOffset;
        if (continues)
            pieces.back().end = range.end;
        else
            pieces.push_back(range);
        end = range.end;
    }
    pieces.push_back({Piece::Kind::Pushed, end, kNoEnd, 0});
    return pieces;
}

}  // namespace millrace::commands
