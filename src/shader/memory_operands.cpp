// SPDX-License-Identifier: Apache-2.0
#define SPV_ENABLE_UTILITY_CODE
#include "shader/memory_operands.h"

#include <algorithm>
#include <string_view>

#include "shader/type_layouts.h"

namespace millrace::shader {

using spirv::Id;
using spirv::Instruction;
using spirv::Module;

namespace {

constexpr uint32_t kAligned = static_cast<uint32_t>(spv::MemoryAccessMask::Aligned);
constexpr uint32_t kMakeAvailable = static_cast<uint32_t>(spv::MemoryAccessMask::MakePointerAvailable);
constexpr uint32_t kMakeVisible = static_cast<uint32_t>(spv::MemoryAccessMask::MakePointerVisible);
// Both have an id: AliasScopeINTELMask and NoAliasINTELMask.
constexpr uint32_t kOtherBitsWithId = 0x30000;

Instruction withoutMemoryOperands(const Instruction& i)
{
    Instruction out = spirv::instruction(i.op, i.type, i.result);
    for (size_t o = 0; o < memoryOperandsBegin(i.op); ++o)
        out.add(i.id(o));
    return out;
}

}  // namespace

bool isAtomic(spv::Op op)
{
    return std::string_view(spv::OpToString(op)).starts_with("OpAtomic");
}

size_t memoryOperandsBegin(spv::Op op)
{
    return op == spv::Op::OpLoad ? 1 : 2;
}

MemoryOperands readMemoryOperands(const Instruction& i, size_t& next)
{
    MemoryOperands out;
    if (next >= i.operandCount() || i.isId(next))
        return out;
    out.mask = i.literal(next++);
    if ((out.mask & kAligned) != 0 && next < i.operandCount() && !i.isId(next))
        out.alignment = i.literal(next++);
    const auto takeId = [&] { return next < i.operandCount() && i.isId(next) ? i.id(next++) : Id{}; };
    if ((out.mask & kMakeAvailable) != 0)
        out.available = takeId();
    if ((out.mask & kMakeVisible) != 0)
        out.visible = takeId();
    while ((out.mask & kOtherBitsWithId) != 0 && next < i.operandCount() && i.isId(next))
        out.others.push_back(i.id(++next));
    return out;
}

void addMemoryOperands(Instruction& i, const MemoryOperands& operands)
{
    if (operands.mask == 0)
        return;
    i.add(operands.mask);
    if ((operands.mask & kAligned) != 0)
        i.add(operands.alignment);
    if ((operands.mask & kMakeAvailable) != 0)
        i.add(operands.available);
    if ((operands.mask & kMakeVisible) != 0)
        i.add(operands.visible);
    for (const Id other : operands.others)
        i.add(other);
}

MemoryOperands memoryOperandsOf(const Instruction& i)
{
    size_t next = memoryOperandsBegin(i.op);
    return readMemoryOperands(i, next);
}

void setMemoryOperands(Instruction& i, const MemoryOperands& operands)
{
    Instruction out = withoutMemoryOperands(i);
    addMemoryOperands(out, operands);
    i = std::move(out);
}

namespace {

// Follows pointers into what others point to.
class PointerAlignments {
public:
    PointerAlignments(const Module& module, TypeLayouts& layouts, std::unordered_map<uint32_t, uint32_t> known)
        : m_module(module), m_layouts(layouts), m_known(std::move(known))
    {
    }

    uint32_t of(Id pointer) const
    {
        const auto known = m_known.find(pointer.value);
        return std::max(known == m_known.end() ? 1 : known->second,
                        m_layouts.scalarAlignment(m_module.pointee(m_module.typeOf(pointer))));
    }

    // Definitions come before their uses.
    void follow(const Instruction& i)
    {
        const bool isChain = i.op == spv::Op::OpAccessChain || i.op == spv::Op::OpInBoundsAccessChain;
        const auto base = isChain ? m_known.find(i.id(0).value) : m_known.end();
        if (base == m_known.end())
            return;
        std::vector<Id> indices;
        for (size_t o = 1; o < i.operandCount(); ++o)
            indices.push_back(i.id(o));
        const Id type = m_module.pointee(m_module.typeOf(i.id(0)));
        m_known[i.result.value] = m_layouts.alignmentOfPart(type, indices, base->second);
    }

private:
    const Module& m_module;
    TypeLayouts& m_layouts;
    std::unordered_map<uint32_t, uint32_t> m_known;
};

}  // namespace

void alignPhysicalAccesses(Module& module, std::unordered_map<uint32_t, uint32_t> alignments)
{
    TypeLayouts layouts(module);
    PointerAlignments pointers(module, layouts, std::move(alignments));
    const auto isPhysical = [&](Id pointer) {
        return module.storageOf(module.typeOf(pointer)) == spv::StorageClass::PhysicalStorageBuffer;
    };
    const auto align = [&](MemoryOperands& operands, Id pointer) {
        if (!operands.has(spv::MemoryAccessMask::Aligned)) {
            operands.set(spv::MemoryAccessMask::Aligned);
            operands.alignment = pointers.of(pointer);
        }
    };
    module.forEachInstruction([&](Instruction& i) {
        pointers.follow(i);
        if ((i.op == spv::Op::OpLoad || i.op == spv::Op::OpStore) && isPhysical(i.id(0))) {
            MemoryOperands operands = memoryOperandsOf(i);
            align(operands, i.id(0));
            setMemoryOperands(i, operands);
        } else if (i.op == spv::Op::OpCopyMemory && (isPhysical(i.id(0)) || isPhysical(i.id(1)))) {
            // A single set of operands speaks of both sides.
            size_t next = memoryOperandsBegin(i.op);
            MemoryOperands target = readMemoryOperands(i, next);
            const bool hasTwo = next < i.operandCount();
            MemoryOperands source = hasTwo ? readMemoryOperands(i, next) : target;
            align(target, i.id(0));
            align(source, i.id(1));
            i = withoutMemoryOperands(i);
            addMemoryOperands(i, target);
            if (hasTwo)
                addMemoryOperands(i, source);
        }
    });
}

void emitWorkgroupBarrier(Module& module, spirv::Emitter& out, bool vulkanMemoryModel)
{
    using Mask = spv::MemorySemanticsMask;
    auto semantics = static_cast<uint32_t>(Mask::AcquireRelease) | static_cast<uint32_t>(Mask::WorkgroupMemory);
    if (vulkanMemoryModel)
        semantics |= static_cast<uint32_t>(Mask::MakeAvailable) | static_cast<uint32_t>(Mask::MakeVisible);
    const Id workgroup = module.getConstant(static_cast<uint32_t>(spv::Scope::Workgroup));
    out.emitVoid(spv::Op::OpControlBarrier, {workgroup, workgroup, module.getConstant(semantics)});
}

}  // namespace millrace::shader
