// SPDX-License-Identifier: Apache-2.0
#include <spirv-tools/linker.hpp>

#include "spirv/messages.h"
#include "spirv/module.h"
#include "spirv/tools.h"

namespace millrace::spirv {

Result<Words> link(std::span<const std::span<const uint32_t>> modules)
{
    std::vector<const uint32_t*> words;
    std::vector<size_t> sizes;
    for (const std::span<const uint32_t> module : modules) {
        words.push_back(module.data());
        sizes.push_back(module.size());
    }
    Messages messages;
    spvtools::Context context(SPV_ENV_UNIVERSAL_1_6);
    context.SetMessageConsumer(messages.consumer());
    spvtools::LinkerOptions options;
    options.SetUseHighestVersion(true);
    Words out;
    if (spvtools::Link(context, words.data(), sizes.data(), words.size(), &out, options) != SPV_SUCCESS) {
        return messages.failure("cannot link");
    }
    return out;
}

}  // namespace millrace::spirv
