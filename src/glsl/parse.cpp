// SPDX-License-Identifier: Apache-2.0
#include "glsl/parse.h"

#include <regex>
#include <sstream>

#include <glslang/Public/ResourceLimits.h>
#include <glslang/Public/ShaderLang.h>
#include <glslang/SPIRV/GlslangToSpv.h>

#include "glsl/include_files.h"
#include "glsl/rewrite.h"

namespace millrace::glsl {

namespace {

// glslang counts these calls; for the life of the process is enough.
void initialize()
{
    static const bool once = glslang::InitializeProcess();
    (void)once;
}

// What glslang says of our own names, in the user's words.
std::string inUsersWords(std::string message, const Declarations& declarations)
{
    static const std::regex unknownOutput("'" + std::string(kOutputNumber) + R"((\w*)' : undeclared identifier.*)");
    message = std::regex_replace(message, unknownOutput, "'$1' : no nodeout of this name above");
    static const std::regex redefinedOutput("'" + std::string(kOutputNumber) + R"((\w+)' : redefinition.*)");
    message = std::regex_replace(message, redefinedOutput, "'$1' : there is another nodeout of this name");
    static const std::regex block(std::string(kBlock) + R"((\d+))");
    for (std::smatch match; std::regex_search(message, match, block);) {
        const size_t number = std::stoul(match[1]);
        const std::string name = number < declarations.size() ? declarations[number].name : std::string();
        message = match.prefix().str() + name + match.suffix().str();
    }
    static const std::regex value(R"('mr_\w+' : )");
    return std::regex_replace(message, value, "");
}

std::string hintsOf(const Declarations& declarations, const std::string& file, const std::string& line,
                    const std::string& message)
{
    static const std::regex aboutTypes("syntax error|const|convert");
    std::string out;
    if (!std::regex_search(message, aboutTypes)) {
        return out;
    }
    for (const Declaration& declaration : declarations) {
        for (const auto& [of, hint] : declaration.hints) {
            if (declaration.file == file && std::to_string(of) == line) {
                out += (out.empty() ? "" : "; ") + hint;
            }
        }
    }
    return out.empty() ? out : " (" + out + ")";
}

struct Messages {
    std::string errors;
    std::string warnings;
};

// "ERROR: FILE:LINE: REASON" to "FILE:LINE: error: REASON"; drops the count of errors.
Messages readLog(const std::string& log, const std::string& file, const Declarations& declarations)
{
    static const std::regex line(R"((ERROR|WARNING): (.*?):(\d+): (.*?)\s*)");
    static const std::regex noise(R"(ERROR: (\d+ compilation errors.*|.*'' : compilation terminated\s*))");
    Messages out;
    std::istringstream lines(log);
    for (std::string text; std::getline(lines, text);) {
        std::smatch match;
        if (text.empty() || std::regex_match(text, noise)) {
            continue;
        }
        if (std::regex_match(text, match, line)) {
            const bool isError = match[1] == "ERROR";
            (isError ? out.errors : out.warnings) +=
                match[2].str() + ":" + match[3].str() + (isError ? ": error: " : ": warning: ") +
                inUsersWords(match[4].str(), declarations) +
                (isError ? hintsOf(declarations, match[2].str(), match[3].str(), match[4].str()) : std::string()) +
                "\n";
        } else {
            const bool isWarning = text.starts_with("WARNING: ");
            (isWarning ? out.warnings : out.errors) +=
                file + (isWarning ? ": warning: " : ": error: ") + text.substr(text.find(": ") + 2) + "\n";
        }
    }
    return out;
}

std::string withoutLastNewline(std::string text)
{
    if (!text.empty() && text.back() == '\n') {
        text.pop_back();
    }
    return text;
}

std::string wholePreamble(const Options& options)
{
    std::string out = preamble();
    for (const auto& [name, value] : options.definitions) {
        out += "#define " + name + " " + value + "\n";
    }
    return out;
}

void generate(const glslang::TIntermediate& intermediate, spirv::Words& words)
{
    glslang::SpvOptions options;
    options.generateDebugInfo = true;  // the lines are for our own messages; dropped later unless asked for
    glslang::GlslangToSpv(intermediate, words, &options);
}

}  // namespace

Result<Parsed> parse(const std::string& source, const std::string& file, const Options& options)
{
    initialize();
    Parsed parsed;
    const auto rewritten = rewriteDeclarations(source, file, parsed.declarations);
    if (!rewritten) {
        return rewritten.error();
    }
    constexpr auto kMessages =
        static_cast<EShMessages>(EShMsgSpvRules | EShMsgVulkanRules | EShMsgKeepUncalled | EShMsgDebugInfo);
    constexpr int kDefaultVersion = 460;
    const std::string before = wholePreamble(options);
    const char* text = rewritten->c_str();
    const int length = static_cast<int>(rewritten->size());
    const char* name = file.c_str();
    glslang::TShader shader(EShLangCompute);
    shader.setStringsWithLengthsAndNames(&text, &length, &name, 1);
    shader.setPreamble(before.c_str());
    shader.setEnvInput(glslang::EShSourceGlsl, EShLangCompute, glslang::EShClientVulkan, 100);
    shader.setEnvClient(glslang::EShClientVulkan, glslang::EShTargetVulkan_1_3);
    shader.setEnvTarget(glslang::EShTargetSpv, glslang::EShTargetSpv_1_6);
    shader.setDebugInfo(true);
    shader.setSourceFile(name);
    shader.addSourceText(source.c_str(), source.size());
    IncludeFiles includes(options.includeFolders, parsed.declarations);
    const bool sound = shader.parse(GetDefaultResources(), kDefaultVersion, false, kMessages, includes);
    if (!includes.error().empty()) {
        return Diagnostic{{}, {}, includes.error()};
    }
    Messages messages = readLog(shader.getInfoLog(), file, parsed.declarations);
    parsed.warnings = messages.warnings;
    glslang::TProgram program;
    program.addShader(&shader);
    if (!sound || !program.link(kMessages)) {
        messages.errors += sound ? readLog(program.getInfoLog(), file, parsed.declarations).errors : "";
        return Diagnostic{{}, {}, withoutLastNewline(messages.errors)};
    }
    generate(*program.getIntermediate(EShLangCompute), parsed.words);
    return parsed;
}

}  // namespace millrace::glsl
