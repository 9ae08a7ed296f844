// SPDX-License-Identifier: Apache-2.0
#include "advisor/registers.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "advisor/stored_types.h"
#include "shader/control_flow.h"

namespace millrace::advisor {

using spirv::Block;
using spirv::Id;
using spirv::Instruction;

namespace {

using IdSet = std::unordered_set<uint32_t>;

// Results of these are equal in all invocations of a subgroup.
bool makesUniform(spv::Op op)
{
    switch (op) {
        case spv::Op::OpGroupNonUniformElect:
        case spv::Op::OpGroupNonUniformAll:
        case spv::Op::OpGroupNonUniformAny:
        case spv::Op::OpGroupNonUniformBallot:
        case spv::Op::OpGroupNonUniformBroadcast:
        case spv::Op::OpGroupNonUniformBroadcastFirst:
            return true;
        default:
            return false;
    }
}

// Registers hold components: what only arranges them anew needs none of its own.
bool onlyArranges(spv::Op op)
{
    switch (op) {
        case spv::Op::OpCompositeConstruct:
        case spv::Op::OpCompositeExtract:
        case spv::Op::OpCompositeInsert:
        case spv::Op::OpVectorShuffle:
        case spv::Op::OpCopyObject:
        case spv::Op::OpBitcast:
            return true;
        default:
            return false;
    }
}

// More of them are taken for a value of its own, since arrangements of arrangements may grow without end.
constexpr size_t kMaxOrigins = 64;

bool isLaneBuiltIn(uint32_t builtIn)
{
    switch (static_cast<spv::BuiltIn>(builtIn)) {
        case spv::BuiltIn::LocalInvocationId:
        case spv::BuiltIn::LocalInvocationIndex:
        case spv::BuiltIn::GlobalInvocationId:
        case spv::BuiltIn::SubgroupLocalInvocationId:
        case spv::BuiltIn::SubgroupEqMask:
        case spv::BuiltIn::SubgroupGeMask:
        case spv::BuiltIn::SubgroupGtMask:
        case spv::BuiltIn::SubgroupLeMask:
        case spv::BuiltIn::SubgroupLtMask:
            return true;
        default:
            return false;
    }
}

class Liveness {
public:
    explicit Liveness(const PreparedShader& shader)
        : m_module(shader.module), m_function(shader.function()), m_flow(shader.function())
    {
        findVarying();
        findLiveAtEnds();
    }

    uint32_t most() const
    {
        uint32_t most = 0;
        for (size_t b = 0; b < m_function.blocks.size(); ++b)
            most = std::max(most, mostIn(b));
        return most + localWords();
    }

private:
    // Until nothing changes, since values of loops depend on later ones.
    void findVarying()
    {
        for (const Instruction& i : m_module.section(spirv::Section::Annotations))
            if (i.op == spv::Op::OpDecorate && i.literal(1) == static_cast<uint32_t>(spv::Decoration::BuiltIn) &&
                isLaneBuiltIn(i.literal(2)))
                m_varying.insert(i.id(0).value);
        for (bool changed = true; changed;) {
            changed = false;
            for (const Block& block : m_function.blocks) {
                for (const Instruction& i : block.body) {
                    changed |=
                        i.result && !makesUniform(i.op) && usesVarying(i) && m_varying.insert(i.result.value).second;
                }
            }
        }
    }

    bool usesVarying(const Instruction& i) const
    {
        bool found = i.op == spv::Op::OpVariable && i.literal(0) == static_cast<uint32_t>(spv::StorageClass::Function);
        i.forEachUse([&](Id id) { found |= m_varying.contains(id.value); });
        return found;
    }

    // Pointers take no registers of their own: offsets are counted where they are computed.
    uint32_t wordsOf(uint32_t id) const
    {
        const Instruction* definition = m_module.findDefinition(Id{id});
        if (definition == nullptr || !m_varying.contains(id))
            return 0;
        const Instruction* type = m_module.findDefinition(definition->type);
        const bool isCounted = type != nullptr && type->op != spv::Op::OpTypePointer && type->op != spv::Op::OpTypeBool;
        return isCounted ? (storedBytes(m_module, definition->type) + 3) / 4 : 0;
    }

