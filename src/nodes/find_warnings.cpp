// SPDX-License-Identifier: Apache-2.0
#include "nodes/find_warnings.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "spirv/code_walk.h"

namespace millrace::nodes {

namespace {

using spirv::Function;
using spirv::Id;
using spirv::Instruction;
using spirv::Module;
using spirv::Section;

class Finder {
public:
    Finder(const Module& module, const Function& function)
        : m_module(module), m_walk(module, function, spirv::hasOneInvocation(module, function.id()))
    {
    }

    std::vector<Warning> run(bool isEntryPoint)
    {
        m_walk.run([&](const Instruction& i) {
            if (i.op == spv::Op::OpAllocateNodePayloadsAMDX)
                checkCount(i);
            if (isEntryPoint)
                follow(i);
        });
        return std::move(m_warnings);
    }

private:
    void warn(const std::string& reason)
    {
        const Warning warning{m_walk.place(), reason};
        if (std::ranges::find(m_warnings, warning) == m_warnings.end())
            m_warnings.push_back(warning);
    }

    bool constant(Id id, uint32_t& value) const { return m_module.isConstant(id) && m_module.constantValue(id, value); }

    Id arrayOf(const Instruction& allocation) const { return m_module.pointee(allocation.type); }

    // "payloads for 'shade'"
    std::string nameOf(Id array) const
    {
        const Instruction* name = m_module.findDecoration(array, spv::Decoration::PayloadNodeNameAMDX);
        const bool hasName = name != nullptr && name->operandCount() > 2 && name->isId(2);
        return hasName ? "payloads for '" + m_module.constantString(name->id(2)) + "'" : "payloads";
    }

    void checkCount(const Instruction& allocation)
    {
        const Id array = arrayOf(allocation);
        const Instruction* limit =
            array ? m_module.findDecoration(array, spv::Decoration::NodeMaxPayloadsAMDX) : nullptr;
        uint32_t count = 0;
        uint32_t most = 0;
        if (limit != nullptr && limit->operandCount() > 2 && limit->isId(2) && constant(limit->id(2), most) &&
            constant(allocation.id(1), count) && count > most) {
            warn(std::to_string(count) + " " + nameOf(array) + " are allocated, and NodeMaxPayloadsAMDX is " +
                 std::to_string(most));
        }
    }

    // Marks are what was enqueued: results of allocations, and variables that hold them.
    void follow(const Instruction& i)
    {
        if (i.op == spv::Op::OpAllocateNodePayloadsAMDX) {
            m_arrays[i.result.value] = arrayOf(i);
            m_walk.marks().erase(i.result.value);
            checkFlow(i.result, "allocation");
        } else if (i.op == spv::Op::OpEnqueueNodePayloadsAMDX) {
            m_walk.marks().insert(i.id(0).value);
            checkFlow(i.id(0), "enqueue");
        } else if (i.op == spv::Op::OpStore && m_walk.marks().erase(i.id(0).value) > 0) {
            return;  // other payloads than before
        } else if (i.op == spv::Op::OpAccessChain || i.op == spv::Op::OpInBoundsAccessChain) {
            if (m_walk.marks().contains(i.id(0).value)) {
                const auto array = m_arrays.find(i.id(0).value);
                warn((array == m_arrays.end() ? std::string("payloads") : nameOf(array->second)) +
                     " are used behind their enqueue, when they are the receivers' already");
            }
        }
    }

    // Both instructions must be called in uniform control flow within the workgroup, whatever the scope of an
    // allocation (SPV_AMDX_shader_enqueue). Told once for what was allocated.
    void checkFlow(Id payloads, const char* what)
    {
        if (!m_walk.isDivergent() || !m_divergent.insert(payloads.value).second)
            return;
        const auto array = m_arrays.find(payloads.value);
        warn(std::string("only some invocations of the workgroup come here, and all must reach the ") + what + " of " +
             (array == m_arrays.end() ? std::string("payloads") : nameOf(array->second)));
    }

    const Module& m_module;
    spirv::CodeWalk m_walk;
    std::unordered_map<uint32_t, Id> m_arrays;  // of results of allocations
    std::unordered_set<uint32_t> m_divergent;   // allocations of which was told that only some invocations come by
    std::vector<Warning> m_warnings;
};

}  // namespace

std::vector<Warning> findWarnings(const Module& module, const std::string& entryPoint)
{
    Id entry;
    for (const Instruction& i : module.section(Section::EntryPoints))
        if (i.string(2) == entryPoint)
            entry = i.id(1);
    std::vector<Warning> out;
    for (const Function& function : module.functions) {
        for (Warning& warning : Finder(module, function).run(function.id() == entry))
            if (std::ranges::find(out, warning) == out.end())
                out.push_back(std::move(warning));
    }
    return out;
}

}  // namespace millrace::nodes
