// SPDX-License-Identifier: Apache-2.0
#include "mesh/find_place.h"

#include <bit>
#include <cstddef>

#include "abi/mesh.h"
#include "commands/search.h"
#include "mesh/passes.h"

namespace millrace::mesh {

using spirv::Emitter;
using spirv::Id;
using spirv::LongWords;

Id PlaceFinder::at(Id vector, uint32_t which)
{
    Emitter out = m_writer.out();
    return component(out, vector, which);
}

// The first two components.
LongWords PlaceFinder::addressIn(Id vector)
{
    const Id low = at(vector, 0);
    return {low, at(vector, 1)};
}

Id PlaceFinder::createInput(spv::BuiltIn builtIn)
{
    constexpr auto kInput = spv::StorageClass::Input;
    const Id variable = m_module.createVariable(m_module.getPointerType(kInput, m_module.getIntType(32, true)), kInput);
    const uint32_t literal[] = {static_cast<uint32_t>(builtIn)};
    m_module.decorate(variable, spv::Decoration::BuiltIn, literal);
    return variable;
}

Id PlaceFinder::loadNumber()
{
    const Id signedWord = m_module.getIntType(32, true);
    if (!m_number)
        m_number = createInput(spv::BuiltIn::VertexIndex);
    return emit(spv::Op::OpBitcast, word(), {emit(spv::Op::OpLoad, signedWord, {m_number})});
}

Id PlaceFinder::viewIndex()
{
    m_module.addCapability(spv::Capability::MultiView);
    const Id signedWord = m_module.getIntType(32, true);
    const Id variable = createInput(spv::BuiltIn::ViewIndex);
    return emit(spv::Op::OpBitcast, word(), {emit(spv::Op::OpLoad, signedWord, {variable})});
}

VertexPlace PlaceFinder::byNumber()
{
    VertexPlace place;
    const Id vertex = loadNumber();
    const Id corners = number(m_outputs.corners);
    const Id primitive = emit(spv::Op::OpUDiv, word(), {vertex, corners});
    place.corner = emit(spv::Op::OpUMod, word(), {vertex, corners});
    const Id group = findGroup(primitive, place);
    place.vertexCount = emit(spv::Op::OpBitwiseAnd, word(), {at(group, 2), number(abi::kMeshCountMask)});
    place.vertices = addressIn(group);
    const Id offset = primitivesOffset(place.vertexCount);
    Emitter out = m_writer.out();
    place.primitives = m_loads.math().add(out, place.vertices, {offset, number(0)});
    return place;
}

IndexedPlace PlaceFinder::byIndex(const MeshIndices& indices)
{
    IndexedPlace place;
    const Id index = loadNumber();
    const Id all = number((1u << indices.vertexBits) - 1);
    const Id bits = number(indices.vertexBits);
    place.index = emit(spv::Op::OpBitwiseAnd, word(), {index, all});
    const Table table = loadTable();
    Emitter out = m_writer.out();
    const LongWords where = locate(out, table.groups, emit(spv::Op::OpShiftRightLogical, word(), {index, bits}));
    place.vertices = addressIn(m_loads.load(out, where, m_module.getVectorType(word(), 2), sizeof(abi::MeshGroup)));
    place.isDrawn = emit(spv::Op::OpINotEqual, m_module.getBoolType(), {place.index, all});
    return place;
}

// As OutputMemory says.
Id PlaceFinder::primitivesOffset(Id vertexCount)
{
    if (m_areas.hasOffset(m_outputs))
        return number(m_areas.primitivesOffset(m_outputs));
    const Id stride = number(m_areas.vertex.stride());
    const Id bytes = emit(spv::Op::OpIAdd, word(),
                          {emit(spv::Op::OpIMul, word(), {vertexCount, stride}), number(abi::kMeshUnitBytes - 1)});
    return emit(spv::Op::OpBitwiseAnd, word(), {bytes, number(~(abi::kMeshUnitBytes - 1))});
}

PlaceFinder::Table PlaceFinder::loadTable()
{
    constexpr auto kBack = -static_cast<int64_t>(offsetof(abi::MeshWork, table));
    Emitter out = m_writer.out();
    const LongWords table = m_loads.address(out, offsetof(abi::SequenceArguments, table));
    const Id pair = m_module.getVectorType(word(), 2);
    return {table, addressIn(m_loads.load(out, m_loads.add(out, table, kBack), pair, sizeof(uint64_t)))};
}

LongWords PlaceFinder::locate(Emitter& out, LongWords groups, Id index)
{
    const Id bytes = number(sizeof(abi::MeshGroup));
    return m_loads.math().add(out, groups, m_loads.math().multiply(out, {index, number(0)}, {bytes, number(0)}));
}

// The first and the last workgroup that may have the primitive, as its mark and the one before say.
std::pair<Id, Id> PlaceFinder::loadMarks(LongWords marks, Id primitive)
{
    const Id mark = emit(spv::Op::OpUDiv, word(), {primitive, number(abi::kMeshMarkPrimitives)});
    const Id isFirst = emit(spv::Op::OpIEqual, m_module.getBoolType(), {mark, number(0)});
    const Id one = emit(spv::Op::OpSelect, word(), {isFirst, number(0), number(1)});
    Emitter out = m_writer.out();
    const auto loadMark = [&](Id index) {
        const Id offset = emit(spv::Op::OpIMul, word(), {index, number(sizeof(uint32_t))});
        return m_loads.load(out, m_loads.math().add(out, marks, {offset, number(0)}), word(), 4);
    };
    const Id before = loadMark(emit(spv::Op::OpISub, word(), {mark, one}));
    return {emit(spv::Op::OpSelect, word(), {isFirst, number(0), before}), loadMark(mark)};
}

// The abi::MeshGroup that has the primitive: the last one that does not begin behind it. Those with the same beginning
// in front of it are empty. Those of the first view say where they begin, and it is that of the own view that has the
// outputs.
Id PlaceFinder::findGroup(Id primitive, VertexPlace& place)
{
    const Id quad = m_module.getVectorType(word(), 4);
    const Table table = loadTable();
    Emitter before = m_writer.out();
    const Id count =
        m_loads.load(before, m_loads.add(before, table.address, offsetof(abi::SequenceTable, groupCount)), word(), 4);
    const Id runs = number(m_viewMask == 0 ? 1 : static_cast<uint32_t>(std::popcount(m_viewMask)));
    const std::pair marks =
        loadMarks(locate(before, table.groups, emit(spv::Op::OpIMul, word(), {count, runs})), primitive);
    const Id from = marks.first, to = marks.second;
    const Id some = emit(spv::Op::OpIAdd, word(), {emit(spv::Op::OpISub, word(), {to, from}), number(1)});
    const Id behindFrom = commands::searchLast(m_writer, some, primitive, [&](Emitter& out, Id index) {
        const Id sum = out.emit(spv::Op::OpIAdd, word(), {from, index});
        const LongWords first =
            m_loads.add(out, locate(out, table.groups, sum), offsetof(abi::MeshGroup, firstPrimitive));
        return m_loads.load(out, first, word(), 4);
    });
    const Id found = emit(spv::Op::OpIAdd, word(), {from, behindFrom});
    Emitter behind = m_writer.out();
    const Id first = m_loads.load(behind, locate(behind, table.groups, found), quad, sizeof(abi::MeshGroup));
    place.primitive = emit(spv::Op::OpISub, word(), {primitive, at(first, 3)});
    return m_viewMask == 0 ? first : findGroupOfView(table, count, found, place);
}

// Of as many workgroups for each view, the own view's.
Id PlaceFinder::findGroupOfView(const Table& table, Id count, Id found, VertexPlace& place)
{
    Emitter out = m_writer.out();
    const Id front = emit(spv::Op::OpIMul, word(), {viewsInFront(out, m_viewMask, viewIndex()), count});
    const Id own = emit(spv::Op::OpIAdd, word(), {front, found});
    const Id quad = m_module.getVectorType(word(), 4);
    const Id group = m_loads.load(out, locate(out, table.groups, own), quad, sizeof(abi::MeshGroup));
    const Id shifted = emit(spv::Op::OpShiftRightLogical, word(), {at(group, 2), number(abi::kMeshPrimitiveShift)});
    const Id primitives = emit(spv::Op::OpBitwiseAnd, word(), {shifted, number(abi::kMeshCountMask)});
    place.isThere = emit(spv::Op::OpULessThan, m_module.getBoolType(), {place.primitive, primitives});
    return group;
}

}  // namespace millrace::mesh
