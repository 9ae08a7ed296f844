// SPDX-License-Identifier: Apache-2.0
#include "base/system.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <filesystem>

namespace millrace {

namespace {

// Two pages, of which the second is not there.
class OnePage {
public:
    OnePage()
    {
        m_begin = static_cast<std::byte*>(
            mmap(nullptr, 2 * kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
        munmap(m_begin + kBytes, kBytes);
        std::memset(m_begin, 7, kBytes);
    }
    ~OnePage() { munmap(m_begin, kBytes); }
    const std::byte* endLess(size_t bytes) const { return m_begin + kBytes - bytes; }

private:
    const size_t kBytes = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    std::byte* m_begin;
};

TEST(CopyReadable, WhatIsMapped_AndNoMore)
{
    const OnePage page;
    std::array<std::byte, 2048> copy{};
    EXPECT_EQ(copyReadable(copy.data(), page.endLess(2048), 2048), 2048u);
    EXPECT_EQ(copy.back(), std::byte{7});
    copy = {};
    EXPECT_EQ(copyReadable(copy.data(), page.endLess(24), 2048), 24u);
    EXPECT_EQ(copy[23], std::byte{7});
    EXPECT_EQ(copy[24], std::byte{0});
    EXPECT_EQ(copyReadable(copy.data(), page.endLess(0), 2048), 0u);
}

TEST(CopyReadable, AcrossPages)
{
    std::array<std::byte, 20000> source{};
    source[19999] = std::byte{9};
    std::array<std::byte, 4096> copy{};
    EXPECT_EQ(copyReadable(copy.data(), source.data() + source.size() - copy.size(), copy.size()), copy.size());
    EXPECT_EQ(copy.back(), std::byte{9});
}

TEST(OpenForWriting, EmptiesAFile_AndFailsWhereThereIsNoFolder)
{
    const std::string path = testing::TempDir() + "millrace_system_test_" + std::to_string(getpid());
    for (const char* text : {"longer", "short"}) {
        const int file = openForWriting(path);
        ASSERT_GE(file, 0);
        EXPECT_EQ(write(file, text, std::strlen(text)), static_cast<ssize_t>(std::strlen(text)));
        close(file);
        EXPECT_EQ(std::filesystem::file_size(path), std::strlen(text));
    }
    std::filesystem::remove(path);
    EXPECT_LT(openForWriting(path + "/no/folder"), 0);
}

}  // namespace

}  // namespace millrace
