// SPDX-License-Identifier: Apache-2.0
// Contents as keys of maps.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "layer/base/content_hash.h"

namespace millrace::layer {

// The contents themselves: a hash tells most of them apart at once, and no two of them are taken for equal because of
// it.
template <typename Hash>
class BasicContentKey {
public:
    void add(std::span<const uint32_t> words)
    {
        addWord(static_cast<uint32_t>(words.size()));
        for (uint32_t word : words)
            addWord(word);
    }
    void add(std::string_view text)
    {
        addWord(static_cast<uint32_t>(text.size()));
        for (char c : text)
            addWord(static_cast<unsigned char>(c));
    }
    void addWord(uint32_t word)
    {
        m_hash.addWord(word);
        m_words.push_back(word);
    }

    const auto& hash() const { return m_hash.value(); }

    friend bool operator<(const BasicContentKey& a, const BasicContentKey& b)
    {
        return a.hash() != b.hash() ? a.hash() < b.hash() : a.m_words < b.m_words;
    }

private:
    Hash m_hash;
    std::vector<uint32_t> m_words;
};

using ContentKey = BasicContentKey<ContentHash>;

}  // namespace millrace::layer
