// SPDX-License-Identifier: Apache-2.0
#include "nodes/passes/check_budgets.h"

#include <map>
#include <set>

#include "nodes/payload_types.h"
#include "shader/function_writer.h"
#include "shader/globals.h"
#include "shader/memory_operands.h"

namespace millrace::nodes {

using spirv::Emitter;
using spirv::Id;
using spirv::Instruction;
using spirv::Module;
using spirv::Section;

namespace {

// That the sum over a workgroup does not overflow.
constexpr uint32_t kMostCounted = 1u << 20;

class Checker {
public:
    explicit Checker(NodeShader& shader) : m_shader(shader), m_module(shader.module) {}

    void run()
    {
        createCounters();
        if (m_counters.empty())
            return;
        for (spirv::Function& function : m_module.functions)
            spirv::rewriteFunction(m_module, function, [this](const Instruction& i, Emitter& out) { visit(i, out); });
        replaceEntry(writeEntry());
        m_shader.device.declare(m_module);
        shader::updateInterface(m_module, m_shader.entry);
        spirv::orderGlobals(m_module);
    }

private:
    bool isAlone() const { return graph::invocationsOf(m_shader.node.declared) == 1; }

    // One for each limit, which several outputs may share. They are 0 whenever a workgroup starts.
    void createCounters()
    {
        const std::vector<graph::NodeOutput>& outputs = m_shader.node.declared.outputs;
        std::set<uint32_t> pools;
        for (const graph::NodeOutput& output : outputs)
            if (output.allocationSites > 0 && !graph::keepsBudget(m_shader.node.declared, output))
                pools.insert(output.budgetPool);
        const auto storage = isAlone() ? spv::StorageClass::Private : spv::StorageClass::Workgroup;
        const Id zero = shader::getNull(m_module, m_uint);
        for (const uint32_t pool : pools) {
            const Id counter = m_module.newId();
            m_module.section(Section::Globals)
                .push_back(spirv::instruction(spv::Op::OpVariable, m_module.getPointerType(storage, m_uint), counter)
                               .add(static_cast<uint32_t>(storage))
                               .add(zero));
            m_module.setName(counter, outputs[pool].targetName + "_allocated");
            m_counters[pool] = counter;
        }
        if (!pools.empty() && !isAlone())
            m_index = shader::getBuiltInVariable(m_module, spv::BuiltIn::LocalInvocationIndex, m_uint);
    }

    Id counterOf(const Instruction& allocation) const
    {
        const auto output = m_shader.outputOfArray.find(payloadArrayOf(m_module, allocation.type).value);
        if (output == m_shader.outputOfArray.end())
            return {};
        const auto found = m_counters.find(m_shader.node.declared.outputs[output->second].budgetPool);
        return found == m_counters.end() ? Id{} : found->second;
    }

    void visit(const Instruction& i, Emitter& out)
    {
        const Id counter = i.op == spv::Op::OpAllocateNodePayloadsAMDX ? counterOf(i) : Id{};
        if (counter)
            count(counter, i, out);
        out.keep(i);
    }

    // A workgroup's allocation counts once.
    void count(Id counter, const Instruction& i, Emitter& out)
    {
        Id payloads = i.id(1);
        if (m_module.typeOf(payloads) != m_uint)
            payloads = out.emit(spv::Op::OpBitcast, m_uint, {payloads});
        const Id most = m_module.getConstant(kMostCounted);
        const Id isFewer = out.emit(spv::Op::OpULessThan, m_module.getBoolType(), {payloads, most});
        payloads = out.emit(spv::Op::OpSelect, m_uint, {isFewer, payloads, most});
        if (isAlone()) {
            const Id before = out.emit(spv::Op::OpLoad, m_uint, {counter});
            out.emitVoid(spv::Op::OpStore, {counter, out.emit(spv::Op::OpIAdd, m_uint, {before, payloads})});
            return;
        }
        uint32_t scope = 0;
        const bool isKnown = m_module.constantValue(i.id(0), scope);
        if (isKnown && scope == static_cast<uint32_t>(spv::Scope::Workgroup))
            payloads = out.emit(spv::Op::OpSelect, m_uint, {isFirst(out), payloads, m_module.getConstant(0)});
        const Id workgroup = m_module.getConstant(static_cast<uint32_t>(spv::Scope::Workgroup));
        out.emit(spv::Op::OpAtomicIAdd, m_uint, {counter, workgroup, m_module.getConstant(0), payloads});
    }

    Id isFirst(Emitter& out)
    {
        const Id index = out.emit(spv::Op::OpLoad, m_uint, {m_index});
        return out.emit(spv::Op::OpIEqual, m_module.getBoolType(), {index, m_module.getConstant(0)});
    }

    // What the node did, and behind it the comparisons.
    Id writeEntry()
    {
        shader::FunctionWriter writer(m_module);
        writer.beginBlock();
        writer.out().call(m_shader.entry, m_module.getVoidType(), {});
        if (isAlone()) {
            compareAll(writer);
            return writer.finish();
        }
        Emitter out = writer.out();
        shader::emitWorkgroupBarrier(m_module, out, m_shader.vulkanMemoryModel);
        const Id first = isFirst(out);
        const Id join = m_module.newId();
        writer.beginIf(first, join);
        compareAll(writer);
        writer.endIf(join);
        return writer.finish();
    }

    void compareAll(shader::FunctionWriter& writer)
    {
        for (const auto& [pool, counter] : m_counters) {
            Emitter out = writer.out();
            const Id budget = m_module.getConstant(m_shader.node.declared.outputs[pool].budget);
            const Id payloads = load(counter, out);
            const Id isMore = out.emit(spv::Op::OpUGreaterThan, m_module.getBoolType(), {payloads, budget});
            const Id join = m_module.newId();
            writer.beginIf(isMore, join);
            Emitter inside = writer.out();
            m_shader.device.call(inside, DeviceFunction::NoteBudget, {payloads});
            writer.endIf(join);
        }
    }

    // Behind the atomic operations of others.
    Id load(Id counter, Emitter& out)
    {
        if (isAlone())
            return out.emit(spv::Op::OpLoad, m_uint, {counter});
        const Id workgroup = m_module.getConstant(static_cast<uint32_t>(spv::Scope::Workgroup));
        return out.emit(spv::Op::OpAtomicLoad, m_uint, {counter, workgroup, m_module.getConstant(0)});
    }

    void replaceEntry(Id created)
    {
        for (Instruction& i : m_module.section(Section::EntryPoints))
            if (i.id(1) == m_shader.entry)
                i.setId(1, created);
        for (Instruction& i : m_module.section(Section::ExecutionModes))
            if (i.id(0) == m_shader.entry)
                i.setId(0, created);
        m_shader.entry = created;
    }

    NodeShader& m_shader;
    Module& m_module;
    Id m_uint = m_module.getIntType(32, false);
    Id m_index;
    std::map<uint32_t, Id> m_counters;  // by the output that stands for the limit
};

}  // namespace

Status checkBudgets(NodeShader& shader, const Variant& variant)
{
    if (variant.checkBudgets)
        Checker(shader).run();
    return {};
}

}  // namespace millrace::nodes
