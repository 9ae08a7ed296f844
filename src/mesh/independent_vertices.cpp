// SPDX-License-Identifier: Apache-2.0
#include "mesh/independent_vertices.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "mesh/passes.h"
#include "mesh/vertex_code.h"
#include "shader/diagnose.h"
#include "shader/globals.h"
#include "spirv/edit.h"
#include "spirv/id_set.h"
#include "spirv/optimizer.h"

namespace millrace::mesh {

using spirv::Emitter;
using spirv::Id;
using spirv::Instruction;
using spirv::Module;
using spirv::Section;

namespace {

// An invocation may write several vertices, in a loop, of which the vertex shader looks for one.
constexpr uint32_t kMostVerticesOfInvocation = 4;

std::optional<commands::Variant> read(const Result<spirv::Words>& words, const commands::Variant& of)
{
    if (!words)
        return std::nullopt;
    const std::string name = of.module.section(Section::EntryPoints)[0].string(2);
    auto variant = commands::readStage(*words, name, of.model);
    return variant ? std::optional(std::move(*variant)) : std::nullopt;
}

// Outputs stay, written or not.
spvtools::Optimizer::PassToken removeDeadCode()
{
    return spvtools::CreateAggressiveDCEPass();
}

spvtools::Optimizer::PassToken splitVariables()
{
    constexpr uint32_t kOfAnySize = 0;
    return spvtools::CreateScalarReplacementPass(kOfAnySize);
}

// Local variables become values. Nothing here rearranges arithmetic: another way of drawing must not give other
// positions. SPIRV-Tools do not survive a module that is not valid.
std::optional<commands::Variant> withValues(const commands::Variant& shader)
{
    Module ordered = shader.module;
    spirv::orderGlobals(ordered);
    const spirv::Words words = spirv::write(ordered);
    if (!spirv::validate(words))
        return std::nullopt;
    return read(spirv::optimize(
                    words, "look for independent vertices",
                    {spvtools::CreatePrivateToLocalPass, splitVariables, spvtools::CreateLocalAccessChainConvertPass,
                     spvtools::CreateSSARewritePass, spvtools::CreateCCPPass, spvtools::CreateDeadBranchElimPass,
                     spvtools::CreateBlockMergePass, removeDeadCode}),
                shader);
}

bool writesVertices(const MeshOutputs& outputs, const Module& module, Id pointer)
{
    for (const Instruction* i = module.findDefinition(pointer); i; i = module.findDefinition(pointer)) {
        if (i->op == spv::Op::OpVariable) {
            const auto output = std::ranges::find(outputs.variables, pointer, &Output::variable);
            return output != outputs.variables.end() && !output->isPerPrimitive;
        }
        if (i->operandCount() == 0 || !i->isId(0))
            return false;
        pointer = i->id(0);
    }
    return false;
}

// Requires: writeVertexCode() takes the shader.
std::optional<commands::Variant> withoutVertices(commands::Variant shader, const MeshOutputs& outputs)
{
    Module& module = shader.module;
    spirv::Function& function = *module.findFunction(shader.entry);
    rewriteFunction(module, function, [&](const Instruction& i, Emitter& out) {
        if (i.op != spv::Op::OpStore || !writesVertices(outputs, module, i.id(0)))
            out.keep(i);
    });
    return read(spirv::optimize(spirv::write(module), "remove vertices", {removeDeadCode}), shader);
}

class Finder {
public:
    explicit Finder(const commands::Variant& mesh) : m_given(mesh) {}

    std::optional<IndependentVertices> run()
    {
        const GroupSize size = groupSizeOf(m_given.module);
        const auto values = leavesNoTraces(m_given.module) ? withValues(m_given) : std::nullopt;
        if (!values)
            return std::nullopt;
        auto outputs = readOutputs(values->module);
        const OwnVertices own(values->module, size);
        if (!outputs || outputs->setsCountsAgain ||
            outputs->maxVertices > kMostVerticesOfInvocation * own.invocations())
            return std::nullopt;
        commands::Variant code = *values;
        const auto variables = writeVertexCode(code, *outputs, own);
        auto simple = variables ? simplified(std::move(code)) : std::nullopt;
        if (!simple || !isAlone(*simple, *variables))
            return std::nullopt;
        auto mesh = withoutVertices(*values, *outputs);
        auto finished = mesh ? finish(std::move(*simple), *variables, size) : std::nullopt;
        if (!finished)
            return std::nullopt;
        return IndependentVertices{std::move(*mesh), std::move(*outputs), std::move(*finished)};
    }

private:
    // What nobody needs for the values is gone.
    static std::optional<commands::Variant> simplified(commands::Variant code)
    {
        shader::extendInterface(code.module, code.entry);
        spirv::orderGlobals(code.module);
        const auto inlined = spirv::inlineAll(spirv::write(code.module));
        if (!inlined)
            return std::nullopt;
        return read(spirv::optimize(*inlined, "compute vertices",
                                    {spvtools::CreatePrivateToLocalPass, splitVariables,
                                     spvtools::CreateLocalAccessChainConvertPass, spvtools::CreateSSARewritePass,
                                     removeDeadCode, spvtools::CreateCCPPass, spvtools::CreateDeadBranchElimPass,
                                     spvtools::CreateBlockMergePass, removeDeadCode}),
                    code);
    }

    // True if no other invocation has a part in what is left.
    static bool isAlone(const commands::Variant& code, const VertexCodeVariables& variables)
    {
        const spirv::IdSet used = spirv::usedInFunctions(code.module);
        return std::ranges::all_of(code.module.section(Section::Globals), [&](const Instruction& i) {
            if (i.op != spv::Op::OpVariable || !used.contains(i.result))
                return true;
            switch (static_cast<spv::StorageClass>(i.literal(0))) {
                case spv::StorageClass::Workgroup:
                    return false;
                case spv::StorageClass::Input:
                    return i.result == variables.wanted || isInput(code.module, i.result);
                default:
                    return true;
            }
        });
    }

    static bool isInput(const Module& module, Id variable)
    {
        const Instruction* const builtIn = module.findDecoration(variable, spv::Decoration::BuiltIn);
        return builtIn && std::ranges::find(VertexCode::kInputs, static_cast<spv::BuiltIn>(builtIn->literal(2))) !=
                              std::end(VertexCode::kInputs);
    }

    static std::optional<VertexCode> finish(commands::Variant shader, const VertexCodeVariables& variables,
                                            const GroupSize& size)
    {
        Module& module = shader.module;
        if (!module.findDefinition(variables.wanted))
            return std::nullopt;  // vertices are never written
        shader::Failure failure("independentVertices");
        VertexCode code{.shader = {}, .groupSize = size, .wanted = variables.wanted};
        bool isDone = commands::makePrivate(module, variables.wanted, failure);
        for (const auto& [value, variable] : variables.values) {
            isDone = isDone && commands::makePrivate(module, variable, failure);
            code.values[value] = variable;
        }
        const spirv::IdSet used = spirv::usedInFunctions(module);
        for (const spv::BuiltIn builtIn : VertexCode::kInputs) {
            for (const Id variable : commands::findInputs(module, builtIn)) {
                isDone = isDone && commands::makePrivate(module, variable, failure);
                if (used.contains(variable))
                    code.inputs.emplace(builtIn, variable);
            }
        }
        code.shader = std::move(shader);
        return isDone ? std::optional(std::move(code)) : std::nullopt;
    }

    const commands::Variant& m_given;
};

}  // namespace

std::optional<IndependentVertices> findIndependentVertices(const commands::Variant& mesh)
{
    return Finder(mesh).run();
}

}  // namespace millrace::mesh
