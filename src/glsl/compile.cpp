// SPDX-License-Identifier: Apache-2.0
#include "glsl/compile.h"

#include "base/input_file.h"
#include "glsl/complete.h"
#include "glsl/parse.h"
#include "glsl/places.h"

namespace millrace::glsl {

namespace {

Result<Compiled> compileWithoutPlaces(const std::string& source, const std::string& file, const Options& options)
{
    auto parsed = parse(source, file, options);
    if (!parsed) {
        return parsed.error();
    }
    auto completed = completeModule(parsed->words, parsed->declarations, options.debugInformation);
    if (!completed) {
        return completed.error();
    }
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

}  // namespace

Result<Compiled> compile(const std::string& text, const std::string& file, const Options& options)
{
    const std::string source(withoutByteOrderMark(text));
    Result<Compiled> compiled = compileWithoutPlaces(source, file, options);
    if (!compiled) {
        std::string errors = withPlaces(compiled.error().text(), file, source);
        errors.erase(errors.find_last_not_of('\n') + 1);
        return Diagnostic{"", "", errors};
    }
    compiled->warnings = withPlaces(compiled->warnings, file, source);
    return compiled;
}

}  // namespace millrace::glsl
