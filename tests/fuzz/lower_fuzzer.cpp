// SPDX-License-Identifier: Apache-2.0
// Any bytes through the compiler: it must give a diagnostic or a shader, and neither crash nor hang.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "nodes/compile.h"
#include "spirv/module.h"

namespace {

// Names of the compute entry points, so that mutations of names do not end every run at once.
std::vector<std::string> entryPoints(const std::vector<uint32_t>& words)
{
    std::vector<std::string> names;
    const auto module = millrace::spirv::read(words);
    if (!module)
        return {"main"};
    for (const auto& i : module->section(millrace::spirv::Section::EntryPoints))
        if (i.literal(0) == static_cast<uint32_t>(spv::ExecutionModel::GLCompute))
            names.push_back(i.string(2));
    return names;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    constexpr size_t kMaxEntryPoints = 4;
    std::vector<uint32_t> words(size / 4);
    if (!words.empty())
        std::memcpy(words.data(), data, words.size() * 4);
    const uint8_t choice = size > 0 ? data[size - 1] : 0;
    std::vector<std::string> names = entryPoints(words);
    names.resize(std::min(names.size(), kMaxEntryPoints));
    for (const std::string& name : names) {
        millrace::nodes::Options options;
        options.request.entryPoint = name;
        options.request.pushConstantsInMemory = (choice & 1) != 0;
        options.request.argumentsOffsetBytes = options.request.pushConstantsInMemory ? 0 : 96;
        options.variant.indirect = (choice & 2) != 0;
        options.target.packWidth = (choice & 4) != 0 ? 0 : 64;
        (void)millrace::nodes::compile(words, options);
    }
    (void)millrace::nodes::usesShaderEnqueue(words);
    return 0;
}
