// SPDX-License-Identifier: Apache-2.0
// Contents as keys of maps.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "layer/base/content_hash.h"

namespace millrace::layer {

// The contents themselves: a hash tells most of them apart at once, and no two of them are taken for equal because of
// it.
template <typename Hash>
class BasicContentKey : public WordSink<BasicContentKey<Hash>> {
public:
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
