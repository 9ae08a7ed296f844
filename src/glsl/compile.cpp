// SPDX-License-Identifier: Apache-2.0
#include "glsl/compile.h"

#include <algorithm>

#include "base/input_file.h"
#include "glsl/complete.h"
#include "glsl/parse.h"
#include "glsl/places.h"
#include "spirv/module.h"

namespace millrace::glsl {

namespace {

Result<Compiled> compileWithoutPlaces(const std::string& source, const std::string& file, const Options& options)
{
    auto parsed = parse(source, file, options, Stage::Node);
    if (!parsed)
        return parsed.error();
    auto completed = completeModule(parsed->words, parsed->declarations, options.debugInformation);
    if (!completed)
        return completed.error();
    Compiled out{std::move(completed->words), std::move(completed->entryPoint), parsed->warnings + completed->warnings};
    out.includedFiles = std::move(parsed->includedFiles);
    if (!completed->payloadAtomic.empty()) {
        out.hasPayloadAtomics = true;
        out.warnings += completed->payloadAtomic +
                        ": warning: spirv-val and the validation layer refuse atomic operations on payloads; Millrace "
                        "runs them\n";
    }
    return out;
}

bool usesPlaceholders(const spirv::Words& words)
{
    const auto module = spirv::read(words);
    return module && std::ranges::any_of(module->section(spirv::Section::ExtInstImports),
                                         [](const auto& import) { return import.string(0) == kPlaceholderSet; });
}

Result<Compiled> compileFragmentWithoutPlaces(const std::string& source, const std::string& file,
                                              const Options& options)
{
    auto parsed = parse(source, file, options, Stage::Fragment);
    if (!parsed)
        return parsed.error();
    if (!parsed->declarations.empty()) {
        const Declaration& first = parsed->declarations.front();
        return Diagnostic{"", "", at(first.file, first.line) + "a fragment shader is no node and has no payloads"};
    }
    if (usesPlaceholders(parsed->words))
        return Diagnostic{"", "", at(file, 1) + "a fragment shader calls a function that is for nodes"};
    Compiled out{std::move(parsed->words), "main", std::move(parsed->warnings)};
    out.includedFiles = std::move(parsed->includedFiles);
    return out;
}

using Compiler = Result<Compiled>(const std::string& source, const std::string& file, const Options& options);

Result<Compiled> compileWithPlaces(Compiler& compiler, const std::string& text, const std::string& file,
                                   const Options& options)
{
    const std::string source(withoutByteOrderMark(text));
    Result<Compiled> compiled = compiler(source, file, options);
    if (!compiled) {
        std::string errors = withPlaces(compiled.error().text(), file, source);
        errors.erase(errors.find_last_not_of('\n') + 1);
        return Diagnostic{"", "", errors};
    }
    compiled->warnings = withPlaces(compiled->warnings, file, source);
    return compiled;
}

}  // namespace

Result<Compiled> compile(const std::string& source, const std::string& file, const Options& options)
{
    return compileWithPlaces(compileWithoutPlaces, source, file, options);
}

Result<Compiled> compileFragment(const std::string& source, const std::string& file, const Options& options)
{
    return compileWithPlaces(compileFragmentWithoutPlaces, source, file, options);
}

}  // namespace millrace::glsl
