// SPDX-License-Identifier: Apache-2.0
#include "bench/suite/shaders.h"

#include <glslang/Public/ResourceLimits.h>
#include <glslang/Public/ShaderLang.h>
#include <glslang/SPIRV/GlslangToSpv.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "glsl/compile.h"
#include "glsl/glslang_shader.h"
#include "glsl/include_files.h"
#include "harness/device.h"

namespace millrace::bench {

namespace {

std::string& folder()
{
    static std::string value = [] {
        const char* set = std::getenv("MILLRACE_BENCH_SHADERS");
        return std::string(set && *set ? set : MILLRACE_BENCH_FOLDER);
    }();
    return value;
}

std::string pathOf(const std::string& file)
{
    return folder() + "/" + file + ".comp";
}

std::string read(const std::string& path)
{
    std::ifstream file(path, std::ios::binary);
    if (!file)
        throw harness::HarnessError("cannot open " + path + "; --shaders names the folder");
    return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

void setShaderFolder(const std::string& path)
{
    folder() = path;
}

const std::string& shaderFolder()
{
    return folder();
}

std::vector<uint32_t> compileNode(const std::string& file, const Definitions& definitions)
{
    const std::string path = pathOf(file);
    glsl::Options options;
    options.includeFolders = {folder()};
    options.definitions = definitions;
    auto compiled = glsl::compile(read(path), path, options);
    if (!compiled)
        throw harness::HarnessError(compiled.error().text());
    return std::move(compiled->words);
}

std::vector<uint32_t> compileKernel(const std::string& file, const Definitions& definitions)
{
    glsl::initializeGlslang();
    const std::string path = pathOf(file);
    const std::string source = read(path);
    std::string before = "#extension GL_GOOGLE_include_directive : require\n";
    for (const auto& [name, value] : definitions)
        before += "#define " + name + " " + value + "\n";
    constexpr auto kMessages = static_cast<EShMessages>(EShMsgSpvRules | EShMsgVulkanRules);
    const char* text = source.c_str();
    const int length = static_cast<int>(source.size());
    const char* name = path.c_str();
    glslang::TShader shader(EShLangCompute);
    shader.setStringsWithLengthsAndNames(&text, &length, &name, 1);
    shader.setPreamble(before.c_str());
    glsl::setTarget(shader, EShLangCompute);
    glsl::Declarations none;
    const std::vector<std::string> folders{folder()};
    glsl::IncludeFiles includes(folders, none);
    if (!shader.parse(GetDefaultResources(), 460, false, kMessages, includes))
        throw harness::HarnessError(path + ": " + shader.getInfoLog());
    glslang::TProgram program;
    program.addShader(&shader);
    if (!program.link(kMessages))
        throw harness::HarnessError(path + ": " + program.getInfoLog());
    std::vector<uint32_t> words;
    glslang::SpvOptions options;
    glslang::GlslangToSpv(*program.getIntermediate(EShLangCompute), words, &options);
    return words;
}

}  // namespace millrace::bench
