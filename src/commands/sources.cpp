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

}  // namespace

std::vector<Piece> findPieces(const Layout& layout, uint32_t stage)
{
    std::vector<Piece> ranges;
    for (const PushRange& range : layout.pushRanges) {
        if ((range.stages & stage) != 0 && range.size > 0) {
            ranges.push_back(pieceOf(range));
        }
    }
    std::ranges::sort(ranges, {}, &Piece::begin);
    std::vector<Piece> pieces;
    uint64_t end = 0;
    for (const Piece& range : ranges) {
        if (range.begin > end) {
            pieces.push_back({Piece::Kind::Pushed, end, range.begin, 0});
        }
        // What one token after the other copies to places side by side is one piece.
        const bool continues = !pieces.empty() && pieces.back().kind == Piece::Kind::Record &&
                               range.kind == Piece::Kind::Record && pieces.back().end == range.begin &&
                               pieces.back().baseOffset == range.baseOffset;
        if (continues) {
            pieces.back().end = range.end;
        } else {
            pieces.push_back(range);
        }
        end = range.end;
    }
    pieces.push_back({Piece::Kind::Pushed, end, kNoEnd, 0});
    return pieces;
}

}  // namespace millrace::commands
