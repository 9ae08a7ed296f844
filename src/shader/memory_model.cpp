// SPDX-License-Identifier: Apache-2.0
#include "shader/memory_model.h"

#include <algorithm>

#include "shader/memory_operands.h"

namespace millrace::shader {

using spirv::Emitter;
using spirv::Id;
using spirv::Instruction;
using spirv::Module;
using spirv::Section;

namespace {

using Semantics = spv::MemorySemanticsMask;

constexpr uint32_t bit(Semantics semantics)
{
    return static_cast<uint32_t>(semantics);
}

bool declaresCoherence(const Instruction& i)
{
    const size_t operand = i.op == spv::Op::OpDecorate ? 1 : i.op == spv::Op::OpMemberDecorate ? 2 : 0;
    if (operand == 0)
        return false;
    const auto decoration = static_cast<spv::Decoration>(i.literal(operand));
    return decoration == spv::Decoration::Coherent || decoration == spv::Decoration::Volatile;
}

// Volatile, or a copy, which has two sets of operands and is rare: splitPayloadCopies leaves none of payloads.
bool isRefused(const Instruction& i)
{
    const bool isAccess = i.op == spv::Op::OpLoad || i.op == spv::Op::OpStore;
    return i.op == spv::Op::OpCopyMemory || (isAccess && memoryOperandsOf(i).has(spv::MemoryAccessMask::Volatile));
}

// Memory that other invocations can see.
bool isShared(spv::StorageClass storage)
{
    switch (storage) {
        case spv::StorageClass::Workgroup:
        case spv::StorageClass::StorageBuffer:
        case spv::StorageClass::PhysicalStorageBuffer:
            return true;
        default:
            return false;
    }
}

// The model has no sequential consistency; `most` is the strongest order that the operand may have.
uint32_t orderedAs(uint32_t semantics, Semantics most)
{
    const bool isSequential = (semantics & bit(Semantics::SequentiallyConsistent)) != 0;
    return isSequential ? (semantics & ~bit(Semantics::SequentiallyConsistent)) | bit(most) : semantics;
}

Semantics strongestOf(spv::Op op)
{
    return op == spv::Op::OpAtomicLoad    ? Semantics::Acquire
           : op == spv::Op::OpAtomicStore ? Semantics::Release
                                          : Semantics::AcquireRelease;
}

uint32_t madeAvailable(uint32_t semantics)
{
    constexpr uint32_t kAcquires = bit(Semantics::Acquire) | bit(Semantics::AcquireRelease);
    constexpr uint32_t kReleases = bit(Semantics::Release) | bit(Semantics::AcquireRelease);
    return semantics | ((semantics & kReleases) != 0 ? bit(Semantics::MakeAvailable) : 0) |
           ((semantics & kAcquires) != 0 ? bit(Semantics::MakeVisible) : 0);
}

class Rewriter {
public:
    explicit Rewriter(Module& module) : m_module(module) {}

    void visit(const Instruction& i, Emitter& out)
    {
        Instruction changed = i;
        if (i.op == spv::Op::OpControlBarrier || i.op == spv::Op::OpMemoryBarrier) {
            orderBarrier(changed, i.op == spv::Op::OpControlBarrier ? 2 : 1);
        } else if (isAtomic(i.op)) {
            order(changed, 2, strongestOf(i.op));
            if (i.op == spv::Op::OpAtomicCompareExchange)
                order(changed, 3, Semantics::Acquire);  // if they differ, nothing is written
        } else if (i.op == spv::Op::OpLoad || i.op == spv::Op::OpStore) {
            shareMemory(changed);
        } else if (i.op == spv::Op::OpImageRead || i.op == spv::Op::OpImageSparseRead ||
                   i.op == spv::Op::OpImageWrite) {
            shareTexel(changed);
        }
        out.keep(std::move(changed));
    }

private:
    void order(Instruction& i, size_t operand, Semantics most)
    {
        uint32_t semantics = 0;
        if (m_module.constantValue(i.id(operand), semantics))
            i.setId(operand, m_module.getConstant(orderedAs(semantics, most)));
    }

    void orderBarrier(Instruction& i, size_t operand)
    {
        uint32_t semantics = 0;
        if (m_module.constantValue(i.id(operand), semantics)) {
            const uint32_t ordered = orderedAs(semantics, Semantics::AcquireRelease);
            i.setId(operand, m_module.getConstant(madeAvailable(ordered)));
        }
    }

    void shareMemory(Instruction& i) const
    {
        if (!isShared(m_module.storageOf(m_module.typeOf(i.id(0)))))
            return;
        MemoryOperands operands = memoryOperandsOf(i);
        operands.set(spv::MemoryAccessMask::NonPrivatePointer);
        setMemoryOperands(i, operands);
    }

    // The mask of the image operands stands behind the texel; that bit has no operand of its own.
    static void shareTexel(Instruction& i)
    {
        constexpr auto kNonPrivate = static_cast<uint32_t>(spv::ImageOperandsMask::NonPrivateTexel);
        const size_t mask = i.op == spv::Op::OpImageWrite ? 3 : 2;
        if (i.operandCount() > mask)
            i.setLiteral(mask, i.literal(mask) | kNonPrivate);
        else
            i.add(kNonPrivate);
    }

    Module& m_module;
};

}  // namespace

bool mayUseVulkanMemoryModel(const Module& module)
{
    bool may = std::ranges::none_of(module.section(Section::Annotations), declaresCoherence);
    module.forEachInstruction([&](const Instruction& i) { may &= !isRefused(i); });
    return may;
}

void useVulkanMemoryModel(Module& module)
{
    constexpr auto kVulkan = static_cast<uint32_t>(spv::MemoryModel::Vulkan);
    for (Instruction& i : module.section(Section::MemoryModel)) {
        if (i.op == spv::Op::OpMemoryModel && i.literal(1) == kVulkan)
            return;
        if (i.op == spv::Op::OpMemoryModel)
            i.setLiteral(1, kVulkan);
    }
    module.addCapability(spv::Capability::VulkanMemoryModel);
    module.addCapability(spv::Capability::VulkanMemoryModelDeviceScope);
    Rewriter rewriter(module);
    for (spirv::Function& function : module.functions)
        spirv::rewriteFunction(module, function, [&](const Instruction& i, Emitter& out) { rewriter.visit(i, out); });
}

}  // namespace millrace::shader
