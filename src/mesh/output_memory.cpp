// SPDX-License-Identifier: Apache-2.0
#include "mesh/output_memory.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <utility>

#include "abi/mesh.h"
#include "mesh/passes.h"
#include "shader/memory_operands.h"

namespace millrace::mesh {

using shader::FunctionWriter;
using spirv::Emitter;
using spirv::Id;
using spirv::Instruction;
using spirv::LongWords;
using spirv::Section;

namespace {

constexpr uint32_t kUnitShift = 5;
static_assert(abi::kMeshUnitBytes == 1u << kUnitShift);
static_assert(sizeof(abi::MeshGroup) == 16 && offsetof(abi::MeshGroup, counts) == 8);
static_assert(offsetof(abi::MeshWork, results) == 0 && offsetof(abi::MeshWork, memory) == 8);
static_assert(offsetof(abi::MeshOrigin, grid) == 0 && offsetof(abi::MeshOrigin, pushConstants) == 8 &&
              offsetof(abi::MeshOrigin, x) == 16 && offsetof(abi::MeshOrigin, drawIndex) == 28);
static_assert(offsetof(abi::MeshOutputMemory, begin) == 0 && offsetof(abi::MeshOutputMemory, units) == 8 &&
              offsetof(abi::MeshOutputMemory, isRepeat) == 12);
// What is written beyond the counts begins behind it.
static_assert(sizeof(abi::MeshOutputMemory) % abi::kMeshUnitBytes == 0);

}  // namespace

OutputMemory::OutputMemory(commands::Variant& mesh, const MeshOutputs& outputs, const OutputAreas& areas,
                           uint32_t viewMask)
    : m_mesh(mesh),
      m_module(mesh.module),
      m_loads(mesh),
      m_word(m_loads.wordType()),
      m_pair(m_module.getVectorType(m_word, 2)),
      m_quad(m_module.getVectorType(m_word, 4)),
      m_bool(m_module.getBoolType()),
      m_mostUnits(static_cast<uint32_t>(areas.mostUnits(outputs))),
      m_setsAgain(outputs.setsCountsAgain),
      m_hasOrigin(areas.hasOrigin),
      m_reserves(!leavesNoTraces(mesh.module)),
      m_primitivesOffset(areas.primitivesOffset(outputs)),
      m_viewMask(viewMask)
{
    constexpr auto kPrivate = spv::StorageClass::Private;
    const auto elements = [&](const Area& area, uint32_t most) {
        return Elements{createVariable(m_pair, kPrivate, "outputs"), createVariable(m_word, kPrivate, "count"),
                        area.stride(), most};
    };
    m_elements = {elements(areas.vertex, outputs.maxVertices), elements(areas.primitive, outputs.maxPrimitives)};
    m_head = createVariable(m_pair, kPrivate, "output_memory");
    m_group = createVariable(m_pair, kPrivate, "mesh_group");
    m_hasTaken = createVariable(m_word, kPrivate, "has_taken");
    if (m_hasOrigin)
        m_drawIndex = createVariable(m_word, kPrivate, "draw_index");
    m_sharedRuns = createVariable(m_word, spv::StorageClass::Workgroup, "shared_runs");
    m_sharedOutputs = createVariable(m_quad, spv::StorageClass::Workgroup, "shared_outputs");
    writeTake();
}

Id OutputMemory::createVariable(Id type, spv::StorageClass storage, const char* name)
{
    const Id variable = m_module.createVariable(m_module.getPointerType(storage, type), storage);
    m_module.setName(variable, name);
    return variable;
}

LongWords OutputMemory::load(Emitter& out, Id pair)
{
    const Id value = out.emit(spv::Op::OpLoad, m_pair, {pair});
    const Id low = component(out, value, 0);
    return {low, component(out, value, 1)};
}

void OutputMemory::store(Emitter& out, Id pair, LongWords address)
{
    out.emitVoid(spv::Op::OpStore, {pair, m_loads.pair(out, address)});
}

Id OutputMemory::isFirst(Emitter& out)
{
    const Id index = commands::loadBuiltIn(out, spv::BuiltIn::LocalInvocationIndex, m_word);
    return out.emit(spv::Op::OpIEqual, m_bool, {index, number(0)});
}

// Of vertices, or of the origin, which a workgroup without any does not have.
Id OutputMemory::unitsInFront(Emitter& out, Id vertices, Id primitives)
{
    if (!m_hasOrigin)
        return unitsOf(out, m_elements[0], vertices);
    const Id isEmpty = out.emit(spv::Op::OpIEqual, m_bool, {primitives, number(0)});
    return out.emit(spv::Op::OpSelect, m_word, {isEmpty, number(0), number(1)});
}

Id OutputMemory::unitsOf(Emitter& out, const Elements& elements, Id count)
{
    const Id bytes = out.emit(spv::Op::OpIMul, m_word, {count, number(elements.stride)});
    const Id more = out.emit(spv::Op::OpIAdd, m_word, {bytes, number(abi::kMeshUnitBytes - 1)});
    return out.emit(spv::Op::OpShiftRightLogical, m_word, {more, number(kUnitShift)});
}

// Of a member of abi::MeshOutputMemory. Returns what it was.
Id OutputMemory::atomic(Emitter& out, spv::Op op, size_t member, Id value)
{
    const auto scope =
        m_module.hasCapability(spv::Capability::VulkanMemoryModel) ? spv::Scope::QueueFamily : spv::Scope::Device;
    const LongWords where = m_loads.add(out, load(out, m_head), static_cast<int64_t>(member));
    return out.emit(op, m_word,
                    {m_loads.pointer(out, where, m_word), number(static_cast<uint32_t>(scope)), number(0), value});
}

// True if `before` and `wanted` are together no more than `units`.
Id OutputMemory::fits(Emitter& out, Id before, Id wanted, Id units)
{
    const Id isInside = out.emit(spv::Op::OpULessThanEqual, m_bool, {before, units});
    const Id left = out.emit(spv::Op::OpISub, m_word, {units, before});
    const Id hasRoom = out.emit(spv::Op::OpULessThanEqual, m_bool, {wanted, left});
    return out.emit(spv::Op::OpLogicalAnd, m_bool, {isInside, hasRoom});
}

// abi::MeshGroup. `firstPrimitive` comes later.
void OutputMemory::writeGroup(Emitter& out, LongWords address, Id counts)
{
    const Id group = out.emit(spv::Op::OpCompositeConstruct, m_quad, {address.low, address.high, counts, number(0)});
    out.keep(spirv::instruction(spv::Op::OpStore)
                 .add(m_loads.pointer(out, load(out, m_group), m_quad))
                 .add(group)
                 .add(static_cast<uint32_t>(spv::MemoryAccessMask::Aligned))
                 .add(static_cast<uint32_t>(sizeof(abi::MeshGroup))));
}

void OutputMemory::wait(Emitter& out)
{
    shader::emitWorkgroupBarrier(m_module, out, m_module.hasCapability(spv::Capability::VulkanMemoryModel));
}

LongWords OutputMemory::locate(Emitter& out, bool isPrimitive, Id index)
{
    const Elements& elements = m_elements[isPrimitive];
    spirv::LongArithmetic& math = m_loads.math();
    const Id count = out.emit(spv::Op::OpLoad, m_word, {elements.count});
    const Id isInside = out.emit(spv::Op::OpULessThan, m_bool, {index, count});
    const Id offset = out.emit(spv::Op::OpIMul, m_word, {index, number(elements.stride)});
    const LongWords inside = math.add(out, load(out, elements.begin), {offset, math.constant(0)});
    const LongWords beyond = m_loads.add(out, load(out, m_head), sizeof(abi::MeshOutputMemory));
    return math.select(out, isInside, inside, beyond);
}

void OutputMemory::setDrawIndex(Emitter& out, Id number)
{
    if (m_hasOrigin)
        out.emitVoid(spv::Op::OpStore, {m_drawIndex, number});
}

void OutputMemory::setCounts(Emitter& out, Id vertices, Id primitives)
{
    out.call(m_take, m_module.getVoidType(), {vertices, primitives});
}

// All invocations of the workgroup call it together.
void OutputMemory::writeTake()
{
    FunctionWriter writer(m_module);
    const Id vertices = writer.addParameter(m_word), primitives = writer.addParameter(m_word);
    writer.beginBlock();
    Emitter before = writer.out();
    if (m_setsAgain)
        wait(before);  // for those that still read what was set before
    const Id join = m_module.newId();
    writer.beginIf(isFirst(before), join);
    takeUnits(writer, vertices, primitives);
    writer.endIf(join);
    Emitter out = writer.out();
    wait(out);
    const Id taken = out.emit(spv::Op::OpLoad, m_quad, {m_sharedOutputs});
    const Id low = component(out, taken, 0);
    const LongWords begin{low, component(out, taken, 1)};
    store(out, m_elements[0].begin, begin);
    if (m_setsAgain) {
        // What is written beyond counts that grow has its place already.
        const Id hasRoom = component(out, taken, 3);
        store(out, m_elements[1].begin,
              m_loads.math().add(out, begin, {number(m_primitivesOffset), m_loads.math().constant(0)}));
        for (const Elements& elements : m_elements) {
            const Id count = out.emit(spv::Op::OpIMul, m_word, {hasRoom, number(elements.most)});
            out.emitVoid(spv::Op::OpStore, {elements.count, count});
        }
    } else {
        const Id counts = component(out, taken, 2), mask = number(abi::kMeshCountMask);
        const Id ownVertices = out.emit(spv::Op::OpBitwiseAnd, m_word, {counts, mask});
        const Id ownPrimitives =
            out.emit(spv::Op::OpShiftRightLogical, m_word, {counts, number(abi::kMeshPrimitiveShift)});
        const Id units = unitsInFront(out, ownVertices, ownPrimitives);
        const Id bytes = out.emit(spv::Op::OpShiftLeftLogical, m_word, {units, number(kUnitShift)});
        store(out, m_elements[1].begin, m_loads.math().add(out, begin, {bytes, m_loads.math().constant(0)}));
        out.emitVoid(spv::Op::OpStore, {m_elements[0].count, ownVertices});
        out.emitVoid(spv::Op::OpStore, {m_elements[1].count, ownPrimitives});
    }
    out.emitVoid(spv::Op::OpStore, {m_hasTaken, number(1)});
    m_take = writer.finish();
    m_module.setName(m_take, "take_output_memory");
}

// The first invocation, for all. What is more than declared finds no memory that is not theirs.
void OutputMemory::takeUnits(FunctionWriter& writer, Id vertices, Id primitives)
{
    Emitter out = writer.out();
    const auto clamped = [&](Id count, uint32_t most) {
        const Id isLess = out.emit(spv::Op::OpULessThan, m_bool, {count, number(most)});
        return out.emit(spv::Op::OpSelect, m_word, {isLess, count, number(most)});
    };
    const Id ownPrimitives = clamped(primitives, m_elements[1].most);
    const Id isEmpty = out.emit(spv::Op::OpIEqual, m_bool, {ownPrimitives, number(0)});
    const Id ownVertices =
        out.emit(spv::Op::OpSelect, m_word, {isEmpty, number(0), clamped(vertices, m_elements[0].most)});
    const Id shifted = out.emit(spv::Op::OpShiftLeftLogical, m_word, {ownPrimitives, number(abi::kMeshPrimitiveShift)});
    const Id all = out.emit(spv::Op::OpBitwiseOr, m_word, {ownVertices, shifted});
    if (m_setsAgain) {
        const Id hasTaken = out.emit(spv::Op::OpLoad, m_word, {m_hasTaken});
        const Id join = m_module.newId();
        writer.beginIf(out.emit(spv::Op::OpIEqual, m_bool, {hasTaken, number(0)}), join);
        take(writer, number(m_mostUnits));
        writer.endIf(join);
    } else {
        const Id inFront = unitsInFront(out, ownVertices, ownPrimitives);
        const Id units = out.emit(spv::Op::OpIAdd, m_word, {inFront, unitsOf(out, m_elements[1], ownPrimitives)});
        take(writer, units);
        if (m_reserves)
            giveBack(writer, writer.out().emit(spv::Op::OpISub, m_word, {number(m_mostUnits), units}));
    }
    Emitter behind = writer.out();
    const Id taken = behind.emit(spv::Op::OpLoad, m_quad, {m_sharedOutputs});
    const Id low = component(behind, taken, 0), high = component(behind, taken, 1);
    const Id hasRoom = component(behind, taken, 3);
    const Id counts = behind.emit(spv::Op::OpIMul, m_word, {hasRoom, all});
    behind.emitVoid(spv::Op::OpStore, {m_sharedOutputs, behind.emit(spv::Op::OpCompositeConstruct, m_quad,
                                                                    {low, high, counts, hasRoom})});
    const Id hasRun = behind.emit(spv::Op::OpIMul, m_word, {hasRoom, number(abi::kMeshHasRun)});
    writeGroup(behind, {low, high}, behind.emit(spv::Op::OpBitwiseOr, m_word, {counts, hasRun}));
    if (m_hasOrigin)
        writeOrigin(writer, {low, high}, counts);
}

// The first invocation, where there is room and the workgroup gives out something.
void OutputMemory::writeOrigin(FunctionWriter& writer, LongWords address, Id counts)
{
    Emitter before = writer.out();
    const Id join = m_module.newId();
    writer.beginIf(before.emit(spv::Op::OpINotEqual, m_bool, {counts, number(0)}), join);
    Emitter out = writer.out();
    const Id sequence = out.emit(spv::Op::OpLoad, m_word, {m_mesh.sequence});
    const LongWords grid = m_loads.record(out, sequence), pushed = m_loads.pushed(out, sequence);
    const Id group = commands::loadBuiltIn(out, spv::BuiltIn::WorkgroupId, m_module.getVectorType(m_word, 3));
    const auto store = [&](size_t offset, std::initializer_list<Id> parts) {
        const Id quad = out.emit(spv::Op::OpCompositeConstruct, m_quad, parts);
        out.keep(spirv::instruction(spv::Op::OpStore)
                     .add(m_loads.pointer(out, m_loads.add(out, address, static_cast<int64_t>(offset)), m_quad))
                     .add(quad)
                     .add(static_cast<uint32_t>(spv::MemoryAccessMask::Aligned))
                     .add(static_cast<uint32_t>(sizeof(uint32_t) * 4)));
    };
    store(offsetof(abi::MeshOrigin, grid), {grid.low, grid.high, pushed.low, pushed.high});
    store(offsetof(abi::MeshOrigin, x), {component(out, group, 0), component(out, group, 1), component(out, group, 2),
                                         out.emit(spv::Op::OpLoad, m_word, {m_drawIndex})});
    writer.endIf(join);
}

// The first invocation: shares where the units are, no counts, and whether there are as many. Who finds none keeps the
// others from finding any. So `used` does not grow without end.
void OutputMemory::take(FunctionWriter& writer, Id units)
{
    Emitter out = writer.out();
    const Id memory = m_loads.load(out, load(out, m_head), m_quad, sizeof(uint32_t) * 4);
    const Id first = atomic(out, spv::Op::OpAtomicIAdd, offsetof(abi::MeshOutputMemory, used), units);
    const Id all = component(out, memory, 2);
    const Id hasRoom = fits(out, first, units, all);
    spirv::LongArithmetic& math = m_loads.math();
    const Id low = component(out, memory, 0);
    const LongWords begin{low, component(out, memory, 1)};
    const Id zero = math.constant(0);
    const LongWords address =
        math.add(out, begin, math.multiply(out, {first, zero}, {math.constant(abi::kMeshUnitBytes), zero}));
    const Id room = out.emit(spv::Op::OpSelect, m_word, {hasRoom, number(1), zero});
    out.emitVoid(spv::Op::OpStore, {m_sharedOutputs, out.emit(spv::Op::OpCompositeConstruct, m_quad,
                                                              {address.low, address.high, zero, room})});
    const Id join = m_module.newId();
    writer.beginIf(out.emit(spv::Op::OpLogicalNot, m_bool, {hasRoom}), join);
    Emitter failing = writer.out();
    atomic(failing, spv::Op::OpAtomicUMin, offsetof(abi::MeshOutputMemory, used),
           failing.emit(spv::Op::OpIAdd, m_word, {all, number(1)}));
    atomic(failing, spv::Op::OpAtomicIAdd, offsetof(abi::MeshOutputMemory, unfit), number(1));
    writer.endIf(join);
}

Id OutputMemory::viewIndex(Emitter& out)
{
    return m_loads.word(out, offsetof(abi::SequenceArguments, firstSequence));
}

// The number of the workgroup among those of all views.
Id OutputMemory::groupOfAllViews(Emitter& out, LongWords table)
{
    const Id group = out.emit(spv::Op::OpLoad, m_word, {m_mesh.group});
    if (m_viewMask == 0)
        return group;
    const Id count =
        m_loads.load(out, m_loads.add(out, table, offsetof(abi::SequenceTable, groupCount)), m_word, sizeof(uint32_t));
    const Id front = viewsInFront(out, m_viewMask, viewIndex(out));
    return out.emit(spv::Op::OpIAdd, m_word, {out.emit(spv::Op::OpIMul, m_word, {front, count}), group});
}

// The abi::MeshWork of the draw: that of the dispatch, or in a series that of its abi::MeshUpload.
LongWords OutputMemory::findWork(Emitter& out, LongWords ofDispatch)
{
    if (!m_mesh.mayBeSeries)
        return ofDispatch;
    constexpr auto kBack =
        static_cast<int64_t>(offsetof(abi::MeshUpload, work)) - static_cast<int64_t>(offsetof(abi::MeshUpload, grid));
    const Id sequence = out.emit(spv::Op::OpLoad, m_word, {m_mesh.sequence});
    const LongWords own = m_loads.add(out, m_loads.record(out, sequence), kBack);
    return m_loads.math().select(out, m_loads.isSeries(out), own, ofDispatch);
}

void OutputMemory::findMemory(FunctionWriter& writer)
{
    constexpr auto kBack = -static_cast<int64_t>(offsetof(abi::MeshWork, table));
    spirv::LongArithmetic& math = m_loads.math();
    Emitter out = writer.out();
    const LongWords table = m_loads.address(out, offsetof(abi::SequenceArguments, table));
    const LongWords where = findWork(out, m_loads.add(out, table, kBack));
    const Id work = m_loads.load(out, where, m_quad, sizeof(uint32_t) * 4);
    const Id low = component(out, work, 0), headLow = component(out, work, 2);
    const LongWords groups{low, component(out, work, 1)};
    const LongWords head{headLow, component(out, work, 3)};
    const Id zero = math.constant(0);
    const Id group = groupOfAllViews(out, table);
    store(out, m_group,
          math.add(out, groups,
                   math.multiply(out, {group, zero}, {math.constant(uint32_t{sizeof(abi::MeshGroup)}), zero})));
    store(out, m_head, head);
    for (const Elements& elements : m_elements) {
        store(out, elements.begin, head);
        out.emitVoid(spv::Op::OpStore, {elements.count, zero});
    }
    out.emitVoid(spv::Op::OpStore, {m_hasTaken, zero});
}

// 1 or 0. Requires: all invocations ask.
Id OutputMemory::isToRun(FunctionWriter& writer)
{
    Emitter out = writer.out();
    const Id result = createVariable(m_word, spv::StorageClass::Private, "is_to_run");
    out.emitVoid(spv::Op::OpStore, {result, number(1)});
    const Id isRepeat = component(out, m_loads.load(out, load(out, m_head), m_quad, sizeof(uint32_t) * 4), 3);
    const Id join = m_module.newId();
    writer.beginIf(out.emit(spv::Op::OpINotEqual, m_bool, {isRepeat, number(0)}), join);
    Emitter asking = writer.out();
    const LongWords group = load(asking, m_group);
    const Id counts =
        m_loads.load(asking, m_loads.add(asking, group, offsetof(abi::MeshGroup, counts)), m_word, sizeof(uint32_t));
    constexpr auto kBack =
        static_cast<int64_t>(offsetof(abi::MeshWork, isFresh)) - static_cast<int64_t>(offsetof(abi::MeshWork, table));
    const LongWords table = m_loads.address(asking, offsetof(abi::SequenceArguments, table));
    const Id isFresh = m_loads.load(asking, m_loads.add(asking, table, kBack), m_word, sizeof(uint32_t));
    const Id hasRun = asking.emit(spv::Op::OpShiftRightLogical, m_word, {counts, number(31)});
    const Id isMissing = asking.emit(spv::Op::OpISub, m_word, {number(1), hasRun});
    asking.emitVoid(spv::Op::OpStore, {result, asking.emit(spv::Op::OpBitwiseOr, m_word, {isFresh, isMissing})});
    wait(asking);  // the first one may say soon that it has run
    writer.endIf(join);
    return writer.out().emit(spv::Op::OpLoad, m_word, {result});
}

Id OutputMemory::isLimited(Emitter& out)
{
    const LongWords where = m_loads.add(out, load(out, m_head), offsetof(abi::MeshOutputMemory, isLimited));
    const Id limited = m_loads.load(out, where, m_word, sizeof(uint32_t));
    return out.emit(spv::Op::OpINotEqual, m_bool, {limited, number(0)});
}

// The first invocation, of what was reserved where memory is limited.
void OutputMemory::giveBack(FunctionWriter& writer, Id units)
{
    Emitter out = writer.out();
    const Id join = m_module.newId();
    writer.beginIf(isLimited(out), join);
    Emitter giving = writer.out();
    atomic(giving, spv::Op::OpAtomicISub, offsetof(abi::MeshOutputMemory, reserved), units);
    writer.endIf(join);
}

// Whether the workgroup has room for the most that it may give out, where memory is limited. All invocations ask.
Id OutputMemory::reserve(FunctionWriter& writer)
{
    Emitter before = writer.out();
    const Id joinFirst = m_module.newId(), join = m_module.newId();
    writer.beginIf(isFirst(before), joinFirst);
    Emitter out = writer.out();
    const Id units = component(out, m_loads.load(out, load(out, m_head), m_quad, sizeof(uint32_t) * 4), 2);
    const Id taken = atomic(out, spv::Op::OpAtomicIAdd, offsetof(abi::MeshOutputMemory, reserved), number(m_mostUnits));
    const Id hasRoom = fits(out, taken, number(m_mostUnits), units);
    out.emitVoid(spv::Op::OpStore,
                 {m_sharedRuns, out.emit(spv::Op::OpSelect, m_word, {hasRoom, number(1), number(0)})});
    writer.beginIf(out.emit(spv::Op::OpLogicalNot, m_bool, {hasRoom}), join);
    Emitter leaving = writer.out();
    atomic(leaving, spv::Op::OpAtomicISub, offsetof(abi::MeshOutputMemory, reserved), number(m_mostUnits));
    atomic(leaving, spv::Op::OpAtomicIAdd, offsetof(abi::MeshOutputMemory, unfit), number(1));
    writeGroup(leaving, load(leaving, m_head), number(0));
    writer.endIf(join);
    writer.endIf(joinFirst);
    Emitter behind = writer.out();
    wait(behind);
    return behind.emit(spv::Op::OpLoad, m_word, {m_sharedRuns});
}

// Whether the workgroup runs.
Id OutputMemory::begin(FunctionWriter& writer)
{
    const Id asked = isToRun(writer);
    Emitter out = writer.out();
    if (!m_reserves)
        return out.emit(spv::Op::OpINotEqual, m_bool, {asked, number(0)});
    const Id result = createVariable(m_word, spv::StorageClass::Private, "runs");
    out.emitVoid(spv::Op::OpStore, {result, asked});
    const Id isAsked = out.emit(spv::Op::OpINotEqual, m_bool, {asked, number(0)});
    const Id join = m_module.newId();
    writer.beginIf(out.emit(spv::Op::OpLogicalAnd, m_bool, {isAsked, isLimited(out)}), join);
    const Id hasRoom = reserve(writer);
    writer.out().emitVoid(spv::Op::OpStore, {result, hasRoom});
    writer.endIf(join);
    Emitter behind = writer.out();
    return behind.emit(spv::Op::OpINotEqual, m_bool, {behind.emit(spv::Op::OpLoad, m_word, {result}), number(0)});
}

void OutputMemory::wrapEntry()
{
    FunctionWriter writer(m_module);
    writer.beginBlock();
    findMemory(writer);
    const Id joinRuns = m_module.newId(), joinEmpty = m_module.newId();
    writer.beginIf(begin(writer), joinRuns);
    Emitter calling = writer.out();
    calling.call(m_mesh.entry, m_module.getVoidType(), {});
    const Id hasTaken = calling.emit(spv::Op::OpLoad, m_word, {m_hasTaken});
    const Id hasNothing = calling.emit(spv::Op::OpIEqual, m_bool, {hasTaken, number(0)});
    writer.beginIf(calling.emit(spv::Op::OpLogicalAnd, m_bool, {isFirst(calling), hasNothing}), joinEmpty);
    Emitter emptying = writer.out();
    writeGroup(emptying, load(emptying, m_head), number(abi::kMeshHasRun));
    if (m_reserves)
        giveBack(writer, number(m_mostUnits));
    writer.endIf(joinEmpty);
    writer.endIf(joinRuns);
    commands::replaceEntry(m_mesh, writer.finish());
}

}  // namespace millrace::mesh
