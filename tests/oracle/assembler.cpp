// SPDX-License-Identifier: Apache-2.0
#include "oracle/assembler.h"

#include <fstream>
#include <sstream>
#include <stdexcept>

#include <spirv-tools/libspirv.hpp>

namespace millrace::oracle {

namespace {

// Keeps what the tools say.
struct Messages {
    std::string text;

    spvtools::MessageConsumer consumer()
    {
        return [this](spv_message_level_t, const char*, const spv_position_t& position, const char* message) {
            text += "line " + std::to_string(position.line + 1) + ": " + message + "\n";
        };
    }
};

}  // namespace

std::vector<uint32_t> assemble(const std::string& text)
{
    spvtools::SpirvTools tools(SPV_ENV_UNIVERSAL_1_6);
    Messages messages;
    tools.SetMessageConsumer(messages.consumer());
    std::vector<uint32_t> words;
    if (!tools.Assemble(text, &words, SPV_TEXT_TO_BINARY_OPTION_PRESERVE_NUMERIC_IDS))
        throw std::runtime_error("assembler: " + messages.text);
    return words;
}

std::vector<uint32_t> assembleFile(const std::string& path)
{
    std::ifstream file(path);
    if (!file)
        throw std::runtime_error("cannot open " + path);
    std::stringstream text;
    text << file.rdbuf();
    return assemble(text.str());
}

std::string validate(const std::vector<uint32_t>& words)
{
    spvtools::SpirvTools tools(SPV_ENV_VULKAN_1_3);
    Messages messages;
    tools.SetMessageConsumer(messages.consumer());
    spvtools::ValidatorOptions options;
    options.SetScalarBlockLayout(true);
    options.SetAllowLocalSizeId(true);
    if (tools.Validate(words.data(), words.size(), options))
        return "";
    return messages.text.empty() ? "invalid, without a message" : messages.text;
}

}  // namespace millrace::oracle
