// SPDX-License-Identifier: Apache-2.0
#include "oracle/translator.h"

namespace millrace::oracle {

bool Translator::translateNode(const Instruction& instruction)
{
    const auto operands = instruction.operands;
    switch (instruction.op) {
        case spv::OpAllocateNodePayloadsAMDX: {
            const uint32_t destination = slotOf(instruction.result);
            const uint32_t count = slotOf(operands[1]);
            const uint32_t index = slotOf(operands[2]);
            const auto scope = static_cast<uint8_t>(m_module.scalarConstant(operands[0]));
            if (scope != spv::ScopeInvocation && scope != spv::ScopeWorkgroup)
                throw RuleError("allocation with a scope that is neither Invocation nor Workgroup");
            const Type& pointer = m_module.type(instruction.type);
            if (pointer.kind != TypeKind::Pointer || m_module.type(pointer.element).kind != TypeKind::PayloadArray)
                throw RuleError("OpAllocateNodePayloadsAMDX does not return a payload array");
            Operation& allocate = emit(Code::Allocate);
            allocate.target = pointer.element;
            m_program.outputTypes.insert(pointer.element);
            allocate.width = scope;
            allocate.where = {destination, count, index, 0, 0, 1};
            return true;
        }
        case spv::OpEnqueueNodePayloadsAMDX: {
            const uint32_t handle = payloadArray(operands[0]);
            emit(Code::Enqueue).where.a = handle;
            return true;
        }
        case spv::OpNodePayloadArrayLengthAMDX: {
            const uint32_t destination = slotOf(instruction.result);
            const uint32_t handle = payloadArray(operands[0]);
            Operation& length = emit(Code::PayloadLength);
            length.where.destination = destination;
            length.where.a = handle;
            return true;
        }
        case spv::OpIsNodePayloadValidAMDX: {
            const uint32_t destination = slotOf(instruction.result);
            const uint32_t index = slotOf(operands[1]);
            Operation& valid = emit(Code::Valid);
            valid.target = payloadArrayType(operands[0]);
            m_program.outputTypes.insert(valid.target);
            valid.where.destination = destination;
            valid.where.a = index;
            return true;
        }
        case spv::OpFinishWritingNodePayloadAMDX: {
            const uint32_t destination = slotOf(instruction.result);
            emit(Code::Finish).where.destination = destination;
            return true;
        }
        case spv::OpSetMeshOutputsEXT: {
            const uint32_t vertices = slotOf(operands[0]);
            const uint32_t primitives = slotOf(operands[1]);
            Operation& set = emit(Code::SetMeshOutputs);
            set.where.a = vertices;
            set.where.b = primitives;
            return true;
        }
        case spv::OpConstantStringAMDX:
            return true;
        default:
            return false;
    }
}

uint32_t Translator::payloadArray(uint32_t id)
{
    const Type& type = m_module.type(typeOf(id));
    if (type.kind == TypeKind::PayloadArray)
        return slotOf(id);
    if (type.kind != TypeKind::Pointer || m_module.type(type.element).kind != TypeKind::PayloadArray)
        throw RuleError("operand that is no payload array");
    if (type.storage == spv::StorageClassNodePayloadAMDX)
        return slotOf(id);
    const uint32_t handle = newSlots(2);
    emitLoad(handle, slotOf(id), type.element, type.storage, 0);
    return handle;
}

uint32_t Translator::payloadArrayType(uint32_t id) const
{
    // The specification wants a type here, DXC writes a variable.
    const Type* type = &m_module.type(m_module.isType(id) ? id : typeOf(id));
    if (type->kind == TypeKind::Pointer)
        type = &m_module.type(type->element);
    if (type->kind != TypeKind::PayloadArray)
        throw RuleError("OpIsNodePayloadValidAMDX of something that is no payload array");
    return type->id;
}

}  // namespace millrace::oracle
