// SPDX-License-Identifier: Apache-2.0
#include "subgroups/meeting.h"

#include <array>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <optional>

namespace millrace::subgroups {

using shader::FunctionWriter;
using spirv::Emitter;
using spirv::Id;
using spirv::Instruction;
using spirv::Module;

namespace {

[[noreturn]] void giveUp(const Instruction& i)
{
    std::fprintf(stderr, "subgroups of another size: %s is not known\n", spirv::opName(i.op).c_str());
    std::abort();
}

// Of the same numbers without a subgroup; nothing: a comparison chooses.
std::optional<spv::Op> binary(spv::Op op)
{
    switch (op) {
        case spv::Op::OpGroupNonUniformIAdd:
            return spv::Op::OpIAdd;
        case spv::Op::OpGroupNonUniformFAdd:
            return spv::Op::OpFAdd;
        case spv::Op::OpGroupNonUniformIMul:
            return spv::Op::OpIMul;
        case spv::Op::OpGroupNonUniformFMul:
            return spv::Op::OpFMul;
        case spv::Op::OpGroupNonUniformBitwiseAnd:
            return spv::Op::OpBitwiseAnd;
        case spv::Op::OpGroupNonUniformBitwiseOr:
            return spv::Op::OpBitwiseOr;
        case spv::Op::OpGroupNonUniformBitwiseXor:
            return spv::Op::OpBitwiseXor;
        case spv::Op::OpGroupNonUniformLogicalAnd:
            return spv::Op::OpLogicalAnd;
        case spv::Op::OpGroupNonUniformLogicalOr:
            return spv::Op::OpLogicalOr;
        case spv::Op::OpGroupNonUniformLogicalXor:
            return spv::Op::OpLogicalNotEqual;
        default:
            return std::nullopt;
    }
}

// True where the first is taken.
std::optional<spv::Op> comparison(spv::Op op)
{
    switch (op) {
        case spv::Op::OpGroupNonUniformSMin:
            return spv::Op::OpSLessThan;
        case spv::Op::OpGroupNonUniformUMin:
            return spv::Op::OpULessThan;
        case spv::Op::OpGroupNonUniformFMin:
            return spv::Op::OpFOrdLessThan;
        case spv::Op::OpGroupNonUniformSMax:
            return spv::Op::OpSGreaterThan;
        case spv::Op::OpGroupNonUniformUMax:
            return spv::Op::OpUGreaterThan;
        case spv::Op::OpGroupNonUniformFMax:
            return spv::Op::OpFOrdGreaterThan;
        default:
            return std::nullopt;
    }
}

bool isArithmetic(spv::Op op)
{
    return binary(op) || comparison(op);
}

struct Shape {
    Id component;
    uint32_t count = 1;
    spv::Op op;
    uint32_t width = 32;
};

Shape shapeOf(Module& module, Id type)
{
    Shape shape{type, 1, module.findDefinition(type)->op, 32};
    if (shape.op == spv::Op::OpTypeVector) {
        const Instruction vector = *module.findDefinition(type);
        shape = shapeOf(module, vector.id(0));
        shape.count = vector.literal(1);
    } else if (shape.op != spv::Op::OpTypeBool) {
        shape.width = module.findDefinition(type)->literal(0);
    }
    return shape;
}

// All components of the type have it.
Id constant(Module& module, Id type, uint64_t bits)
{
    const Shape shape = shapeOf(module, type);
    if (shape.op == spv::Op::OpTypeBool && shape.count == 1)
        return module.getConstantBool(bits != 0);
    const Id id = module.newId();
    Instruction i;
    if (shape.count > 1) {
        const Id component = constant(module, shape.component, bits);
        i = spirv::instruction(spv::Op::OpConstantComposite, type, id);
        for (uint32_t n = 0; n < shape.count; ++n)
            i.add(component);
    } else {
        i = spirv::instruction(spv::Op::OpConstant, type, id).add(static_cast<uint32_t>(bits));
        if (shape.width == 64)
            i.add(static_cast<uint32_t>(bits >> 32));
    }
    module.section(spirv::Section::Globals).push_back(i);
    return id;
}

uint64_t floatBits(uint32_t width, double value)
{
    if (width == 64)
        return std::bit_cast<uint64_t>(value);
    if (width == 32)
        return std::bit_cast<uint32_t>(static_cast<float>(value));
    const bool isInfinite =
        value == std::numeric_limits<double>::infinity() || -value == std::numeric_limits<double>::infinity();
    return (value < 0 ? 0x8000u : 0u) | (isInfinite ? 0x7c00u : value == 0 ? 0u : 0x3c00u);
}

// What changes nothing.
Id identity(Module& module, spv::Op op, Id type)
{
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const uint32_t width = shapeOf(module, type).width;
    const uint64_t high = uint64_t{1} << (width - 1);
    switch (op) {
        case spv::Op::OpGroupNonUniformIMul:
        case spv::Op::OpGroupNonUniformLogicalAnd:
            return constant(module, type, 1);
        case spv::Op::OpGroupNonUniformFMul:
            return constant(module, type, floatBits(width, 1));
        case spv::Op::OpGroupNonUniformBitwiseAnd:
        case spv::Op::OpGroupNonUniformUMin:
            return constant(module, type, high | (high - 1));
        case spv::Op::OpGroupNonUniformSMin:
            return constant(module, type, high - 1);
        case spv::Op::OpGroupNonUniformSMax:
            return constant(module, type, width < 32 ? ~uint64_t{0} << (width - 1) : high);
        case spv::Op::OpGroupNonUniformFMin:
            return constant(module, type, floatBits(width, kInfinity));
        case spv::Op::OpGroupNonUniformFMax:
            return constant(module, type, floatBits(width, -kInfinity));
        default:
            return constant(module, type, 0);
    }
}

// Whether the bit is in a ballot.
Id bitOf(Emitter out, Id ballot, Id number)
{
    Module& module = out.module();
    const Id uint = module.getIntType(32, false);
    const auto c = [&](uint32_t value) { return module.getConstant(value); };
    const Id place = out.emit(spv::Op::OpShiftRightLogical, uint, {number, c(5)});
    const Id word = out.emit(spv::Op::OpVectorExtractDynamic, uint, {ballot, place});
    const Id shift = out.emit(spv::Op::OpBitwiseAnd, uint, {number, c(31)});
    const Id bit = out.emit(spv::Op::OpBitFieldUExtract, uint, {word, shift, c(1)});
    return out.emit(spv::Op::OpINotEqual, module.getBoolType(), {bit, c(0)});
}

// Of the first `looked` invocations.
Id countBits(Emitter out, Id ballot, uint32_t size, Id looked)
{
    Module& module = out.module();
    const Id uint = module.getIntType(32, false), boolean = module.getBoolType();
    const auto c = [&](uint32_t value) { return module.getConstant(value); };
    const auto emit = [&](spv::Op op, Id type, std::initializer_list<Id> operands) {
        return out.emit(op, type, operands);
    };
    Id sum = c(0);
    for (uint32_t word = 0; word * 32 < size; ++word) {
        const Id isBefore = emit(spv::Op::OpULessThan, boolean, {c(word * 32), looked});
        const Id rest = emit(spv::Op::OpISub, uint, {looked, c(word * 32)});
        const Id isPart = emit(spv::Op::OpULessThan, boolean, {rest, c(32)});
        const Id part = emit(spv::Op::OpSelect, uint, {isPart, rest, c(32)});
        const Id here = emit(spv::Op::OpSelect, uint, {isBefore, part, c(0)});
        const Id bits = module.newId();
        out.keep(spirv::instruction(spv::Op::OpCompositeExtract, uint, bits).add(ballot).add(word));
        const Id own = emit(spv::Op::OpBitFieldUExtract, uint, {bits, c(0), here});
        sum = emit(spv::Op::OpIAdd, uint, {sum, emit(spv::Op::OpBitCount, uint, {own})});
    }
    return sum;
}

class Meeting {
public:
    Meeting(FunctionWriter& writer, Module& module, const Company& company, const Instruction& meeting)
        : m_writer(writer),
          m_module(module),
          m_company(company),
          m_meeting(meeting),
          m_uint(module.getIntType(32, false)),
          m_bool(module.getBoolType())
    {
    }

