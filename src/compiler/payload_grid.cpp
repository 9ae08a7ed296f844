// SPDX-License-Identifier: Apache-2.0
#include "compiler/payload_grid.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "shader/diagnose.h"

namespace millrace::compiler {

using spirv::Id;
using spirv::Instruction;
using spirv::Module;

namespace {

// Structures cannot be deeper in valid modules; ends the recursion in others.
constexpr uint32_t kMaxDepth = 256;
constexpr uint64_t kMaxBytes = 1u << 30;

class GridSearch {
public:
    explicit GridSearch(const Module& module);

    // `base`: the offset of `type` in the payload, in bytes.
    Result<std::optional<graph::GridMember>> find(Id type, uint64_t base, uint32_t depth);

private:
    using Member = std::pair<uint32_t, uint32_t>;  // structure and index

    bool hasGrid(Id type, uint32_t depth);

    const Module& m_module;
    std::set<Member> m_grids;
    std::map<Member, uint32_t> m_offsets;
    std::unordered_map<uint32_t, uint32_t> m_arrayStrides;
    std::unordered_map<uint32_t, bool> m_hasGrid;
};

GridSearch::GridSearch(const Module& module) : m_module(module)
{
    for (const Instruction& i : module.section(spirv::Section::Annotations)) {
        if (i.op == spv::Op::OpDecorate && i.operandCount() == 3 &&
            i.literal(1) == static_cast<uint32_t>(spv::Decoration::ArrayStride))
            m_arrayStrides[i.id(0).value] = i.literal(2);
        if (i.op != spv::Op::OpMemberDecorate || i.operandCount() < 3)
            continue;
        const Member member{i.id(0).value, i.literal(1)};
        const auto decoration = static_cast<spv::Decoration>(i.literal(2));
        if (decoration == spv::Decoration::PayloadDispatchIndirectAMDX)
            m_grids.insert(member);
        if (decoration == spv::Decoration::Offset && i.operandCount() > 3)
            m_offsets[member] = i.literal(3);
    }
}

bool GridSearch::hasGrid(Id type, uint32_t depth)
{
    const Instruction* definition = m_module.findDefinition(type);
    if (!definition || definition->op != spv::Op::OpTypeStruct || depth > kMaxDepth)
        return false;
    if (const auto known = m_hasGrid.find(type.value); known != m_hasGrid.end())
        return known->second;
    bool found = false;
    for (uint32_t m = 0; m < definition->operandCount() && !found; ++m)
        found = m_grids.contains({type.value, m}) || hasGrid(definition->id(m), depth + 1);
    m_hasGrid[type.value] = found;
    return found;
}

Result<std::optional<graph::GridMember>> GridSearch::find(Id type, uint64_t base, uint32_t depth)
{
    using Found = std::optional<graph::GridMember>;
    if (!hasGrid(type, depth))
        return Found();
    const Instruction& definition = *m_module.findDefinition(type);
    for (uint32_t m = 0; m < definition.operandCount(); ++m) {
        const auto place = m_offsets.find({type.value, m});
        const uint64_t offset = base + (place == m_offsets.end() ? 0 : place->second);
        if (!m_grids.contains({type.value, m})) {
            if (hasGrid(definition.id(m), depth + 1))
                return find(definition.id(m), offset, depth + 1);
            continue;
        }
        // Compilers also decorate arrays, although the extension speaks of scalars and vectors.
        const Instruction* kind = m_module.findDefinition(definition.id(m));
        uint32_t components = 1;
        if (kind && kind->op == spv::Op::OpTypeVector) {
            components = kind->literal(1);
            kind = m_module.findDefinition(kind->id(0));
        } else if (kind && kind->op == spv::Op::OpTypeArray) {
            const bool known = m_module.constantValue(kind->id(1), components);
            const auto stride = m_arrayStrides.find(kind->result.value);
            kind = known ? m_module.findDefinition(kind->id(0)) : nullptr;
            if (kind && kind->op == spv::Op::OpTypeInt && stride != m_arrayStrides.end() &&
                stride->second != kind->literal(0) / 8 && components > 1)
                kind = nullptr;
        }
        const bool isGrid = kind && kind->op == spv::Op::OpTypeInt && kind->literal(0) <= 32 && components >= 1 &&
                            components <= 3 && offset <= kMaxBytes;
        if (!isGrid) {
            return Diagnostic{"payload layout", shader::describe(m_module, definition),
                              "member " + std::to_string(m) +
                                  " is decorated PayloadDispatchIndirectAMDX, but it is not one to three tightly "
                                  "packed integers of at most 32 bits"};
        }
        return Found(graph::GridMember{static_cast<uint32_t>(offset), components, kind->literal(0) / 8});
    }
    return Found();
}

}  // namespace

Result<std::optional<graph::GridMember>> findGridMember(const Module& module, Id type)
{
    return GridSearch(module).find(type, 0, 0);
}

}  // namespace millrace::compiler
