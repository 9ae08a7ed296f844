// SPDX-License-Identifier: Apache-2.0
// Text to words, words to text, and the validator.
#include <spirv-tools/libspirv.hpp>

#include "spirv/messages.h"
#include "spirv/tools.h"

namespace millrace::spirv {

Result<Words> assemble(std::string_view text)
{
    Messages messages;
    spvtools::SpirvTools tools(SPV_ENV_UNIVERSAL_1_6);
    tools.SetMessageConsumer(messages.consumer());
    Words words;
    // Numeric ids are kept, so that text in a test or a message says the same ids as the words made of it.
    if (!tools.Assemble(text.data(), text.size(), &words, SPV_TEXT_TO_BINARY_OPTION_PRESERVE_NUMERIC_IDS))
        return messages.failure("cannot assemble");
    return words;
}

Result<std::string> disassemble(std::span<const uint32_t> words)
{
    Messages messages;
    spvtools::SpirvTools tools(SPV_ENV_UNIVERSAL_1_6);
    tools.SetMessageConsumer(messages.consumer());
    std::string text;
    const uint32_t options = SPV_BINARY_TO_TEXT_OPTION_NO_HEADER | SPV_BINARY_TO_TEXT_OPTION_FRIENDLY_NAMES |
                             SPV_BINARY_TO_TEXT_OPTION_INDENT;
    if (!tools.Disassemble(words.data(), words.size(), &text, options))
        return messages.failure("cannot disassemble");
    return text;
}

Status validate(std::span<const uint32_t> words, Environment environment)
{
    Messages messages;
    spvtools::SpirvTools tools(environment == Environment::Universal ? SPV_ENV_UNIVERSAL_1_6 : SPV_ENV_VULKAN_1_3);
    tools.SetMessageConsumer(messages.consumer());
    spvtools::ValidatorOptions options;
    options.SetScalarBlockLayout(true);
    // Offsets of samples that are not constant, of VK_KHR_maintenance8.
    options.SetAllowOffsetTextureOperand(true);
    if (!tools.Validate(words.data(), words.size(), options))
        return messages.failure("invalid");
    return {};
}

}  // namespace millrace::spirv
