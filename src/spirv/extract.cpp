// SPDX-License-Identifier: Apache-2.0
// One entry point and what it reaches. Not done with SPIRV-Tools' passes: nothing inside functions may change here,
// whatever extension it comes from.
#include <algorithm>
#include <unordered_set>
#include <utility>

#include "spirv/module.h"
#include "spirv/tools.h"

namespace millrace::spirv {

namespace {

// The ids that are needed, closed over definitions, function bodies and decorations.
class Reach {
public:
    explicit Reach(const Module& module) : m_module(module)
    {
        for (const Instruction& i : module.section(Section::Annotations)) {
            if (i.operandCount() > 0 && i.isId(0)) {
                m_annotations[i.id(0).value].push_back(&i);
            }
        }
    }

    bool contains(Id id) const { return m_ids.contains(id.value); }

    void add(Id root)
    {
        push(root);
        while (!m_pending.empty()) {
            const Id id = m_pending.back();
            m_pending.pop_back();
            visit(id);
        }
    }

    void addUses(const Instruction& i)
    {
        i.forEachUse([this](Id id) { add(id); });
    }

private:
    void push(Id id)
    {
        if (m_ids.insert(id.value).second) {
            m_pending.push_back(id);
        }
    }

    void pushUses(const Instruction& i)
    {
        i.forEachUse([this](Id id) { push(id); });
    }

    void visit(Id id)
    {
        if (const Function* function = m_module.findFunction(id)) {
            visit(*function);
        } else if (const Instruction* definition = m_module.findDefinition(id)) {
            pushUses(*definition);
        }
        const auto annotations = m_annotations.find(id.value);
        if (annotations == m_annotations.end()) {
            return;
        }
        for (const Instruction* annotation : annotations->second) {
            // A group names its targets, it does not need them.
            if (annotation->op != spv::Op::OpGroupDecorate && annotation->op != spv::Op::OpGroupMemberDecorate) {
                pushUses(*annotation);
            }
        }
    }

    void visit(const Function& function)
    {
        const auto visitAll = [this](const InstructionList& list) {
            for (const Instruction& i : list) {
                push(i.result);
                pushUses(i);
            }
        };
        visitAll(function.before);
        visitAll({function.definition});
        for (const auto& [index, i] : function.beforeParameter) {
            pushUses(i);
        }
        visitAll(function.parameters);
        for (const Block& block : function.blocks) {
            visitAll(block.before);
            push(block.label);
            visitAll(block.body);
        }
        visitAll(function.after);
    }

    const Module& m_module;
    std::unordered_map<uint32_t, std::vector<const Instruction*>> m_annotations;
    std::unordered_set<uint32_t> m_ids;
    std::vector<Id> m_pending;
};

void removeUnreached(Module& module, const Reach& reach)
{
    const auto unreachedTarget = [&](const Instruction& i) {
        return i.operandCount() > 0 && i.isId(0) && !reach.contains(i.id(0));
    };
    std::erase_if(module.functions, [&](const Function& f) { return !reach.contains(f.id()); });
    std::erase_if(module.section(Section::DebugNames), unreachedTarget);
    std::erase_if(module.section(Section::ExecutionModes), unreachedTarget);
    std::erase_if(module.section(Section::Annotations), unreachedTarget);
    const auto unreached = [&](const Instruction& i) {
        return i.result ? !reach.contains(i.result) : i.op == spv::Op::OpTypeForwardPointer && unreachedTarget(i);
    };
    std::erase_if(module.section(Section::Globals), unreached);
    std::erase_if(module.trailing, unreached);
}

}  // namespace

Result<Words> extractEntryPoint(std::span<const uint32_t> words, std::string_view name)
{
    auto module = read(words);
    if (!module) {
        return module.error();
    }
    std::erase_if(module->section(Section::EntryPoints), [&](const Instruction& i) {
        const bool isCompute = i.literal(0) == static_cast<uint32_t>(spv::ExecutionModel::GLCompute);
        return !isCompute || i.string(2) != name;
    });
    if (module->section(Section::EntryPoints).size() != 1) {
        return Diagnostic{"spirv", {}, "no compute entry point \"" + std::string(name) + "\""};
    }
    const Id main = module->section(Section::EntryPoints)[0].id(1);

    Reach reach(*module);
    reach.addUses(module->section(Section::EntryPoints)[0]);
    for (const Instruction& i : module->section(Section::ExecutionModes)) {
        if (i.id(0) == main) {
            reach.addUses(i);
        }
    }
    removeUnreached(*module, reach);
    return write(*module);
}

}  // namespace millrace::spirv