    Id run()
    {
        const spv::Op op = m_meeting.op;
        if (op == spv::Op::OpNop || op == spv::Op::OpControlBarrier)
            return {};
        if (isArithmetic(op))
            return gather();
        switch (op) {
            case spv::Op::OpGroupNonUniformElect:
                return emit(spv::Op::OpIEqual, m_bool, {leader(), index()});
            case spv::Op::OpGroupNonUniformBroadcastFirst:
                return show(leader());
            case spv::Op::OpGroupNonUniformAll:
                return vote(spv::Op::OpLogicalAnd, true);
            case spv::Op::OpGroupNonUniformAny:
                return vote(spv::Op::OpLogicalOr, false);
            case spv::Op::OpGroupNonUniformAllEqual:
                return allEqual();
            case spv::Op::OpGroupNonUniformBallot:
                return ballot();
            default:
                return showOf(otherLane());
        }
    }

private:
    Id c(uint32_t value) { return m_module.getConstant(value); }
    Id emit(spv::Op op, Id type, std::initializer_list<Id> operands) { return m_writer.out().emit(op, type, operands); }
    Id index() { return emit(spv::Op::OpIAdd, m_uint, {m_company.first, m_company.lane}); }
    Id shownType() const { return m_company.shownType; }

    Id element(Id array, Id type, Id index)
    {
        return emit(spv::Op::OpAccessChain, m_module.getPointerType(spv::StorageClass::Workgroup, type),
                    {array, index});
    }
    // What invocation `index` of the workgroup shows.
    Id show(Id index)
    {
        const Id type = shownType(), inMemory = memoryType(m_module, type);
        const Id value = emit(spv::Op::OpLoad, inMemory, {element(m_company.shown(type), inMemory, index)});
        return fromMemory(m_writer.out(), value, type);
    }
    Id showOf(Id lane)
    {
        const Id last = emit(spv::Op::OpISub, m_uint, {m_company.count, c(1)});
        const Id isThere = emit(spv::Op::OpULessThan, m_bool, {lane, m_company.count});
        const Id own = emit(spv::Op::OpSelect, m_uint, {isThere, lane, last});
        return show(emit(spv::Op::OpIAdd, m_uint, {m_company.first, own}));
    }

