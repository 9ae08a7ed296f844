// SPDX-License-Identifier: Apache-2.0
#include "nodes/payload_grid.h"

#include <cstdint>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "shader/diagnose.h"
#include "shader/layout_decorations.h"

namespace millrace::nodes {

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
    const shader::LayoutDecorations m_decorations;
    std::unordered_map<uint32_t, bool> m_hasGrid;
};

GridSearch::GridSearch(const Module& module) : m_module(module), m_decorations(module)
{
    for (const Instruction& i : module.section(spirv::Section::Annotations))
        if (i.op == spv::Op::OpMemberDecorate && i.operandCount() > 2 &&
            i.literal(2) == static_cast<uint32_t>(spv::Decoration::PayloadDispatchIndirectAMDX))
            m_grids.insert({i.id(0).value, i.literal(1)});
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
        const uint64_t offset = base + m_decorations.member(type, m).offset.value_or(0);
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
            const std::optional<uint32_t> stride = m_decorations.arrayStride(kind->result);
            kind = known ? m_module.findDefinition(kind->id(0)) : nullptr;
            if (kind && kind->op == spv::Op::OpTypeInt && stride && *stride != kind->literal(0) / 8 && components > 1)
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

}  // namespace millrace::nodes
