// SPDX-License-Identifier: Apache-2.0
// GLSL text in pieces, as far as the rewriter needs them.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace millrace::glsl {

struct Token {
    enum class Kind : uint8_t { Word, String, Directive, Mark } kind;  // Word: names and numbers
    std::string_view text;                                             // a view into the source
    uint32_t line = 0;                                                 // counts from 1
    size_t begin = 0;                                                  // in the source
    size_t end() const { return begin + text.size(); }
};

// Without white space and comments. A directive is one token, its continuation lines included. Never fails: what is no
// GLSL comes out as marks, for glslang to complain about.
std::vector<Token> tokenize(std::string_view source);

}  // namespace millrace::glsl
