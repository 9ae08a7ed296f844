// SPDX-License-Identifier: Apache-2.0
// A value or the reason why there is none.
#pragma once

#include <cassert>
#include <string>
#include <utility>
#include <variant>

namespace millrace {

// Why something failed, in words for the person who wrote the input.
struct Diagnostic {
    std::string component;  // folder or pass that noticed, such as "spirv" or "lower-payloads"
    std::string where;      // instruction, id, node or file position; may be empty
    std::string message;

    std::string text() const
    {
        std::string out = component.empty() ? message : component + ": " + message;
        return where.empty() ? out : out + " (" + where + ")";
    }
};

template <typename T>
class [[nodiscard]] Result {
public:
    Result(T value) : m_content(std::in_place_index<0>, std::move(value)) {}
    Result(Diagnostic diagnostic) : m_content(std::in_place_index<1>, std::move(diagnostic)) {}

    explicit operator bool() const { return m_content.index() == 0; }
    T& operator*() { return value(); }
    const T& operator*() const { return value(); }
    T* operator->() { return &value(); }
    const T* operator->() const { return &value(); }

    T& value()
    {
        assert(m_content.index() == 0);
        return std::get<0>(m_content);
    }
    const T& value() const
    {
        assert(m_content.index() == 0);
        return std::get<0>(m_content);
    }
    const Diagnostic& error() const
    {
        assert(m_content.index() == 1);
        return std::get<1>(m_content);
    }

private:
    std::variant<T, Diagnostic> m_content;
};

// The outcome of an operation that has nothing to return.
class [[nodiscard]] Status {
public:
    Status() = default;
    Status(Diagnostic diagnostic) : m_failed(true), m_diagnostic(std::move(diagnostic)) {}

    explicit operator bool() const { return !m_failed; }
    const Diagnostic& error() const { return m_diagnostic; }

private:
    bool m_failed = false;
    Diagnostic m_diagnostic;
};

}  // namespace millrace
