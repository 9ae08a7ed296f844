// SPDX-License-Identifier: Apache-2.0
// What #include finds, with the dialect's declarations rewritten.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <glslang/Public/ShaderLang.h>

#include "glsl/declarations.h"

namespace millrace::glsl {

class IncludeFiles final : public glslang::TShader::Includer {
public:
    IncludeFiles(const std::vector<std::string>& folders, Declarations& declarations)
        : m_folders(folders), m_declarations(declarations)
    {
    }

    IncludeResult* includeLocal(const char* name, const char* includer, size_t depth) override;
    IncludeResult* includeSystem(const char* name, const char* includer, size_t depth) override;
    void releaseInclude(IncludeResult* result) override;

    // Of the declarations in included files; the message begins with file and line. Empty: none.
    const std::string& error() const { return m_error; }
    // What was read, each path once, in the order of the text.
    const std::vector<std::string>& files() const { return m_files; }

private:
    IncludeResult* open(const std::string& path, size_t depth);

    const std::vector<std::string>& m_folders;
    Declarations& m_declarations;
    std::string m_error;
    std::vector<std::string> m_files;
};

}  // namespace millrace::glsl
