// SPDX-License-Identifier: Apache-2.0
#include "nodes/passes/lower_push_constants.h"

#include <algorithm>
#include <cstddef>

#include "abi/dispatch.h"
#include "nodes/payload_types.h"
#include "shader/diagnose.h"
#include "shader/function_writer.h"
#include "shader/globals.h"
#include "shader/memory_operands.h"
#include "shader/pointers.h"
#include "shader/type_layouts.h"
#include "spirv/id_set.h"

namespace millrace::nodes {

using spirv::Emitter;
using spirv::Id;
using spirv::Instruction;
using spirv::Module;
using spirv::Section;

namespace {

// Two words each, so that every layout rule allows them at any multiple of 8.
constexpr uint32_t kMembers = sizeof(abi::NodeArguments) / 8;
constexpr uint32_t kPushConstantsMember = offsetof(abi::NodeArguments, pushConstants) / 8;
static_assert(sizeof(abi::NodeArguments) == 32);

struct State {
    NodeShader& shader;
    const Request& request;
    Module& module = shader.module;
    shader::Failure failure{"lowerPushConstants"};
    Id pairType = module.getVectorType(module.getIntType(32, false), 2);

    bool findBlock(Id& block)
    {
        const spirv::IdSet used = spirv::usedInFunctions(module);
        for (const Instruction& i : module.section(Section::Globals)) {
            const bool isBlock = i.op == spv::Op::OpVariable && used.contains(i.result) &&
                                 i.literal(0) == static_cast<uint32_t>(spv::StorageClass::PushConstant);
            if (isBlock && block)
                return failure.at(module, i, "a second push constant block");
            block = isBlock ? i.result : block;
        }
        return true;
    }

    // A copy of structure `old`, or a new one, with our members behind its own.
    Id createBlock(Id old)
    {
        const Id created = module.newId();
        Instruction type = spirv::instruction(spv::Op::OpTypeStruct, {}, created);
        if (old) {
            copyAnnotations(old, created);
            const Instruction* definition = module.findDefinition(old);
            for (size_t m = 0; m < definition->operandCount(); ++m)
                type.add(definition->id(m));
        } else {
            module.setName(created, "NodeArguments");
            module.decorate(created, spv::Decoration::Block);
        }
        shader.argumentsMember = static_cast<uint32_t>(type.operandCount());
        for (uint32_t m = 0; m < kMembers; ++m) {
            const uint32_t offset[] = {request.argumentsOffsetBytes + 8 * m};
            module.decorateMember(created, shader.argumentsMember + m, spv::Decoration::Offset, offset);
            type.add(pairType);
        }
        module.section(Section::Globals).push_back(std::move(type));
        return created;
    }

    void copyAnnotations(Id from, Id to)
    {
        for (const Section section : {Section::DebugNames, Section::Annotations}) {
            spirv::InstructionList copies;
            for (const Instruction& i : module.section(section)) {
                if (i.operandCount() > 0 && i.isId(0) && i.id(0) == from) {
                    copies.push_back(i);
                    copies.back().setId(0, to);
                }
            }
            spirv::InstructionList& list = module.section(section);
            list.insert(list.end(), copies.begin(), copies.end());
        }
    }

    bool append(Id block)
    {
        const Id old = module.pointee(module.typeOf(block));
        const Instruction* type = module.findDefinition(old);
        if (!type || type->op != spv::Op::OpTypeStruct)
            return failure.at(shader::describe(module, block), "the push constant block is no structure");
        shader::TypeLayouts layouts(module);
        const auto layout = layouts.layout(old);
        if (!layout)
            return failure.at(layout.error().where, layout.error().message);
        if (layout->bytes > request.argumentsOffsetBytes) {
            return failure.at(shader::describe(module, block),
                              "the push constant block has " + std::to_string(layout->bytes) +
                                  " bytes, more than the " + std::to_string(request.argumentsOffsetBytes) +
                                  " that the pipeline layout has in front of our arguments");
        }
        if (!splitWholeAccesses(block, old))
            return false;
        const Id created = createBlock(old);
        module.findDefinition(block)->type = module.getPointerType(spv::StorageClass::PushConstant, created);
        shader.arguments = block;
        return true;
    }

    // As anything but what an access chain begins with.
    static bool usesWhole(const Instruction& i, Id block)
    {
        const bool isMember =
            shader::isAccessChain(i.op) && shader::firstIndexOperand(i.op) == 1 && i.operandCount() > 1;
        for (size_t o = isMember ? 1 : 0; o < i.operandCount(); ++o)
            if (i.isId(o) && i.id(o) == block)
                return true;
        return false;
    }

