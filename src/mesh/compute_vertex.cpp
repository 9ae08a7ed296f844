// SPDX-License-Identifier: Apache-2.0
#include "mesh/compute_vertex.h"

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "abi/mesh.h"
#include "commands/fetch_push_constants.h"
#include "mesh/passes.h"
#include "shader/globals.h"
#include "spirv/edit.h"

namespace millrace::mesh {

using spirv::Emitter;
using spirv::Id;
using spirv::Instruction;
using spirv::LongWords;
using spirv::Section;

namespace {

// Of a mesh shader's execution modes those that say how numbers are computed.
bool isOfNumbers(const Instruction& mode)
{
    constexpr spv::ExecutionMode kModes[] = {spv::ExecutionMode::DenormPreserve, spv::ExecutionMode::DenormFlushToZero,
                                             spv::ExecutionMode::SignedZeroInfNanPreserve,
                                             spv::ExecutionMode::RoundingModeRTE, spv::ExecutionMode::RoundingModeRTZ};
    return std::ranges::find(kModes, static_cast<spv::ExecutionMode>(mode.literal(1))) != std::end(kModes);
}

bool isStorage(const spirv::Module& module, const Instruction& variable)
{
    switch (static_cast<spv::StorageClass>(variable.literal(0))) {
        case spv::StorageClass::StorageBuffer:
            return true;
        case spv::StorageClass::UniformConstant: {
            const Instruction* type = module.findDefinition(module.pointee(variable.type));
            while (type && (type->op == spv::Op::OpTypeArray || type->op == spv::Op::OpTypeRuntimeArray))
                type = module.findDefinition(type->id(0));
            return type && shader::isStorageImage(*type);
        }
        default:
            return false;
    }
}

}  // namespace

ComputeVertex::ComputeVertex(commands::Variant& vertex, const VertexCode& code, uint32_t maxVertices, bool mayStore)
    : m_vertex(vertex),
      m_module(vertex.module),
      m_code(code),
      m_maxVertices(maxVertices),
      m_mayStore(mayStore),
      m_function(vertex.entry)
{
    const Id pair = m_module.getVectorType(m_module.getIntType(32, false), 2);
    const auto createPair = [&] {
        constexpr auto kPrivate = spv::StorageClass::Private;
        return m_module.createVariable(m_module.getPointerType(kPrivate, pair), kPrivate);
    };
    m_grid = createPair();
    m_vertex.pushed = createPair();
}

Status ComputeVertex::prepare()
{
    const auto block = commands::findPushConstants(m_module);
    if (!block)
        return block.error();
    if (const Status status = commands::declareArguments(m_vertex); !status)
        return status;
    if (*block) {
        const Status status = commands::fetchPushConstants(m_vertex, *block, commands::Layout());
        if (!status)
            return status;
    }
    std::erase_if(m_module.section(Section::ExecutionModes),
                  [](const Instruction& mode) { return !isOfNumbers(mode); });
    forgetGroupSize(m_module);
    spirv::removeUnusedSubgroupCapabilities(m_module);
    if (!m_mayStore)
        markReadOnly();
    return readPayload(m_vertex, m_grid);
}

// Without the feature vertexPipelineStoresAndAtomics (VUID-RuntimeSpirv-NonWritable-06341).
void ComputeVertex::markReadOnly()
{
    for (const Instruction& i : m_module.section(Section::Globals))
        if (i.op == spv::Op::OpVariable && isStorage(m_module, i) &&
            !m_module.findDecoration(i.result, spv::Decoration::NonWritable))
            m_module.decorate(i.result, spv::Decoration::NonWritable);
}

void ComputeVertex::run(shader::FunctionWriter& writer, LongWords origin, Id index)
{
    Emitter out = writer.out();
    commands::ArgumentLoads loads(m_vertex);
    const Id word = loads.wordType(), quad = m_module.getVectorType(word, 4);
    const auto load = [&](size_t offset) {
        return loads.load(out, loads.add(out, origin, static_cast<int64_t>(offset)), quad, sizeof(uint32_t) * 4);
    };
    const Id addresses = load(offsetof(abi::MeshOrigin, grid)), place = load(offsetof(abi::MeshOrigin, x));
    const Id low = component(out, addresses, 0), pushedLow = component(out, addresses, 2);
    m_gridAddress = {low, component(out, addresses, 1)};
    out.emitVoid(spv::Op::OpStore, {m_grid, loads.pair(out, m_gridAddress)});
    const LongWords pushed{pushedLow, component(out, addresses, 3)};
    out.emitVoid(spv::Op::OpStore, {m_vertex.pushed, loads.pair(out, pushed)});
    const uint32_t invocations = m_code.groupSize[0] * m_code.groupSize[1] * m_code.groupSize[2];
    m_lane = m_maxVertices <= invocations ? index
                                          : out.emit(spv::Op::OpUMod, word, {index, m_module.getConstant(invocations)});
    const Id x = component(out, place, 0), y = component(out, place, 1);
    m_group =
        out.emit(spv::Op::OpCompositeConstruct, m_module.getVectorType(word, 3), {x, y, component(out, place, 2)});
    m_drawIndex = component(out, place, 3);
    for (const auto& [builtIn, variable] : m_code.inputs) {
        const bool isWord = builtIn == spv::BuiltIn::LocalInvocationIndex || builtIn == spv::BuiltIn::DrawIndex;
        storeInput(out, variable, valueOf(out, builtIn), isWord ? word : m_module.getVectorType(word, 3));
    }
    out.emitVoid(spv::Op::OpStore, {m_code.wanted, index});
    out.call(m_function, m_module.getVoidType(), {});
}

Id ComputeVertex::valueOf(Emitter& out, spv::BuiltIn builtIn)
{
    const Id word = m_module.getIntType(32, false), triple = m_module.getVectorType(word, 3);
    switch (builtIn) {
        case spv::BuiltIn::LocalInvocationIndex:
            return m_lane;
        case spv::BuiltIn::LocalInvocationId:
            return positionOf(out, m_lane, m_code.groupSize);
        case spv::BuiltIn::WorkgroupId:
            return m_group;
        case spv::BuiltIn::GlobalInvocationId: {
            const Id size =
                out.emit(spv::Op::OpCompositeConstruct, triple,
                         {m_module.getConstant(m_code.groupSize[0]), m_module.getConstant(m_code.groupSize[1]),
                          m_module.getConstant(m_code.groupSize[2])});
            const Id first = out.emit(spv::Op::OpIMul, triple, {m_group, size});
            return out.emit(spv::Op::OpIAdd, triple, {first, positionOf(out, m_lane, m_code.groupSize)});
        }
        case spv::BuiltIn::NumWorkgroups:
            return commands::ArgumentLoads(m_vertex).load(out, m_gridAddress, triple, sizeof(uint32_t));
        default:
            return m_drawIndex;
    }
}

}  // namespace millrace::mesh
