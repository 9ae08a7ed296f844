// SPDX-License-Identifier: Apache-2.0
// What invocations of a wave, a quad or a workgroup do together, and who they are.
#include <array>

#include "dxil/emitter.h"
#include "dxil/opcodes.h"

namespace millrace::dxil {

using spirv::Instruction;
using spirv::instruction;

namespace {

// Of the memory flags of barriers.
enum : uint32_t { kUavMemory = 1, kGroupMemory = 2, kNodeInputMemory = 4, kNodeOutputMemory = 8 };

}  // namespace

void Emitter::opThreadId(const Value& call)
{
    const uint32_t opcode = opcodeOf(call);
    const spv::BuiltIn which = opcode == opcode::ThreadId  ? spv::BuiltIn::GlobalInvocationId
                               : opcode == opcode::GroupId ? spv::BuiltIn::WorkgroupId
                                                           : spv::BuiltIn::LocalInvocationId;
    const Id vector = builtIn(which, m_b.vectorType(m_b.uintType(), 3));
    const auto component = constantOf(call.operands[1]);
    if (!component || *component > 2) {
        unsupported("a component that is not 0, 1 or 2");
        return;
    }
    set(call, m_b.extract(m_b.uintType(), vector, static_cast<uint32_t>(*component)));
}

void Emitter::opFlattenedId(const Value& call)
{
    set(call, builtIn(spv::BuiltIn::LocalInvocationIndex, m_b.uintType()));
}

void Emitter::emitBarrier(uint32_t memoryFlags, bool sync, spv::Scope scope)
{
    auto semantics = static_cast<uint32_t>(spv::MemorySemanticsMask::MaskNone);
    if ((memoryFlags & (kUavMemory | kNodeInputMemory | kNodeOutputMemory)) != 0)
        semantics |= static_cast<uint32_t>(spv::MemorySemanticsMask::UniformMemory);
    if ((memoryFlags & kUavMemory) != 0)
        semantics |= static_cast<uint32_t>(spv::MemorySemanticsMask::ImageMemory);
    if ((memoryFlags & kGroupMemory) != 0)
        semantics |= static_cast<uint32_t>(spv::MemorySemanticsMask::WorkgroupMemory);
    if (semantics != 0)
        semantics |= static_cast<uint32_t>(spv::MemorySemanticsMask::AcquireRelease);
    const Id workgroup = m_b.uintConstant(static_cast<uint32_t>(spv::Scope::Workgroup));
    const Id memory = m_b.uintConstant(static_cast<uint32_t>(semantics == 0 ? spv::Scope::Workgroup : scope));
    if (sync)
        m_b.emitVoid(spv::Op::OpControlBarrier, {workgroup, memory, m_b.uintConstant(semantics)});
    else if (semantics != 0)
        m_b.emitVoid(spv::Op::OpMemoryBarrier, {memory, m_b.uintConstant(semantics)});
}

void Emitter::opBarrier(const Value& call)
{
    const auto mode = constantOf(call.operands[1]);
    if (!mode) {
        unsupported("a barrier whose mode is not constant");
        return;
    }
    // SyncThreadGroup 1, UAVFenceGlobal 2, UAVFenceThreadGroup 4, TGSMFence 8.
    const uint32_t memory = ((*mode & 6) != 0 ? kUavMemory : 0u) | ((*mode & 8) != 0 ? kGroupMemory : 0u);
    emitBarrier(memory, (*mode & 1) != 0, (*mode & 2) != 0 ? spv::Scope::Device : spv::Scope::Workgroup);
}

// By memory type, by handle, by record. Semantics: GROUP_SYNC 1, GROUP_SCOPE 2, DEVICE_SCOPE 4.
void Emitter::opBarrierByMemory(const Value& call)
{
    const uint32_t opcode = opcodeOf(call);
    const auto semantics = constantOf(call.operands[2]);
    auto memory = std::optional<uint64_t>(opcode == opcode::BarrierByMemoryHandle ? kUavMemory : kNodeInputMemory);
    if (opcode != opcode::BarrierByMemoryHandle && opcode != opcode::BarrierByNodeRecordHandle)
        memory = constantOf(call.operands[1]);
    if (!semantics || !memory) {
        unsupported("a barrier whose flags are not constant");
        return;
    }
    const bool isWide = (*semantics & 4) != 0;
    const bool hasScope = (*semantics & 6) != 0;
    emitBarrier(hasScope ? static_cast<uint32_t>(*memory) : 0, (*semantics & 1) != 0,
                isWide ? spv::Scope::Device : spv::Scope::Workgroup);
}

Id Emitter::subgroup()
{
    m_b.capability(spv::Capability::GroupNonUniform);
    return m_b.uintConstant(static_cast<uint32_t>(spv::Scope::Subgroup));
}

void Emitter::opWaveQuery(const Value& call)
{
    const uint32_t opcode = opcodeOf(call);
    const Id scope = subgroup();
    if (opcode == opcode::WaveIsFirstLane) {
        set(call, m_b.emit(spv::Op::OpGroupNonUniformElect, m_b.boolType(), {scope}));
    } else {
        set(call, builtIn(opcode == opcode::WaveGetLaneIndex ? spv::BuiltIn::SubgroupLocalInvocationId
                                                             : spv::BuiltIn::SubgroupSize,
                          m_b.uintType()));
    }
}

void Emitter::opWaveVote(const Value& call)
{
    m_b.capability(spv::Capability::GroupNonUniformVote);
    set(call,
        m_b.emit(opcodeOf(call) == opcode::WaveAnyTrue ? spv::Op::OpGroupNonUniformAny : spv::Op::OpGroupNonUniformAll,
                 m_b.boolType(), {subgroup(), getId(call.operands[1])}));
}

Id Emitter::ballotOf(Id condition)
{
    m_b.capability(spv::Capability::GroupNonUniformBallot);
    return m_b.emit(spv::Op::OpGroupNonUniformBallot, m_b.vectorType(m_b.uintType(), 4), {subgroup(), condition});
}

void Emitter::setBallot(const Value& call, Id ballot)
{
    Val out;
    for (uint32_t c = 0; c < 4; ++c)
        out.fields.emplace_back(m_b.extract(m_b.uintType(), ballot, c));
    set(call, std::move(out));
}

void Emitter::opWaveBallot(const Value& call)
{
    setBallot(call, ballotOf(getId(call.operands[1])));
}

void Emitter::opWaveAllEqual(const Value& call)
{
    m_b.capability(spv::Capability::GroupNonUniformVote);
    const Type& type = *call.operands[1]->type;
    const Val value = get(call.operands[1]);
    std::vector<Id> elements;
    for (uint32_t e = 0; e < elementCount(type); ++e) {
        elements.push_back(
            m_b.emit(spv::Op::OpGroupNonUniformAllEqual, m_b.boolType(), {subgroup(), element(type, value, e)}));
    }
    set(call, assemble(*call.type, elements));
}

void Emitter::opWaveRead(const Value& call)
{
    const Val value = get(call.operands[1]);
    const bool isAt = opcodeOf(call) == opcode::WaveReadLaneAt;
    m_b.capability(isAt ? spv::Capability::GroupNonUniformShuffle : spv::Capability::GroupNonUniformBallot);
    const Id scope = subgroup();
    const Id lane = isAt ? getUint(call.operands[2]) : Id{};
    Val out;
    for (size_t p = 0; p < partCount(*call.type); ++p) {
        const Id type = partType(*call.type, p);
        out.parts.push_back(isAt
                                ? m_b.emit(spv::Op::OpGroupNonUniformShuffle, type, {scope, value.parts.at(p), lane})
                                : m_b.emit(spv::Op::OpGroupNonUniformBroadcastFirst, type, {scope, value.parts.at(p)}));
    }
    set(call, std::move(out));
}

Id Emitter::waveOperation(spv::Op op, Id type, spv::GroupOperation operation, Id value)
{
    m_b.capability(spv::Capability::GroupNonUniformArithmetic);
    return m_b.emit(instruction(op, type).add(subgroup()).add(static_cast<uint32_t>(operation)).add(value));
}

// Sum, product, minimum, maximum; signed 0, unsigned 1. Active and prefix operations.
static spv::Op waveOp(uint64_t op, bool isFloat, bool isSigned)
{
    switch (op) {
        case 0:
            return isFloat ? spv::Op::OpGroupNonUniformFAdd : spv::Op::OpGroupNonUniformIAdd;
        case 1:
            return isFloat ? spv::Op::OpGroupNonUniformFMul : spv::Op::OpGroupNonUniformIMul;
        case 2:
            return isFloat    ? spv::Op::OpGroupNonUniformFMin
                   : isSigned ? spv::Op::OpGroupNonUniformSMin
                              : spv::Op::OpGroupNonUniformUMin;
        case 3:
            return isFloat    ? spv::Op::OpGroupNonUniformFMax
                   : isSigned ? spv::Op::OpGroupNonUniformSMax
                              : spv::Op::OpGroupNonUniformUMax;
        default:
            return spv::Op::OpNop;
    }
}

void Emitter::opWaveArithmetic(const Value& call)
{
    const Type& scalar = call.type->scalar();
    const uint64_t which = constantOf(call.operands[2]).value_or(99);
    const bool isSigned = constantOf(call.operands[3]).value_or(0) == 0;
    const spv::Op op = waveOp(which, scalar.isFloat(), isSigned);
    if (op == spv::Op::OpNop || scalar.isInt(1)) {
        unsupported("this wave operation on " + call.type->text());
        return;
    }
    const auto operation =
        opcodeOf(call) == opcode::WaveActiveOp ? spv::GroupOperation::Reduce : spv::GroupOperation::ExclusiveScan;
    const Val value = get(call.operands[1]);
    Val out;
    for (size_t p = 0; p < partCount(*call.type); ++p)
        out.parts.push_back(waveOperation(op, partType(*call.type, p), operation, value.parts.at(p)));
    set(call, std::move(out));
}

void Emitter::opWaveBits(const Value& call)
{
    static constexpr std::array<spv::Op, 3> kOps = {spv::Op::OpGroupNonUniformBitwiseAnd,
                                                    spv::Op::OpGroupNonUniformBitwiseOr,
                                                    spv::Op::OpGroupNonUniformBitwiseXor};
    const uint64_t which = constantOf(call.operands[2]).value_or(99);
    if (which >= kOps.size()) {
        unsupported("this wave operation");
        return;
    }
    const Val value = get(call.operands[1]);
    Val out;
    for (size_t p = 0; p < partCount(*call.type); ++p) {
        out.parts.push_back(waveOperation(kOps[static_cast<size_t>(which)], partType(*call.type, p),
                                          spv::GroupOperation::Reduce, value.parts.at(p)));
    }
    set(call, std::move(out));
}

Id Emitter::countBallot(Id ballot, spv::GroupOperation operation)
{
    return m_b.emit(instruction(spv::Op::OpGroupNonUniformBallotBitCount, m_b.uintType())
                        .add(subgroup())
                        .add(static_cast<uint32_t>(operation))
                        .add(ballot));
}

void Emitter::opWaveCount(const Value& call)
{
    const Id ballot = ballotOf(getId(call.operands[1]));
    set(call, countBallot(ballot, opcodeOf(call) == opcode::WaveAllBitCount ? spv::GroupOperation::Reduce
                                                                            : spv::GroupOperation::ExclusiveScan));
}

// A loop over all lanes, in which all active lanes take part: `body` gets the lane and the values carried over, and
// gives new ones.
std::vector<Id> Emitter::forEachLane(const std::vector<Id>& types, const std::vector<Id>& initial,
                                     const std::function<std::vector<Id>(Id, const std::vector<Id>&)>& body)
{
    const Id number = m_b.uintType();
    const Id size = builtIn(spv::BuiltIn::SubgroupSize, number);
    const Id before = m_label;
    const Id header = m_b.newId();
    const Id test = m_b.newId();
    const Id inside = m_b.newId();
    const Id next = m_b.newId();
    const Id merge = m_b.newId();
    const Id step = m_b.newId();
    m_b.emitVoid(spv::Op::OpBranch, {header});
    beginBlock(header);
    const Id lane = m_b.emit(spv::Op::OpPhi, number, {m_b.uintConstant(0), before, step, next});
    std::vector<Id> carried;
    const size_t phiBlock = m_out->blocks.size() - 1;
    const size_t firstPhi = m_out->blocks.back().body.size();
    for (size_t v = 0; v < types.size(); ++v)
        carried.push_back(m_b.emit(spv::Op::OpPhi, types[v], {initial[v], before}));
    m_b.append(instruction(spv::Op::OpLoopMerge).add(merge).add(next).add(0u));
    m_b.emitVoid(spv::Op::OpBranch, {test});
    beginBlock(test);
    const Id goesOn = m_b.emit(spv::Op::OpULessThan, m_b.boolType(), {lane, size});
    m_b.emitVoid(spv::Op::OpBranchConditional, {goesOn, inside, merge});
    beginBlock(inside);
    const std::vector<Id> results = body(lane, carried);
    m_b.emitVoid(spv::Op::OpBranch, {next});
    beginBlock(next);
    Instruction add = instruction(spv::Op::OpIAdd, number, step).add(lane).add(m_b.uintConstant(1));
    m_b.append(std::move(add));
    m_b.emitVoid(spv::Op::OpBranch, {header});
    for (size_t v = 0; v < types.size(); ++v)
        m_out->blocks[phiBlock].body[firstPhi + v].add(results[v]).add(next);
    beginBlock(merge);
    return carried;
}

Id Emitter::shuffled(Id type, Id value, Id lane)
{
    m_b.capability(spv::Capability::GroupNonUniformShuffle);
    return m_b.emit(spv::Op::OpGroupNonUniformShuffle, type, {subgroup(), value, lane});
}

// For each lane in turn: who has the same value as it?
void Emitter::opWaveMatch(const Value& call)
{
    const Type& type = *call.operands[1]->type;
    const Val value = isLong(type) ? Val() : get(call.operands[1]);
    const Id ballotType = m_b.vectorType(m_b.uintType(), 4);
    const Id self = builtIn(spv::BuiltIn::SubgroupLocalInvocationId, m_b.uintType());
    const uint32_t bits = registerBits(type.scalar());
    const bool isFloat = type.scalar().isFloat();
    const bool isBool = type.scalar().isInt(1);
    const auto result = forEachLane({ballotType}, {m_b.null(ballotType)}, [&](Id lane, const std::vector<Id>& carried) {
        const auto andSame = [&](Id equal, Id element) {
            const Id from = scalarType(type.scalar());
            const Id number = isFloat ? m_b.intType(bits) : from;
            const Id own = m_b.bitcast(number, element, from);
            const Id same = m_b.emit(isBool ? spv::Op::OpLogicalEqual : spv::Op::OpIEqual, m_b.boolType(),
                                     {own, shuffled(number, own, lane)});
            return equal ? m_b.emit(spv::Op::OpLogicalAnd, m_b.boolType(), {equal, same}) : same;
        };
        Id equal;
        if (isLong(type))
            equal = forEachElement(type, m_b.boolType(), m_b.boolConstant(true),
                                   [&](Id before) { return andSame(before, get(call.operands[1]).id()); });
        for (uint32_t e = 0; e < value.parts.size() * m_partSize && e < elementCount(type); ++e)
            equal = andSame(equal, element(type, value, e));
        const Id ballot = ballotOf(equal);
        const Id isSelf = m_b.emit(spv::Op::OpIEqual, m_b.boolType(), {lane, self});
        const std::array<Id, 4> flags = {isSelf, isSelf, isSelf, isSelf};
        const Id which = m_b.construct(m_b.vectorType(m_b.boolType(), 4), flags);
        return std::vector<Id>{m_b.emit(spv::Op::OpSelect, ballotType, {which, ballot, carried[0]})};
    });
    setBallot(call, result[0]);
}

Id Emitter::maskOf(const Value& call)
{
    const Id type = m_b.vectorType(m_b.uintType(), 4);
    return vectorOf(type, call, 2, 4);
}

// Sum 0, and 1, or 2, xor 3, product 4, over the lanes in front that the mask has.
void Emitter::opWaveMultiPrefix(const Value& call)
{
    const Type& type = *call.type;
    const bool isFloat = type.scalar().isFloat();
    static constexpr std::array<spv::Op, 5> kOps = {spv::Op::OpIAdd, spv::Op::OpBitwiseAnd, spv::Op::OpBitwiseOr,
                                                    spv::Op::OpBitwiseXor, spv::Op::OpIMul};
    const uint64_t which = constantOf(call.operands[6]).value_or(99);
    if (which >= kOps.size() || type.scalar().isInt(1)) {
        unsupported("this wave operation on " + type.text());
        return;
    }
    const spv::Op op = !isFloat ? kOps[static_cast<size_t>(which)] : which == 0 ? spv::Op::OpFAdd : spv::Op::OpFMul;
    const uint32_t bits = registerBits(type.scalar());
    const uint64_t one = !isFloat ? 1 : bits == 16 ? 0x3c00 : bits == 32 ? 0x3f800000 : 0x3ff0000000000000;
    const uint64_t identity = which == 4 ? one : which == 1 ? ~uint64_t{0} : 0;
    const Val value = get(call.operands[1]);
    const Id mask = maskOf(call);
    const Id number = m_b.uintType();
    const Id boolean = m_b.boolType();
    const Id self = builtIn(spv::BuiltIn::SubgroupLocalInvocationId, number);
    std::vector<Id> types;
    std::vector<Id> initial;
    for (size_t p = 0; p < partCount(type); ++p) {
        types.push_back(partType(type, p));
        initial.push_back(m_b.constant(types[p], identity));
    }
    Val out;
    out.parts = forEachLane(types, initial, [&](Id lane, const std::vector<Id>& carried) {
        const Id word = m_b.emit(spv::Op::OpVectorExtractDynamic, number, {mask, m_b.shiftRight(lane, 5)});
        const Id place = m_b.emit(spv::Op::OpBitwiseAnd, number, {lane, m_b.uintConstant(31)});
        const Id bit = m_b.emit(spv::Op::OpBitwiseAnd, number,
                                {m_b.emit(spv::Op::OpShiftRightLogical, number, {word, place}), m_b.uintConstant(1)});
        const Id isSet = m_b.emit(spv::Op::OpINotEqual, boolean, {bit, m_b.uintConstant(0)});
        const Id isBefore = m_b.emit(spv::Op::OpULessThan, boolean, {lane, self});
        const Id counts = m_b.emit(spv::Op::OpLogicalAnd, boolean, {isSet, isBefore});
        std::vector<Id> results;
        for (size_t p = 0; p < types.size(); ++p) {
            const Id other = shuffled(types[p], value.parts.at(p), lane);
            const Id sum = m_b.emit(op, types[p], {carried[p], other});
            results.push_back(m_b.emit(spv::Op::OpSelect, types[p], {counts, sum, carried[p]}));
        }
        return results;
    });
    set(call, std::move(out));
}

void Emitter::opWaveMultiPrefixCount(const Value& call)
{
    const Id ballot = ballotOf(getId(call.operands[1]));
    const Id type = m_b.vectorType(m_b.uintType(), 4);
    const Id masked = m_b.emit(spv::Op::OpBitwiseAnd, type, {ballot, maskOf(call)});
    set(call, countBallot(masked, spv::GroupOperation::ExclusiveScan));
}

void Emitter::opQuadRead(const Value& call)
{
    const Val value = get(call.operands[1]);
    const auto constant = constantOf(call.operands[2]);
    m_b.capability(constant ? spv::Capability::GroupNonUniformQuad : spv::Capability::GroupNonUniformShuffle);
    const Id number = m_b.uintType();
    Id lane;
    if (constant) {
        lane = m_b.uintConstant(static_cast<uint32_t>(*constant) & 3);
    } else {
        const Id self = builtIn(spv::BuiltIn::SubgroupLocalInvocationId, number);
        const Id base = m_b.emit(spv::Op::OpBitwiseAnd, number, {self, m_b.uintConstant(~3u)});
        const Id inQuad = m_b.emit(spv::Op::OpBitwiseAnd, number, {getUint(call.operands[2]), m_b.uintConstant(3)});
        lane = m_b.emit(spv::Op::OpBitwiseOr, number, {base, inQuad});
    }
    Val out;
    for (size_t p = 0; p < partCount(*call.type); ++p) {
        out.parts.push_back(
            m_b.emit(constant ? spv::Op::OpGroupNonUniformQuadBroadcast : spv::Op::OpGroupNonUniformShuffle,
                     partType(*call.type, p), {subgroup(), value.parts.at(p), lane}));
    }
    set(call, std::move(out));
}

// From the lane beside, above, or across: the numbers are SPIR-V's.
void Emitter::opQuad(const Value& call)
{
    m_b.capability(spv::Capability::GroupNonUniformQuad);
    const Val value = get(call.operands[1]);
    const uint64_t direction = constantOf(call.operands[2]).value_or(99);
    if (direction > 2) {
        unsupported("this quad operation");
        return;
    }
    Val out;
    for (size_t p = 0; p < partCount(*call.type); ++p) {
        out.parts.push_back(
            m_b.emit(spv::Op::OpGroupNonUniformQuadSwap, partType(*call.type, p),
                     {subgroup(), value.parts.at(p), m_b.uintConstant(static_cast<uint32_t>(direction))}));
    }
    set(call, std::move(out));
}

void Emitter::opQuadVote(const Value& call)
{
    m_b.capability(spv::Capability::GroupNonUniformQuad);
    const bool isAll = constantOf(call.operands[2]).value_or(0) != 0;
    const Id number = m_b.uintType();
    const Id one = m_b.uintConstant(1);
    Id sum = m_b.emit(spv::Op::OpSelect, number, {getId(call.operands[1]), one, m_b.uintConstant(0)});
    for (uint32_t direction = 0; direction < 2; ++direction) {
        const Id other =
            m_b.emit(spv::Op::OpGroupNonUniformQuadSwap, number, {subgroup(), sum, m_b.uintConstant(direction)});
        sum = m_b.emit(isAll ? spv::Op::OpBitwiseAnd : spv::Op::OpBitwiseOr, number, {sum, other});
    }
    set(call, m_b.emit(spv::Op::OpINotEqual, m_b.boolType(), {sum, m_b.uintConstant(0)}));
}

void Emitter::opDerivative(const Value& call)
{
    static constexpr std::array<spv::Op, 4> kOps = {spv::Op::OpDPdxCoarse, spv::Op::OpDPdyCoarse, spv::Op::OpDPdxFine,
                                                    spv::Op::OpDPdyFine};
    needDerivatives();
    m_b.capability(spv::Capability::DerivativeControl);
    const spv::Op op = kOps.at(opcodeOf(call) - opcode::DerivCoarseX);
    if (registerBits(call.type->scalar()) == 32) {
        emitParts(call, op, {call.operands[1]}, false);
        return;
    }
    // Vulkan has them of 32 bits only.
    const Val value = get(call.operands[1]);
    Val out;
    for (size_t p = 0; p < partCount(*call.type); ++p) {
        const Id type = partType(*call.type, p);
        const Id wide = like(m_b.floatType(32), type);
        const Id result = m_b.emit(op, wide, {m_b.emit(spv::Op::OpFConvert, wide, {value.parts.at(p)})});
        out.parts.push_back(m_b.emit(spv::Op::OpFConvert, type, {result}));
    }
    set(call, std::move(out));
}

}  // namespace millrace::dxil
