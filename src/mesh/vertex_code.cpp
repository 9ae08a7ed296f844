// SPDX-License-Identifier: Apache-2.0
#include "mesh/vertex_code.h"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "mesh/passes.h"
#include "shader/function_writer.h"
#include "shader/memory_operands.h"
#include "shader/type_layouts.h"
#include "spirv/effects.h"

namespace millrace::mesh {

using spirv::Emitter;
using spirv::Id;
using spirv::Instruction;
using spirv::Module;
using spirv::Section;

namespace {

class Code {
public:
    Code(commands::Variant& mesh, const MeshOutputs& outputs, const OwnVertices& own)
        : m_mesh(mesh),
          m_module(mesh.module),
          m_outputs(outputs),
          m_own(own),
          m_extended(spirv::findExtendedInstructions(mesh.module))
    {
    }

    std::optional<VertexCodeVariables> run()
    {
        m_variables.wanted = createVariable(spv::StorageClass::Input, m_module.getIntType(32, false));
        createValues();
        if (m_failed)
            return std::nullopt;
        findRoots();
        rewriteFunction(m_module, *m_module.findFunction(m_mesh.entry),
                        [&](const Instruction& i, Emitter& out) { rewrite(i, out); });
        if (m_failed)
            return std::nullopt;
        handOn();
        return std::move(m_variables);
    }

private:
    enum class Kind {
        Gone,  // of primitives
        Shared,
        Vertex,
    };
    // A pointer to an output or to shared memory, or into it.
    struct Pointer {
        Kind kind = Kind::Gone;
        size_t output = 0;  // of vertices, as what follows
        Id index{};         // none: the output as a whole
        Id place{};         // Private; none: the element is a block of built-ins
    };

    Id createVariable(spv::StorageClass storage, Id type)
    {
        return m_module.createVariable(m_module.getPointerType(storage, type), storage);
    }

    // Numbers that the module only moves between stages and memory: no variables of its own have such.
    bool holdsOnlyMoved(Id type) const
    {
        const Instruction& i = *m_module.findDefinition(type);
        const bool isFloat = i.op == spv::Op::OpTypeFloat;
        if (isFloat || i.op == spv::Op::OpTypeInt) {
            const spv::Capability arithmetic = isFloat             ? spv::Capability::Float16
                                               : i.literal(0) == 8 ? spv::Capability::Int8
                                                                   : spv::Capability::Int16;
            return i.literal(0) < 32 && !m_module.hasCapability(arithmetic);
        }
        const size_t parts = i.op == spv::Op::OpTypeStruct ? i.operandCount() : std::min<size_t>(i.operandCount(), 1);
        for (size_t part = 0; part < parts; ++part)
            if (i.isId(part) && holdsOnlyMoved(i.id(part)))
                return true;
        return false;
    }

    bool isBlock(const Output& output) const
    {
        return output.isBuiltIn && m_module.findDefinition(output.element)->op == spv::Op::OpTypeStruct;
    }

    // A variable for each value of a vertex. Members of a block of built-ins have one each: no variable but an
    // interface's may be of the block's type.
    void createValues()
    {
        const auto create = [&](const VertexValue& value, Id type) {
            m_failed |= holdsOnlyMoved(type);
            m_places[value] = createVariable(spv::StorageClass::Private, type);
            m_variables.values[value] = createVariable(spv::StorageClass::Output, type);
        };
        for (size_t v = 0; v < m_outputs.variables.size(); ++v) {
            const Output& output = m_outputs.variables[v];
            if (!output.isPerPrimitive && !isBlock(output))
                create({v, std::nullopt}, output.element);
        }
        for (const BuiltInOutput& builtIn : m_outputs.builtIns)
            if (builtIn.member && !m_outputs.variables[builtIn.output].isPerPrimitive)
                create({builtIn.output, builtIn.member}, builtIn.type);
    }

    void findRoots()
    {
        for (size_t v = 0; v < m_outputs.variables.size(); ++v) {
            const Output& output = m_outputs.variables[v];
            m_pointers[output.variable.value] = {output.isPerPrimitive ? Kind::Gone : Kind::Vertex, v};
        }
        for (const Instruction& i : m_module.section(Section::Globals))
            if (i.op == spv::Op::OpVariable && i.literal(0) == static_cast<uint32_t>(spv::StorageClass::Workgroup))
                m_pointers[i.result.value] = {Kind::Shared};
    }

