// SPDX-License-Identifier: Apache-2.0
#include "nodes/passes/wrap_entry_point.h"

#include "shader/function_writer.h"
#include "shader/globals.h"
#include "shader/grid_position.h"
#include "shader/memory_operands.h"

namespace millrace::nodes {

using spirv::Emitter;
using spirv::Id;
using spirv::Instruction;
using spirv::Module;
using spirv::Section;

namespace {

// Arrays from this length on are cleared by all invocations together.
constexpr uint32_t kMinSharedClear = 16;

// A Workgroup variable and the value that it starts with.
struct SharedStart {
    Id variable;
    Id value;
};

struct State : shader::FunctionWriter {
    explicit State(NodeShader& of) : shader::FunctionWriter(of.module), shader(of) {}

    NodeShader& shader;
    Module& module = shader.module;
    Id uintType = module.getIntType(32, false);
    Id boolType = module.getBoolType();
    Id uint2Type = module.getVectorType(uintType, 2);
    Id uint3Type = module.getVectorType(uintType, 3);
    Id uint4Type = module.getVectorType(uintType, 4);
    std::vector<SharedStart> shared;

    // Two of the eight argument words each.
    Id loadPair(uint32_t pair)
    {
        const Id pointer = module.getPointerType(spv::StorageClass::PushConstant, uint2Type);
        const Id member = module.getConstant(shader.argumentsMember + pair);
        const Id where = out().emit(spv::Op::OpAccessChain, pointer, {shader.arguments, member});
        return out().emit(spv::Op::OpLoad, uint2Type, {where});
    }

    void begin()
    {
        Id halves[2];
        for (uint32_t half = 0; half < 2; ++half) {
            const Id low = loadPair(2 * half);
            const Id high = loadPair(2 * half + 1);
            halves[half] = out().emit(spv::Op::OpCompositeConstruct, uint4Type, {low, high});
        }
        Emitter emitter = out();
        shader.device.call(emitter, DeviceFunction::Begin, {halves[0], halves[1]});
    }

    Id localSize()
    {
        Instruction size = spirv::instruction(spv::Op::OpConstantComposite, uint3Type, module.newId());
        for (const uint32_t component : shader.node.declared.localSize)
            size.add(module.getConstant(component));
        const Id result = size.result;
        module.section(Section::Globals).push_back(std::move(size));
        return result;
    }

    // In the node's workgroup, of which ours may run several.
    Id localInvocationIndex()
    {
        Emitter emitter = out();
        const Id index =
            emitter.emit(spv::Op::OpLoad, uintType,
                         {shader::getBuiltInVariable(module, spv::BuiltIn::LocalInvocationIndex, uintType)});
        const Id size = module.getConstant(graph::invocationsOf(shader.node.declared));
        return graph::runsBeside(shader.node) ? emitter.emit(spv::Op::OpUMod, uintType, {index, size}) : index;
    }

    Id localInvocationId()
    {
        if (!graph::runsBeside(shader.node)) {
            return out().emit(spv::Op::OpLoad, uint3Type,
                              {shader::getBuiltInVariable(module, spv::BuiltIn::LocalInvocationId, uint3Type)});
        }
        const Id index = localInvocationIndex();
        Emitter emitter = out();
        return shader::positionInGrid(emitter, index, shader.node.declared.localSize);
    }

    Id globalInvocationId()
    {
        const Id local = localInvocationId();
        Emitter emitter = out();
        if (shader.node.declared.mode == graph::LaunchMode::Coalescing)
            return local;
        const Id group = shader.device.call(emitter, DeviceFunction::WorkgroupId, {});
        const Id first = emitter.emit(spv::Op::OpIMul, uint3Type, {group, localSize()});
        return emitter.emit(spv::Op::OpIAdd, uint3Type, {first, local});
    }

