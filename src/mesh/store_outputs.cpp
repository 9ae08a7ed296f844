// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "commands/hand_on_sequence.h"
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
    Store(commands::Variant& mesh, const MeshOutputs& outputs, const Area& area)
        : m_mesh(mesh), m_module(mesh.module), m_outputs(outputs), m_area(area)
    {
        for (size_t v = 0; v < outputs.variables.size(); v++) {
            m_pointers[outputs.variables[v].variable.value] = {v, {}, outputs.variables[v].array};
        }
    }

    Status run()
    {
        spirv::InstructionList start;
        Emitter out(m_module, start);
        m_areaPointer = m_area.locate(m_mesh, out, groupNumber(out));
        m_counts = m_area.counts(out, m_areaPointer, writer(out));
        const Id zero = m_module.getConstant(0);
        const Id pair = m_module.getVectorType(m_module.getIntType(32, false), 2);
        // Nothing, unless the shader says otherwise.
        setCounts(out, out.emit(spv::Op::OpCompositeConstruct, pair, {zero, zero}));
        rewriteFunction(m_module, *m_module.findFunction(m_mesh.entry),
                        [&](const Instruction& i, Emitter& emitter) { rewrite(i, emitter); });
        compiler::insertBehindVariables(*m_module.findFunction(m_mesh.entry), start);
        if (m_failure) {
            return m_failure.status();
        }
        becomeCompute();
        return commands::lowerDrawIndex(m_module);
    }

private:
    // A pointer into an output variable.
    struct Pointer {
        size_t output = 0;
        std::vector<Id> indices;
        Id type;  // that the shader sees there
    };

    Id component(Emitter& out, Id vector, uint32_t number)
    {
        Instruction i = spirv::instruction(spv::Op::OpCompositeExtract, word(), m_module.newId());
        i.add(vector).add(number);
        const Id result = i.result;
        out.keep(std::move(i));
        return result;
    }

    Id word() { return m_module.getIntType(32, false); }

    // x + width * (y + height * z)
    Id groupNumber(Emitter& out)
    {
        const Id triple = m_module.getVectorType(word(), 3);
        const Id group = commands::loadBuiltIn(out, spv::BuiltIn::WorkgroupId, triple);
        const Id size = commands::loadBuiltIn(out, spv::BuiltIn::NumWorkgroups, triple);
        Id number = component(out, group, 2);
        for (const uint32_t dimension : {1u, 0u}) {
            const Id rows = out.emit(spv::Op::OpIMul, word(), {number, component(out, size, dimension)});
            number = out.emit(spv::Op::OpIAdd, word(), {rows, component(out, group, dimension)});
        }
        return number;
    }

    // 0 for the first invocation, whose counts are those of the workgroup.
    Id writer(Emitter& out)
    {
        const Id index = commands::loadBuiltIn(out, spv::BuiltIn::LocalInvocationIndex, word());
        const Id zero = m_module.getConstant(0);
        const Id isFirst = out.emit(spv::Op::OpIEqual, m_module.getBoolType(), {index, zero});
        return out.emit(spv::Op::OpSelect, word(), {isFirst, zero, m_module.getConstant(1)});
    }

    void setCounts(Emitter& out, Id counts)
    {
        out.keep(spirv::instruction(spv::Op::OpStore)
                     .add(m_counts)
                     .add(counts)
                     .add(static_cast<uint32_t>(spv::MemoryAccessMask::Aligned))
                     .add(8u));
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
            pointer.type = m_module.pointee(i.type);
            m_pointers[i.result.value] = std::move(pointer);
        } else if (i.op == spv::Op::OpStore) {
            m_area.store(out, place(base->second, out), i.id(1), base->second.type);
        } else if (i.op == spv::Op::OpLoad) {
            const Id value = m_area.load(out, place(base->second, out), base->second.type);
            out.keep(spirv::instruction(spv::Op::OpCopyObject, i.type, i.result).add(value));
        } else {
            m_failure.at(m_module, i, "takes an output of a mesh shader, which is in memory here");
        }
    }

    // Counts may be signed.
    Id asWord(Id value, Emitter& out)
    {
        return m_module.typeOf(value) == word() ? value : out.emit(spv::Op::OpBitcast, word(), {value});
    }

    Area::Place place(const Pointer& pointer, Emitter& out)
    {
        return m_area.place(out, m_areaPointer, pointer.output, pointer.indices);
    }

    // From an operand on nothing may be a pointer to an output.
    void checkUses(const Instruction& i, size_t from)
    {
        for (size_t operand = from; operand < i.operandCount(); operand++) {
            if (i.isId(operand) && m_pointers.contains(i.id(operand).value)) {
                m_failure.at(m_module, i, "passes a pointer to an output of a mesh shader on");
            }
        }
    }

    void becomeCompute()
    {
        m_mesh.model = spv::ExecutionModel::GLCompute;
        m_module.section(Section::EntryPoints)[0].setLiteral(0, static_cast<uint32_t>(spv::ExecutionModel::GLCompute));
        removeMeshDeclarations(m_module);
        for (const auto& output : m_outputs.variables) {
            compiler::forget(m_module, output.variable);
            std::erase_if(m_module.section(Section::Globals),
                          [&](const Instruction& i) { return i.result == output.variable; });
        }
    }

    commands::Variant& m_mesh;
    Module& m_module;
    const MeshOutputs& m_outputs;
    const Area& m_area;
    std::unordered_map<uint32_t, Pointer> m_pointers;
    Id m_areaPointer;
    Id m_counts;  // pointer to what this invocation may write
    compiler::Failure m_failure{"storeOutputs"};
};

bool isOfMeshShaders(const Instruction& mode)
{
    switch (static_cast<spv::ExecutionMode>(mode.literal(1))) {
        case spv::ExecutionMode::OutputVertices:
        case spv::ExecutionMode::OutputPrimitivesEXT:
        case spv::ExecutionMode::OutputPoints:
        case spv::ExecutionMode::OutputLinesEXT:
        case spv::ExecutionMode::OutputTrianglesEXT:
            return true;
        default:
            return false;
    }
}

}  // namespace

void removeMeshDeclarations(Module& module)
{
    module.removeCapability(spv::Capability::MeshShadingEXT);
    module.removeExtension("SPV_EXT_mesh_shader");
    std::erase_if(module.section(Section::ExecutionModes), isOfMeshShaders);
    module.removeDecorations([](const Instruction& i) {
        constexpr auto kPerPrimitive = static_cast<uint32_t>(spv::Decoration::PerPrimitiveEXT);
        return (i.op == spv::Op::OpDecorate && i.literal(1) == kPerPrimitive) ||
               (i.op == spv::Op::OpMemberDecorate && i.literal(2) == kPerPrimitive);
    });
}

Status storeOutputs(commands::Variant& mesh, const MeshOutputs& outputs, const Area& area)
{
    return Store(mesh, outputs, area).run();
}

}  // namespace millrace::mesh