    // For those of the subgroup that are here. body(lane, invocation).
    template <typename Body>
    void forEachHere(const Body& body)
    {
        m_writer.forEach(m_company.count, [&](Id lane) {
            const Id other = emit(spv::Op::OpIAdd, m_uint, {m_company.first, lane});
            const Id place = emit(spv::Op::OpLoad, m_uint, {element(m_company.places, m_uint, other)});
            const Id isHere = emit(spv::Op::OpIEqual, m_bool, {place, m_company.here});
            const Id join = m_module.newId();
            m_writer.beginIf(isHere, join);
            body(lane, other);
            m_writer.endIf(join);
        });
    }

    Id begin(Id type, Id value)
    {
        const Id variable = m_company.variable(type);
        m_writer.out().emitVoid(spv::Op::OpStore, {variable, value});
        return variable;
    }
    Id load(Id variable, Id type) { return emit(spv::Op::OpLoad, type, {variable}); }
    void store(Id variable, Id value) { m_writer.out().emitVoid(spv::Op::OpStore, {variable, value}); }

    Id leader()
    {
        const Id found = begin(m_uint, c(~0u));
        forEachHere([&](Id, Id other) {
            const Id old = load(found, m_uint);
            const Id isLess = emit(spv::Op::OpULessThan, m_bool, {other, old});
            store(found, emit(spv::Op::OpSelect, m_uint, {isLess, other, old}));
        });
        return load(found, m_uint);
    }

    Id vote(spv::Op op, bool start)
    {
        const Id all = begin(m_bool, m_module.getConstantBool(start));
        forEachHere([&](Id, Id other) {
            const Id theirs = show(other);
            store(all, emit(op, m_bool, {load(all, m_bool), theirs}));
        });
        return load(all, m_bool);
    }

    Id allEqual()
    {
        const Shape shape = shapeOf(m_module, shownType());
        const Id all = begin(m_bool, m_module.getConstantBool(true));
        const Id own = show(index());
        forEachHere([&](Id, Id other) {
            Id same = emit(shape.op == spv::Op::OpTypeBool    ? spv::Op::OpLogicalEqual
                           : shape.op == spv::Op::OpTypeFloat ? spv::Op::OpFOrdEqual
                                                              : spv::Op::OpIEqual,
                           shape.count > 1 ? m_module.getVectorType(m_bool, shape.count) : m_bool, {show(other), own});
            if (shape.count > 1)
                same = emit(spv::Op::OpAll, m_bool, {same});
            store(all, emit(spv::Op::OpLogicalAnd, m_bool, {load(all, m_bool), same}));
        });
        return load(all, m_bool);
    }

