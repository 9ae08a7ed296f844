// SPDX-License-Identifier: Apache-2.0
#include "base/near_word.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace millrace {

namespace {

// Levenshtein's distance. One row of its table is enough.
size_t distance(std::string_view a, std::string_view b)
{
    std::vector<size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), size_t{0});
    for (char letter : a) {
        size_t diagonal = row[0]++;
        for (size_t j = 0; j < b.size(); ++j) {
            const size_t replaced = diagonal + (letter == b[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({replaced, diagonal + 1, row[j] + 1});
        }
    }
    return row.back();
}

}  // namespace

std::string_view nearWord(std::string_view wrong, std::span<const std::string_view> words)
{
    // Long names are not looked at letter by letter: what the environment or a file has may be of any size.
    constexpr size_t kLongest = 64;
    if (wrong.size() > kLongest)
        return {};
    std::string_view nearest;
    size_t least = std::max<size_t>(wrong.size() / 3, 2) + 1;
    for (std::string_view word : words) {
        const size_t letters = distance(wrong, word);
        // A word of which nothing is left is another one.
        if (letters < least && letters < word.size()) {
            least = letters;
            nearest = word;
        }
    }
    return nearest;
}

std::string suggestion(std::string_view wrong, std::span<const std::string_view> words)
{
    const std::string_view word = nearWord(wrong, words);
    return word.empty() ? "" : "; did you mean \"" + std::string(word) + "\"?";
}

std::string suggestion(std::string_view wrong, std::span<const std::string> words)
{
    return suggestion(wrong, std::vector<std::string_view>(words.begin(), words.end()));
}

std::string noneOf(std::string_view text, std::span<const std::string_view> words)
{
    if (std::ranges::find(words, text) != words.end())
        return "";
    std::string problem = "\"" + std::string(text) + "\" is none of ";
    for (size_t i = 0; i < words.size(); ++i)
        problem += (i == 0 ? "" : i + 1 == words.size() ? " and " : ", ") + std::string(words[i]);
    return problem + suggestion(text, words);
}

}  // namespace millrace
