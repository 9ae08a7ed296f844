// SPDX-License-Identifier: Apache-2.0
// What somebody meant who misspelt a word.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace millrace {

// The word of `words` that `wrong` becomes by inserting, deleting or replacing the fewest letters (the first of
// several), if that are at most two letters or a third of `wrong`. Empty if there is none, or if `wrong` has more than
// 64 letters. Letters differ by case. Any thread.
std::string_view nearWord(std::string_view wrong, std::span<const std::string_view> words);

// "; did you mean \"WORD\"?", or empty if no word is near.
std::string suggestion(std::string_view wrong, std::span<const std::string_view> words);
std::string suggestion(std::string_view wrong, std::span<const std::string> words);

// Empty if it is one of the words, else "\"TEXT\" is none of A, B and C", with a suggestion.
std::string noneOf(std::string_view text, std::span<const std::string_view> words);

}  // namespace millrace
