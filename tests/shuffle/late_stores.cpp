// SPDX-License-Identifier: Apache-2.0
#include "shuffle/late_stores.h"

#include <algorithm>
#include <optional>

#include "shader/memory_operands.h"

namespace millrace::shuffle {

using spirv::Id;
using spirv::Instruction;
using spirv::InstructionList;
using spirv::Module;

namespace {

constexpr uint32_t kReleases = static_cast<uint32_t>(spv::MemorySemanticsMask::Release) |
                               static_cast<uint32_t>(spv::MemorySemanticsMask::AcquireRelease) |
                               static_cast<uint32_t>(spv::MemorySemanticsMask::SequentiallyConsistent);

// Where a pointer leads, as far as the module says.
struct Place {
    Id root;  // a variable, or
    Id type;  // of what an address is taken to be
    std::vector<std::optional<uint32_t>> indices;
};

// What a pointer points into if it is a buffer.
std::optional<Place> findPlace(const Module& module, Id pointer)
{
    switch (module.storageOf(module.typeOf(pointer))) {
        case spv::StorageClass::StorageBuffer:
        case spv::StorageClass::Uniform:
        case spv::StorageClass::PhysicalStorageBuffer:
            break;
        default:
            return std::nullopt;
    }
    Place place;
    const Instruction* i = module.findDefinition(pointer);
    while (i && (i->op == spv::Op::OpAccessChain || i->op == spv::Op::OpInBoundsAccessChain)) {
        std::vector<std::optional<uint32_t>> own;
        for (size_t o = 1; o < i->operandCount(); ++o) {
            uint32_t value = 0;
            own.push_back(module.constantValue(i->id(o), value) ? std::optional(value) : std::nullopt);
        }
        place.indices.insert(place.indices.begin(), own.begin(), own.end());
        pointer = i->id(0);
        i = module.findDefinition(pointer);
    }
    place.root = i && i->op == spv::Op::OpVariable ? pointer : Id{};
    place.type = module.pointee(module.typeOf(pointer));
    return place;
}

// Objects of different types are taken to be different objects.
bool mayBeTheSame(const Place& a, const Place& b)
{
    if (a.root != b.root || a.type != b.type)
        return false;
    for (size_t i = 0; i < std::min(a.indices.size(), b.indices.size()); ++i)
        if (a.indices[i] && b.indices[i] && a.indices[i] != b.indices[i])
            return false;
    return true;
}

// Has to do with memory in a way of its own.
bool isSpecial(spv::Op op)
{
    switch (op) {
        case spv::Op::OpControlBarrier:
        case spv::Op::OpMemoryBarrier:
        case spv::Op::OpCopyMemory:
        case spv::Op::OpCopyMemorySized:
        case spv::Op::OpImageWrite:
        case spv::Op::OpImageRead:
        case spv::Op::OpImageTexelPointer:
        case spv::Op::OpSelectionMerge:
        case spv::Op::OpLoopMerge:
            return true;
        default:
            return spirv::isTerminator(op);
    }
}

class Delayer {
public:
    Delayer(Module& module, Id wait) : m_module(module), m_wait(wait) {}

    InstructionList run(const spirv::Block& block)
    {
        m_body.clear();
        for (const Instruction& i : block.body)
            add(i);
        return std::move(m_body);
    }

private:
    void add(const Instruction& i)
    {
        if (i.op == spv::Op::OpStore) {
            if (auto place = findPlace(m_module, i.id(0))) {
                m_late.push_back({i, std::move(*place)});
                return;
            }
        }
        const bool isCall = i.op == spv::Op::OpFunctionCall && i.id(0) != m_wait;
        if (isCall || isSpecial(i.op) || releases(i) || touches(i))
            flush();
        else if (shader::isAtomic(i.op) && !m_late.empty() && findPlace(m_module, i.id(0)))
            m_passedAtomic = true;
        m_body.push_back(i);
    }

    bool releases(const Instruction& i) const
    {
        if (!shader::isAtomic(i.op))
            return false;
        uint32_t semantics = ~0u;
        return !m_module.constantValue(i.id(2), semantics) || (semantics & kReleases);
    }

    bool touches(const Instruction& i) const
    {
        if (m_late.empty() || (i.op != spv::Op::OpLoad && !shader::isAtomic(i.op)))
            return false;
        const auto place = findPlace(m_module, i.id(0));
        return place && std::ranges::any_of(m_late, [&](const Late& late) { return mayBeTheSame(late.place, *place); });
    }

    void flush()
    {
        if (m_passedAtomic)
            spirv::Emitter(m_module, m_body).call(m_wait, m_module.getVoidType(), {m_module.getConstant(0x10000u)});
        for (Late& late : m_late)
            m_body.push_back(std::move(late.store));
        m_late.clear();
        m_passedAtomic = false;
    }

    struct Late {
        Instruction store;
        Place place;
    };

    Module& m_module;
    Id m_wait;
    InstructionList m_body;
    std::vector<Late> m_late;
    bool m_passedAtomic = false;
};

}  // namespace

void delayStores(Module& module, Id wait)
{
    Delayer delayer(module, wait);
    std::vector<std::pair<spirv::Block*, InstructionList>> bodies;
    for (spirv::Function& function : module.functions)
        if (function.id() != wait)
            for (spirv::Block& block : function.blocks)
                bodies.emplace_back(&block, delayer.run(block));
    for (auto& [block, body] : bodies)
        block->body = std::move(body);
}

}  // namespace millrace::shuffle
