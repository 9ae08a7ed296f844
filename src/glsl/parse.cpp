// SPDX-License-Identifier: Apache-2.0
#include "glsl/parse.h"

#include <glslang/Public/ResourceLimits.h>
#include <glslang/Public/ShaderLang.h>
#include <glslang/SPIRV/GlslangToSpv.h>

#include <regex>

#include "glsl/glslang_shader.h"
#include "glsl/include_files.h"
#include "glsl/messages.h"
#include "glsl/rewrite.h"

namespace millrace::glsl {

namespace {

std::string withoutLastNewline(std::string text)
{
    if (!text.empty() && text.back() == '\n')
        text.pop_back();
    return text;
}

std::string wholePreamble(const Options& options)
{
    std::string out = preamble();
    for (const auto& [name, value] : options.definitions)
        out += "#define " + name + " " + value + "\n";
    return out;
}

// Mesh shaders say so themselves: their built-ins need the extension.
EShLanguage languageOf(Stage stage, const std::string& source)
{
    if (stage == Stage::Fragment)
        return EShLangFragment;
    static const std::regex extension(R"(^[ \t]*#[ \t]*extension[ \t]+GL_EXT_mesh_shader\b)",
                                      std::regex::ECMAScript | std::regex::multiline);
    return std::regex_search(source, extension) ? EShLangMesh : EShLangCompute;
}

void generate(const glslang::TIntermediate& intermediate, bool withLines, spirv::Words& words)
{
    glslang::SpvOptions options;
    options.generateDebugInfo = withLines;
    glslang::GlslangToSpv(intermediate, words, &options);
}

Result<Parsed> parseOnce(const std::string& source, const std::string& file, const Options& options, Stage stage,
                         EShMessages messages)
{
    Parsed parsed;
    const auto rewritten = rewriteDeclarations(source, file, parsed.declarations);
    if (!rewritten)
        return rewritten.error();
    constexpr int kDefaultVersion = 460;
    const std::string before = wholePreamble(options);
    const char* text = rewritten->c_str();
    const int length = static_cast<int>(rewritten->size());
    const char* name = file.c_str();
    const EShLanguage language = languageOf(stage, source);
    glslang::TShader shader(language);
    shader.setStringsWithLengthsAndNames(&text, &length, &name, 1);
    shader.setPreamble(before.c_str());
    setTarget(shader, language);
    shader.setDebugInfo(true);
    shader.setSourceFile(name);
    shader.addSourceText(source.c_str(), source.size());
    IncludeFiles includes(options.includeFolders, parsed.declarations);
    const bool sound = shader.parse(GetDefaultResources(), kDefaultVersion, false, messages, includes);
    if (!includes.error().empty())
        return Diagnostic{{}, {}, includes.error()};
    Messages log = readLog(shader.getInfoLog(), file, parsed.declarations);
    parsed.warnings = log.warnings;
    parsed.includedFiles = includes.files();
    glslang::TProgram program;
    program.addShader(&shader);
    if (!sound || !program.link(messages)) {
        log.errors += sound ? readLog(program.getInfoLog(), file, parsed.declarations).errors : "";
        return Diagnostic{{}, {}, withoutLastNewline(log.errors)};
    }
    // Of nodes the lines are for our own messages; dropped later unless asked for.
    generate(*program.getIntermediate(language), stage == Stage::Node || options.debugInformation, parsed.words);
    return parsed;
}

}  // namespace

Result<Parsed> parse(const std::string& source, const std::string& file, const Options& options, Stage stage)
{
    initializeGlslang();
    // What nodes declare is in functions that nobody calls.
    const auto messages =
        static_cast<EShMessages>(EShMsgSpvRules | EShMsgVulkanRules | EShMsgDebugInfo | EShMsgDisplayErrorColumn |
                                 (stage == Stage::Node ? EShMsgKeepUncalled : EShMsgDefault));
    Result<Parsed> parsed = parseOnce(source, file, options, stage, messages);
    if (parsed)
        return parsed;
    // By itself glslang stops at the first error. What is sound never comes here.
    const Result<Parsed> again =
        parseOnce(source, file, options, stage, static_cast<EShMessages>(messages | EShMsgCascadingErrors));
    return again ? parsed : again.error();
}

}  // namespace millrace::glsl