    Id ballot()
    {
        std::array<Id, 4> words;
        for (Id& word : words)
            word = begin(m_uint, c(0));
        forEachHere([&](Id lane, Id other) {
            const Id one = emit(spv::Op::OpSelect, m_uint, {show(other), c(1), c(0)});
            const Id bit =
                emit(spv::Op::OpShiftLeftLogical, m_uint, {one, emit(spv::Op::OpBitwiseAnd, m_uint, {lane, c(31)})});
            const Id number = emit(spv::Op::OpShiftRightLogical, m_uint, {lane, c(5)});
            for (uint32_t word = 0; word < 4; ++word) {
                const Id isIn = emit(spv::Op::OpIEqual, m_bool, {number, c(word)});
                const Id own = emit(spv::Op::OpSelect, m_uint, {isIn, bit, c(0)});
                store(words[word], emit(spv::Op::OpBitwiseOr, m_uint, {load(words[word], m_uint), own}));
            }
        });
        for (Id& word : words)
            word = load(word, m_uint);
        return emit(spv::Op::OpCompositeConstruct, m_meeting.type, {words[0], words[1], words[2], words[3]});
    }

    // Whether what `lane` has counts for this invocation.
    Id counts(Id lane)
    {
        switch (static_cast<spv::GroupOperation>(m_meeting.literal(1))) {
            case spv::GroupOperation::Reduce:
                return m_module.getConstantBool(true);
            case spv::GroupOperation::InclusiveScan:
                return emit(spv::Op::OpULessThanEqual, m_bool, {lane, m_company.lane});
            case spv::GroupOperation::ExclusiveScan:
                return emit(spv::Op::OpULessThan, m_bool, {lane, m_company.lane});
            case spv::GroupOperation::ClusteredReduce: {
                const Id size = m_meeting.id(3);
                const Id theirs = emit(spv::Op::OpUDiv, m_uint, {lane, size});
                return emit(spv::Op::OpIEqual, m_bool, {theirs, emit(spv::Op::OpUDiv, m_uint, {m_company.lane, size})});
            }
            default:
                giveUp(m_meeting);
        }
    }

    Id gather()
    {
        const Id type = m_meeting.type;
        const Id sum = begin(type, identity(m_module, m_meeting.op, type));
        forEachHere([&](Id lane, Id other) {
            const Id join = m_module.newId();
            m_writer.beginIf(counts(lane), join);
            const Id theirs = show(other), old = load(sum, type);
            if (const auto op = binary(m_meeting.op)) {
                store(sum, emit(*op, type, {old, theirs}));
            } else {
                const uint32_t components = shapeOf(m_module, type).count;
                const Id compared = components > 1 ? m_module.getVectorType(m_bool, components) : m_bool;
                const Id isFirst = emit(*comparison(m_meeting.op), compared, {theirs, old});
                store(sum, emit(spv::Op::OpSelect, type, {isFirst, theirs, old}));
            }
            m_writer.endIf(join);
        });
        return load(sum, type);
    }

    Id otherLane()
    {
        const Id lane = m_company.lane;
        const auto with = [&](spv::Op op) { return emit(op, m_uint, {lane, m_meeting.id(2)}); };
        switch (m_meeting.op) {
            case spv::Op::OpGroupNonUniformBroadcast:
            case spv::Op::OpGroupNonUniformShuffle:
                return m_meeting.id(2);
            case spv::Op::OpGroupNonUniformShuffleXor:
                return with(spv::Op::OpBitwiseXor);
            case spv::Op::OpGroupNonUniformShuffleUp:
                return with(spv::Op::OpISub);
            case spv::Op::OpGroupNonUniformShuffleDown:
                return with(spv::Op::OpIAdd);
            case spv::Op::OpGroupNonUniformQuadBroadcast: {
                const Id quad = emit(spv::Op::OpBitwiseAnd, m_uint, {lane, c(~3u)});
                return emit(spv::Op::OpIAdd, m_uint, {quad, m_meeting.id(2)});
            }
            case spv::Op::OpGroupNonUniformQuadSwap: {
                // 0: across columns, 1: across rows, 2: both.
                const Id bits = emit(spv::Op::OpIAdd, m_uint, {m_meeting.id(2), c(1)});
                return emit(spv::Op::OpBitwiseXor, m_uint, {lane, bits});
            }
            default:
                giveUp(m_meeting);
        }
    }

