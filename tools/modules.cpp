// SPDX-License-Identifier: Apache-2.0
#include "tools/modules.h"

#include <algorithm>
#include <charconv>
#include <system_error>

#include "base/input_file.h"
#include "nodes/find_warnings.h"
#include "spirv/module.h"
#include "tools/console.h"
#include "tools/files.h"

namespace millrace::tools {

namespace {

constexpr uint32_t kMagic = 0x07230203;
constexpr uint32_t kSwappedMagic = 0x03022307;

Diagnostic inFile(const std::string& path, const Diagnostic& diagnostic)
{
    return {path, diagnostic.where,
            diagnostic.component.empty() ? diagnostic.message : diagnostic.component + ": " + diagnostic.message};
}

// Assembly is text: a byte that no text has tells a broken binary from it.
bool isText(std::string_view content)
{
    return content.find('\0') == std::string_view::npos;
}

}  // namespace

NodeName parseNodeName(std::string_view text)
{
    const size_t colon = text.rfind(':');
    if (colon != std::string_view::npos) {
        uint32_t index = 0;
        const char* end = text.data() + text.size();
        const auto [rest, error] = std::from_chars(text.data() + colon + 1, end, index);
        if (error == std::errc() && rest == end)
            return {std::string(text.substr(0, colon)), index};
    }
    return {std::string(text), std::nullopt};
}

Result<spirv::Words> readModule(const std::string& path)
{
    std::string content;
    const std::string name = inputName(path);
    if (const Status read = readInput(path, content); !read)
        return Diagnostic{name, "", withReason("cannot read the file", read)};
    spirv::Words words(content.size() / 4);
    std::copy_n(content.data(), words.size() * 4, reinterpret_cast<char*>(words.data()));
    if (!words.empty() && (words[0] == kMagic || words[0] == kSwappedMagic))
        return words;
    const std::string other = path.ends_with(".spv") || path.ends_with(".spvasm") ? "" : whatTakes(path);
    if (content.empty() || !isText(content))
        return Diagnostic{name, "", "not SPIR-V: neither a binary module nor assembly text" + other};
    Result<spirv::Words> assembled = spirv::assemble(content);
    if (!assembled) {
        Diagnostic error = inFile(name, assembled.error());
        error.message += other;
        return error;
    }
    return assembled;
}

std::vector<std::string> entryPointsOf(const spirv::Words& words, spv::ExecutionModel model)
{
    const auto module = spirv::read(words);
    std::vector<std::string> names;
    if (module) {
        for (const spirv::Instruction& i : module->section(spirv::Section::EntryPoints))
            if (i.literal(0) == static_cast<uint32_t>(model))
                names.push_back(i.string(2));
    }
    return names;
}

std::string codeWarnings(const nodes::SourceModule& module, const std::string& entryPoint, const std::string& file)
{
    std::string out;
    const auto model = module.contains(entryPoint, spv::ExecutionModel::GLCompute) ? spv::ExecutionModel::GLCompute
                                                                                   : spv::ExecutionModel::MeshEXT;
    const auto code = module.extract(entryPoint, model);
    for (const nodes::Warning& warning :
         code ? nodes::findWarnings(*code, entryPoint) : std::vector<nodes::Warning>()) {
        const std::string reason = warning.place.empty()
                                       ? file + ": warning: entry point '" + entryPoint + "': " + warning.reason
                                       : warning.place + ": warning: " + warning.reason;
        out += printable(reason) + "\n";
    }
    return out;
}

}  // namespace millrace::tools
