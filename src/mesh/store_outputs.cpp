// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "abi/mesh.h"
#include "mesh/output_memory.h"
#include "mesh/passes.h"
#include "shader/diagnose.h"
#include "shader/function_writer.h"
#include "shader/globals.h"
#include "spirv/edit.h"

namespace millrace::mesh {

using spirv::Emitter;
using spirv::Id;
using spirv::Instruction;
using spirv::Module;
using spirv::Section;

namespace {

bool isChain(const Instruction& i)
{
    return i.op == spv::Op::OpAccessChain || i.op == spv::Op::OpInBoundsAccessChain;
}

class Store {
public:
    Store(commands::Variant& mesh, const MeshOutputs& outputs, const OutputAreas& areas, bool hasTasks,
          uint32_t viewMask)
        : m_mesh(mesh),
          m_module(mesh.module),
          m_outputs(outputs),
          m_areas(areas),
          m_hasTasks(hasTasks),
          m_viewMask(viewMask)
    {
    }

    Status run()
    {
        m_mesh.group = m_module.createVariable(m_module.getPointerType(spv::StorageClass::Private, word()),
                                               spv::StorageClass::Private);
        m_memory.emplace(m_mesh, m_outputs, m_areas, m_viewMask);
        spirv::InstructionList start;
        Emitter out(m_module, start);
        if (const Status status = findMemory(out); !status)
            return status;
        rewriteEntry(start);
        if (!m_failure) {
            m_memory->wrapEntry();
            becomeCompute(m_mesh);
        }
        return m_failure.status();
    }

    // Loads of the payload alone.
    Status runForPayload(Id grid)
    {
        spirv::InstructionList start;
        Emitter out(m_module, start);
        const Id pair = m_module.pointee(m_module.typeOf(grid));
        const Id address = out.emit(spv::Op::OpLoad, pair, {grid});
        if (const Status status = findPayload(out, commands::ArgumentLoads(m_mesh).split(out, address)); !status)
            return status;
        rewriteEntry(start);
        return m_failure.status();
    }

private:
    // A pointer to an output or the payload, or into it.
    struct Pointer {
        const Output* output = nullptr;  // none: the payload
        size_t member = 0;               // of the area
        std::vector<Id> indices{};       // of an output the first one is that of a vertex or primitive
        Id type{};                       // that the shader sees there
    };

    Id word() { return m_module.getIntType(32, false); }

    void rewriteEntry(const spirv::InstructionList& start)
    {
        rewriteFunction(m_module, *m_module.findFunction(m_mesh.entry),
                        [&](const Instruction& i, Emitter& emitter) { rewrite(i, emitter); });
        shader::insertBehindVariables(*m_module.findFunction(m_mesh.entry), start);
        if (!m_failure)
            forgetVariables();
    }

    // Of the outputs, and of the grid that the workgroup belongs to.
    Status findMemory(Emitter& out)
    {
        for (size_t v = 0; v < m_outputs.variables.size(); ++v) {
            const Output& output = m_outputs.variables[v];
            m_pointers[output.variable.value] = {&output, m_areas.members[v], {}, output.array};
        }
        commands::ArgumentLoads loads(m_mesh);
        const Id sequence = out.emit(spv::Op::OpLoad, word(), {m_mesh.sequence});
        const spirv::LongWords grid = loads.record(out, sequence);
        if (const Status status = findPayload(out, grid); !status)
            return status;
        const Id draw =
            m_hasTasks ? loads.load(out, loads.add(out, grid, offsetof(abi::MeshGrid, drawIndex)), word(), 4)
            : m_mesh.mayBeSeries
                ? out.emit(spv::Op::OpSelect, word(), {loads.isSeries(out), m_module.getConstant(0), sequence})
                : sequence;
        m_memory->setDrawIndex(out, draw);
        const Status status = setDrawIndex(m_module, out, draw);
        return status && m_viewMask != 0 ? setViewIndex(m_module, out, m_memory->viewIndex(out)) : status;
    }

    // Behind the grid that a workgroup of a task shader has left.
    Status findPayload(Emitter& out, spirv::LongWords grid)
    {
        const Id payload = mesh::findPayload(m_module);
        if (!payload)
            return {};
        const Id type = m_module.pointee(m_module.typeOf(payload));
        auto area = Area::create(m_module, {declarePair(m_module, sizeof(abi::MeshGrid) / 4), type});
        if (!area)
            return area.error();
        m_payloadArea = std::move(*area);
        m_payloadPointer = m_payloadArea->pointTo(m_mesh, out, grid);
        m_pointers[payload.value] = {nullptr, 1, {}, type};
        m_payload = payload;
        return {};
    }

    void rewrite(const Instruction& i, Emitter& out)
    {
        if (i.op == spv::Op::OpSetMeshOutputsEXT) {
            const Id vertices = asWord(out, i.id(0));
            m_memory->setCounts(out, vertices, asWord(out, i.id(1)));
            return;
        }
        const auto base = i.operandCount() > 0 && i.isId(0) ? m_pointers.find(i.id(0).value) : m_pointers.end();
        if (base == m_pointers.end()) {
            checkUses(i, 0);
            out.keep(i);
            return;
        }
        checkUses(i, 1);
        if (isChain(i)) {
            Pointer pointer = base->second;
            for (size_t index = 1; index < i.operandCount(); ++index)
                pointer.indices.push_back(i.id(index));
            if (!leadsTo(pointer.type, i)) {
                m_failure.at(m_module, i, "leads to no part of its output or payload");
                return;
            }
            pointer.type = m_module.pointee(i.type);
            m_pointers[i.result.value] = std::move(pointer);
        } else if (i.op == spv::Op::OpStore) {
            store(base->second, i.id(1), out);
        } else if (i.op == spv::Op::OpLoad) {
            const Id value = load(base->second, out);
            out.keep(spirv::instruction(spv::Op::OpCopyObject, i.type, i.result).add(value));
        } else {
            m_failure.at(m_module, i, "takes an output or the payload of a mesh shader, which are in memory here");
        }
    }