    FunctionWriter& m_writer;
    Module& m_module;
    const Company& m_company;
    const Instruction& m_meeting;
    Id m_uint, m_bool;
};

}  // namespace

bool isMeeting(spv::Op op)
{
    return op == spv::Op::OpNop || op == spv::Op::OpControlBarrier ||
           (op >= spv::Op::OpGroupNonUniformElect && op <= spv::Op::OpGroupNonUniformQuadSwap && !isLonely(op));
}

bool isLonely(spv::Op op)
{
    return op == spv::Op::OpGroupNonUniformInverseBallot ||
           (op >= spv::Op::OpGroupNonUniformBallotBitExtract && op <= spv::Op::OpGroupNonUniformBallotFindMSB);
}

Id operandToShow(const Instruction& meeting)
{
    const spv::Op op = meeting.op;
    if (op == spv::Op::OpNop || op == spv::Op::OpControlBarrier || op == spv::Op::OpGroupNonUniformElect)
        return {};
    return meeting.id(isArithmetic(op) ? 2 : 1);
}

Id memoryType(Module& module, Id type)
{
    const Instruction definition = *module.findDefinition(type);
    const Id word = module.getIntType(32, false);
    if (definition.op == spv::Op::OpTypeBool)
        return word;
    if (definition.op == spv::Op::OpTypeVector && module.findDefinition(definition.id(0))->op == spv::Op::OpTypeBool)
        return module.getVectorType(word, definition.literal(1));
    return type;
}

Id toMemory(Emitter out, Id value, Id type)
{
    const Id inMemory = memoryType(out.module(), type);
    if (inMemory == type)
        return value;
    const Id one = constant(out.module(), inMemory, 1), none = constant(out.module(), inMemory, 0);
    return out.emit(spv::Op::OpSelect, inMemory, {value, one, none});
}

Id fromMemory(Emitter out, Id value, Id type)
{
    const Id inMemory = memoryType(out.module(), type);
    if (inMemory == type)
        return value;
    return out.emit(spv::Op::OpINotEqual, type, {value, constant(out.module(), inMemory, 0)});
}

Id meet(FunctionWriter& writer, Module& module, const Company& company, const Instruction& meeting)
{
    return Meeting(writer, module, company, meeting).run();
}

Id meetNobody(Emitter out, const Instruction& meeting)
{
    Module& module = out.module();
    const Id shown = operandToShow(meeting);
    switch (meeting.op) {
        case spv::Op::OpGroupNonUniformElect:
        case spv::Op::OpGroupNonUniformAllEqual:
            return module.getConstantBool(true);
        case spv::Op::OpGroupNonUniformBallot: {
            const Id uint = module.getIntType(32, false), none = module.getConstant(0);
            const Id bit = out.emit(spv::Op::OpSelect, uint, {shown, module.getConstant(1), none});
            return out.emit(spv::Op::OpCompositeConstruct, meeting.type, {bit, none, none, none});
        }
        default:
            break;
    }
    if (isArithmetic(meeting.op) && meeting.literal(1) == static_cast<uint32_t>(spv::GroupOperation::ExclusiveScan))
        return identity(module, meeting.op, meeting.type);
    return shown;
}

Id think(Emitter out, uint32_t size, Id lane, const Instruction& operation)
{
    Module& module = out.module();
    const Id uint = module.getIntType(32, false);
    const auto c = [&](uint32_t value) { return module.getConstant(value); };
    switch (operation.op) {
        case spv::Op::OpGroupNonUniformInverseBallot:
            return bitOf(out, operation.id(1), lane);
        case spv::Op::OpGroupNonUniformBallotBitExtract:
            return bitOf(out, operation.id(1), operation.id(2));
        case spv::Op::OpGroupNonUniformBallotBitCount: {
            const auto group = static_cast<spv::GroupOperation>(operation.literal(1));
            Id looked = group == spv::GroupOperation::Reduce ? c(size) : lane;
            if (group == spv::GroupOperation::InclusiveScan)
                looked = out.emit(spv::Op::OpIAdd, uint, {lane, c(1)});
            return countBits(out, operation.id(2), size, looked);
        }
        default: {
            const bool isLowest = operation.op == spv::Op::OpGroupNonUniformBallotFindLSB;
            Id found = c(0);
            for (uint32_t n = 0; n < size; ++n) {
                const Id number = c(isLowest ? size - 1 - n : n);
                found = out.emit(spv::Op::OpSelect, uint, {bitOf(out, operation.id(1), number), number, found});
            }
            return found;
        }
    }
}

}  // namespace millrace::subgroups
