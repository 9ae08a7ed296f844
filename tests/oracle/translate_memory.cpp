// SPDX-License-Identifier: Apache-2.0
#include "oracle/translator.h"

namespace millrace::oracle {

namespace {

bool isAtomic(spv::Op op)
{
    return (op >= spv::OpAtomicLoad && op <= spv::OpAtomicXor) || op == spv::OpAtomicFAddEXT ||
           op == spv::OpAtomicFMinEXT || op == spv::OpAtomicFMaxEXT;
}

}  // namespace

bool Translator::translateMemory(const Instruction& instruction)
{
    const auto operands = instruction.operands;
    switch (instruction.op) {
        case spv::OpVariable: {
            const uint32_t pointee = m_module.type(instruction.type).element;
            m_slots[instruction.result] = laneVariable(pointee);
            if (operands.size() > 1)
                emitStore(slotOf(operands[1]), slotOf(instruction.result), pointee, spv::StorageClassFunction, 0);
            return true;
        }
        case spv::OpAccessChain:
        case spv::OpInBoundsAccessChain:
        case spv::OpPtrAccessChain:
        case spv::OpInBoundsPtrAccessChain:
            translateAccessChain(instruction);
            return true;
        case spv::OpLoad: {
            const Type& pointer = m_module.type(typeOf(operands[0]));
            emitLoad(slotOf(instruction.result), slotOf(operands[0]), pointer.element, pointer.storage,
                     m_matrixStrides[operands[0]]);
            return true;
        }
        case spv::OpStore: {
            const Type& pointer = m_module.type(typeOf(operands[0]));
            emitStore(slotOf(operands[1]), slotOf(operands[0]), pointer.element, pointer.storage,
                      m_matrixStrides[operands[0]]);
            return true;
        }
        case spv::OpCopyMemory:
            copyMemory(instruction);
            return true;
        case spv::OpArrayLength:
            translateRuntimeLength(instruction);
            return true;
        default:
            break;
    }
    if (!isAtomic(instruction.op))
        return false;
    translateAtomic(instruction);
    return true;
}

// Where an access chain has arrived.
struct Translator::Walk {
    uint32_t pointer;     // slots
    uint64_t offset = 0;  // to be added
    uint32_t type;
    Layout layout;
    uint32_t matrixStride;
    bool isArray;  // `pointer` is a payload array, no pointer to memory
};

void Translator::flush(Walk& walk)
{
    if (walk.offset == 0)
        return;
    const uint32_t next = newSlots(2);
    Operation& add = emit(Code::Offset);
    add.where.destination = next;
    add.where.a = walk.pointer;
    add.immediate = walk.offset;
    walk.pointer = next;
    walk.offset = 0;
}

void Translator::stepStructure(Walk& walk, uint32_t index)
{
    const Type& type = m_module.type(walk.type);
    const auto member = static_cast<uint32_t>(m_module.scalarConstant(index));
    walk.offset += memberOffset(m_module, type, member, walk.layout);
    walk.matrixStride = walk.layout == Layout::Explicit ? memberMatrixStride(m_module, type, member) : 0;
    walk.type = type.members[member];
}

void Translator::stepArray(Walk& walk, uint32_t index)
{
    const Type& type = m_module.type(walk.type);
    const uint64_t stride = elementStride(m_module, type, walk.layout, walk.matrixStride);
    flush(walk);
    const uint32_t next = newSlots(2);
    const uint32_t indexSlot = slotOf(index);
    Operation& move = emit(Code::Index);
    move.where.destination = next;
    move.where.a = walk.pointer;
    move.where.b = indexSlot;
    move.where.c = type.kind == TypeKind::RuntimeArray ? 0 : type.count;
    move.immediate = stride;
    walk.pointer = next;
    walk.type = type.element;
}

void Translator::step(Walk& walk, uint32_t index)
{
    const Type& type = m_module.type(walk.type);
    switch (type.kind) {
        case TypeKind::Struct:
            stepStructure(walk, index);
            return;
        case TypeKind::Vector:
        case TypeKind::Matrix:
        case TypeKind::Array:
        case TypeKind::RuntimeArray:
            stepArray(walk, index);
            return;
        case TypeKind::PayloadArray:
            break;
        default:
            throw RuleError("access chain into a scalar");
    }
    if (!walk.isArray) {  // a handle in a Function variable
        flush(walk);
        const uint32_t handle = newSlots(2);
        emitLoad(handle, walk.pointer, walk.type, spv::StorageClassFunction, 0);
        walk.pointer = handle;
    }
    const uint32_t next = newSlots(2);
    const uint32_t indexSlot = slotOf(index);
    Operation& element = emit(Code::Element);
    element.where.destination = next;
    element.where.a = walk.pointer;
    element.where.b = indexSlot;
    walk = {next, 0, type.element, Layout::Explicit, 0, false};
}

void Translator::translateAccessChain(const Instruction& instruction)
{
    const uint32_t base = instruction.operands[0];
    const Type& pointer = m_module.type(typeOf(base));
    const bool isPayloads = pointer.storage == spv::StorageClassNodePayloadAMDX &&
                            m_module.type(pointer.element).kind == TypeKind::PayloadArray;
    Walk walk{slotOf(base), 0, pointer.element, layoutOf(pointer.storage), m_matrixStrides[base], isPayloads};
    size_t first = 1;
    if (instruction.op == spv::OpPtrAccessChain || instruction.op == spv::OpInBoundsPtrAccessChain) {
        const Decoration* stride = m_module.decoration(pointer.id, spv::DecorationArrayStride);
        const uint32_t next = newSlots(2);
        const uint32_t indexSlot = slotOf(instruction.operands[1]);
        Operation& move = emit(Code::Index);
        move.where.destination = next;
        move.where.a = walk.pointer;
        move.where.b = indexSlot;
        move.immediate = stride ? stride->operands[0] : sizeOf(m_module, pointer.element, walk.layout);
        walk.pointer = next;
        first = 2;
    }
    for (size_t i = first; i < instruction.operands.size(); ++i)
        step(walk, instruction.operands[i]);
    flush(walk);
    m_matrixStrides[instruction.result] = walk.matrixStride;
    emitCopy(slotOf(instruction.result), walk.pointer, 2);
}

void Translator::emitLoad(uint32_t destination, uint32_t pointer, uint32_t pointee, spv::StorageClass storage,
                          uint32_t matrixStride)
{
    if (storage == spv::StorageClassNodePayloadAMDX && m_module.type(pointee).kind == TypeKind::PayloadArray) {
        emitCopy(destination, pointer, 2);  // the value of a payload array is its handle
        return;
    }
    for (const Segment& segment : segmentsOf(m_module, pointee, layoutOf(storage), matrixStride)) {
        Operation& load = emit(segment.deviceAddress ? Code::LoadAddress : Code::Load);
        load.width = static_cast<uint8_t>(segment.width);
        load.where.destination = destination + segment.slot;
        load.where.a = pointer;
        load.where.count = segment.count;
        load.immediate = segment.offset;
    }
}

void Translator::emitStore(uint32_t source, uint32_t pointer, uint32_t pointee, spv::StorageClass storage,
                           uint32_t matrixStride)
{
    if (storage == spv::StorageClassNodePayloadAMDX && m_module.type(pointee).kind == TypeKind::PayloadArray)
        throw RuleError("a whole payload array is stored to payload memory");
    for (const Segment& segment : segmentsOf(m_module, pointee, layoutOf(storage), matrixStride)) {
        Operation& store = emit(segment.deviceAddress ? Code::StoreAddress : Code::Store);
        store.width = static_cast<uint8_t>(segment.width);
        store.where.a = pointer;
        store.where.b = source + segment.slot;
        store.where.count = segment.count;
        store.immediate = segment.offset;
    }
}

void Translator::copyMemory(const Instruction& instruction)
{
    const Type& target = m_module.type(typeOf(instruction.operands[0]));
    const Type& source = m_module.type(typeOf(instruction.operands[1]));
    const uint32_t value = newSlotsOfType(source.element);
    emitLoad(value, slotOf(instruction.operands[1]), source.element, source.storage,
             m_matrixStrides[instruction.operands[1]]);
    emitStore(value, slotOf(instruction.operands[0]), target.element, target.storage,
              m_matrixStrides[instruction.operands[0]]);
}

void Translator::translateRuntimeLength(const Instruction& instruction)
{
    const Type& pointer = m_module.type(typeOf(instruction.operands[0]));
    const Type& structure = m_module.type(pointer.element);
    const uint32_t member = instruction.operands[1];
    const uint32_t destination = slotOf(instruction.result);
    const uint32_t base = slotOf(instruction.operands[0]);
    Operation& length = emit(Code::RuntimeLength);
    length.where.destination = destination;
    length.where.a = base;
    length.where.b = static_cast<uint32_t>(
        elementStride(m_module, m_module.type(structure.members.at(member)), Layout::Explicit, 0));
    length.immediate = memberOffset(m_module, structure, member, Layout::Explicit);
}

void Translator::translateAtomic(const Instruction& instruction)
{
    const auto operands = instruction.operands;
    const uint32_t pointer = slotOf(operands[0]);
    const uint32_t destination = instruction.result ? slotOf(instruction.result) : newSlots(1);
    const bool exchange = instruction.op == spv::OpAtomicCompareExchange;
    const size_t first = exchange ? 4 : 3;
    const uint32_t value = first < operands.size() ? slotOf(operands[first]) : zeroSlot();
    const uint32_t comparator = exchange ? slotOf(operands[5]) : zeroSlot();
    const uint32_t pointee = m_module.type(typeOf(operands[0])).element;
    Operation& atomic = emit(Code::Atomic);
    atomic.target = instruction.op;
    atomic.width = static_cast<uint8_t>(m_module.type(pointee).width);
    atomic.where = {destination, pointer, value, comparator, 0, 1};
}

}  // namespace millrace::oracle
