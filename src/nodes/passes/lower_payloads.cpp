// SPDX-License-Identifier: Apache-2.0
#include "nodes/passes/lower_payloads.h"

#include <map>
#include <set>

#include "nodes/passes/remove_extension.h"
#include "nodes/payload_origins.h"
#include "nodes/payload_types.h"
#include "nodes/shared_elements.h"
#include "shader/diagnose.h"
#include "shader/memory_operands.h"
#include "shader/pointers.h"
#include "shader/type_layouts.h"

namespace millrace::nodes {

using spirv::Emitter;
using spirv::Id;
using spirv::Instruction;
using spirv::Module;

namespace {

// Instructions that pass a handle on, whatever its type is called.
bool carriesHandles(spv::Op op)
{
    switch (op) {
        case spv::Op::OpPhi:
        case spv::Op::OpSelect:
        case spv::Op::OpCopyObject:
        case spv::Op::OpCopyLogical:
        case spv::Op::OpCompositeConstruct:
        case spv::Op::OpCompositeExtract:
        case spv::Op::OpCompositeInsert:
        case spv::Op::OpFunctionCall:
        case spv::Op::OpReturnValue:
        case spv::Op::OpStore:
        case spv::Op::OpVariable:
            return true;
        default:
            return false;
    }
}

// An element of a payload array, by what it is asked for with.
struct Element {
    DeviceFunction function;
    Id handle;  // none for the input
    Id index;
    Id payload;  // its type

    auto operator<=>(const Element&) const = default;
};

// Instructions that take a pointer into a payload and mean the same in PhysicalStorageBuffer memory.
bool takesPayloadPointers(spv::Op op)
{
    switch (op) {
        case spv::Op::OpPhi:
        case spv::Op::OpSelect:
        case spv::Op::OpCopyObject:
        case spv::Op::OpFunctionCall:
        case spv::Op::OpReturnValue:
        case spv::Op::OpVariable:
        case spv::Op::OpExtInst:
            return true;
        default:
            return shader::isAtomic(op);
    }
}

struct State {
    NodeShader& shader;
    Module& module = shader.module;
    shader::TypeLayouts layouts{module};
    std::unordered_map<uint32_t, uint32_t> alignments{};  // of pointers to payloads, by id
    PayloadOrigins origins{module, shader.input};
    shader::Failure failure{"lowerPayloads"};
    Id uintType = module.getIntType(32, false);
    Id handleType = module.getVectorType(uintType, 4);
    Id zero = module.getConstant(0);
    // Of elements that the current block has asked for: with thousands of members, validators take as many times as
    // long for each further conversion, and drivers inline each call.
    std::map<Element, Id> pointers{};
    // Those for which many blocks of the current function would do so, and the only one of an input that has no more:
    // made where their array is.
    std::set<ElementOfArray> shared{};
    std::map<Element, Id> sharedPointers{};
    // What stands for the input variable in the current function, made at its start where it is needed.
    Id inputHandle;
    Id inputPointer;

    Id pointerInMemory(Id pointee) { return module.getPointerType(spv::StorageClass::PhysicalStorageBuffer, pointee); }

    // The type of a pointer into a payload. Pointer types that say so already get their new storage class in place, and
    // keep their decorations.
    Id payloadPointerType(Id old) { return isPayloadPointer(module, old) ? old : pointerInMemory(module.pointee(old)); }

    bool isInputArray() const { return isHandle(module, module.typeOf(shader.input)); }

    Id getInputHandle()
    {
        inputHandle = inputHandle ? inputHandle : module.newId();
        return inputHandle;
    }

    Id getInputPointer()
    {
        inputPointer = inputPointer ? inputPointer : module.newId();
        return inputPointer;
    }

    Id withoutInput(Id id)
    {
        if (id != shader.input || !id)
            return id;
        return isInputArray() ? getInputHandle() : getInputPointer();
    }

    Instruction withoutInput(const Instruction& i)
    {
        Instruction out = i;
        for (size_t o = 0; o < out.operandCount(); ++o)
            if (out.isId(o))
                out.setId(o, withoutInput(out.id(o)));
        return out;
    }

    // The handle that an instruction of the extension, or an access chain, works on. None on errors.
    Id handleOf(const Instruction& i, Id operand, Emitter& out)
    {
        const Id type = module.typeOf(operand);
        if (isHandle(module, type))
            return withoutInput(operand);
        if (isPayloadArray(module, module.pointee(type)))
            return out.emit(spv::Op::OpLoad, handleType, {operand});
        failure.at(module, i, shader::describe(module, operand) + " is no payload array");
        return {};
    }