    // Variables that no pass could take apart.
    uint32_t localWords() const
    {
        uint32_t words = 0;
        for (const Instruction& i : m_function.blocks.front().body) {
            const uint32_t bytes = i.op == spv::Op::OpVariable ? storedBytes(m_module, m_module.pointee(i.type)) : 0;
            words += bytes <= kMostArrayBytes ? (bytes + 3) / 4 : 0;
        }
        return words;
    }

    void use(Id id, IdSet& live) const
    {
        const auto arranged = m_origins.find(id.value);
        if (arranged != m_origins.end())
            live.insert(arranged->second.begin(), arranged->second.end());
        else if (m_defined.contains(id.value))
            live.insert(id.value);
    }

    // Definitions come before uses, but for phis, which arrange nothing.
    void findOrigins()
    {
        for (const Block& block : m_function.blocks) {
            for (const Instruction& i : block.body) {
                if (i.result && i.op != spv::Op::OpVariable)
                    m_defined.insert(i.result.value);
                IdSet origins;
                if (onlyArranges(i.op)) {
                    i.forEachUse([&](Id id) { use(id, origins); });
                    if (origins.size() <= kMaxOrigins)
                        m_origins[i.result.value] = std::move(origins);
                }
            }
        }
    }

    // A phi's operands are alive at the end of the blocks that they come from.
    void useInPhis(size_t block, size_t successor, IdSet& live) const
    {
        const Id from = m_function.blocks[block].label;
        for (const Instruction& i : m_function.blocks[successor].body) {
            if (i.op != spv::Op::OpPhi)
                return;
            for (size_t o = 0; o + 1 < i.operandCount(); o += 2)
                if (i.id(o + 1) == from)
                    use(i.id(o), live);
        }
    }

    // Of phis they are alive in the blocks before; what only arranges values is none itself.
    IdSet usesOf(const Instruction& i) const
    {
        IdSet uses;
        if (i.op != spv::Op::OpPhi && !m_origins.contains(i.result.value))
            i.forEachUse([&](Id id) { use(id, uses); });
        return uses;
    }

    IdSet liveAtEnd(size_t block) const
    {
        IdSet live;
        for (const size_t successor : m_flow.successors(block)) {
            live.insert(m_liveAtBegin[successor].begin(), m_liveAtBegin[successor].end());
            useInPhis(block, successor, live);
        }
        return live;
    }

    void findLiveAtEnds()
    {
        findOrigins();
        m_liveAtBegin.resize(m_function.blocks.size());
        for (bool changed = true; changed;) {
            changed = false;
            for (size_t b = m_function.blocks.size(); b-- > 0;) {
                IdSet live = liveAtEnd(b);
                const spirv::InstructionList& body = m_function.blocks[b].body;
                for (auto i = body.rbegin(); i != body.rend(); ++i) {
                    live.erase(i->result.value);
                    live.merge(usesOf(*i));
                }
                changed |= live.size() != m_liveAtBegin[b].size();
                m_liveAtBegin[b] = std::move(live);
            }
        }
    }

    uint32_t sum(const IdSet& live) const
    {
        uint32_t words = 0;
        for (const uint32_t id : live)
            words += wordsOf(id);
        return words;
    }

    uint32_t mostIn(size_t block) const
    {
        IdSet live = liveAtEnd(block);
        uint32_t words = sum(live);
        uint32_t most = words;
        const spirv::InstructionList& body = m_function.blocks[block].body;
        for (auto i = body.rbegin(); i != body.rend(); ++i) {
            words -= live.erase(i->result.value) > 0 ? wordsOf(i->result.value) : 0;
            for (const uint32_t id : usesOf(*i))
                words += live.insert(id).second ? wordsOf(id) : 0;
            most = std::max(most, words);
        }
        return most;
    }

    const spirv::Module& m_module;
    const spirv::Function& m_function;
    const shader::ControlFlow m_flow;
    IdSet m_varying;
    IdSet m_defined;
    std::unordered_map<uint32_t, IdSet> m_origins;  // of what only arranges values, by result
    std::vector<IdSet> m_liveAtBegin;
};

}  // namespace

uint32_t liveWords(const PreparedShader& shader)
{
    return Liveness(shader).most();
}

}  // namespace millrace::advisor
