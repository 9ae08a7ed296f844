// SPDX-License-Identifier: Apache-2.0
#include "nodes/passes/enqueue_forgotten_payloads.h"

#include <map>
#include <unordered_map>
#include <unordered_set>

#include "shader/control_flow.h"
#include "shader/globals.h"

namespace millrace::nodes {

using spirv::Emitter;
using spirv::Id;
using spirv::Instruction;
using spirv::Module;

namespace {

// One allocation whose handle is kept.
struct Site {
    Id variable;      // Private
    bool isRepeated;  // may run again before the end of the workgroup
};

// What a function does with its variables of handle type.
struct Variable {
    uint32_t stores = 0;
    bool escapes = false;  // used by anything but loads and stores
};

struct State {
    NodeShader& shader;
    Module& module = shader.module;
    std::map<uint32_t, Site> sites;                    // by the allocation's result
    std::unordered_set<uint32_t> allocations;          // all of them
    std::unordered_map<uint32_t, Variable> variables;  // of the current function

    bool isAllocation(const Instruction& i) const
    {
        return shader.device.isCall(i, DeviceFunction::AllocateWorkgroup) ||
               shader.device.isCall(i, DeviceFunction::AllocateInvocation);
    }

    bool isEnqueue(const Instruction& i) const { return shader.device.isCall(i, DeviceFunction::Enqueue); }

    // Empty payloads have no grid.
    bool mayCarryGrid(const Instruction& allocation) const
    {
        uint32_t output = 0;
        const bool known =
            module.constantValue(allocation.id(1), output) && output < shader.node.declared.outputs.size();
        return !known || shader.node.declared.outputs[output].payloadBytes > 0;
    }

    Id throughCopies(Id value) const
    {
        const Instruction* i = module.findDefinition(value);
        while (i && i->op == spv::Op::OpCopyObject) {
            value = i->id(0);
            i = module.findDefinition(value);
        }
        return value;
    }

    void findVariables(const spirv::Function& function)
    {
        variables.clear();
        for (const spirv::Block& block : function.blocks) {
            for (const Instruction& i : block.body)
                if (i.op == spv::Op::OpVariable)
                    variables[i.result.value];
        }
        for (const spirv::Block& block : function.blocks) {
            for (const Instruction& i : block.body) {
                for (size_t o = 0; o < i.operandCount(); ++o) {
                    const auto variable = i.isId(o) ? variables.find(i.id(o).value) : variables.end();
                    if (variable != variables.end()) {
                        const bool isStore = i.op == spv::Op::OpStore && o == 0;
                        variable->second.stores += isStore ? 1 : 0;
                        variable->second.escapes |= !isStore && i.op != spv::Op::OpLoad;
                    }
                }
            }
        }
    }

    bool isStoredOnce(Id variable) const
    {
        const auto found = variables.find(variable.value);
        return found != variables.end() && found->second.stores == 1 && !found->second.escapes;
    }

    // True if `value` is the handle, or was loaded from a variable that holds it.
    bool means(Id value, Id handle, const std::unordered_set<uint32_t>& holders) const
    {
        value = throughCopies(value);
        const Instruction* i = module.findDefinition(value);
        return value == handle || (i && i->op == spv::Op::OpLoad && holders.contains(i->id(0).value));
    }

    // Looks at a block from instruction `from` on: does it enqueue the handle? Collects variables that hold it, which
    // is only sound in the block of the allocation.
    bool enqueues(const spirv::Block& block, size_t from, Id handle, std::unordered_set<uint32_t>& holders,
                  bool collect) const
    {
        for (size_t n = from; n < block.body.size(); ++n) {
            const Instruction& i = block.body[n];
            if (isEnqueue(i) && means(i.id(1), handle, holders))
                return true;
            if (collect && i.op == spv::Op::OpStore && isStoredOnce(i.id(0)) && means(i.id(1), handle, holders))
                holders.insert(i.id(0).value);
        }
        return false;
    }

