// SPDX-License-Identifier: Apache-2.0
// The C functions of include/millrace/millrace.h that compile node shaders in GLSL.
#include <string>

#include "api/guarded.h"
#include "glsl/compile.h"

struct MillraceGlslOptions {
    millrace::glsl::Options options;
};

struct MillraceModule {
    millrace::glsl::Compiled compiled;
};

namespace {

using millrace::api::fail;
using millrace::api::guarded;
using millrace::api::invalid;

}  // namespace

MillraceResult millraceGlslOptionsCreate(MillraceGlslOptions** options)
{
    if (!options)
        return invalid("options is null");
    *options = nullptr;
    return guarded([&] {
        *options = new MillraceGlslOptions;
        return MILLRACE_SUCCESS;
    });
}

void millraceGlslOptionsDestroy(MillraceGlslOptions* options)
{
    delete options;
}

MillraceResult millraceGlslOptionsAddIncludeFolder(MillraceGlslOptions* options, const char* folder)
{
    if (!options || !folder)
        return invalid("options or folder is null");
    return guarded([&] {
        options->options.includeFolders.emplace_back(folder);
        return MILLRACE_SUCCESS;
    });
}

MillraceResult millraceGlslOptionsAddDefinition(MillraceGlslOptions* options, const char* name, const char* value)
{
    if (!options || !name || name[0] == '\0')
        return invalid("options is null, or there is no name");
    return guarded([&] {
        options->options.definitions.emplace_back(name, value ? value : "");
        return MILLRACE_SUCCESS;
    });
}

MillraceResult millraceGlslOptionsSetDebugInformation(MillraceGlslOptions* options, int enabled)
{
    if (!options)
        return invalid("options is null");
    options->options.debugInformation = enabled != 0;
    return MILLRACE_SUCCESS;
}

MillraceResult millraceCompileGlsl(const char* source, const char* file, const MillraceGlslOptions* options,
                                   MillraceModule** module)
{
    if (!module)
        return invalid("module is null");
    *module = nullptr;
    if (!source || !file)
        return invalid("source or file is null");
    return guarded([&] {
        auto compiled = millrace::glsl::compile(source, file, options ? options->options : millrace::glsl::Options());
        if (!compiled)
            return fail(MILLRACE_ERROR_INVALID_SHADER, compiled.error().text().c_str());
        // spirv-val refuses atomic operations on payloads, which Millrace runs.
        const auto valid =
            compiled->hasPayloadAtomics ? millrace::Status() : millrace::spirv::validate(compiled->words);
        if (!valid)
            return fail(MILLRACE_ERROR_INTERNAL, valid.error().text().c_str());
        *module = new MillraceModule{std::move(*compiled)};
        return MILLRACE_SUCCESS;
    });
}

void millraceModuleDestroy(MillraceModule* module)
{
    delete module;
}

const uint32_t* millraceModuleGetWords(const MillraceModule* module, size_t* wordCount)
{
    if (wordCount)
        *wordCount = module ? module->compiled.words.size() : 0;
    return module ? module->compiled.words.data() : nullptr;
}

const char* millraceModuleGetEntryPoint(const MillraceModule* module)
{
    return module ? module->compiled.entryPoint.c_str() : "";
}

const char* millraceModuleGetWarnings(const MillraceModule* module)
{
    return module ? module->compiled.warnings.c_str() : "";
}
