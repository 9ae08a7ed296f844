// SPDX-License-Identifier: Apache-2.0
#include "glsl/tokens.h"

#include <algorithm>
#include <cctype>

namespace millrace::glsl {

namespace {

bool isWordPart(char c)
{
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

class Tokenizer {
public:
    explicit Tokenizer(std::string_view source) : m_source(source) {}

    std::vector<Token> run()
    {
        while (m_at < m_source.size())
            step();
        return std::move(m_tokens);
    }

private:
    bool startsWith(std::string_view text) const { return m_source.substr(m_at).starts_with(text); }

    void step()
    {
        const char c = m_source[m_at];
        if (c == '\n') {
            ++m_line;
            ++m_at;
            m_lineIsEmpty = true;
        } else if (std::isspace(static_cast<unsigned char>(c)) != 0) {
            ++m_at;
        } else if (startsWith("//")) {
            skipTo(lineEnd(m_at));
        } else if (startsWith("/*")) {
            const size_t end = m_source.find("*/", m_at + 2);
            skipTo(end == std::string_view::npos ? m_source.size() : end + 2);
        } else if (c == '#' && m_lineIsEmpty) {
            take(Token::Kind::Directive, lineEnd(m_at));
        } else if (c == '"') {
            const size_t end = m_source.find_first_of("\"\n", m_at + 1);
            const bool closed = end != std::string_view::npos && m_source[end] == '"';
            take(closed ? Token::Kind::String : Token::Kind::Mark, closed ? end + 1 : m_at + 1);
        } else if (isWordPart(c)) {
            size_t end = m_at;
            while (end < m_source.size() && isWordPart(m_source[end]))
                ++end;
            take(Token::Kind::Word, end);
        } else {
            take(Token::Kind::Mark, m_at + 1);
        }
    }

    // Of a line that backslashes may continue.
    size_t lineEnd(size_t from) const
    {
        size_t end = m_source.find('\n', from);
        while (end != std::string_view::npos && (m_source[end - 1] == '\\' || m_source.substr(end - 2, 2) == "\\\r"))
            end = m_source.find('\n', end + 1);
        return end == std::string_view::npos ? m_source.size() : end;
    }

    void skipTo(size_t end)
    {
        m_line += static_cast<uint32_t>(std::ranges::count(m_source.substr(m_at, end - m_at), '\n'));
        m_at = end;
    }

    void take(Token::Kind kind, size_t end)
    {
        m_tokens.push_back({kind, m_source.substr(m_at, end - m_at), m_line, m_at});
        m_lineIsEmpty = false;
        skipTo(end);
    }

    std::string_view m_source;
    size_t m_at = 0;
    uint32_t m_line = 1;
    bool m_lineIsEmpty = true;
    std::vector<Token> m_tokens;
};

}  // namespace

std::vector<Token> tokenize(std::string_view source)
{
    return Tokenizer(source).run();
}

}  // namespace millrace::glsl