    void rewrite(const Instruction& i, Emitter& out)
    {
        switch (i.op) {
            case spv::Op::OpSetMeshOutputsEXT:
            case spv::Op::OpControlBarrier:
            case spv::Op::OpMemoryBarrier:
                return;
            default:
                break;
        }
        const auto found = i.operandCount() > 0 && i.isId(0) ? m_pointers.find(i.id(0).value) : m_pointers.end();
        const bool isPointed = found != m_pointers.end();
        for (size_t operand = isPointed ? 1 : 0; operand < i.operandCount(); ++operand)
            m_failed |= i.isId(operand) && m_pointers.contains(i.id(operand).value);
        if (m_failed)
            return;
        if (isPointed)
            rewriteAccess(i, found->second, out);
        else if (isForeign(i))
            replaceByForeign(i, out);
        else
            out.keep(i);
    }

    // What other invocations have a part in, and what is not known to be the invocation's own.
    bool isForeign(const Instruction& i) const
    {
        const bool isOfSubgroup = i.op >= spv::Op::OpGroupNonUniformElect && i.op <= spv::Op::OpGroupNonUniformQuadSwap;
        const bool isImageRead =
            (i.op >= spv::Op::OpSampledImage && i.op <= spv::Op::OpImageQuerySamples) &&
            i.op != spv::Op::OpImageSampleImplicitLod && i.op != spv::Op::OpImageSampleDrefImplicitLod &&
            i.op != spv::Op::OpImageSampleProjImplicitLod && i.op != spv::Op::OpImageSampleProjDrefImplicitLod;
        return i.result &&
               (isOfSubgroup || !(isImageRead || spirv::onlyComputes(i, m_extended) || i.op == spv::Op::OpCopyObject ||
                                  i.op == spv::Op::OpCopyLogical || i.op == spv::Op::OpExtInst));
    }

    void replaceByForeign(const Instruction& i, Emitter& out)
    {
        if (m_module.findDefinition(i.type)->op == spv::Op::OpTypeVoid)
            return;
        Id& variable = m_foreign[i.type.value];
        if (!variable)
            variable = createVariable(spv::StorageClass::Input, i.type);
        out.keep(spirv::instruction(spv::Op::OpLoad, i.type, i.result).add(variable));
    }

    void rewriteAccess(const Instruction& i, const Pointer base, Emitter& out)
    {
        if (shader::isAccessChain(i.op)) {
            m_pointers[i.result.value] = base.kind == Kind::Vertex ? chain(i, base, out) : base;
            if (base.kind == Kind::Shared)
                out.keep(i);
        } else if (i.op == spv::Op::OpStore) {
            if (base.kind == Kind::Vertex)
                store(base, i.id(1), out);
        } else if (base.kind == Kind::Shared && i.op == spv::Op::OpLoad) {
            out.keep(i);  // so that it is found if anything needs it
        } else if (base.kind == Kind::Shared && shader::isAtomic(i.op)) {
            if (i.result)
                replaceByForeign(i, out);
        } else {
            m_failed = true;
        }
    }

    // Into an output of vertices.
    Pointer chain(const Instruction& i, Pointer pointer, Emitter& out)
    {
        size_t next = 1;
        if (!pointer.index && next < i.operandCount()) {
            pointer.index = i.id(next);
            ++next;
            m_failed |= !m_own.isOwn(pointer.index);
            if (!isBlock(m_outputs.variables[pointer.output]))
                pointer.place = m_places.at({pointer.output, std::nullopt});
        }
        uint32_t member = 0;
        if (!pointer.place && pointer.index && next < i.operandCount()) {
            m_failed |= !m_module.constantValue(i.id(next), member);
            ++next;
            const auto place = m_places.find({pointer.output, member});
            m_failed |= place == m_places.end();
            pointer.place = m_failed ? Id() : place->second;
        }
        if (m_failed || next == i.operandCount())
            return pointer;
        const Id type = m_module.getPointerType(spv::StorageClass::Private, m_module.pointee(i.type));
        Instruction inside = spirv::instruction(spv::Op::OpAccessChain, type, m_module.newId()).add(pointer.place);
        for (; next < i.operandCount(); ++next)
            inside.add(i.id(next));
        pointer.place = inside.result;
        m_types[pointer.place.value] = m_module.pointee(i.type);
        out.keep(std::move(inside));
        return pointer;
    }

