// SPDX-License-Identifier: Apache-2.0
#include "oracle/layout.h"

#include <algorithm>

namespace millrace::oracle {

namespace {

constexpr uint64_t kBoolBytes = 4;
constexpr uint64_t kPointerBytes = 16;

bool isPhysical(const Type& type)
{
    return type.kind == TypeKind::Pointer && type.storage == spv::StorageClassPhysicalStorageBuffer;
}

void append(std::vector<Segment>& list, Segment next)
{
    if (!list.empty() && !next.deviceAddress) {
        Segment& last = list.back();
        if (!last.deviceAddress && last.width == next.width && last.slot + last.count == next.slot &&
            last.offset + uint64_t{last.count} * last.width / 8 == next.offset) {
            last.count += next.count;
            return;
        }
    }
    list.push_back(next);
}

void collect(const Module& module, uint32_t id, Layout layout, uint32_t matrixStride, uint64_t offset, uint32_t& slot,
             std::vector<Segment>& out)
{
    const Type& type = module.type(id);
    const auto scalar = [&](uint32_t width, uint32_t count, bool address = false) {
        append(out, {slot, width, count, offset, address});
        slot += address ? 2 : count;
    };
    switch (type.kind) {
        case TypeKind::Bool:
            scalar(kBoolBytes * 8, 1);
            break;
        case TypeKind::Int:
        case TypeKind::Float:
            scalar(type.width, 1);
            break;
        case TypeKind::Pointer:
            if (isPhysical(type) && layout == Layout::Explicit)
                scalar(64, 1, true);
            else
                scalar(64, 2);
            break;
        case TypeKind::PayloadArray:
            scalar(64, 2);
            break;
        case TypeKind::Vector:
        case TypeKind::Matrix:
        case TypeKind::Array: {
            const uint64_t stride = elementStride(module, type, layout, matrixStride);
            for (uint32_t i = 0; i < type.count; ++i)
                collect(module, type.element, layout, matrixStride, offset + i * stride, slot, out);
            break;
        }
        case TypeKind::Struct:
            for (uint32_t i = 0; i < type.members.size(); ++i)
                collect(module, type.members[i], layout, memberMatrixStride(module, type, i),
                        offset + memberOffset(module, type, i, layout), slot, out);
            break;
        default:
            throw RuleError("type " + std::to_string(id) + " has no value in memory");
    }
}

}  // namespace

Layout layoutOf(spv::StorageClass storage)
{
    switch (storage) {
        case spv::StorageClassFunction:
        case spv::StorageClassPrivate:
        case spv::StorageClassWorkgroup:
        case spv::StorageClassInput:
        case spv::StorageClassOutput:
            return Layout::Internal;
        case spv::StorageClassStorageBuffer:
        case spv::StorageClassUniform:
        case spv::StorageClassPushConstant:
        case spv::StorageClassNodePayloadAMDX:
        case spv::StorageClassPhysicalStorageBuffer:
            return Layout::Explicit;
        default:
            throw UnsupportedError("storage class " + std::to_string(storage));
    }
}

uint32_t slotCount(const Module& module, uint32_t id)
{
    const Type& type = module.type(id);
    switch (type.kind) {
        case TypeKind::Void:
            return 0;
        case TypeKind::Bool:
        case TypeKind::Int:
        case TypeKind::Float:
            return 1;
        case TypeKind::Pointer:
        case TypeKind::PayloadArray:
            return 2;
        case TypeKind::Vector:
        case TypeKind::Matrix:
        case TypeKind::Array:
            return type.count * slotCount(module, type.element);
        case TypeKind::Struct: {
            uint32_t sum = 0;
            for (uint32_t member : type.members)
                sum += slotCount(module, member);
            return sum;
        }
        default:
            throw UnsupportedError("value of type " + std::to_string(id));
    }
}

uint64_t elementStride(const Module& module, const Type& type, Layout layout, uint32_t matrixStride)
{
    if (layout == Layout::Explicit) {
        if (type.kind == TypeKind::Array || type.kind == TypeKind::RuntimeArray) {
            const Decoration* stride = module.decoration(type.id, spv::DecorationArrayStride);
            if (!stride)
                throw RuleError("array type " + std::to_string(type.id) + " without ArrayStride");
            return stride->operands[0];
        }
        if (type.kind == TypeKind::Matrix) {
            if (!matrixStride)
                throw RuleError("matrix without MatrixStride");
            return matrixStride;
        }
    }
    return sizeOf(module, type.element, layout, matrixStride);
}

uint64_t memberOffset(const Module& module, const Type& structure, uint32_t member, Layout layout)
{
    if (member >= structure.members.size())
        throw RuleError("structure member out of range");
    if (layout == Layout::Explicit) {
        const Decoration* offset = module.memberDecoration(structure.id, member, spv::DecorationOffset);
        if (!offset)
            throw RuleError("member without Offset in structure " + std::to_string(structure.id));
        return offset->operands[0];
    }
    uint64_t sum = 0;
    for (uint32_t i = 0; i < member; ++i)
        sum += sizeOf(module, structure.members[i], layout);
    return sum;
}

uint32_t memberMatrixStride(const Module& module, const Type& structure, uint32_t member)
{
    if (module.memberDecoration(structure.id, member, spv::DecorationRowMajor))
        throw UnsupportedError("row-major matrices");
    const Decoration* stride = module.memberDecoration(structure.id, member, spv::DecorationMatrixStride);
    return stride ? stride->operands[0] : 0;
}

uint64_t sizeOf(const Module& module, uint32_t id, Layout layout, uint32_t matrixStride)
{
    const Type& type = module.type(id);
    switch (type.kind) {
        case TypeKind::Bool:
            return kBoolBytes;
        case TypeKind::Int:
        case TypeKind::Float:
            return type.width / 8;
        case TypeKind::Pointer:
            return isPhysical(type) && layout == Layout::Explicit ? 8 : kPointerBytes;
        case TypeKind::PayloadArray:
            return kPointerBytes;
        case TypeKind::Vector:
        case TypeKind::Matrix:
        case TypeKind::Array:
            return type.count * elementStride(module, type, layout, matrixStride);
        case TypeKind::RuntimeArray:
            return 0;
        case TypeKind::Struct: {
            uint64_t size = 0;
            for (uint32_t i = 0; i < type.members.size(); ++i)
                size = std::max(size, memberOffset(module, type, i, layout) +
                                          sizeOf(module, type.members[i], layout, memberMatrixStride(module, type, i)));
            return size;
        }
        default:
            throw UnsupportedError("size of type " + std::to_string(id));
    }
}

const Type& scalarOf(const Module& module, uint32_t id)
{
    const Type* type = &module.type(id);
    while (type->kind == TypeKind::Vector || type->kind == TypeKind::Matrix)
        type = &module.type(type->element);
    return *type;
}

std::vector<Segment> segmentsOf(const Module& module, uint32_t type, Layout layout, uint32_t matrixStride)
{
    std::vector<Segment> out;
    uint32_t slot = 0;
    collect(module, type, layout, matrixStride, 0, slot, out);
    return out;
}

std::optional<GridMember> findGridMember(const Module& module, uint32_t id)
{
    const Type& type = module.type(id);
    if (type.kind != TypeKind::Struct)
        return std::nullopt;
    for (uint32_t i = 0; i < type.members.size(); ++i) {
        const uint64_t offset = memberOffset(module, type, i, Layout::Explicit);
        const Type& member = module.type(type.members[i]);
        if (module.memberDecoration(id, i, spv::DecorationPayloadDispatchIndirectAMDX)) {
            // DXC also decorates arrays of three.
            const bool several = member.kind == TypeKind::Vector || member.kind == TypeKind::Array;
            const Type& component = several ? module.type(member.element) : member;
            const uint32_t components = several ? member.count : 1;
            if (component.kind != TypeKind::Int || component.width > 32 || components > 3)
                throw RuleError("PayloadDispatchIndirectAMDX on a member that is no grid");
            return GridMember{offset, components, component.width / 8};
        }
        if (const auto inner = findGridMember(module, member.id))
            return GridMember{offset + inner->offset, inner->components, inner->componentBytes};
    }
    return std::nullopt;
}

}  // namespace millrace::oracle
