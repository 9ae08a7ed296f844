// SPDX-License-Identifier: Apache-2.0
#include "nodes/passes/lower_built_ins.h"

#include <optional>
#include <vector>

#include "shader/diagnose.h"
#include "shader/globals.h"
#include "shader/pointers.h"
#include "spirv/id_set.h"

namespace millrace::nodes {

using spirv::Id;
using spirv::Instruction;
using spirv::Module;
using spirv::Section;

namespace {

struct State {
    NodeShader& shader;
    Module& module = shader.module;
    shader::Failure failure{"lowerBuiltIns"};
    const spirv::IdSet used = spirv::usedInFunctions(module);

    bool isSigned(Id type) const
    {
        const Instruction* definition = module.findDefinition(type);
        if (definition && definition->op == spv::Op::OpTypeVector)
            definition = module.findDefinition(definition->id(0));
        return definition && definition->op == spv::Op::OpTypeInt && definition->literal(1) == 1;
    }

    Id unsignedType(Id type)
    {
        const Instruction* definition = module.findDefinition(type);
        if (definition->op != spv::Op::OpTypeVector)
            return module.getIntType(definition->literal(0), false);
        const uint32_t count = definition->literal(1);
        return module.getVectorType(unsignedType(definition->id(0)), count);
    }

    // The value that takes the place of a built-in; none if it stays. Also none on errors.
    std::optional<StartValue> startValue(Id variable, spv::BuiltIn builtIn)
    {
        const Id type = module.pointee(module.typeOf(variable));
        const bool isCoalescing = shader.node.declared.mode == graph::LaunchMode::Coalescing;
        const bool isPacked = graph::isPacked(shader.node);
        const bool isBeside = graph::runsBeside(shader.node);
        const auto is = [&](StartValue::Kind kind) { return StartValue{kind, variable, {}}; };
        const auto isZero = [&] {
            return StartValue{StartValue::Kind::Constant, variable, shader::getNull(module, type)};
        };
        switch (builtIn) {
            case spv::BuiltIn::NumWorkgroups:
                if (used.contains(variable))
                    failure.at(shader::describe(module, variable), "a node must not use NumWorkgroups");
                return std::nullopt;
            case spv::BuiltIn::WorkgroupId:
                return isCoalescing && shader.node.decided.parts == 1 ? isZero() : is(StartValue::Kind::WorkgroupId);
            case spv::BuiltIn::GlobalInvocationId:
                return isPacked ? isZero() : is(StartValue::Kind::GlobalInvocationId);
            case spv::BuiltIn::RemainingRecursionLevelsAMDX:
                return is(StartValue::Kind::RemainingRecursion);
            case spv::BuiltIn::ShaderIndexAMDX:
                return is(StartValue::Kind::ShaderIndex);
            case spv::BuiltIn::LocalInvocationId:
            case spv::BuiltIn::LocalInvocationIndex:
                if (isPacked)
                    return isZero();
                if (isBeside) {
                    return is(builtIn == spv::BuiltIn::LocalInvocationId ? StartValue::Kind::LocalInvocationId
                                                                         : StartValue::Kind::LocalInvocationIndex);
                }
                break;
            default:
                break;
        }
        if (!isSigned(type))
            return std::nullopt;
        return StartValue{StartValue::Kind::BuiltIn, variable,
                          shader::getBuiltInVariable(module, builtIn, unsignedType(type))};
    }

    bool lower(Id variable, spv::BuiltIn builtIn)
    {
        const auto value = startValue(variable, builtIn);
        if (!value)
            return !failure;
        module.removeDecorations([&](const Instruction& i) {
            const bool isAbout = i.op == spv::Op::OpDecorate && i.id(0) == variable;
            return isAbout && i.literal(1) != static_cast<uint32_t>(spv::Decoration::RelaxedPrecision);
        });
        if (used.contains(variable))
            shader.startValues.push_back(*value);
        return shader::changeStorage(module, variable, spv::StorageClass::Private, failure);
    }

    void lowerAll()
    {
        std::vector<std::pair<Id, spv::BuiltIn>> builtIns;
        for (const Instruction& i : module.section(Section::Annotations)) {
            const bool isBuiltIn = i.op == spv::Op::OpDecorate && i.operandCount() > 2 &&
                                   i.literal(1) == static_cast<uint32_t>(spv::Decoration::BuiltIn);
            const Instruction* variable = isBuiltIn ? module.findDefinition(i.id(0)) : nullptr;
            if (variable && variable->op == spv::Op::OpVariable &&
                variable->literal(0) == static_cast<uint32_t>(spv::StorageClass::Input))
                builtIns.emplace_back(variable->result, static_cast<spv::BuiltIn>(i.literal(2)));
        }
        for (const auto& [variable, builtIn] : builtIns)
            if (!lower(variable, builtIn))
                return;
    }
};

}  // namespace

Status lowerBuiltIns(NodeShader& shader)
{
    State state{shader};
    state.lowerAll();
    if (state.failure)
        return state.failure.status();
    // The constant keeps its value, the node's own size; ours may be another one.
    shader.module.removeDecorations([](const Instruction& i) {
        return i.op == spv::Op::OpDecorate && i.operandCount() > 2 &&
               i.literal(1) == static_cast<uint32_t>(spv::Decoration::BuiltIn) &&
               i.literal(2) == static_cast<uint32_t>(spv::BuiltIn::WorkgroupSize);
    });
    shader::updateInterface(shader.module, shader.entry);
    spirv::orderGlobals(shader.module);
    return {};
}

}  // namespace millrace::nodes