    // Device functions take 32-bit unsigned integers.
    Id toUint(const Instruction& i, Id value, Emitter& out)
    {
        const Instruction* type = module.findDefinition(module.typeOf(value));
        if (!type || type->op != spv::Op::OpTypeInt) {
            failure.at(module, i, shader::describe(module, value) + " is no integer");
            return value;
        }
        if (type->literal(0) == 32)
            return type->literal(1) == 0 ? value : out.emit(spv::Op::OpBitcast, uintType, {value});
        if (type->literal(1) == 0)
            return out.emit(spv::Op::OpUConvert, uintType, {value});
        const Id wide = out.emit(spv::Op::OpSConvert, module.getIntType(32, true), {value});
        return out.emit(spv::Op::OpBitcast, uintType, {wide});
    }

    void visit(const Instruction& i, Emitter& out)
    {
        switch (i.op) {
            case spv::Op::OpAccessChain:
            case spv::Op::OpInBoundsAccessChain:
            case spv::Op::OpPtrAccessChain:
            case spv::Op::OpInBoundsPtrAccessChain:
                lowerChain(i, out);
                break;
            case spv::Op::OpLoad:
                lowerLoad(i, out);
                break;
            case spv::Op::OpStore:
                lowerStore(i, out);
                break;
            case spv::Op::OpAllocateNodePayloadsAMDX:
                lowerAllocate(i, out);
                break;
            case spv::Op::OpEnqueueNodePayloadsAMDX:
                shader.device.call(out, DeviceFunction::Enqueue, {handleOf(i, i.id(0), out)});
                break;
            case spv::Op::OpNodePayloadArrayLengthAMDX:
                lowerLength(i, out);
                break;
            case spv::Op::OpIsNodePayloadValidAMDX:
                lowerQuery(i, out);
                break;
            case spv::Op::OpFinishWritingNodePayloadAMDX:
                shader.device.callAs(out, i.result, DeviceFunction::FinishWriting, {});
                break;
            default:
                keepOther(i, out);
                break;
        }
    }

    void lowerChain(const Instruction& i, Emitter& out)
    {
        if (const auto element = payloadIndexOperand(module, i)) {
            lowerPayloadChain(i, *element, out);
            return;
        }
        Instruction kept = withoutInput(i);
        if (origins.isPayloadMemory(i.id(0))) {
            kept.type = payloadPointerType(i.type);
        } else if (isHandle(module, module.typeOf(i.id(0)))) {
            // A chain without an index: the same handle.
            kept = spirv::instruction(spv::Op::OpCopyObject, handleType, i.result).add(withoutInput(i.id(0)));
        }
        out.keep(std::move(kept));
    }

    void lowerPayloadChain(const Instruction& i, size_t element, Emitter& out)
    {
        const Id base = i.id(0);
        const size_t first = shader::firstIndexOperand(i.op);
        uint32_t step = 0;
        if (first == 2 && (!module.constantValue(i.id(1), step) || step != 0)) {
            failure.at(module, i, "steps from one payload array to another");
            return;
        }
        const bool isInput = origins.isInputOnly(base);
        Id handle;
        Id array = module.pointee(module.typeOf(base));
        if (element > first) {
            // The base holds several handles: structures or arrays of payload arrays.
            Instruction toHandle = spirv::instruction(spv::Op::OpAccessChain, {}, module.newId()).add(base);
            for (size_t o = first; o < element; ++o) {
                array = shader::elementType(module, array, i.id(o));
                toHandle.add(i.id(o));
            }
            toHandle.type = module.getPointerType(module.storageOf(module.typeOf(base)), array);
            const Id pointer = toHandle.result;
            out.keep(std::move(toHandle));
            handle = isInput ? Id{} : out.emit(spv::Op::OpLoad, handleType, {pointer});
        } else if (!isInput) {
            handle = handleOf(i, base, out);
        }
        const DeviceFunction ofHandle =
            origins.isOutputOnly(base) ? DeviceFunction::OutputElement : DeviceFunction::Element;
        const Element asked{isInput ? DeviceFunction::InputElement : ofHandle, handle, i.id(element),
                            module.findDefinition(array)->id(0)};
        const bool isWhole = element + 1 == i.operandCount();
        const Id known = getPointer(i, asked, isWhole, out);
        if (isWhole)
            return;
        Instruction rest = spirv::instruction(spv::Op::OpAccessChain, payloadPointerType(i.type), i.result).add(known);
        for (size_t o = element + 1; o < i.operandCount(); ++o)
            rest.add(i.id(o));
        out.keep(std::move(rest));
    }

