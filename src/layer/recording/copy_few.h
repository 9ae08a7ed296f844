// SPDX-License-Identifier: Apache-2.0
// Copies of arrays that are mostly short, without a call: whoever calls nothing keeps its arguments in registers.
#pragma once

#include <array>
#include <cstddef>
#include <utility>

namespace millrace::layer {

// Elements of an array, mostly few. Requires: no more than kMost.
template <size_t kMost, typename Element>
inline void copyFew(Element* to, const Element* from, size_t count) noexcept
{
    [&]<size_t... kIndices>(std::index_sequence<kIndices...>)
    {
        (void)((kIndices < count && (to[kIndices] = from[kIndices], true)) && ...);
    }
    (std::make_index_sequence<kMost>());
}

// Of as many, copyFewBytes() makes copies.
template <size_t kMost>
constexpr bool areFewBytes(size_t bytes) noexcept
{
    return bytes % 4 == 0 && bytes <= kMost;
}

// The same for bytes. Requires: areFewBytes<kMost>(bytes).
template <size_t kMost>
inline void copyFewBytes(std::byte* to, const void* from, size_t bytes) noexcept
{
    using Word = std::array<std::byte, 4>;
    using Four = std::array<std::byte, 16>;
    static_assert(kMost % sizeof(Four) == 0);
    const size_t fours = bytes / sizeof(Four);
    copyFew<kMost / sizeof(Four)>(reinterpret_cast<Four*>(to), static_cast<const Four*>(from), fours);
    copyFew<3>(reinterpret_cast<Word*>(to) + 4 * fours, static_cast<const Word*>(from) + 4 * fours,
               bytes % sizeof(Four) / sizeof(Word));
}

}  // namespace millrace::layer