    // Value of a built-in in its unsigned type, and that type.
    std::pair<Id, Id> value(const StartValue& start)
    {
        Emitter emitter = out();
        switch (start.kind) {
            case StartValue::Kind::WorkgroupId:
                return {shader.device.call(emitter, DeviceFunction::WorkgroupId, {}), uint3Type};
            case StartValue::Kind::GlobalInvocationId:
                return {globalInvocationId(), uint3Type};
            case StartValue::Kind::LocalInvocationId:
                return {localInvocationId(), uint3Type};
            case StartValue::Kind::LocalInvocationIndex:
                return {localInvocationIndex(), uintType};
            case StartValue::Kind::RemainingRecursion:
                return {shader.device.call(emitter, DeviceFunction::RemainingRecursion, {}), uintType};
            case StartValue::Kind::ShaderIndex:
                return {shader.device.call(emitter, DeviceFunction::ShaderIndex, {}), uintType};
            case StartValue::Kind::BuiltIn: {
                const Id type = module.pointee(module.typeOf(start.source));
                return {emitter.emit(spv::Op::OpLoad, type, {start.source}), type};
            }
            case StartValue::Kind::Constant:
                break;
        }
        return {start.source, module.pointee(module.typeOf(start.variable))};
    }

    void startPrivates()
    {
        for (const StartValue& start : shader.startValues) {
            auto [id, type] = value(start);
            const Id wanted = module.pointee(module.typeOf(start.variable));
            if (type != wanted)
                id = out().emit(spv::Op::OpBitcast, wanted, {id});
            out().emitVoid(spv::Op::OpStore, {start.variable, id});
        }
    }

    // Removes initializers and remembers them: one of our workgroups is several of the node's.
    void takeInitializers()
    {
        for (Instruction& i : module.section(Section::Globals)) {
            if (i.op != spv::Op::OpVariable || i.operandCount() < 2)
                continue;
            const Id initializer = i.id(1);
            const auto storage = static_cast<spv::StorageClass>(i.literal(0));
            if (storage == spv::StorageClass::Private)
                shader.startValues.push_back({StartValue::Kind::Constant, i.result, initializer});
            else if (storage == spv::StorageClass::Workgroup)
                shared.push_back({i.result, initializer});
            else
                continue;
            i = spirv::instruction(i.op, i.type, i.result).add(static_cast<uint32_t>(storage));
        }
    }

    void store(Id pointer, Id value)
    {
        Instruction i = spirv::instruction(spv::Op::OpStore).add(pointer).add(value);
        if (shader.vulkanMemoryModel) {
            shader::MemoryOperands operands;
            operands.set(spv::MemoryAccessMask::NonPrivatePointer);
            operands.set(spv::MemoryAccessMask::MakePointerAvailable);
            operands.available = module.getConstant(static_cast<uint32_t>(spv::Scope::Workgroup));
            shader::addMemoryOperands(i, operands);
        }
        out().keep(std::move(i));
    }

    // Length of an array that starts as zero and is worth sharing the work; else 0.
    uint32_t sharedClearLength(const SharedStart& start) const
    {
        const Instruction* type = module.findDefinition(module.pointee(module.typeOf(start.variable)));
        const Instruction* value = module.findDefinition(start.value);
        uint32_t length = 0;
        const bool isArray = type && type->op == spv::Op::OpTypeArray && module.constantValue(type->id(1), length);
        const bool isNull = value && value->op == spv::Op::OpConstantNull;
        return isArray && isNull && length >= kMinSharedClear ? length : 0;
    }

    // for (i = invocation; i < length; i += invocations) variable[i] = 0;
    void clearTogether(Id variable, uint32_t length, Id invocation)
    {
        const Id element = module.findDefinition(module.pointee(module.typeOf(variable)))->id(0);
        const Id before = label();
        const Id header = module.newId(), check = module.newId(), body = module.newId();
        const Id next = module.newId(), after = module.newId(), increased = module.newId();
        const uint32_t* size = shader.node.declared.localSize;
        branch(header);
        beginBlock(header);
        const Id index = module.newId();
        out().keep(
            spirv::instruction(spv::Op::OpPhi, uintType, index).add(invocation).add(before).add(increased).add(next));
        out().keep(spirv::instruction(spv::Op::OpLoopMerge).add(after).add(next).add(0u));
        branch(check);
        beginBlock(check);
        const Id inside = out().emit(spv::Op::OpULessThan, boolType, {index, module.getConstant(length)});
        out().emitVoid(spv::Op::OpBranchConditional, {inside, body, after});
        beginBlock(body);
        const Id pointerType = module.getPointerType(spv::StorageClass::Workgroup, element);
        store(out().emit(spv::Op::OpAccessChain, pointerType, {variable, index}), shader::getNull(module, element));
        branch(next);
        beginBlock(next);
        out().keep(spirv::instruction(spv::Op::OpIAdd, uintType, increased)
                       .add(index)
                       .add(module.getConstant(size[0] * size[1] * size[2])));
        branch(header);
        beginBlock(after);
    }

