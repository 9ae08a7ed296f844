// SPDX-License-Identifier: Apache-2.0
#include "tools/advise/shader_file.h"

#include <span>

#include "base/input_file.h"
#include "dxil/container.h"
#include "tools/dxil_modules.h"
#include "tools/files.h"
#include "tools/modules.h"

namespace millrace::tools {

namespace {

Result<ShaderFile> translated(const std::string& path, std::string content)
{
    const std::span bytes(reinterpret_cast<const uint8_t*>(content.data()), content.size());
    const auto container = dxil::readContainer(bytes);
    if (!container)
        return Diagnostic{path, "", container.error().text()};
    if (container->kind != dxil::ShaderKind::Mesh && container->kind != dxil::ShaderKind::Amplification) {
        return Diagnostic{path, "",
                          "neither a mesh nor an amplification shader: the container has a " +
                              std::string(dxil::shaderKindText(container->kind)) + " shader"};
    }
    const auto program = translateDxil({{std::move(content), {}}}, {});
    if (!program)
        return Diagnostic{path, "", program.error().text()};
    return ShaderFile{program->modules.front().words, true};
}

}  // namespace

Result<ShaderFile> readShaderFile(const std::string& path)
{
    std::string content;
    if (const Status read = readInput(path, content); !read)
        return Diagnostic{inputName(path), "", withReason("cannot read the file", read)};
    if (content.starts_with("DXBC"))
        return translated(path, std::move(content));
    auto words = readModule(path);
    if (!words)
        return words.error();
    return ShaderFile{std::move(*words), false};
}

}  // namespace millrace::tools
