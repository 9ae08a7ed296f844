// SPDX-License-Identifier: Apache-2.0
#include "glsl/include_files.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/input_file.h"
#include "glsl/rewrite.h"

namespace millrace::glsl {

namespace {

// Deeper than any library; shallow enough for the parser's stack when a file includes itself.
constexpr size_t kMaxDepth = 64;

}  // namespace

glslang::TShader::Includer::IncludeResult* IncludeFiles::includeLocal(const char* name, const char* includer,
                                                                      size_t depth)
{
    return open((std::filesystem::path(includer).parent_path() / name).string(), depth);
}

glslang::TShader::Includer::IncludeResult* IncludeFiles::includeSystem(const char* name, const char*, size_t depth)
{
    for (const std::string& folder : m_folders)
        if (IncludeResult* result = open((std::filesystem::path(folder) / name).string(), depth))
            return result;
    return nullptr;
}

glslang::TShader::Includer::IncludeResult* IncludeFiles::open(const std::string& path, size_t depth)
{
    std::error_code ignored;
    if (depth > kMaxDepth || !std::filesystem::is_regular_file(path, ignored))
        return nullptr;
    if (std::ranges::find(m_files, path) == m_files.end())
        m_files.push_back(path);
    std::ifstream file(path, std::ios::binary);
    const std::string text(std::istreambuf_iterator<char>(file), {});
    auto rewritten = rewriteDeclarations(std::string(withoutByteOrderMark(text)), path, m_declarations);
    if (!rewritten && m_error.empty())
        m_error = rewritten.error().message;
    // glslang goes on with an empty file; whoever asks for error() has the reason.
    auto content = std::make_unique<std::string>(rewritten ? *rewritten : std::string());
    auto result = std::make_unique<IncludeResult>(path, content->data(), content->size(), content.get());
    (void)content.release();  // releaseInclude() gets it back
    return result.release();
}

void IncludeFiles::releaseInclude(IncludeResult* result)
{
    if (result) {
        const std::unique_ptr<std::string> content(static_cast<std::string*>(result->userData));
        const std::unique_ptr<IncludeResult> owner(result);
    }
}

}  // namespace millrace::glsl
