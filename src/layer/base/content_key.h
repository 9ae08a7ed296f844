// SPDX-License-Identifier: Apache-2.0
// Contents as keys of maps.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <memory>
#include <vector>

#include "layer/base/content_hash.h"

namespace millrace::layer {

// Words that many keys begin with, which all of them have together.
template <typename Hash>
struct BasicSharedContent {
    explicit BasicSharedContent(std::shared_ptr<const std::vector<uint32_t>> content) : words(std::move(content))
    {
        hash.add(std::span(*words));
    }

    std::shared_ptr<const std::vector<uint32_t>> words;  // never null
    Hash hash;                                           // as WordSink::add() leaves it
};

// The contents themselves: a hash tells most of them apart at once, and no two of them are taken for equal because of
// it.
template <typename Hash>
class BasicContentKey : public WordSink<BasicContentKey<Hash>> {
public:
    BasicContentKey() = default;
    // As if its words were added. Keys of one map either all begin so or none does.
    explicit BasicContentKey(const BasicSharedContent<Hash>& first) : m_hash(first.hash), m_first(first.words) {}

    void addWord(uint32_t word)
    {
        m_hash.addWord(word);
        m_words.push_back(word);
    }

    const auto& hash() const { return m_hash.value(); }

    friend bool operator<(const BasicContentKey& a, const BasicContentKey& b)
    {
        if (a.hash() != b.hash())
            return a.hash() < b.hash();
        if (a.m_words != b.m_words)
            return a.m_words < b.m_words;
        return a.m_first && b.m_first && a.m_first != b.m_first && *a.m_first < *b.m_first;
    }

private:
    Hash m_hash;
    std::shared_ptr<const std::vector<uint32_t>> m_first;
    std::vector<uint32_t> m_words;
};

using SharedContent = BasicSharedContent<ContentHash>;
using ContentKey = BasicContentKey<ContentHash>;

}  // namespace millrace::layer
