// SPDX-License-Identifier: Apache-2.0
#include "nodes/passes/gather_enqueues.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "shader/control_flow.h"
#include "shader/function_writer.h"
#include "shader/globals.h"

namespace millrace::nodes {

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
        const auto repeated = shader::findRepeatedFunctions(m_module, m_node);
        for (const spirv::Function& function : m_module.functions)
            if (!repeated.contains(function.id().value))
                findPlaces(function);
        if (m_places.size() < 2)
            return;
        keepHandles();
        enqueueBehindNode();
        m_shader.device.declare(m_module);
        shader::updateInterface(m_module, m_shader.entry);
        spirv::orderGlobals(m_module);
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
        const shader::ControlFlow flow(function);
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
        const Id null = shader::getNull(m_module, handleType());
        bool isNamed = false;
        for (Place& place : m_places) {
            if (!place.isNew)
                continue;
            place.variable = m_module.createVariable(pointer, spv::StorageClass::Private, null);
            // One of them alone: tools make names unique, and may look at all that have the same.
            if (!isNamed)
                m_module.setName(place.variable, "enqueued_handle");
            isNamed = true;
        }
        for (size_t p = 0; p < m_places.size(); ++p)
            m_placeOf.emplace(m_places[p].call, p);
        for (spirv::Function& function : m_module.functions)
            if (!function.blocks.empty())
                spirv::rewriteFunction(m_module, function, [&](const Instruction& i, Emitter& out) { keep(i, out); });
    }

    void keep(const Instruction& i, Emitter& out) const
    {
        const auto found = i.result ? m_placeOf.find(i.result.value) : m_placeOf.end();
        if (found == m_placeOf.end()) {
            out.keep(i);
            return;
        }
        const Place& place = m_places[found->second];
        if (place.isNew)
            out.emitVoid(spv::Op::OpStore, {place.variable, i.id(1)});
    }

    // Module::getConstant(), which looks at all globals each time, for many numbers.
    Id getNumber(uint32_t number)
    {
        const Id uint = m_module.getIntType(32, false);
        spirv::InstructionList& globals = m_module.section(spirv::Section::Globals);
        if (m_numbers.empty())
            for (const Instruction& i : globals)
                if (i.op == spv::Op::OpConstant && i.type == uint)
                    m_numbers.emplace(i.literal(0), i.result);
        const auto [found, isNew] = m_numbers.try_emplace(number);
        if (isNew) {
            found->second = m_module.newId();
            globals.push_back(spirv::instruction(spv::Op::OpConstant, uint, found->second).add(number));
        }
        return found->second;
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
        shader::FunctionWriter writer(m_module);
        writer.beginBlock();
        writer.forEach(
            m_module.getConstant(static_cast<uint32_t>(m_places.size())),
            [&](Id i) {
                Emitter out = writer.out();
                const Id type = handleType();
                const Id boolType = m_module.getBoolType();
                Id handle = out.emit(spv::Op::OpLoad, type, {m_places[0].variable});
                for (uint32_t n = 1; n < m_places.size(); ++n) {
                    const Id isThis = out.emit(spv::Op::OpIEqual, boolType, {i, getNumber(n)});
                    const Id other = out.emit(spv::Op::OpLoad, type, {m_places[n].variable});
                    handle = out.emit(spv::Op::OpSelect, type, {isThis, other, handle});
                }
                m_shader.device.call(out, enqueue(), {handle});
            },
            spv::LoopControlMask::DontUnroll);
        const Id null = shader::getNull(m_module, handleType());
        for (const Place& place : m_places)
            if (place.isNew)
                writer.out().emitVoid(spv::Op::OpStore, {place.variable, null});
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
    std::unordered_map<uint32_t, size_t> m_placeOf;  // by call
    std::unordered_map<uint32_t, Id> m_numbers;      // constants
};

}  // namespace

Status gatherEnqueues(NodeShader& shader)
{
    Gathering(shader).run();
    return {};
}

}  // namespace millrace::nodes
