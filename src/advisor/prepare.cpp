// SPDX-License-Identifier: Apache-2.0
#include "advisor/prepare.h"

#include <optional>

#include "advisor/unroll.h"
#include "spirv/edit.h"
#include "spirv/optimizer.h"
#include "spirv/tools.h"

namespace millrace::advisor {

namespace {

using spirv::Instruction;
using spirv::Section;

std::optional<Stage> stageOf(const Instruction& entryPoint)
{
    switch (static_cast<spv::ExecutionModel>(entryPoint.literal(0))) {
        case spv::ExecutionModel::MeshEXT:
            return Stage::Mesh;
        case spv::ExecutionModel::TaskEXT:
            return Stage::Task;
        default:
            return std::nullopt;
    }
}

bool isOfNv(const Instruction& entryPoint)
{
    const auto model = static_cast<spv::ExecutionModel>(entryPoint.literal(0));
    return model == spv::ExecutionModel::MeshNV || model == spv::ExecutionModel::TaskNV;
}

// Entry points may share a function, so it is the name and stage that choose.
void keepOnly(spirv::Module& module, const Instruction& chosen)
{
    const spirv::Id function = chosen.id(1);
    const uint32_t model = chosen.literal(0);
    const std::string name = chosen.string(2);
    std::erase_if(module.section(Section::EntryPoints),
                  [&](const Instruction& i) { return i.literal(0) != model || i.string(2) != name; });
    std::erase_if(module.section(Section::ExecutionModes), [&](const Instruction& i) { return i.id(0) != function; });
    spirv::removeUnused(module);
}

// Loads and stores of local variables become values.
Result<spirv::Words> withValues(std::span<const uint32_t> words)
{
    return spirv::optimize(words, "simplify the shader",
                           {spvtools::CreatePrivateToLocalPass, [] { return spvtools::CreateScalarReplacementPass(0); },
                            spvtools::CreateLocalAccessChainConvertPass, spvtools::CreateSSARewritePass,
                            spvtools::CreateCCPPass, spvtools::CreateDeadBranchElimPass, spvtools::CreateBlockMergePass,
                            spvtools::CreateSimplificationPass, [] { return spvtools::CreateAggressiveDCEPass(); }});
}

// Indices of outputs are constants where the driver sees constants.
Result<spirv::Module> unrolled(spirv::Module module)
{
    if (!requestUnrolling(module))
        return module;
    const auto words =
        spirv::optimize(spirv::write(module), "unroll loops",
                        {[] { return spvtools::CreateLoopUnrollPass(true); }, spvtools::CreateCCPPass,
                         [] { return spvtools::CreateScalarReplacementPass(0); },
                         spvtools::CreateLocalAccessChainConvertPass, spvtools::CreateSSARewritePass,
                         spvtools::CreateCCPPass, spvtools::CreateDeadBranchElimPass, spvtools::CreateBlockMergePass,
                         spvtools::CreateSimplificationPass, [] { return spvtools::CreateAggressiveDCEPass(); }});
    return words ? spirv::read(*words) : words.error();
}

Result<PreparedShader> prepareOne(spirv::Module module, const Instruction& entryPoint, const Options& options)
{
    PreparedShader out{*stageOf(entryPoint), entryPoint.string(2), {}};
    keepOnly(module, entryPoint);
    if (Status status = spirv::specialize(module, options.specialization); !status)
        return status.error();
    const auto inlined = spirv::inlineAll(spirv::write(module));
    const auto simple = inlined ? withValues(*inlined) : inlined.error();
    auto values = simple ? spirv::read(*simple) : simple.error();
    auto read = values ? unrolled(std::move(*values)) : values.error();
    if (!read)
        return read.error();
    out.module = std::move(*read);
    if (out.module.functions.size() != 1 || out.module.section(Section::EntryPoints).size() != 1)
        return Diagnostic{"advisor", out.entryPoint, "the entry point has functions that cannot be inlined"};
    return out;
}

}  // namespace

Result<std::vector<PreparedShader>> prepare(std::span<const uint32_t> words, const Options& options)
{
    if (const Status valid = spirv::validate(words); !valid)
        return valid.error();
    const auto module = spirv::read(words);
    if (!module)
        return module.error();
    std::vector<PreparedShader> out;
    for (const Instruction& entryPoint : module->section(Section::EntryPoints)) {
        const bool isWanted = options.entryPoint.empty() || entryPoint.string(2) == options.entryPoint;
        if (isWanted && isOfNv(entryPoint)) {
            return Diagnostic{"advisor", entryPoint.string(2),
                              "shaders of VK_NV_mesh_shader are not looked at, only those of VK_EXT_mesh_shader"};
        }
        if (!isWanted || !stageOf(entryPoint))
            continue;
        auto shader = prepareOne(*module, entryPoint, options);
        if (!shader)
            return shader.error();
        out.push_back(std::move(*shader));
    }
    if (out.empty()) {
        const std::string what = options.entryPoint.empty() ? "" : " named \"" + options.entryPoint + "\"";
        return Diagnostic{"advisor", "", "the module has no mesh or task shader" + what};
    }
    return out;
}

}  // namespace millrace::advisor