    static bool usesWhole(const spirv::Function& function, Id block)
    {
        return std::ranges::any_of(function.blocks, [&](const spirv::Block& b) {
            return std::ranges::any_of(b.body, [&](const Instruction& i) { return usesWhole(i, block); });
        });
    }

    // Accesses to the block as a whole name its type, which is about to change.
    bool splitWholeAccesses(Id block, Id type)
    {
        for (spirv::Function& function : module.functions) {
            if (!usesWhole(function, block))
                continue;
            spirv::rewriteFunction(module, function, [&](const Instruction& i, Emitter& out) {
                const bool isCopy = i.op == spv::Op::OpCopyMemory && i.id(1) == block;
                if (i.op == spv::Op::OpLoad && i.id(0) == block) {
                    loadMembers(i.result, block, type, out);
                } else if (isCopy) {
                    const Id value = module.newId();
                    loadMembers(value, block, type, out);
                    out.emitVoid(spv::Op::OpStore, {i.id(0), value});
                } else {
                    if (usesWhole(i, block))
                        failure.at(module, i, "uses the push constant block as a whole");
                    out.keep(i);
                }
            });
        }
        return !failure;
    }

    void loadMembers(Id result, Id block, Id type, Emitter& out)
    {
        // By value: types are added meanwhile.
        const Instruction definition = *module.findDefinition(type);
        Instruction whole = spirv::instruction(spv::Op::OpCompositeConstruct, type, result);
        for (uint32_t m = 0; m < definition.operandCount(); ++m) {
            const Id pointerType = module.getPointerType(spv::StorageClass::PushConstant, definition.id(m));
            const Id pointer = out.emit(spv::Op::OpAccessChain, pointerType, {block, module.getConstant(m)});
            whole.add(out.emit(spv::Op::OpLoad, definition.id(m), {pointer}));
        }
        out.keep(std::move(whole));
    }

    void createOwnBlock()
    {
        const Id pointerType = module.getPointerType(spv::StorageClass::PushConstant, createBlock({}));
        shader.arguments = module.createVariable(pointerType, spv::StorageClass::PushConstant);
        module.setName(shader.arguments, "node_arguments");
    }

    bool moveToMemory(Id block)
    {
        const Id type = module.pointee(module.typeOf(block));
        const Id pointerType = module.getPointerType(spv::StorageClass::PhysicalStorageBuffer, type);
        if (!shader::changeDerivedPointers(module, {{block.value, spv::StorageClass::PhysicalStorageBuffer}}, failure))
            return false;
        for (spirv::Function& function : module.functions)
            useMemory(function, block, pointerType);
        shader::forget(module, block);
        std::erase_if(module.section(Section::Globals), [&](const Instruction& i) { return i.result == block; });
        return true;
    }

    // Replaces the block in one function by a pointer made at its start, behind the variables.
    void useMemory(spirv::Function& function, Id block, Id pointerType)
    {
        const Id pointer = module.newId();
        bool isUsed = false;
        for (spirv::Block& b : function.blocks) {
            for (Instruction& i : b.body) {
                for (size_t o = 0; o < i.operandCount(); ++o) {
                    if (i.isId(o) && i.id(o) == block) {
                        i.setId(o, pointer);
                        isUsed = true;
                    }
                }
            }
        }
        if (!isUsed)
            return;
        spirv::InstructionList made;
        Emitter out(module, made);
        const Id pairPointer = module.getPointerType(spv::StorageClass::PushConstant, pairType);
        const Id member = module.getConstant(shader.argumentsMember + kPushConstantsMember);
        const Id where = out.emit(spv::Op::OpAccessChain, pairPointer, {shader.arguments, member});
        const Id pair = out.emit(spv::Op::OpLoad, pairType, {where});
        const Id address = out.emit(spv::Op::OpBitcast, module.getIntType(64, false), {pair});
        out.keep(spirv::instruction(spv::Op::OpConvertUToPtr, pointerType, pointer).add(address));
        shader::insertBehindVariables(function, made);
    }
};

}  // namespace

Status lowerPushConstants(NodeShader& shader, const Request& request)
{
    State state{shader, request};
    Id block;
    if (!state.findBlock(block))
        return state.failure.status();
    if (block && !request.pushConstantsInMemory) {
        (void)state.append(block);
    } else {
        state.createOwnBlock();
        if (block && state.moveToMemory(block)) {
            shader::addPhysicalStorageCapabilities(shader.module);
            shader::alignPhysicalAccesses(shader.module);
        }
    }
    shader::updateInterface(shader.module, shader.entry);
    spirv::orderGlobals(shader.module);
    return state.failure.status();
}

}  // namespace millrace::nodes
