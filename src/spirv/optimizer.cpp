// SPDX-License-Identifier: Apache-2.0
#include "spirv/optimizer.h"

namespace millrace::spirv {

Result<Words> optimize(std::span<const uint32_t> words, std::string_view what,
                       std::initializer_list<spvtools::Optimizer::PassToken (*)()> passes)
{
    Messages messages;
    spvtools::Optimizer optimizer(SPV_ENV_VULKAN_1_3);
    optimizer.SetMessageConsumer(messages.consumer());
    for (const auto& create : passes)
        optimizer.RegisterPass(create());
    spvtools::OptimizerOptions options;
    // The validator rejects real modules, such as payload pointers passed to functions.
    options.set_run_validator(false);
    options.set_max_id_bound(kMaxBound);
    Words out;
    if (!optimizer.Run(words.data(), words.size(), &out, options))
        return messages.failure("cannot " + std::string(what));
    return out;
}

}  // namespace millrace::spirv