    // isWhole: `i` is a chain to the element itself.
    Id getPointer(const Instruction& i, const Element& element, bool isWhole, Emitter& out)
    {
        const bool isOnly = shader.node.declared.mode != graph::LaunchMode::Coalescing;
        if (!isWhole && element.function == DeviceFunction::InputElement && isOnly)
            return getShared({DeviceFunction::InputElement, {}, zero, element.payload});
        if (!isWhole && shared.contains({i.id(0), element.index}))
            return getShared(element);
        Id& known = pointers[element];
        if (isWhole || !known) {
            known = isWhole ? i.result : module.newId();
            makePointer(i, element, isWhole ? payloadPointerType(i.type) : pointerInMemory(element.payload), known,
                        out);
        }
        return known;
    }

    Id getShared(const Element& element)
    {
        Id& known = sharedPointers[element];
        known = known ? known : module.newId();
        return known;
    }

    void makePointer(const Instruction& i, const Element& element, Id type, Id pointer, Emitter& out)
    {
        const Id index = toUint(i, element.index, out);
        const Id address = element.handle ? shader.device.call(out, element.function, {element.handle, index})
                                          : shader.device.call(out, element.function, {index});
        out.keep(spirv::instruction(spv::Op::OpConvertUToPtr, type, pointer).add(address));
        noteAlignment(pointer, element.payload);
    }

    void makeShared(const Element& element, Id pointer, Emitter& out)
    {
        const Instruction index = *module.findDefinition(element.index);
        makePointer(index, element, pointerInMemory(element.payload), pointer, out);
    }

    void noteAlignment(Id pointer, Id payload)
    {
        if (const auto layout = layouts.layout(payload))
            alignments[pointer.value] = graph::payloadAlignment(layout->bytes);
    }

    void lowerLoad(const Instruction& i, Emitter& out)
    {
        const Id pointer = i.id(0);
        if (isHandle(module, module.typeOf(pointer))) {
            out.keep(spirv::instruction(spv::Op::OpCopyObject, handleType, i.result).add(withoutInput(pointer)));
            return;
        }
        out.keep(withoutAlignment(i));
    }

    void lowerStore(const Instruction& i, Emitter& out)
    {
        if (isHandle(module, module.typeOf(i.id(0))))
            failure.at(module, i, "stores a whole payload array to another one");
        if (origins.isPayloadMemory(i.id(1)) && !isPayloadPointer(module, module.typeOf(i.id(1))))
            failure.at(module, i, "stores a pointer into a payload");
        out.keep(withoutAlignment(i));
    }

    // What the application promised holds for its layout in an array of its stride, not of ours.
    Instruction withoutAlignment(const Instruction& i)
    {
        Instruction out = withoutInput(i);
        if (origins.isPayloadMemory(i.id(0))) {
            shader::MemoryOperands operands = shader::memoryOperandsOf(out);
            operands.clear(spv::MemoryAccessMask::Aligned);
            shader::setMemoryOperands(out, operands);
        }
        return out;
    }

    // Node index of an instruction, the base index of the type added.
    Id nodeIndex(const Instruction& i, Id index, uint32_t output, Emitter& out)
    {
        const Id value = toUint(i, index, out);
        const uint32_t base = shader.node.declared.outputs[output].baseIndex;
        return base == 0 ? value : out.emit(spv::Op::OpIAdd, uintType, {value, module.getConstant(base)});
    }

    void lowerAllocate(const Instruction& i, Emitter& out)
    {
        const auto output = shader.outputOfArray.find(payloadArrayOf(module, i.type).value);
        uint32_t scope = 0;
        if (output == shader.outputOfArray.end() || !module.constantValue(i.id(0), scope)) {
            failure.at(module, i, "allocates payloads of an unknown type");
            return;
        }
        const bool isWorkgroup = scope == static_cast<uint32_t>(spv::Scope::Workgroup);
        const Id count = toUint(i, i.id(1), out);
        const Id index = nodeIndex(i, i.id(2), output->second, out);
        shader.device.callAs(out, i.result,
                             isWorkgroup ? DeviceFunction::AllocateWorkgroup : DeviceFunction::AllocateInvocation,
                             {module.getConstant(output->second), count, index});
    }

    void lowerLength(const Instruction& i, Emitter& out)
    {
        if (origins.isInputOnly(i.id(0)))
            shader.device.callAs(out, i.result, DeviceFunction::InputCount, {});
        else
            shader.device.callAs(out, i.result, DeviceFunction::ArrayLength, {handleOf(i, i.id(0), out)});
    }