    void startShared()
    {
        if (shared.empty())
            return;
        const Id variable = shader::getBuiltInVariable(module, spv::BuiltIn::LocalInvocationIndex, uintType);
        const Id invocation = out().emit(spv::Op::OpLoad, uintType, {variable});
        const Id isFirst = out().emit(spv::Op::OpIEqual, boolType, {invocation, module.getConstant(0)});
        const Id join = module.newId();
        beginIf(isFirst, join);
        for (const SharedStart& start : shared)
            if (sharedClearLength(start) == 0)
                store(start.variable, start.value);
        endIf(join);
        for (const SharedStart& start : shared)
            if (const uint32_t length = sharedClearLength(start))
                clearTogether(start.variable, length, invocation);
        Emitter writer = out();
        shader::emitWorkgroupBarrier(module, writer, shader.vulkanMemoryModel);
    }

    void runNode()
    {
        startPrivates();
        startShared();
        out().call(shader.entry, module.getVoidType(), {});
        for (const PendingHandle& pending : shader.pendingHandles) {
            const Id handle = out().emit(spv::Op::OpLoad, uint4Type, {pending.variable});
            Emitter emitter = out();
            shader.device.call(emitter, DeviceFunction::Enqueue, {handle});
        }
    }

    void build()
    {
        const Id header = module.newId(), check = module.newId(), body = module.newId();
        const Id next = module.newId(), after = module.newId();
        beginBlock();
        begin();
        branch(header);
        beginBlock(header);
        out().keep(spirv::instruction(spv::Op::OpLoopMerge).add(after).add(next).add(0u));
        branch(check);
        beginBlock(check);
        Emitter emitter = out();
        const Id hasNext = shader.device.call(emitter, DeviceFunction::Next, {});
        out().emitVoid(spv::Op::OpBranchConditional, {hasNext, body, after});
        beginBlock(body);
        if (shader.node.decided.packWidth > 1) {
            Emitter inBody = out();
            const Id active = shader.device.call(inBody, DeviceFunction::Active, {});
            const Id join = module.newId();
            beginIf(active, join);
            runNode();
            endIf(join);
        } else {
            runNode();
        }
        branch(next);
        beginBlock(next);
        branch(header);
        beginBlock(after);
    }

    // Entry point and execution modes name the new function from now on.
    void replaceEntry(Id created)
    {
        for (Instruction& i : module.section(Section::EntryPoints))
            if (i.id(1) == shader.entry)
                i = spirv::instruction(i.op).add(i.literal(0)).add(created).add(std::string_view("main"));
        std::erase_if(module.section(Section::ExecutionModes), [](const Instruction& i) {
            const auto mode = static_cast<spv::ExecutionMode>(i.literal(1));
            return mode == spv::ExecutionMode::LocalSize || mode == spv::ExecutionMode::LocalSizeId;
        });
        for (Instruction& i : module.section(Section::ExecutionModes))
            if (i.id(0) == shader.entry)
                i.setId(0, created);
        Instruction size = spirv::instruction(spv::Op::OpExecutionMode)
                               .add(created)
                               .add(static_cast<uint32_t>(spv::ExecutionMode::LocalSize));
        for (size_t c = 0; c < 3; ++c) {
            const bool isRow = shader.node.decided.packWidth > 1;
            size.add(!isRow   ? shader.node.declared.localSize[c]
                     : c == 0 ? graph::invocationsPerGroup(shader.node)
                              : 1u);
        }
        module.section(Section::ExecutionModes).push_back(std::move(size));
        // "main" is ours from now on.
        const std::string name = module.name(shader.entry);
        if (name.empty() || name == "main")
            module.setName(shader.entry, "node_main");
        module.setName(created, "main");
    }
};

}  // namespace

Status wrapEntryPoint(NodeShader& shader)
{
    State state{shader};
    Module& module = shader.module;
    state.takeInitializers();
    state.build();
    const Id created = state.finish();
    state.replaceEntry(created);
    shader.entry = created;
    shader.device.declare(module);
    shader::updateInterface(module, created);
    spirv::orderGlobals(module);
    return {};
}

}  // namespace millrace::nodes
