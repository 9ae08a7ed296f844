// SPDX-License-Identifier: Apache-2.0
#include "nodes/passes/lower_mesh_payload.h"

#include <vector>

#include "shader/diagnose.h"
#include "shader/function_writer.h"
#include "shader/globals.h"
#include "shader/pointers.h"
#include "spirv/id_set.h"

namespace millrace::nodes {

using spirv::Emitter;
using spirv::Id;
using spirv::Instruction;
using spirv::Module;
using spirv::Section;

namespace {

struct State {
    NodeShader& shader;
    const uint32_t strideBytes;
    Module& module = shader.module;
    shader::Failure failure{"lowerMeshPayload"};
    const Id uintType = module.getIntType(32, false);
    const Id longType = module.getIntType(64, false);
    Id address{};  // of the payload, in the current function, made at its start where it is needed

    Id getAddress()
    {
        address = address ? address : module.newId();
        return address;
    }

    bool is(const Instruction& i, DeviceFunction function) const { return shader.device.isCall(i, function); }

    void copy(const Instruction& call, Id value, Emitter& out)
    {
        out.keep(spirv::instruction(spv::Op::OpCopyObject, call.type, call.result).add(value));
    }

    void visit(const Instruction& i, Emitter& out)
    {
        const Id one = module.getConstant(1);
        if (i.op != spv::Op::OpFunctionCall) {
            out.keep(i);
        } else if (is(i, DeviceFunction::InputElement) || is(i, DeviceFunction::Element) ||
                   is(i, DeviceFunction::OutputElement)) {
            copy(i, getAddress(), out);
        } else if (is(i, DeviceFunction::InputHandle)) {
            const Id zero = module.getConstant(0);
            out.keep(spirv::instruction(spv::Op::OpCompositeConstruct, i.type, i.result)
                         .add(zero)
                         .add(zero)
                         .add(one)
                         .add(zero));
        } else if (is(i, DeviceFunction::InputCount) || is(i, DeviceFunction::ArrayLength)) {
            copy(i, one, out);
        } else if (is(i, DeviceFunction::FinishWriting)) {
            failure.at("OpFinishWritingNodePayloadAMDX", "is not supported in mesh nodes");
        } else {
            out.keep(i);
        }
    }

    void makeAddress(spirv::Function& function, Id drawIndex)
    {
        spirv::InstructionList made;
        Emitter out(module, made);
        const Id pairType = module.getVectorType(uintType, 2);
        const Id pairPointer = module.getPointerType(spv::StorageClass::PushConstant, pairType);
        const Id member = module.getConstant(shader.argumentsMember);
        const Id where = out.emit(spv::Op::OpAccessChain, pairPointer, {shader.arguments, member});
        const Id pair = out.emit(spv::Op::OpLoad, pairType, {where});
        const Id first = out.emit(spv::Op::OpBitcast, longType, {pair});
        const Id number = out.emit(spv::Op::OpLoad, uintType, {drawIndex});
        const Id bytes = out.emit(spv::Op::OpIMul, uintType, {number, module.getConstant(strideBytes)});
        const Id wide = out.emit(spv::Op::OpUConvert, longType, {bytes});
        out.keep(spirv::instruction(spv::Op::OpIAdd, longType, address).add(first).add(wide));
        shader::insertBehindVariables(function, made);
    }

    void lowerFunctions()
    {
        Id drawIndex;
        for (spirv::Function& function : module.functions) {
            if (function.blocks.empty())
                continue;
            address = {};
            spirv::rewriteFunction(module, function, [this](const Instruction& i, Emitter& out) { visit(i, out); });
            if (!address)
                continue;
            if (!drawIndex) {
                drawIndex = shader::getBuiltInVariable(module, spv::BuiltIn::DrawIndex, uintType);
                module.addCapability(spv::Capability::DrawParameters);
            }
            makeAddress(function, drawIndex);
        }
    }

    void removeImports()
    {
        std::vector<Id> imports;
        for (const spirv::Function& function : module.functions)
            if (function.blocks.empty())
                imports.push_back(function.id());
        for (const Id import : imports)
            shader::forget(module, import);
        std::erase_if(module.functions, [](const spirv::Function& function) { return function.blocks.empty(); });
        module.removeCapability(spv::Capability::Linkage);
    }
};

// Those of the entry point, which a valid module decorates once each.
std::vector<std::pair<Id, spv::BuiltIn>> inputBuiltIns(const Module& module)
{
    std::vector<std::pair<Id, spv::BuiltIn>> found;
    for (const Instruction& i : module.section(Section::Annotations)) {
        const bool isBuiltIn = i.op == spv::Op::OpDecorate && i.operandCount() > 2 &&
                               i.literal(1) == static_cast<uint32_t>(spv::Decoration::BuiltIn);
        const Instruction* variable = isBuiltIn ? module.findDefinition(i.id(0)) : nullptr;
        if (variable && variable->op == spv::Op::OpVariable &&
            variable->literal(0) == static_cast<uint32_t>(spv::StorageClass::Input))
            found.emplace_back(variable->result, static_cast<spv::BuiltIn>(i.literal(2)));
    }
    return found;
}

// A Private variable with a value in place of a built-in.
bool makeConstant(Module& module, Id variable, uint32_t value, shader::Failure& failure)
{
    const Id type = module.pointee(module.typeOf(variable));
    if (type != module.getIntType(32, false))
        return failure.at(shader::describe(module, variable), "must be a 32-bit unsigned integer");
    module.removeDecorations([&](const Instruction& i) {
        return i.op == spv::Op::OpDecorate && i.id(0) == variable &&
               i.literal(1) == static_cast<uint32_t>(spv::Decoration::BuiltIn);
    });
    const Id initializer = module.getConstant(value);
    return shader::changeStorage(module, variable, spv::StorageClass::Private, failure) &&
           (module.findDefinition(variable)->add(initializer), true);
}

}  // namespace

Status lowerMeshBuiltIns(NodeShader& shader)
{
    Module& module = shader.module;
    shader::Failure failure("lowerMeshBuiltIns");
    const spirv::IdSet used = spirv::usedInFunctions(module);
    for (const auto& [input, builtIn] : inputBuiltIns(module)) {
        const Id variable = input;
        switch (builtIn) {
            case spv::BuiltIn::ShaderIndexAMDX:
                (void)makeConstant(module, variable, shader.node.declared.id.index, failure);
                break;
            case spv::BuiltIn::RemainingRecursionLevelsAMDX:
                (void)makeConstant(module, variable, 0, failure);
                break;
            case spv::BuiltIn::DrawIndex:
                if (used.contains(variable))
                    failure.at(shader::describe(module, variable), "a mesh node must not use DrawIndex");
                module.removeDecorations([&](const Instruction& i) { return i.isId(0) && i.id(0) == variable; });
                (void)shader::changeStorage(module, variable, spv::StorageClass::Private, failure);
                break;
            default:
                break;
        }
    }
    spirv::orderGlobals(module);
    return failure.status();
}

Status lowerMeshPayload(NodeShader& shader, uint32_t strideBytes)
{
    State state{shader, strideBytes};
    state.lowerFunctions();
    if (!state.failure)
        state.removeImports();
    return state.failure.status();
}

}  // namespace millrace::nodes