    void lowerQuery(const Instruction& i, Emitter& out)
    {
        const auto output = shader.outputOfArray.find(queriedPayloadArray(module, i).value);
        if (output == shader.outputOfArray.end()) {
            failure.at(module, i, "asks about payloads of an unknown type");
            return;
        }
        const Id index = nodeIndex(i, i.id(1), output->second, out);
        shader.device.callAs(out, i.result, DeviceFunction::IsValid, {module.getConstant(output->second), index});
    }

    void keepOther(const Instruction& i, Emitter& out)
    {
        for (size_t o = 0; o < i.operandCount(); ++o) {
            if (!i.isId(o))
                continue;
            if (isHandle(module, module.typeOf(i.id(o))) && !carriesHandles(i.op))
                failure.at(module, i, "cannot be lowered for a payload array");
            if (origins.isPayloadMemory(i.id(o)) && !takesPayloadPointers(i.op))
                failure.at(module, i, "cannot be lowered for a pointer into a payload");
            const bool isHidden = origins.isPayloadMemory(i.id(o)) && !isPayloadPointer(module, module.typeOf(i.id(o)));
            if (isHidden && (i.op == spv::Op::OpFunctionCall || i.op == spv::Op::OpReturnValue))
                failure.at(module, i, "passes a pointer into a payload to a function");
        }
        Instruction kept = withoutInput(i);
        if (i.result && origins.isPayloadMemory(i.result))
            kept.type = payloadPointerType(i.type);
        out.keep(std::move(kept));
    }

    // Behind their arrays, which are there for all that use them. Those that no instruction of the function makes are
    // left.
    void makeSharedBehindArrays(spirv::Function& function)
    {
        std::multimap<Id, Element> elements;
        for (const auto& [element, pointer] : sharedPointers)
            elements.emplace(element.handle, element);
        std::vector<Element> due;
        spirv::rewriteFunction(module, function, [&](const Instruction& i, Emitter& out) {
            const bool standsInFront = i.op == spv::Op::OpPhi || i.op == spv::Op::OpLine || i.op == spv::Op::OpNoLine;
            for (; !standsInFront && !due.empty(); due.pop_back())
                makeShared(due.back(), sharedPointers.extract(due.back()).mapped(), out);
            if (i.result)
                for (auto [at, end] = elements.equal_range(i.result); at != end; ++at)
                    due.push_back(at->second);
            out.keep(i);
        });
    }

    // Behind the variables, which must come first in a function.
    void makeInputAtStart(spirv::Function& function)
    {
        if (!inputHandle && !inputPointer && sharedPointers.empty())
            return;
        spirv::InstructionList& body = function.blocks[0].body;
        size_t start = 0;
        for (size_t n = 0; n < body.size(); ++n)
            start = body[n].op == spv::Op::OpVariable ? n + 1 : start;
        spirv::InstructionList made;
        Emitter out(module, made);
        if (inputHandle)
            shader.device.callAs(out, inputHandle, DeviceFunction::InputHandle, {});
        if (inputPointer) {
            const Id type = payloadPointerType(module.typeOf(shader.input));
            const Id address = shader.device.call(out, DeviceFunction::InputElement, {zero});
            out.keep(spirv::instruction(spv::Op::OpConvertUToPtr, type, inputPointer).add(address));
        }
        for (const auto& [element, pointer] : sharedPointers)
            makeShared(element, pointer, out);
        body.insert(body.begin() + static_cast<ptrdiff_t>(start), made.begin(), made.end());
    }

    void checkTypes()
    {
        for (const Instruction& i : module.section(spirv::Section::Globals))
            if (isPayloadPointer(module, i.result) && holdsHandles(module, module.pointee(i.result)))
                failure.at(module, i, "a payload that holds payload arrays");
    }

    void lowerFunctions()
    {
        for (spirv::Function& function : module.functions) {
            if (function.blocks.empty())
                continue;
            inputHandle = inputPointer = {};
            sharedPointers.clear();
            shared = findSharedElements(module, function);
            spirv::rewriteFunction(module, function, [this](const Instruction& i, Emitter& out) {
                visit(i, out);
                if (spirv::isTerminator(i.op))
                    pointers.clear();
            });
            if (!shared.empty())
                makeSharedBehindArrays(function);
            makeInputAtStart(function);
        }
    }
};

}  // namespace

Status lowerPayloads(NodeShader& shader)
{
    State state{shader};
    state.checkTypes();
    if (!state.failure)
        state.lowerFunctions();
    if (state.failure)
        return state.failure.status();
    shader.device.declare(shader.module);
    removeExtension(shader, state.handleType);
    shader::addPhysicalStorageCapabilities(shader.module);
    shader::decoratePhysicalPointers(shader.module);
    shader::alignPhysicalAccesses(shader.module, std::move(state.alignments));
    return {};
}

}  // namespace millrace::nodes
