// SPDX-License-Identifier: Apache-2.0
#include "compiler/solo/blocks.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "spirv/id_set.h"

namespace millrace::compiler {

using spirv::Id;
using spirv::Instruction;
using spirv::Module;
using spirv::Section;

namespace {

// What is said of a type by decorations, without the type itself.
std::vector<std::vector<uint32_t>> annotationsOf(const Module& module, Id type)
{
    std::vector<std::vector<uint32_t>> out;
    for (const Instruction& i : module.section(Section::Annotations)) {
        if (i.operandCount() == 0 || !i.isId(0) || i.id(0) != type) {
            continue;
        }
        out.emplace_back(i.words.begin() + 1, i.words.end());
        out.back().push_back(static_cast<uint32_t>(i.op));
    }
    std::ranges::sort(out);
    return out;
}

// Finds the types of one declaration that mean the same as those of another.
class SameTypes {
public:
    explicit SameTypes(const Module& module) : m_module(module) {}

    bool add(Id type, Id other)
    {
        if (type == other) {
            return true;
        }
        const auto [known, isNew] = m_same.emplace(other.value, type.value);
        if (!isNew) {
            return known->second == type.value;
        }
        const Instruction* a = m_module.findDefinition(type);
        const Instruction* b = m_module.findDefinition(other);
        if (!a || !b || a->op != b->op || !spirv::isType(a->op) || a->operandCount() != b->operandCount() ||
            annotationsOf(m_module, type) != annotationsOf(m_module, other)) {
            return false;
        }
        for (size_t o = 0; o < a->operandCount(); o++) {
            const bool same = a->isId(o) ? b->isId(o) && add(a->id(o), b->id(o)) : a->literal(o) == b->literal(o);
            if (!same) {
                return false;
            }
        }
        return true;
    }

    const std::unordered_map<uint32_t, uint32_t>& all() const { return m_same; }

private:
    const Module& m_module;
    std::unordered_map<uint32_t, uint32_t> m_same;
};

std::vector<Id> usedBlocks(const Module& module)
{
    const spirv::IdSet used = spirv::usedInFunctions(module);
    std::vector<Id> blocks;
    for (const Instruction& i : module.section(Section::Globals)) {
        if (i.op == spv::Op::OpVariable && used.contains(i.result) &&
            i.literal(0) == static_cast<uint32_t>(spv::StorageClass::PushConstant)) {
            blocks.push_back(i.result);
        }
    }
    return blocks;
}

// Everything of theirs becomes ours.
void merge(Module& module, const std::unordered_map<uint32_t, uint32_t>& same)
{
    const auto isTheirs = [&](Id id) { return same.contains(id.value); };
    std::erase_if(module.section(Section::Globals), [&](const Instruction& i) {
        return isTheirs(i.result) || (i.op == spv::Op::OpTypeForwardPointer && isTheirs(i.id(0)));
    });
    std::erase_if(module.section(Section::DebugNames), [&](const Instruction& i) { return isTheirs(i.id(0)); });
    module.removeDecorations([&](const Instruction& i) { return i.isId(0) && isTheirs(i.id(0)); });
    module.replaceUses(same);
}

}  // namespace

Result<Id> mergePushConstants(Module& module)
{
    const std::vector<Id> blocks = usedBlocks(module);
    for (size_t b = 1; b < blocks.size(); b++) {
        SameTypes same(module);
        if (!same.add(module.typeOf(blocks[0]), module.typeOf(blocks[b]))) {
            return Diagnostic{"solo", "push constants", "nodes have different blocks of push constants"};
        }
        std::unordered_map<uint32_t, uint32_t> map = same.all();
        map.emplace(blocks[b].value, blocks[0].value);
        merge(module, map);
    }
    return blocks.empty() ? Id{} : blocks[0];
}

}  // namespace millrace::compiler
