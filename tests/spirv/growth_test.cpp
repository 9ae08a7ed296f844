// SPDX-License-Identifier: Apache-2.0
// What inlining takes grows as its result does: counted in bytes that are allocated, not in time.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "spirv/programs.h"

namespace {

std::atomic<size_t> g_allocatedBytes = 0;  // by everybody, ever

}  // namespace

[[gnu::noinline]] void* operator new(size_t bytes)
{
    g_allocatedBytes += bytes;
    if (void* memory = std::malloc(bytes > 0 ? bytes : 1))
        return memory;
    throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept
{
    std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, size_t) noexcept
{
    std::free(memory);
}

namespace millrace::spirv::test {
namespace {

// An entry point that calls one function so many times. The function has a branch, or none.
Words calls(uint32_t count, bool branches)
{
    std::string body;
    for (uint32_t i = 0; i < count; ++i)
        body += "%c" + std::to_string(i) + " = OpFunctionCall %uint %f %u1\n";
    const std::string code = branches ? R"(
            %is = OpIEqual %bool %p %u1
                  OpSelectionMerge %join None
                  OpBranchConditional %is %then %join
          %then = OpLabel
           %two = OpIAdd %uint %p %p
                  OpBranch %join
          %join = OpLabel
        %result = OpPhi %uint %p %first %two %then
    )"
                                      : "%result = OpIAdd %uint %p %p\n";
    const std::string globals = "%u1 = OpConstant %uint 1\n%type = OpTypeFunction %uint %uint\n";
    return assembled(compute(globals, body) +
                     "%f = OpFunction %uint None %type\n%p = OpFunctionParameter %uint\n"
                     "%first = OpLabel\n" +
                     code + "OpReturnValue %result\nOpFunctionEnd\n");
}

size_t bytesOfInlining(const Words& words)
{
    const size_t before = g_allocatedBytes;
    const auto inlined = inlineAll(words);
    EXPECT_TRUE(inlined) << inlined.error().text();
    return g_allocatedBytes - before;
}

TEST(Growth, CallsOfOneFunction_TakeMemoryAsTheirNumber)
{
    for (const bool branches : {false, true}) {
        const size_t least = bytesOfInlining(calls(512, branches));
        EXPECT_LT(bytesOfInlining(calls(2048, branches)), 6 * least);
        EXPECT_LT(bytesOfInlining(calls(4096, branches)), 12 * least);
    }
}

}  // namespace
}  // namespace millrace::spirv::test
