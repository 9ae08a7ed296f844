// SPDX-License-Identifier: Apache-2.0
// Whatever the bytes are, read() says no or gives a module that it would give again.
#include <cstdlib>
#include <cstring>
#include <vector>

#include "spirv/module.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    std::vector<uint32_t> words(size / 4);
    if (!words.empty())
        std::memcpy(words.data(), data, words.size() * 4);
    const auto module = millrace::spirv::read(words);
    if (!module)
        return 0;
    const std::vector<uint32_t> written = millrace::spirv::write(*module);
    const auto again = millrace::spirv::read(written);
    if (!again || millrace::spirv::write(*again) != written)
        std::abort();
    return 0;
}
