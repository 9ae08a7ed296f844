// SPDX-License-Identifier: Apache-2.0
#include "commands/find_sequence.h"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "abi/commands.h"
#include "commands/search.h"
#include "shader/diagnose.h"
#include "shader/function_writer.h"
#include "shader/globals.h"
#include "spirv/id_set.h"

namespace millrace::commands {

using shader::FunctionWriter;
using spirv::Emitter;
using spirv::Id;
using spirv::Instruction;
using spirv::LongWords;
using spirv::Module;
using spirv::Section;

namespace {

constexpr uint32_t kWordBytes = 4;
constexpr uint32_t kEntryBytes = sizeof(abi::SequenceEntry);
static_assert(kEntryBytes == 8 && offsetof(abi::SequenceEntry, firstGroup) == kWordBytes);
static_assert(offsetof(abi::SequenceTable, groupCount) == kWordBytes && offsetof(abi::SequenceTable, entries) == 8);

struct LoweredBuiltIn {
    Id variable;
    spv::BuiltIn builtIn;
};

class SequenceFinder {
public:
    SequenceFinder(Variant& variant, const Layout& layout)
        : m_variant(variant),
          m_module(variant.module),
          m_layout(layout),
          m_loads(variant),
          m_word(m_loads.wordType()),
          m_triple(m_module.getVectorType(m_word, 3)),
          m_writer(variant.module)
    {
    }

    Status run()
    {
        if (!lowerBuiltIns())
            return m_failure.status();
        m_writer.beginBlock();
        const Id group = linearGroup();
        Emitter out = m_writer.out();
        const Id tableType = m_module.getVectorType(m_word, 4);
        const LongWords where = m_loads.address(out, offsetof(abi::SequenceArguments, table));
        const Id table = m_loads.load(out, where, tableType, sizeof(abi::SequenceTable));
        const Id groupCount = component(out, table, 1);
        const Id isInside = out.emit(spv::Op::OpULessThan, m_module.getBoolType(), {group, groupCount});
        const Id join = m_module.newId();
        m_writer.beginIf(isInside, join);
        setSequence(group, search(group, table));
        Emitter end = m_writer.out();
        end.call(m_variant.entry, m_module.getVoidType(), {});
        m_writer.endIf(join);
        replaceEntry(m_variant, m_writer.finish());
        return {};
    }

private:
    Id component(Emitter& out, Id vector, uint32_t number)
    {
        const Id result = m_module.newId();
        out.keep(spirv::instruction(spv::Op::OpCompositeExtract, m_word, result).add(vector).add(number));
        return result;
    }

    Id emit(Emitter& out, spv::Op op, Id a, Id b) { return out.emit(op, m_word, {a, b}); }

    std::vector<LoweredBuiltIn> builtInsOfDispatch() const
    {
        std::vector<LoweredBuiltIn> found;
        for (const spv::BuiltIn builtIn :
             {spv::BuiltIn::NumWorkgroups, spv::BuiltIn::WorkgroupId, spv::BuiltIn::GlobalInvocationId})
            for (const Id variable : findInputs(m_module, builtIn))
                found.push_back({variable, builtIn});
        return found;
    }

    bool lowerBuiltIns()
    {
        const spirv::IdSet used = spirv::usedInFunctions(m_module);
        for (const LoweredBuiltIn& lowered : builtInsOfDispatch()) {
            if (!makePrivate(m_module, lowered.variable, m_failure))
                return false;
            if (used.contains(lowered.variable))
                m_builtIns.push_back(lowered);
        }
        return true;
    }

    // The number of this workgroup among all that the dispatch launches.
    Id linearGroup()
    {
        Emitter out = m_writer.out();
        const Id variable = shader::getBuiltInVariable(m_module, spv::BuiltIn::WorkgroupId, m_triple);
        const Id id = out.emit(spv::Op::OpLoad, m_triple, {variable});
        const Id layer = emit(out, spv::Op::OpIMul, component(out, id, 2), m_module.getConstant(abi::kRows));
        const Id row = emit(out, spv::Op::OpIAdd, component(out, id, 1), layer);
        const Id first = emit(out, spv::Op::OpIMul, row, m_module.getConstant(abi::kRowGroups));
        return emit(out, spv::Op::OpIAdd, component(out, id, 0), first);
    }

    // abi::SequenceEntry[]
    Id entriesPointer(Emitter& out, Id table)
    {
        const Id pairType = m_module.getVectorType(m_word, 2);
        const Id array = m_module.newId(), block = m_module.newId();
        const uint32_t stride[] = {kEntryBytes}, offset[] = {0};
        m_module.section(Section::Globals)
            .push_back(spirv::instruction(spv::Op::OpTypeRuntimeArray, {}, array).add(pairType));
        m_module.decorate(array, spv::Decoration::ArrayStride, stride);
        m_module.section(Section::Globals).push_back(spirv::instruction(spv::Op::OpTypeStruct, {}, block).add(array));
        m_module.setName(block, "SequenceEntries");
        m_module.decorate(block, spv::Decoration::Block);
        m_module.decorateMember(block, 0, spv::Decoration::Offset, offset);
        m_module.decorateMember(block, 0, spv::Decoration::NonWritable);
        return m_loads.pointer(out, {component(out, table, 2), component(out, table, 3)}, block);
    }