    void store(const Pointer& pointer, Id value, Emitter& out)
    {
        m_failed |= !pointer.place;
        if (m_failed)
            return;
        const Id word = m_module.getIntType(32, false);
        const Id wanted = out.emit(spv::Op::OpLoad, word, {m_variables.wanted});
        const Id isWanted = out.emit(spv::Op::OpIEqual, m_module.getBoolType(), {asWord(out, pointer.index), wanted});
        const auto inside = m_types.find(pointer.place.value);
        const Id type = inside != m_types.end() ? inside->second : m_module.pointee(m_module.typeOf(pointer.place));
        storeIf(isWanted, pointer.place, value, type, out);
    }

    // Without a branch, so that what follows stays in the same block. Numbers and vectors are chosen one by one.
    void storeIf(Id condition, Id place, Id value, Id type, Emitter& out)
    {
        const Instruction definition = *m_module.findDefinition(type);
        const bool isArray = definition.op == spv::Op::OpTypeArray;
        if (!isArray && definition.op != spv::Op::OpTypeStruct && definition.op != spv::Op::OpTypeMatrix) {
            const Id before = out.emit(spv::Op::OpLoad, type, {place});
            const Id chosen = out.emit(spv::Op::OpSelect, type, {alike(condition, definition, out), value, before});
            out.emitVoid(spv::Op::OpStore, {place, chosen});
            return;
        }
        uint32_t count = static_cast<uint32_t>(definition.operandCount());
        if (isArray)
            m_failed |= !m_module.constantValue(definition.id(1), count);
        else if (definition.op == spv::Op::OpTypeMatrix)
            count = definition.literal(1);
        for (uint32_t part = 0; part < count && !m_failed; ++part) {
            const Id partType = definition.id(definition.op == spv::Op::OpTypeStruct ? part : 0);
            const Id pointerType = m_module.getPointerType(spv::StorageClass::Private, partType);
            const Id where = out.emit(spv::Op::OpAccessChain, pointerType, {place, m_module.getConstant(part)});
            const Id own = m_module.newId();
            out.keep(spirv::instruction(spv::Op::OpCompositeExtract, partType, own).add(value).add(part));
            storeIf(condition, where, own, partType, out);
        }
    }

    // The condition for each component.
    Id alike(Id condition, const Instruction& type, Emitter& out)
    {
        if (type.op != spv::Op::OpTypeVector)
            return condition;
        const Id vector = m_module.getVectorType(m_module.getBoolType(), type.literal(1));
        Instruction all = spirv::instruction(spv::Op::OpCompositeConstruct, vector, m_module.newId());
        for (uint32_t component = 0; component < type.literal(1); ++component)
            all.add(condition);
        const Id result = all.result;
        out.keep(std::move(all));
        return result;
    }

    // A new entry point leaves the values behind all ways out of the old one.
    void handOn()
    {
        shader::FunctionWriter writer(m_module);
        writer.beginBlock();
        Emitter out = writer.out();
        out.call(m_mesh.entry, m_module.getVoidType(), {});
        for (const auto& [value, place] : m_places) {
            const Id type = m_module.pointee(m_module.typeOf(place));
            out.emitVoid(spv::Op::OpStore, {m_variables.values.at(value), out.emit(spv::Op::OpLoad, type, {place})});
        }
        commands::replaceEntry(m_mesh, writer.finish());
    }

    commands::Variant& m_mesh;
    Module& m_module;
    const MeshOutputs& m_outputs;
    const OwnVertices& m_own;
    const Id m_extended;
    VertexCodeVariables m_variables;
    std::map<VertexValue, Id> m_places;  // Private
    std::unordered_map<uint32_t, Pointer> m_pointers;
    std::unordered_map<uint32_t, Id> m_types;    // that chains into places point to
    std::unordered_map<uint32_t, Id> m_foreign;  // by type
    bool m_failed = false;
};

}  // namespace

std::optional<VertexCodeVariables> writeVertexCode(commands::Variant& mesh, const MeshOutputs& outputs,
                                                   const OwnVertices& own)
{
    return Code(mesh, outputs, own).run();
}

}  // namespace millrace::mesh
