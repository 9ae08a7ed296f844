// SPDX-License-Identifier: Apache-2.0
#include "glsl/warnings.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "spirv/code_walk.h"

namespace millrace::glsl {

namespace {

using spirv::Id;
using spirv::Instruction;
using spirv::Module;
using spirv::Section;

class Finder {
public:
    Finder(const Module& module, const std::vector<Declared>& declared, const std::vector<Payload>& payloads)
        : m_module(module),
          m_declared(declared),
          m_set(placeholderSet(module)),
          m_walk(module, module.functions.at(0), spirv::hasOneInvocation(module, module.functions.at(0).id()))
    {
        for (const Payload& payload : payloads) {
            if (!payload.isInput()) {
                m_outputs[payload.declared->number] = &payload;
                if (payload.block)
                    m_numbers[payload.block.value] = payload.declared->number;
            }
        }
    }

    std::string run()
    {
        m_walk.run([this](const Instruction& i) { visit(i); });
        findOwnName();
        std::string out;
        for (const std::string& warning : m_warnings)
            out += warning + "\n";
        return out;
    }

private:
    void warn(const std::string& place, const std::string& reason)
    {
        const std::string text = place + ": warning: " + reason;
        if (!place.empty() && std::ranges::find(m_warnings, text) == m_warnings.end())
            m_warnings.push_back(text);
    }

    // A constant that specialization cannot change.
    bool constant(Id id, uint32_t& value) const
    {
        return id && m_module.isConstant(id) && m_module.constantValue(id, value);
    }

    void visit(const Instruction& i)
    {
        uint32_t number = 0;
        if (i.op == spv::Op::OpExtInst && m_set && i.id(0) == m_set && i.operandCount() > 2 && i.isId(2) &&
            m_module.constantValue(i.id(2), number) && m_outputs.contains(number)) {
            const auto what = static_cast<Placeholder>(i.literal(1));
            if (what == Placeholder::Allocate) {
                m_walk.marks().erase(number);
                visitAllocation(i, number);
            } else if (what == Placeholder::Enqueue) {
                m_walk.marks().insert(number);
                checkFlow(number, "enqueue", "");
            }
            return;
        }
        i.forEachUse([&](Id id) {
            const auto found = m_numbers.find(id.value);
            if (found != m_numbers.end() && m_walk.marks().contains(found->second))
                warn(m_walk.place(),
                     "'" + nameOf(found->second) +
                         "' is used behind its enqueue(), when its payloads are the receivers' already");
        });
    }

    void visitAllocation(const Instruction& i, uint32_t number)
    {
        const Payload& output = *m_outputs.at(number);
        uint32_t count = 0;
        uint32_t most = 0;
        uint32_t scope = 0;
        uint32_t index = 0;
        if (constant(i.id(4), count) && constant(output.declared->value(Attribute::MaxPayloads), most) &&
            count > most) {
            warn(m_walk.place(), std::to_string(count) + " payloads are allocated, and '" + nameOf(number) +
                                     "' holds " + std::to_string(most));
        }
        if (!constant(i.id(5), index) || index != 0)
            m_isIndexed.insert(number);
        const bool byWorkgroup = constant(i.id(3), scope) && scope == static_cast<uint32_t>(spv::Scope::Workgroup);
        m_toldFlow.erase(number);
        checkFlow(number, byWorkgroup ? "allocateWorkgroup" : "allocateInvocation",
                  byWorkgroup ? "; with allocateInvocation() each has a count of its own, which may be 0"
                              : "; its count may be 0");
    }

    // The specification wants uniform control flow within the workgroup, whatever the scope of an allocation. Told once
    // for what was allocated.
    void checkFlow(uint32_t number, const std::string& function, const std::string& advice)
    {
        if (m_walk.isDivergent() && m_toldFlow.insert(number).second) {
            warn(m_walk.place(), "only some invocations of the workgroup come here, and all must reach " + function +
                                     "('" + nameOf(number) + "')" + advice);
        }
    }

    std::string nameOf(uint32_t number) const { return m_outputs.at(number)->declared->source->name; }

    void findOwnName()
    {
        std::string name = "main";
        for (const Declared& node : m_declared) {
            uint32_t value = 0;
            if (node.source->kind != DeclarationKind::Node)
                continue;
            const auto given = node.source->strings.find(Attribute::Name);
            name = given == node.source->strings.end() ? name : given->second;
            const bool isRecursive =
                node.has(Attribute::Recursion) && (!constant(node.value(Attribute::Recursion), value) || value > 0);
            if (isRecursive || node.has(Attribute::Index))
                return;
        }
        for (const auto& [number, output] : m_outputs) {
            const Declared& declared = *output->declared;
            const auto given = declared.source->strings.find(Attribute::TargetNode);
            const std::string target = given == declared.source->strings.end() ? declared.source->name : given->second;
            const bool isArray = declared.has(Attribute::ArraySize) || declared.has(Attribute::Sparse) ||
                                 declared.has(Attribute::BaseIndex) || m_isIndexed.contains(number);
            if (target == name && !isArray) {
                warn(declared.source->file + ":" + std::to_string(declared.source->line),
                     "'" + nameOf(number) +
                         "' leads to the node itself, which declares no recursion, so that nothing " +
                         "arrives; the node's layout may say recursion = N");
            }
        }
    }

    const Module& m_module;
    const std::vector<Declared>& m_declared;
    const Id m_set;
    std::map<uint32_t, const Payload*> m_outputs;      // by number
    std::unordered_map<uint32_t, uint32_t> m_numbers;  // by block
    spirv::CodeWalk m_walk;                            // marks: outputs that are enqueued
    std::set<uint32_t> m_isIndexed;                    // that some allocation gives a node index other than 0
    std::set<uint32_t> m_toldFlow;                     // of whose last allocation only some invocations come by
    std::vector<std::string> m_warnings;
};

}  // namespace

std::string findWarnings(const Module& module, const std::vector<Declared>& declared,
                         const std::vector<Payload>& payloads)
{
    return Finder(module, declared, payloads).run();
}

}  // namespace millrace::glsl
