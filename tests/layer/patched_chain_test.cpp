// SPDX-License-Identifier: Apache-2.0
// Chains with structures of any size and kind, wherever they lie.
#include "layer/chains/patched_chain.h"

#include <gtest/gtest.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <iterator>

namespace millrace::layer {

namespace {

constexpr auto kUnknown = static_cast<VkStructureType>(1009990000);
constexpr auto kOther = static_cast<VkStructureType>(1009990001);
constexpr VkStructureType kKnown = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
constexpr VkStructureType kAdded = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES;

struct Unknown {
    VkStructureType sType = kUnknown;
    const void* pNext = nullptr;
    uint32_t values[40] = {};
};

std::vector<VkStructureType> typesOf(const void* chain)
{
    std::vector<VkStructureType> types;
    for (auto* item = static_cast<const VkBaseInStructure*>(chain); item; item = item->pNext)
        types.push_back(item->sType);
    return types;
}

TEST(PatchedChain, NothingChanged_IsTheApplicationsChain)
{
    const Unknown second{kOther};
    const Unknown first{kUnknown, &second, {}};
    EXPECT_EQ(PatchedChain(&first).get(), &first);
    EXPECT_EQ(PatchedChain(nullptr).get(), nullptr);
}

TEST(PatchedChain, OnlySomeInFrontOfAnotherChain)
{
    const Unknown last{kAdded}, third{kUnknown}, second{kOther, &third, {}};
    const VkPhysicalDeviceVulkan12Features first{kKnown, const_cast<Unknown*>(&second)};
    PatchedChain chain(&first);
    const VkStructureType kept[] = {kUnknown, kOther};
    chain.keepOnly(kept);
    EXPECT_EQ(typesOf(chain.get(&last)), (std::vector<VkStructureType>{kOther, kUnknown, kAdded}));
    EXPECT_EQ(third.pNext, nullptr) << "the application's are as they were";
    EXPECT_EQ(PatchedChain(nullptr).get(&last), &last);
}

TEST(PatchedChain, WhatIsBehindTheLastChange_StaysWhereItIs)
{
    const Unknown last{kOther};
    const VkPhysicalDeviceVulkan12Features known{kKnown, const_cast<Unknown*>(&last)};
    Unknown first{kUnknown, &known, {}};
    first.values[39] = 7;
    PatchedChain chain(&first);
    chain.remove(kKnown);
    const auto* copy = static_cast<const Unknown*>(chain.get());
    EXPECT_NE(copy, &first);
    EXPECT_EQ(copy->values[39], 7u);
    EXPECT_EQ(copy->pNext, &last);
    EXPECT_EQ(first.pNext, &known) << "the application's is not written to";
    EXPECT_TRUE(chain.lost().empty());
}

TEST(PatchedChain, ChangesAndAdditions_AreInCopies)
{
    const VkPhysicalDeviceVulkan12Features known{kKnown};
    const Unknown first{kUnknown, &known, {}};
    PatchedChain chain(&first);
    chain.change<VkPhysicalDeviceVulkan12Features>(kKnown)->hostQueryReset = VK_TRUE;
    chain.add<VkPhysicalDeviceVulkan13Features>(kAdded)->synchronization2 = VK_TRUE;
    EXPECT_EQ(chain.change<VkPhysicalDeviceVulkan11Features>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES),
              nullptr);
    EXPECT_EQ(typesOf(chain.get()), (std::vector{kAdded, kUnknown, kKnown}));
    EXPECT_TRUE(chain.find<VkPhysicalDeviceVulkan12Features>(kKnown)->hostQueryReset);
    EXPECT_FALSE(known.hostQueryReset);
}

// Nobody knows how large it is, and the next page is not there.
TEST(PatchedChain, StructureAtTheEndOfMemory_IsCopied)
{
    const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    auto* memory =
        static_cast<std::byte*>(mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    ASSERT_NE(static_cast<void*>(memory), MAP_FAILED);
    munmap(memory + page, page);
    const VkPhysicalDeviceVulkan12Features known{kKnown};
    auto* first = new (memory + page - sizeof(Unknown)) Unknown{kUnknown, &known, {}};
    first->values[39] = 11;
    mprotect(memory, page, PROT_READ);
    {
        PatchedChain chain(first);
        chain.remove(kKnown);
        const auto* copy = static_cast<const Unknown*>(chain.get());
        ASSERT_EQ(typesOf(copy), (std::vector{kUnknown}));
        EXPECT_EQ(copy->values[39], 11u);
    }
    munmap(memory, page);
}

#ifdef __NR_pipe
constexpr uint32_t kPipe = __NR_pipe;
#else
constexpr uint32_t kPipe = __NR_pipe2;  // newer processors have this alone
#endif

// Forbids this thread to have memory copied by the kernel, at once or through a pipe.
bool forbidCopying()
{
    sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_process_vm_readv, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_pipe2, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kPipe, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const sock_fprog program{static_cast<unsigned short>(std::size(filter)), filter};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

struct Seen {
    bool isForbidden = false;
    std::vector<VkStructureType> types;
    std::vector<VkStructureType> lost;
};

void* changeWithoutCopying(void* out)
{
    Seen& seen = *static_cast<Seen*>(out);
    const Unknown last{kOther};
    const VkPhysicalDeviceVulkan12Features known{kKnown, const_cast<Unknown*>(&last)};
    const Unknown first{kUnknown, &known, {}};
    seen.isForbidden = forbidCopying();
    PatchedChain chain(&first);
    chain.change<VkPhysicalDeviceVulkan12Features>(kKnown)->hostQueryReset = VK_TRUE;
    seen.types = typesOf(chain.get());
    seen.lost = chain.lost();
    return nullptr;
}

// Not a std::thread: UndefinedBehaviorSanitizer looks at its objects through a pipe.
TEST(PatchedChain, WhereNothingMayBeCopied_ItSaysWhatIsLost)
{
    Seen seen;
    pthread_t thread{};
    ASSERT_EQ(pthread_create(&thread, nullptr, changeWithoutCopying, &seen), 0);
    ASSERT_EQ(pthread_join(thread, nullptr), 0);
    ASSERT_TRUE(seen.isForbidden);
    EXPECT_EQ(seen.types, (std::vector{kKnown, kOther}));
    EXPECT_EQ(seen.lost, (std::vector{kUnknown}));
}

}  // namespace

}  // namespace millrace::layer
