// SPDX-License-Identifier: Apache-2.0
// A vector that holds its first elements itself. For the small lists that modules have by the thousand, whose
// allocation would take longer than all that is done with them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <type_traits>

namespace millrace {

// As std::vector, as far as it goes. Elements are plain data, and up to `Inline` of them need no allocation.
template <typename T, uint32_t Inline>
class InlineVector {
    static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

public:
    using value_type = T;
    using iterator = T*;
    using const_iterator = const T*;

    InlineVector() {}
    InlineVector(std::initializer_list<T> values) { assign(values.begin(), values.end()); }
    InlineVector(const InlineVector& other) { assign(other.begin(), other.end()); }
    InlineVector(InlineVector&& other) noexcept { take(other); }
    ~InlineVector() { release(); }

    InlineVector& operator=(const InlineVector& other)
    {
        if (this != &other)
            assign(other.begin(), other.end());
        return *this;
    }
    InlineVector& operator=(InlineVector&& other) noexcept
    {
        if (this != &other) {
            release();
            take(other);
        }
        return *this;
    }

    size_t size() const { return m_size; }
    bool empty() const { return m_size == 0; }
    T* data() { return m_capacity > Inline ? m_heap : m_inline; }
    const T* data() const { return m_capacity > Inline ? m_heap : m_inline; }
    T* begin() { return data(); }
    T* end() { return data() + m_size; }
    const T* begin() const { return data(); }
    const T* end() const { return data() + m_size; }
    T& operator[](size_t i) { return data()[i]; }
    const T& operator[](size_t i) const { return data()[i]; }

    void reserve(size_t count)
    {
        if (count <= m_capacity)
            return;
        const size_t capacity = std::max<size_t>(count, size_t{m_capacity} * 2);
        T* const grown = new T[capacity];
        std::copy_n(data(), m_size, grown);
        release();
        m_heap = grown;
        m_capacity = static_cast<uint32_t>(capacity);
    }

    void resize(size_t count, T value = T())
    {
        reserve(count);
        if (count > m_size)
            std::fill(data() + m_size, data() + count, value);
        m_size = static_cast<uint32_t>(count);
    }

    void push_back(T value)
    {
        reserve(size_t{m_size} + 1);
        data()[m_size++] = value;
    }

    // Not from this vector's own elements.
    template <typename Iterator>
    void assign(Iterator first, Iterator last)
    {
        m_size = 0;
        append(first, last);
    }

    // At the end; not from this vector's own elements.
    template <typename Iterator>
    void append(Iterator first, Iterator last)
    {
        const auto count = static_cast<size_t>(last - first);
        reserve(m_size + count);
        std::copy(first, last, end());
        m_size += static_cast<uint32_t>(count);
    }

    friend bool operator==(const InlineVector& a, const InlineVector& b)
    {
        return std::equal(a.begin(), a.end(), b.begin(), b.end());
    }
    friend bool operator<(const InlineVector& a, const InlineVector& b)
    {
        return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
    }

private:
    void release()
    {
        if (m_capacity > Inline)
            delete[] m_heap;
        m_capacity = Inline;
    }

    // Requires: nothing of this vector's own on the heap.
    void take(InlineVector& other) noexcept
    {
        if (other.m_capacity > Inline)
            m_heap = other.m_heap;
        else
            std::copy_n(other.m_inline, other.m_size, m_inline);
        m_size = other.m_size;
        m_capacity = other.m_capacity;
        other.m_size = 0;
        other.m_capacity = Inline;
    }

    uint32_t m_size = 0;
    uint32_t m_capacity = Inline;
    union {
        T m_inline[Inline];
        T* m_heap;
    };
};

}  // namespace millrace