    // True if every path from the allocation meets an enqueue of its handle before it ends or allocates again.
    bool isAlwaysEnqueued(const spirv::Function& function, const shader::ControlFlow& flow, size_t first,
                          size_t n) const
    {
        const Id handle = function.blocks[first].body[n].result;
        std::unordered_set<uint32_t> holders;
        if (enqueues(function.blocks[first], n + 1, handle, holders, true))
            return true;
        std::unordered_set<size_t> seen;
        std::vector<size_t> pending = {first};
        while (!pending.empty()) {
            const size_t b = pending.back();
            pending.pop_back();
            if (b != first && enqueues(function.blocks[b], 0, handle, holders, false))
                continue;
            const bool leaves = flow.successors(b).empty();
            if (leaves && function.blocks[b].body.back().op != spv::Op::OpUnreachable)
                return false;
            for (const size_t next : flow.successors(b)) {
                if (next == first)
                    return false;
                if (seen.insert(next).second)
                    pending.push_back(next);
            }
        }
        return true;
    }

    void findSites()
    {
        const auto repeated = shader::findRepeatedFunctions(module, shader.entry);
        const Id handleType = module.getVectorType(module.getIntType(32, false), 4);
        const Id pointerType = module.getPointerType(spv::StorageClass::Private, handleType);
        for (const spirv::Function& function : module.functions) {
            const shader::ControlFlow flow(function);
            findVariables(function);
            for (size_t b = 0; b < function.blocks.size(); ++b) {
                for (size_t n = 0; n < function.blocks[b].body.size(); ++n) {
                    const Instruction& i = function.blocks[b].body[n];
                    if (!isAllocation(i))
                        continue;
                    allocations.insert(i.result.value);
                    if (mayCarryGrid(i) && !isAlwaysEnqueued(function, flow, b, n)) {
                        const bool isRepeated = flow.isOnCycle(b) || repeated.contains(function.id().value);
                        const Id variable = module.createVariable(pointerType, spv::StorageClass::Private);
                        module.setName(variable, "pending_handle");
                        sites[i.result.value] = {variable, isRepeated};
                        shader.pendingHandles.push_back({variable, i.result});
                        shader.startValues.push_back(
                            {StartValue::Kind::Constant, variable, shader::getNull(module, handleType)});
                    }
                }
            }
        }
    }

    void track(const Instruction& i, Emitter& out)
    {
        const auto site = sites.find(i.result.value);
        if (isAllocation(i) && site != sites.end()) {
            if (site->second.isRepeated) {
                const Id before = out.emit(spv::Op::OpLoad, i.type, {site->second.variable});
                shader.device.call(out, DeviceFunction::Enqueue, {before});
            }
            out.keep(i);
            out.emitVoid(spv::Op::OpStore, {site->second.variable, i.result});
            return;
        }
        out.keep(i);
        if (isEnqueue(i))
            clear(i.id(1), out);
    }

    // `handle` was enqueued: no variable may keep it.
    void clear(Id handle, Emitter& out)
    {
        const Id origin = throughCopies(handle);
        const Id handleType = module.getVectorType(module.getIntType(32, false), 4);
        const Id null = shader::getNull(module, handleType);
        if (const auto site = sites.find(origin.value); site != sites.end()) {
            out.emitVoid(spv::Op::OpStore, {site->second.variable, null});
            return;
        }
        if (allocations.contains(origin.value))
            return;
        const Id boolType = module.getBoolType();
        const Id bools = module.getVectorType(boolType, 4);
        for (const auto& [allocation, site] : sites) {
            const Id kept = out.emit(spv::Op::OpLoad, handleType, {site.variable});
            const Id equal = out.emit(spv::Op::OpIEqual, bools, {kept, handle});
            const Id isSame = out.emit(spv::Op::OpAll, boolType, {equal});
            const Id left = out.emit(spv::Op::OpSelect, handleType, {isSame, null, kept});
            out.emitVoid(spv::Op::OpStore, {site.variable, left});
        }
    }
};

}  // namespace

Status enqueueForgottenPayloads(NodeShader& shader)
{
    State state{shader};
    state.findSites();
    if (state.sites.empty())
        return {};
    for (spirv::Function& function : shader.module.functions) {
        spirv::rewriteFunction(shader.module, function,
                               [&](const Instruction& i, Emitter& out) { state.track(i, out); });
    }
    shader.device.declare(shader.module);
    shader::updateInterface(shader.module, shader.entry);
    spirv::orderGlobals(shader.module);
    return {};
}

}  // namespace millrace::nodes
