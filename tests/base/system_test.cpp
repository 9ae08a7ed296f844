// SPDX-License-Identifier: Apache-2.0
#include "base/system.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <string>

#include "harness/temporary_folder.h"

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

#ifdef __linux__
// The system call that copies is not there for this process any more.
bool refuseTheCall()
{
    sock_filter code[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
                          BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_process_vm_readv, 0, 1),
                          BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
                          BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    const sock_fprog program{static_cast<unsigned short>(std::size(code)), code};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

TEST(CopyReadable, WhereASystemCallIsRefused_AllTheSame)
{
    const OnePage page;
    const pid_t child = fork();
    if (child == 0) {
        std::array<std::byte, 2048> copy{};
        const bool isReady = refuseTheCall();
        const bool whole = copyReadable(copy.data(), page.endLess(2048), 2048) == 2048 && copy.back() == std::byte{7};
        const bool part = copyReadable(copy.data(), page.endLess(24), 2048) == 24;
        const bool none = copyReadable(copy.data(), page.endLess(0), 2048) == 0;
        _exit(!isReady ? 2 : whole && part && none ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
}
#endif

TEST(OpenForWriting, EmptiesAFile_AndFailsWhereThereIsNoFolder)
{
    const TemporaryFolder folder;
    const std::string path = folder.file("a");
    for (const char* text : {"longer", "short"}) {
        const int file = openForWriting(path);
        ASSERT_GE(file, 0);
        EXPECT_EQ(write(file, text, std::strlen(text)), static_cast<ssize_t>(std::strlen(text)));
        close(file);
        EXPECT_EQ(std::filesystem::file_size(path), std::strlen(text));
    }
    EXPECT_LT(openForWriting(path + "/no/folder"), 0);
}

}  // namespace

}  // namespace millrace
