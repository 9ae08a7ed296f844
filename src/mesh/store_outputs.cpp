// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "abi/mesh.h"
#include "compiler/diagnose.h"
#include "compiler/function_writer.h"
#include "compiler/globals.h"
#include "mesh/passes.h"
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
    Store(commands::Variant& mesh, const MeshOutputs& outputs, const Area& area, bool hasTasks)
        : m_mesh(mesh), m_module(mesh.module), m_outputs(outputs), m_area(area), m_hasTasks(hasTasks)
    {
    }

    Status run()
    {
        spirv::InstructionList start;
        Emitter out(m_module, start);
        if (const Status status = findMemory(out); !status) {
            return status;
        }
        const Id zero = m_module.getConstant(0);
        const Id pair = m_module.getVectorType(word(), 2);
        // Nothing, unless the shader says otherwise.
        setCounts(out, out.emit(spv::Op::OpCompositeConstruct, pair, {zero, zero}));
        rewriteFunction(m_module, *m_module.findFunction(m_mesh.entry),
                        [&](const Instruction& i, Emitter& emitter) { rewrite(i, emitter); });
        compiler::insertBehindVariables(*m_module.findFunction(m_mesh.entry), start);
        if (!m_failure) {
            forgetVariables();
            becomeCompute(m_mesh);
        }
        return m_failure.status();
    }

private:
    // A pointer into a member of an area.
    struct Pointer {
        const Area* area = nullptr;
        Id areaPointer;
        size_t member = 0;
        std::vector<Id> indices;
        Id type;  // that the shader sees there
    };

    Id word() { return m_module.getIntType(32, false); }

    // Of the workgroup's own area, and of the grid that it belongs to.
    Status findMemory(Emitter& out)
    {
        m_mesh.group = m_module.createVariable(m_module.getPointerType(spv::StorageClass::Private, word()),
                                               spv::StorageClass::Private);
        m_areaPointer = m_area.locate(m_mesh, out, out.emit(spv::Op::OpLoad, word(), {m_mesh.group}));
        m_which = whichOfPair(out);
        for (size_t v = 0; v < m_outputs.variables.size(); v++) {
            const Output& output = m_outputs.variables[v];
            m_pointers[output.variable.value] = {&m_area, m_areaPointer, v + 1, {}, output.array};
        }
        commands::ArgumentLoads loads(m_mesh);
        const Id sequence = out.emit(spv::Op::OpLoad, word(), {m_mesh.sequence});
        const spirv::LongWords grid = loads.record(out, sequence);
        if (const Id payload = findPayload(m_module)) {
            const Id type = m_module.pointee(m_module.typeOf(payload));
            auto area = Area::create(m_module, {declarePair(m_module, sizeof(abi::MeshGrid) / 4), type});
            if (!area) {
                return area.error();
            }
            m_payloadArea = std::move(*area);
            m_pointers[payload.value] = {&*m_payloadArea, m_payloadArea->pointTo(m_mesh, out, grid), 1, {}, type};
            m_payload = payload;
        }
        const Id draw = m_hasTasks
                            ? loads.load(out, loads.add(out, grid, offsetof(abi::MeshGrid, drawIndex)), word(), 4)
                            : sequence;
        return setDrawIndex(m_module, out, draw);
    }

    void setCounts(Emitter& out, Id counts)
    {
        const Id pair = m_module.getVectorType(word(), 2);
        m_area.store(out, m_area.place(out, m_areaPointer, 0, {m_which}), counts, pair);
    }

    void rewrite(const Instruction& i, Emitter& out)
    {
        if (i.op == spv::Op::OpSetMeshOutputsEXT) {
            const Id pair = m_module.getVectorType(word(), 2);
            setCounts(out, out.emit(spv::Op::OpCompositeConstruct, pair, {asWord(i.id(0), out), asWord(i.id(1), out)}));
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
            for (size_t index = 1; index < i.operandCount(); index++) {
                pointer.indices.push_back(i.id(index));
            }
            if (!leadsTo(pointer.type, i)) {
                m_failure.at(m_module, i, "leads to no part of its output or payload");
                return;
            }
            pointer.type = m_module.pointee(i.type);
            m_pointers[i.result.value] = std::move(pointer);
        } else if (i.op == spv::Op::OpStore) {
            const Pointer pointer = base->second;
            pointer.area->store(out, place(pointer, out), i.id(1), pointer.type);
        } else if (i.op == spv::Op::OpLoad) {
            const Pointer pointer = base->second;
            const Id value = pointer.area->load(out, place(pointer, out), pointer.type);
            out.keep(spirv::instruction(spv::Op::OpCopyObject, i.type, i.result).add(value));
        } else {
            m_failure.at(m_module, i, "takes an output or the payload of a mesh shader, which are in memory here");
        }
    }

    // True if the chain's indices are those of the type and reach what its own type points to.
    bool leadsTo(Id type, const Instruction& chain) const
    {
        for (size_t index = 1; index < chain.operandCount(); index++) {
            const Instruction* i = m_module.findDefinition(type);
            uint32_t number = 0;
            if (!i || (i->op == spv::Op::OpTypeStruct && !m_module.constantValue(chain.id(index), number))) {
                return false;
            }
            const bool isComposite = i->op == spv::Op::OpTypeStruct || i->op == spv::Op::OpTypeArray ||
                                     i->op == spv::Op::OpTypeMatrix || i->op == spv::Op::OpTypeVector;
            if (!isComposite || !i->isId(number)) {
                return false;
            }
            type = i->id(number);
        }
        return type == m_module.pointee(chain.type);
    }

    // Counts may be signed.
    Id asWord(Id value, Emitter& out)
    {
        return m_module.typeOf(value) == word() ? value : out.emit(spv::Op::OpBitcast, word(), {value});
    }

    static Area::Place place(const Pointer& pointer, Emitter& out)
    {
        return pointer.area->place(out, pointer.areaPointer, pointer.member, pointer.indices);
    }

    // From an operand on nothing may be such a pointer.
    void checkUses(const Instruction& i, size_t from)
    {
        for (size_t operand = from; operand < i.operandCount(); operand++) {
            if (i.isId(operand) && m_pointers.contains(i.id(operand).value)) {
                m_failure.at(m_module, i, "passes a pointer to an output or to the payload of a mesh shader on");
            }
        }
    }

    void forgetVariables()
    {
        std::vector<Id> gone;
        for (const Output& output : m_outputs.variables) {
            gone.push_back(output.variable);
        }
        if (m_payload) {
            gone.push_back(m_payload);
        }
        for (const Id variable : gone) {
            compiler::forget(m_module, variable);
            std::erase_if(m_module.section(Section::Globals),
                          [&](const Instruction& i) { return i.result == variable; });
        }
    }

    commands::Variant& m_mesh;
    Module& m_module;
    const MeshOutputs& m_outputs;
    const Area& m_area;
    const bool m_hasTasks;
    std::unordered_map<uint32_t, Pointer> m_pointers;
    std::optional<Area> m_payloadArea;
    Id m_payload;
    Id m_areaPointer;
    Id m_which;  // of the two counts
    compiler::Failure m_failure{"storeOutputs"};
};

}  // namespace

Status storeOutputs(commands::Variant& mesh, const MeshOutputs& outputs, const Area& area, bool hasTasks)
{
    return Store(mesh, outputs, area, hasTasks).run();
}

}  // namespace millrace::mesh