    // True if the chain's indices are those of the type and reach what its own type points to.
    bool leadsTo(Id type, const Instruction& chain) const
    {
        for (size_t index = 1; index < chain.operandCount(); ++index) {
            const Instruction* i = m_module.findDefinition(type);
            uint32_t number = 0;
            if (!i || (i->op == spv::Op::OpTypeStruct && !m_module.constantValue(chain.id(index), number)))
                return false;
            const bool isComposite = i->op == spv::Op::OpTypeStruct || i->op == spv::Op::OpTypeArray ||
                                     i->op == spv::Op::OpTypeMatrix || i->op == spv::Op::OpTypeVector;
            if (!isComposite || !i->isId(number))
                return false;
            type = i->id(number);
        }
        return type == m_module.pointee(chain.type);
    }

    const Area& areaOf(const Pointer& pointer) const
    {
        return pointer.output ? m_areas.of(*pointer.output) : *m_payloadArea;
    }

    // Of the payload, or into an element of an output.
    Area::Place place(const Pointer& pointer, Emitter& out)
    {
        const Area& area = areaOf(pointer);
        if (!pointer.output)
            return area.place(out, m_payloadPointer, pointer.member, pointer.indices);
        const spirv::LongWords element =
            m_memory->locate(out, pointer.output->isPerPrimitive, asWord(out, pointer.indices[0]));
        return area.place(out, area.pointTo(m_mesh, out, element), pointer.member,
                          {pointer.indices.begin() + 1, pointer.indices.end()});
    }

    // An output as a whole is in memory element by element.
    bool isWhole(const Pointer& pointer) const { return pointer.output && pointer.indices.empty(); }

    std::vector<Pointer> elementsOf(const Pointer& whole)
    {
        uint32_t count = 0;
        m_module.constantValue(m_module.findDefinition(whole.type)->id(1), count);
        std::vector<Pointer> elements;
        for (uint32_t element = 0; element < count; ++element)
            elements.push_back({whole.output, whole.member, {m_module.getConstant(element)}, whole.output->element});
        return elements;
    }

    void store(const Pointer pointer, Id value, Emitter& out)
    {
        if (!isWhole(pointer)) {
            areaOf(pointer).store(out, place(pointer, out), value, pointer.type);
            return;
        }
        uint32_t number = 0;
        for (const Pointer& element : elementsOf(pointer)) {
            const Id part = m_module.newId();
            out.keep(spirv::instruction(spv::Op::OpCompositeExtract, element.type, part).add(value).add(number++));
            store(element, part, out);
        }
    }

    Id load(const Pointer pointer, Emitter& out)
    {
        if (!isWhole(pointer))
            return areaOf(pointer).load(out, place(pointer, out), pointer.type);
        const Id value = m_module.newId();
        Instruction whole = spirv::instruction(spv::Op::OpCompositeConstruct, pointer.type, value);
        for (const Pointer& element : elementsOf(pointer))
            whole.add(load(element, out));
        out.keep(std::move(whole));
        return value;
    }

    // From an operand on nothing may be such a pointer.
    void checkUses(const Instruction& i, size_t from)
    {
        for (size_t operand = from; operand < i.operandCount(); ++operand)
            if (i.isId(operand) && m_pointers.contains(i.id(operand).value))
                m_failure.at(m_module, i, "passes a pointer to an output or to the payload of a mesh shader on");
    }

    void forgetVariables()
    {
        std::vector<Id> gone;
        for (const Output& output : m_outputs.variables)
            gone.push_back(output.variable);
        if (m_payload)
            gone.push_back(m_payload);
        for (const Id variable : gone) {
            shader::forget(m_module, variable);
            std::erase_if(m_module.section(Section::Globals),
                          [&](const Instruction& i) { return i.result == variable; });
        }
    }

    commands::Variant& m_mesh;
    Module& m_module;
    const MeshOutputs& m_outputs;
    const OutputAreas& m_areas;
    const bool m_hasTasks;
    const uint32_t m_viewMask;
    std::optional<OutputMemory> m_memory;
    std::unordered_map<uint32_t, Pointer> m_pointers;
    std::optional<Area> m_payloadArea;
    Id m_payload;
    Id m_payloadPointer;
    shader::Failure m_failure{"storeOutputs"};
};

}  // namespace

Status storeOutputs(commands::Variant& mesh, const MeshOutputs& outputs, const OutputAreas& areas, bool hasTasks,
                    uint32_t viewMask)
{
    return Store(mesh, outputs, areas, hasTasks, viewMask).run();
}

Status readPayload(commands::Variant& variant, spirv::Id grid)
{
    const MeshOutputs none;
    const OutputAreas nowhere;
    return Store(variant, none, nowhere, true, 0).runForPayload(grid);
}

}  // namespace millrace::mesh
