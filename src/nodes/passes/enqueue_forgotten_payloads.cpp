// SPDX-License-Identifier: Apache-2.0
#include "nodes/passes/enqueue_forgotten_payloads.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "nodes/handle_values.h"
#include "shader/control_flow.h"
#include "shader/globals.h"

namespace millrace::nodes {

using spirv::Emitter;
using spirv::Id;
using spirv::Instruction;
using spirv::Module;

namespace {

// Between an allocation and what enqueues it on all paths: beyond them its handle is kept.
constexpr size_t kMostBlocks = 1024;

// One allocation whose handle is kept.
struct Site {
    Id variable;      // Private
    bool isRepeated;  // may run again before the end of the workgroup
};

struct Allocation {
    size_t block;
    size_t position;  // in the block
    Id handle;
};

struct Enqueue {
    size_t position;  // in its block
    Id handle;
};

struct State {
    NodeShader& shader;
    Module& module = shader.module;
    std::map<uint32_t, Site> sites;                        // by the allocation's result
    std::unordered_map<uint32_t, HandleOrigins> enqueued;  // what handles are that are enqueued, if that is known
    std::vector<std::vector<Enqueue>> enqueues;            // of the current function, by block

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

    void findEnqueues(const spirv::Function& function, const HandleValues& values)
    {
        enqueues.assign(function.blocks.size(), {});
        for (size_t b = 0; b < function.blocks.size(); ++b) {
            for (size_t n = 0; n < function.blocks[b].body.size(); ++n) {
                const Instruction& i = function.blocks[b].body[n];
                if (!isEnqueue(i))
                    continue;
                enqueues[b].push_back({n, i.id(1)});
                if (std::optional<HandleOrigins> origins = values.originsOf(i.id(1)))
                    enqueued[i.id(1).value] = *std::move(origins);
            }
        }
    }

    // True if a block enqueues what the allocation gave when it ran last, from instruction `from` on.
    bool isEnqueuedIn(size_t block, size_t from, const Allocation& allocation, const HandleValues& values) const
    {
        return std::ranges::any_of(enqueues[block], [&](const Enqueue& enqueue) {
            const auto found = enqueued.find(enqueue.handle.value);
            if (enqueue.position < from || found == enqueued.end())
                return false;
            const HandleOrigins& origins = found->second;
            return origins.allocations == std::vector{allocation.handle} && origins.isLatest &&
                   (!origins.mayBeUnset ||
                    values.isStoredBehind(origins.variable, allocation.block, allocation.position, allocation.handle));
        });
    }

    // True if every path from the allocation meets an enqueue of its handle before it ends or allocates again.
    bool isAlwaysEnqueued(const spirv::Function& function, const shader::ControlFlow& flow, const HandleValues& values,
                          const Allocation& allocation) const
    {
        const size_t first = allocation.block;
        if (isEnqueuedIn(first, allocation.position + 1, allocation, values))
            return true;
        std::unordered_set<size_t> seen;
        std::vector<size_t> pending = {first};
        while (!pending.empty() && seen.size() <= kMostBlocks) {
            const size_t b = pending.back();
            pending.pop_back();
            if (b != first && isEnqueuedIn(b, 0, allocation, values))
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
        return pending.empty();
    }

    void findSites()
    {
        const auto repeated = shader::findRepeatedFunctions(module, shader.entry);
        const Id pointerType = module.getPointerType(spv::StorageClass::Private, handleType());
        for (const spirv::Function& function : module.functions) {
            const shader::ControlFlow flow(function);
            const HandleValues values(shader, function, flow);
            findEnqueues(function, values);
            for (size_t b = 0; b < function.blocks.size(); ++b) {
                for (size_t n = 0; n < function.blocks[b].body.size(); ++n) {
                    const Instruction& i = function.blocks[b].body[n];
                    if (!isAllocation(i))
                        continue;
                    if (mayCarryGrid(i) && !isAlwaysEnqueued(function, flow, values, {b, n, i.result})) {
                        const bool isRepeated = flow.isOnCycle(b) || repeated.contains(function.id().value);
                        const Id variable = module.createVariable(pointerType, spv::StorageClass::Private);
                        module.setName(variable, "pending_handle");
                        sites[i.result.value] = {variable, isRepeated};
                        shader.pendingHandles.push_back({variable, i.result});
                        shader.startValues.push_back(
                            {StartValue::Kind::Constant, variable, shader::getNull(module, handleType())});
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
        const auto known = enqueued.find(handle.value);
        if (known == enqueued.end()) {
            for (const auto& [allocation, site] : sites)
                clearIfSame(site, handle, out);
            return;
        }
        for (const Id allocation : known->second.allocations) {
            const auto site = sites.find(allocation.value);
            if (site != sites.end() && known->second.isSure())
                out.emitVoid(spv::Op::OpStore, {site->second.variable, shader::getNull(module, handleType())});
            else if (site != sites.end())
                clearIfSame(site->second, handle, out);
        }
    }

    void clearIfSame(const Site& site, Id handle, Emitter& out)
    {
        const Id boolType = module.getBoolType();
        const Id kept = out.emit(spv::Op::OpLoad, handleType(), {site.variable});
        const Id equal = out.emit(spv::Op::OpIEqual, module.getVectorType(boolType, 4), {kept, handle});
        const Id isSame = out.emit(spv::Op::OpAll, boolType, {equal});
        const Id null = shader::getNull(module, handleType());
        const Id left = out.emit(spv::Op::OpSelect, handleType(), {isSame, null, kept});
        out.emitVoid(spv::Op::OpStore, {site.variable, left});
    }

    Id handleType() { return module.getVectorType(module.getIntType(32, false), 4); }
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