    Id loadEntry(Emitter& out, Id entries, Id number)
    {
        const Id pairType = m_module.getVectorType(m_word, 2);
        const Id pointerType = m_module.getPointerType(spv::StorageClass::PhysicalStorageBuffer, pairType);
        const Id where = out.emit(spv::Op::OpAccessChain, pointerType, {entries, m_module.getConstant(0), number});
        return loadAligned(out, where, pairType, kEntryBytes);
    }

    // The last entry whose first group is not behind `group`: entries in front of it with the same one are empty. There
    // is one, since the first begins with group 0 and `group` is inside.
    Id search(Id group, Id table)
    {
        Emitter before = m_writer.out();
        const Id entries = entriesPointer(before, table);
        const Id count = component(before, table, 0);
        const Id found = searchLast(m_writer, count, group, [&](Emitter& out, Id number) {
            return component(out, loadEntry(out, entries, number), 1);
        });
        Emitter behind = m_writer.out();
        return loadEntry(behind, entries, found);
    }

    // In a series the number among the workgroups of its sequence.
    Id ownGroup(Emitter& out, Id group, Id entry)
    {
        const Id before = out.emit(spv::Op::OpSelect, m_word,
                                   {m_loads.isSeries(out), component(out, entry, 1), m_module.getConstant(0)});
        return emit(out, spv::Op::OpISub, group, before);
    }

    void setSequence(Id group, Id entry)
    {
        Emitter out = m_writer.out();
        const Id sequence = component(out, entry, 0);
        if (m_variant.group) {
            out.emitVoid(spv::Op::OpStore,
                         {m_variant.group, m_variant.mayBeSeries ? ownGroup(out, group, entry) : group});
        }
        out.emitVoid(spv::Op::OpStore, {m_variant.sequence, sequence});
        if (m_builtIns.empty())
            return;
        const LongWords record = m_loads.record(out, sequence);
        const Id size = m_loads.load(out, m_loads.add(out, record, m_layout.actionOffset), m_triple, kWordBytes);
        const Id own = emit(out, spv::Op::OpISub, group, component(out, entry, 1));
        const Id workgroup = positionIn(out, size, own);
        for (const LoweredBuiltIn& lowered : m_builtIns) {
            const Id value = lowered.builtIn == spv::BuiltIn::NumWorkgroups ? size
                             : lowered.builtIn == spv::BuiltIn::WorkgroupId ? workgroup
                                                                            : globalInvocation(out, workgroup);
            store(out, lowered.variable, value);
        }
    }

    // Where element `number` of a grid lies; x runs fastest.
    Id positionIn(Emitter& out, Id size, Id number)
    {
        const Id width = component(out, size, 0), height = component(out, size, 1);
        const Id row = emit(out, spv::Op::OpUDiv, number, width);
        const Id x = emit(out, spv::Op::OpUMod, number, width);
        const Id y = emit(out, spv::Op::OpUMod, row, height);
        const Id z = emit(out, spv::Op::OpUDiv, row, height);
        return out.emit(spv::Op::OpCompositeConstruct, m_triple, {x, y, z});
    }

    Id globalInvocation(Emitter& out, Id workgroup)
    {
        const Id first = out.emit(spv::Op::OpIMul, m_triple, {workgroup, workgroupSize(out)});
        return out.emit(spv::Op::OpIAdd, m_triple,
                        {first, loadBuiltIn(out, spv::BuiltIn::LocalInvocationId, m_triple)});
    }

    // As what the module declares: a specialization constant stays one.
    Id workgroupSize(Emitter& out)
    {
        if (const Id constant = shader::findBuiltIn(m_module, spv::BuiltIn::WorkgroupSize))
            return asTriple(out, constant, m_module.typeOf(constant));
        Instruction size = spirv::instruction(spv::Op::OpCompositeConstruct, m_triple, m_module.newId());
        for (const Instruction& i : m_module.section(Section::ExecutionModes)) {
            const auto mode = static_cast<spv::ExecutionMode>(i.literal(1));
            if (mode != spv::ExecutionMode::LocalSize && mode != spv::ExecutionMode::LocalSizeId)
                continue;
            for (size_t o = 2; o < 5; ++o) {
                const Id part = i.isId(o) ? i.id(o) : m_module.getConstant(i.literal(o));
                size.add(asWord(out, part));
            }
        }
        const Id result = size.result;
        out.keep(std::move(size));
        return result;
    }

    Id asWord(Emitter& out, Id value)
    {
        return m_module.typeOf(value) == m_word ? value : out.emit(spv::Op::OpBitcast, m_word, {value});
    }

    Id asTriple(Emitter& out, Id value, Id type)
    {
        return type == m_triple ? value : out.emit(spv::Op::OpBitcast, m_triple, {value});
    }

    void store(Emitter& out, Id variable, Id value)
    {
        const Id type = m_module.pointee(m_module.typeOf(variable));
        out.emitVoid(spv::Op::OpStore,
                     {variable, type == m_triple ? value : out.emit(spv::Op::OpBitcast, type, {value})});
    }

    Variant& m_variant;
    Module& m_module;
    const Layout& m_layout;
    ArgumentLoads m_loads;
    Id m_word;
    Id m_triple;
    FunctionWriter m_writer;
    std::vector<LoweredBuiltIn> m_builtIns;
    shader::Failure m_failure{"findSequence"};
};

}  // namespace

Status findSequence(Variant& variant, const Layout& layout)
{
    return SequenceFinder(variant, layout).run();
}

}  // namespace millrace::commands
