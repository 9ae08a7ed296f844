// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/gather_enqueues.h"

#include <algorithm>
#include <optional>

#include "compiler/control_flow.h"
#include "compiler/function_writer.h"
#include "compiler/globals.h"

namespace millrace::compiler {

using spirv::Emitter;
using spirv::Id;
using spirv::Instruction;

namespace {

constexpr DeviceFunction kEnqueues[] = {DeviceFunction::Enqueue, DeviceFunction::EnqueueInvocation,
                                        DeviceFunction::EnqueueWorkgroup};

class Gathering {
public:
    explicit Gathering(NodeShader& shader) : m_shader(shader), m_module(shader.module) {}

    void run()
    {
        m_node = findNode();
        const auto repeated = findRepeatedFunctions(m_module, m_node);
        for (const spirv::Function& function : m_module.functions)
            if (!repeated.contains(function.id().value))
                findPlaces(function);
        if (m_places.size() < 2)
            return;
        keepHandles();
        enqueueBehindNode();
        m_shader.device.declare(m_module);
        updateInterface(m_module, m_shader.entry);
        orderGlobals(m_module);
    }

private:
    // An enqueue, as which function and of which handle.
    struct Place {
        uint32_t call;
        DeviceFunction function;
        Id variable;  // that keeps the handle
        bool isNew;   // no other pass cleared it at the start of each workgroup
    };

    std::optional<DeviceFunction> enqueueOf(const Instruction& i) const
    {
        for (const DeviceFunction function : kEnqueues)
            if (m_shader.device.isCall(i, function))
                return function;
        return {};
    }

    const spirv::Function* calledBy(const Instruction& i) const
    {
        return i.op == spv::Op::OpFunctionCall ? m_module.findFunction(i.id(0)) : nullptr;
    }

    // The function that the entry point runs for each workgroup; all others that it calls are imported.
    Id findNode() const
    {
        for (const spirv::Block& block : m_module.findFunction(m_shader.entry)->blocks)
            for (const Instruction& i : block.body)
                if (const spirv::Function* called = calledBy(i); called && !called->blocks.empty())
                    return i.id(0);
        return {};
    }

    // In the entry point stand the handles that wrapEntryPoint enqueues, each from its variable.
    void findPlaces(const spirv::Function& function)
    {
        const bool isEntry = function.id() == m_shader.entry;
        const ControlFlow flow(function);
        for (size_t b = 0; b < function.blocks.size(); ++b) {
            if (!isEntry && flow.isOnCycle(b))
                continue;
            for (const Instruction& i : function.blocks[b].body)
                if (const std::optional<DeviceFunction> enqueue = enqueueOf(i))
                    m_places.push_back({i.result.value, *enqueue, isEntry ? keptIn(i.id(1)) : Id(), !isEntry});
        }
    }

    Id keptIn(Id handle) const { return m_module.findDefinition(handle)->id(0); }

    Id handleType() { return m_module.getVectorType(m_module.getIntType(32, false), 4); }

    void keepHandles()
    {
        const Id pointer = m_module.getPointerType(spv::StorageClass::Private, handleType());
        const Id null = getNull(m_module, handleType());
        for (Place& place : m_places) {
            if (!place.isNew)
                continue;
            place.variable = m_module.createVariable(pointer, spv::StorageClass::Private, null);
            m_module.setName(place.variable, "enqueued_handle");
        }
        for (spirv::Function& function : m_module.functions)
            if (!function.blocks.empty())
                spirv::rewriteFunction(m_module, function, [&](const Instruction& i, Emitter& out) { keep(i, out); });
    }

    void keep(const Instruction& i, Emitter& out) const
    {
        const auto place = std::ranges::find(m_places, i.result.value, &Place::call);
        if (!i.result || place == m_places.end())
            out.keep(i);
        else if (place->isNew)
            out.emitVoid(spv::Op::OpStore, {place->variable, i.id(1)});
    }

    // One function for all, if they agree.
    DeviceFunction enqueue() const
    {
        const bool alike = std::ranges::all_of(
            m_places, [&](const Place& place) { return place.function == m_places.front().function; });
        return alike ? m_places.front().function : DeviceFunction::Enqueue;
    }

    // for (i = 0; i < places; ++i) enqueue(handle i), and the handles are forgotten.
    Id writeLoop()
    {
        FunctionWriter writer(m_module);
        writer.beginBlock();
        writer.forEach(
            m_module.getConstant(static_cast<uint32_t>(m_places.size())),
            [&](Id i) {
                Emitter out = writer.out();
                Id handle = out.emit(spv::Op::OpLoad, handleType(), {m_places[0].variable});
                for (uint32_t n = 1; n < m_places.size(); ++n) {
                    const Id isThis = out.emit(spv::Op::OpIEqual, m_module.getBoolType(), {i, m_module.getConstant(n)});
                    const Id other = out.emit(spv::Op::OpLoad, handleType(), {m_places[n].variable});
                    handle = out.emit(spv::Op::OpSelect, handleType(), {isThis, other, handle});
                }
                m_shader.device.call(out, enqueue(), {handle});
            },
            spv::LoopControlMask::DontUnroll);
        for (const Place& place : m_places)
            if (place.isNew)
                writer.out().emitVoid(spv::Op::OpStore, {place.variable, getNull(m_module, handleType())});
        const Id created = writer.finish();
        m_module.setName(created, "enqueue_gathered");
        return created;
    }

    void enqueueBehindNode()
    {
        const Id loop = writeLoop();
        const Id voidType = m_module.getVoidType();
        spirv::rewriteFunction(m_module, *m_module.findFunction(m_shader.entry),
                               [&](const Instruction& i, Emitter& out) {
                                   out.keep(i);
                                   if (i.op == spv::Op::OpFunctionCall && i.id(0) == m_node)
                                       out.call(loop, voidType, {});
                               });
    }

    NodeShader& m_shader;
    spirv::Module& m_module;
    Id m_node;
    std::vector<Place> m_places;
};

}  // namespace

Status gatherEnqueues(NodeShader& shader)
{
    Gathering(shader).run();
    return {};
}

}  // namespace millrace::compiler
