// SPDX-License-Identifier: Apache-2.0
// Types, constants, arithmetic, conversions, vectors.
#include <algorithm>

#include "dxil/emitter.h"

namespace millrace::dxil {

using spirv::instruction;

uint32_t Emitter::registerBits(const Type& scalar) const
{
    return m_ir.minPrecision && scalar.bits == 16 ? 32 : scalar.bits;
}

Id Emitter::scalarType(const Type& type)
{
    if (type.isInt(1))
        return m_b.boolType();
    if (type.isInt()) {
        const uint32_t bits = registerBits(type);
        // 8 bits occur in immediate operands only.
        return bits == 8 || bits == 16 || bits == 32 || bits == 64 ? m_b.intType(bits)
                                                                   : unsupported("an integer of type " + type.text());
    }
    if (type.isFloat())
        return m_b.floatType(registerBits(type));
    return unsupported("a value of type " + type.text());
}

// A long vector counts as one of its elements, which is all that there is of it in a loop over them.
size_t Emitter::partCount(const Type& type) const
{
    return type.isVector() && !isLong(type) ? static_cast<size_t>((type.count + m_partSize - 1) / m_partSize) : 1;
}

uint32_t Emitter::partSize(const Type& type, size_t part) const
{
    return type.isVector() && !isLong(type)
               ? static_cast<uint32_t>(std::min<uint64_t>(m_partSize, type.count - m_partSize * part))
               : 1;
}

uint32_t Emitter::elementCount(const Type& type) const
{
    return type.isVector() && !isLong(type) ? static_cast<uint32_t>(type.count) : 1;
}

Id Emitter::partType(const Type& type, size_t part)
{
    return m_b.vectorType(scalarType(type.scalar()), partSize(type, part));
}

Val Emitter::constantOfType(const Type& type, uint64_t bits)
{
    Val out;
    for (size_t p = 0; p < partCount(type); ++p)
        out.parts.push_back(m_b.constant(partType(type, p), bits));
    return out;
}

// The number of fields that a value of an array has.
size_t Emitter::arrayFields(const Type& type)
{
    if (!hasFewParts(type)) {
        unsupported("a value of type " + type.text() + ", which has too many parts");
        return 0;
    }
    return static_cast<size_t>(type.count);
}

Val Emitter::zero(const Type& type)
{
    if (type.isStruct()) {
        Val out;
        for (const Type* member : type.members)
            out.fields.push_back(member->isPointer() ? Val() : zero(*member));
        return out;
    }
    if (type.isArray()) {
        Val out;
        out.fields.assign(arrayFields(type), zero(*type.element));
        return out;
    }
    return constantOfType(type, 0);
}

Val Emitter::undef(const Type& type)
{
    Val out;
    if (type.isStruct()) {
        for (const Type* member : type.members)
            out.fields.push_back(member->isPointer() ? Val() : undef(*member));
        return out;
    }
    if (type.isArray()) {
        out.fields.assign(arrayFields(type), undef(*type.element));
        return out;
    }
    for (size_t p = 0; p < partCount(type); ++p)
        out.parts.push_back(m_b.undef(partType(type, p)));
    return out;
}

Val Emitter::aggregate(const Value& value)
{
    Val out;
    if (!value.type->isVector()) {
        for (const Value* operand : value.operands)
            out.fields.push_back(get(operand));
        return out;
    }
    for (size_t p = 0; p < partCount(*value.type); ++p) {
        std::vector<Id> ids;
        for (uint32_t e = 0; e < partSize(*value.type, p); ++e)
            ids.push_back(getId(value.operands[m_partSize * p + e]));
        out.parts.push_back(ids.size() == 1 ? ids[0] : m_b.composite(partType(*value.type, p), ids));
    }
    return out;
}

// The pattern of a float of `bits` bits as one of 32, for half constants in min-precision programs.
static uint64_t widenHalf(uint64_t half)
{
    const uint64_t sign = (half & 0x8000) << 16;
    uint64_t exponent = half >> 10 & 0x1f;
    uint64_t mantissa = half & 0x3ff;
    if (exponent == 0x1f)
        return sign | 0x7f800000 | mantissa << 13;
    if (exponent == 0) {
        if (mantissa == 0)
            return sign;
        for (exponent = 1; (mantissa & 0x400) == 0; --exponent)
            mantissa <<= 1;
        mantissa &= 0x3ff;
    }
    return sign | (exponent + 112) << 23 | mantissa << 13;
}

Val Emitter::get(const Value* value)
{
    switch (value->kind) {
        case Value::Kind::Instruction:
            if (!value->parent) {
                if (value->op == Op::GetElementPtr || value->op == Op::AddressSpaceCast || value->op == Op::BitCast)
                    return address(*value);
                return Val(unsupported(std::string("the constant expression ") + opText(value->op)));
            }
            return m_element && isLong(*value->type) ? currentElement(*value) : m_values[value->number];
        case Value::Kind::Argument:
            return m_element && isLong(*value->type) ? currentElement(*value) : m_values[value->number];
        case Value::Kind::Global:
            return globalPointer(*value->global);
        case Value::Kind::Aggregate:
            if (isLong(*value->type))
                return currentElement(*value);
            break;
        default:
            break;
    }
    const auto found = m_constants.find(value);
    if (found != m_constants.end())
        return found->second;
    Val out;
    switch (value->kind) {
        case Value::Kind::Int: {
            // Sign-extended in min-precision programs, since such values have at least 16 bits.
            const bool widens = m_ir.minPrecision && value->type->isInt(16);
            const uint64_t bits =
                widens ? static_cast<uint64_t>(static_cast<int64_t>(static_cast<int16_t>(value->bits))) : value->bits;
            out = constantOfType(*value->type, bits);
            break;
        }
        case Value::Kind::Float: {
            const bool widens = m_ir.minPrecision && value->type->bits == 16;
            out = constantOfType(*value->type, widens ? widenHalf(value->bits) : value->bits);
            break;
        }
        case Value::Kind::Null:
            if (value->type->isStruct() && value->type->name == "dx.types.NodeRecordHandle") {
                auto record = std::make_shared<RecordHandle>();
                record->isNull = true;
                out.record = std::move(record);
                break;
            }
            out = zero(*value->type);
            break;
        case Value::Kind::Undef:
            out = undef(*value->type);
            break;
        case Value::Kind::Aggregate:
            out = aggregate(*value);
            break;
        default:
            return Val(unsupported("an operand that is no value"));
    }
    m_constants[value] = out;
    return out;
}

std::optional<uint64_t> Emitter::constantOf(const Value* value) const
{
    return value && value->isConstantInt() ? std::optional<uint64_t>(value->bits) : std::nullopt;
}

Id Emitter::getUint(const Value* value)
{
    if (const auto constant = constantOf(value))
        return m_b.uintConstant(static_cast<uint32_t>(*constant));
    const Id id = getId(value);
    return value->type->isInt() && registerBits(*value->type) != 32
               ? m_b.emit(spv::Op::OpUConvert, m_b.uintType(), {id})
               : id;
}

Id Emitter::element(const Type& type, const Val& value, uint32_t index)
{
    if (!type.isVector() || isLong(type))
        return value.id();
    const uint32_t p = index / m_partSize;
    const Id part = value.parts.at(p);
    return partSize(type, p) == 1 ? part : m_b.extract(scalarType(*type.element), part, index % m_partSize);
}

Val Emitter::assemble(const Type& type, const std::vector<Id>& elements)
{
    // What operations give and take may differ in malformed programs.
    if (elements.size() != elementCount(type))
        return Val(unsupported(type.text() + " out of " + std::to_string(elements.size()) + " elements"));
    Val out;
    for (size_t p = 0; p < partCount(type); ++p) {
        const uint32_t size = partSize(type, p);
        out.parts.push_back(
            m_b.construct(partType(type, p), std::span<const Id>(elements).subspan(m_partSize * p, size)));
    }
    return out;
}

void Emitter::noContraction(Id id, bool precise)
{
    if (precise)
        m_b.decorate(id, spv::Decoration::NoContraction);
}

void Emitter::emitParts(const Value& i, spv::Op op, std::initializer_list<const Value*> operands, bool precise)
{
    std::vector<Val> values;
    for (const Value* operand : operands)
        values.push_back(get(operand));
    Val out;
    for (size_t p = 0; p < partCount(*i.type); ++p) {
        std::vector<Id> ids;
        for (const Val& value : values)
            ids.push_back(value.parts.at(p));
        out.parts.push_back(m_b.emit(op, partType(*i.type, p), ids));
        noContraction(out.parts.back(), precise);
    }
    set(i, std::move(out));
}

void Emitter::emitBooleanBinary(const Value& i)
{
    switch (i.op) {
        case Op::And:
        case Op::Mul:
            emitParts(i, spv::Op::OpLogicalAnd, {i.operands[0], i.operands[1]}, false);
            break;
        case Op::Or:
            emitParts(i, spv::Op::OpLogicalOr, {i.operands[0], i.operands[1]}, false);
            break;
        case Op::Xor:
        case Op::Add:
        case Op::Sub:
            emitParts(i, spv::Op::OpLogicalNotEqual, {i.operands[0], i.operands[1]}, false);
            break;
        default:
            unsupported(std::string(opText(i.op)) + " of i1");
            break;
    }
}

void Emitter::emitBinary(const Value& i)
{
    if (i.type->scalar().isInt(1)) {
        emitBooleanBinary(i);
        return;
    }
    const auto opOf = [&]() -> spv::Op {
        switch (i.op) {
            // clang-format off
            case Op::FNeg: return spv::Op::OpFNegate;
            case Op::Add: return spv::Op::OpIAdd;
            case Op::FAdd: return spv::Op::OpFAdd;
            case Op::Sub: return spv::Op::OpISub;
            case Op::FSub: return spv::Op::OpFSub;
            case Op::Mul: return spv::Op::OpIMul;
            case Op::FMul: return spv::Op::OpFMul;
            case Op::UDiv: return spv::Op::OpUDiv;
            case Op::SDiv: return spv::Op::OpSDiv;
            case Op::FDiv: return spv::Op::OpFDiv;
            case Op::URem: return spv::Op::OpUMod;
            case Op::SRem: return spv::Op::OpSRem;
            case Op::FRem: return spv::Op::OpFRem;
            case Op::Shl: return spv::Op::OpShiftLeftLogical;
            case Op::LShr: return spv::Op::OpShiftRightLogical;
            case Op::AShr: return spv::Op::OpShiftRightArithmetic;
            case Op::And: return spv::Op::OpBitwiseAnd;
            case Op::Or: return spv::Op::OpBitwiseOr;
            case Op::Xor: return spv::Op::OpBitwiseXor;
            default: return spv::Op::OpNop;
                // clang-format on
        }
    };
    const spv::Op op = opOf();
    const bool precise = i.type->scalar().isFloat() && !i.fast;
    if (op == spv::Op::OpNop)
        unsupported(std::string(opText(i.op)) + " is not known here");
    else if (i.op == Op::FNeg)
        emitParts(i, op, {i.operands[0]}, precise);
    else
        emitParts(i, op, {i.operands[0], i.operands[1]}, precise);
}

// One scalar or vector. Widths are those in registers, so that conversions between min-precision types are none.
Id Emitter::convert(const Value& i, Id to, Id from, Id value)
{
    const bool fromBool = m_b.bitsOf(from) == 0;
    const bool toBool = m_b.bitsOf(to) == 0;
    switch (i.op) {
        case Op::Trunc:
            if (toBool) {
                const Id bit = fromBool ? value : m_b.emit(spv::Op::OpBitwiseAnd, from, {value, m_b.constant(from, 1)});
                return fromBool ? bit : m_b.emit(spv::Op::OpINotEqual, to, {bit, m_b.constant(from, 0)});
            }
            return to == from ? value : m_b.emit(spv::Op::OpUConvert, to, {value});
        case Op::ZExt:
        case Op::SExt:
            if (fromBool) {
                const uint64_t set = i.op == Op::ZExt ? 1 : ~uint64_t{0};
                return m_b.emit(spv::Op::OpSelect, to, {value, m_b.constant(to, set), m_b.constant(to, 0)});
            }
            return to == from ? value
                              : m_b.emit(i.op == Op::ZExt ? spv::Op::OpUConvert : spv::Op::OpSConvert, to, {value});
        case Op::UIToFP:
        case Op::SIToFP:
            if (fromBool) {
                const uint32_t bits = m_b.bitsOf(to);
                const uint64_t one = bits == 16 ? 0x3c00 : bits == 32 ? 0x3f800000 : 0x3ff0000000000000;
                const uint64_t sign = i.op == Op::SIToFP ? uint64_t{1} << (bits - 1) : 0;
                return m_b.emit(spv::Op::OpSelect, to, {value, m_b.constant(to, one | sign), m_b.constant(to, 0)});
            }
            return m_b.emit(i.op == Op::UIToFP ? spv::Op::OpConvertUToF : spv::Op::OpConvertSToF, to, {value});
        case Op::FPToUI:
        case Op::FPToSI:
            if (toBool)
                return m_b.emit(spv::Op::OpFUnordNotEqual, to, {value, m_b.constant(from, 0)});
            return m_b.emit(i.op == Op::FPToUI ? spv::Op::OpConvertFToU : spv::Op::OpConvertFToS, to, {value});
        default:
            return to == from ? value : m_b.emit(spv::Op::OpFConvert, to, {value});
    }
}

void Emitter::emitConversion(const Value& i)
{
    const Val value = get(i.operands[0]);
    Val out;
    for (size_t p = 0; p < partCount(*i.type); ++p)
        out.parts.push_back(convert(i, partType(*i.type, p), partType(*i.operands[0]->type, p), value.parts.at(p)));
    set(i, std::move(out));
}

// Bits as elements of another width: several of them make one, or one several.
Val Emitter::regroup(const Type& to, const Type& from, const Val& value)
{
    const uint32_t count = from.isVector() ? static_cast<uint32_t>(from.count) : 1;
    const uint32_t fromBits = from.scalar().bits;
    const uint32_t toBits = to.scalar().bits;
    const Id fromScalar = scalarType(from.scalar());
    const Id toScalar = scalarType(to.scalar());
    const uint32_t together = std::max(fromBits, toBits) / std::min(fromBits, toBits);
    std::vector<Id> elements;
    for (uint32_t e = 0; e < count;) {
        if (toBits > fromBits) {
            std::vector<Id> parts;
            for (uint32_t p = 0; p < together; ++p)
                parts.push_back(element(from, value, e++));
            elements.push_back(
                m_b.emit(spv::Op::OpBitcast, toScalar, {m_b.construct(m_b.vectorType(fromScalar, together), parts)}));
            continue;
        }
        const Id parts = m_b.emit(spv::Op::OpBitcast, m_b.vectorType(toScalar, together), {element(from, value, e++)});
        for (uint32_t p = 0; p < together; ++p)
            elements.push_back(m_b.extract(toScalar, parts, p));
    }
    return to.isVector() ? assemble(to, elements) : Val(elements.at(0));
}

void Emitter::emitBitcast(const Value& i)
{
    if (i.type->isPointer()) {
        set(i, address(i));
        return;
    }
    const Type& from = *i.operands[0]->type;
    const Type& to = *i.type;
    const auto count = [](const Type& type) { return type.isVector() ? type.count : 1; };
    const bool sameShape = count(from) == count(to) && from.scalar().bits == to.scalar().bits;
    const uint32_t narrow = std::min(from.scalar().bits, to.scalar().bits);
    const bool canRegroup =
        !m_ir.minPrecision && narrow >= 16 && count(from) * from.scalar().bits == count(to) * to.scalar().bits;
    if (from.isAggregate() || to.isAggregate() || (!sameShape && !canRegroup)) {
        unsupported("a bitcast from " + from.text() + " to " + to.text());
        return;
    }
    const Val value = get(i.operands[0]);
    if (!sameShape) {
        set(i, regroup(to, from, value));
        return;
    }
    Val out;
    for (size_t p = 0; p < partCount(to); ++p)
        out.parts.push_back(m_b.bitcast(partType(to, p), value.parts.at(p), partType(from, p)));
    set(i, std::move(out));
}

Id Emitter::compareOrdered(const Value& i, Id boolean, Id a, Id b)
{
    const Id nanA = m_b.emit(spv::Op::OpIsNan, boolean, {a});
    const Id nanB = m_b.emit(spv::Op::OpIsNan, boolean, {b});
    const Id unordered = m_b.emit(spv::Op::OpLogicalOr, boolean, {nanA, nanB});
    return i.predicate == Predicate::Uno ? unordered : m_b.emit(spv::Op::OpLogicalNot, boolean, {unordered});
}

static spv::Op compareOp(Predicate predicate)
{
    switch (predicate) {
        // clang-format off
        case Predicate::Oeq: return spv::Op::OpFOrdEqual;
        case Predicate::Ogt: return spv::Op::OpFOrdGreaterThan;
        case Predicate::Oge: return spv::Op::OpFOrdGreaterThanEqual;
        case Predicate::Olt: return spv::Op::OpFOrdLessThan;
        case Predicate::Ole: return spv::Op::OpFOrdLessThanEqual;
        case Predicate::One: return spv::Op::OpFOrdNotEqual;
        case Predicate::Ueq: return spv::Op::OpFUnordEqual;
        case Predicate::Ugt: return spv::Op::OpFUnordGreaterThan;
        case Predicate::Uge: return spv::Op::OpFUnordGreaterThanEqual;
        case Predicate::Ult: return spv::Op::OpFUnordLessThan;
        case Predicate::Ule: return spv::Op::OpFUnordLessThanEqual;
        case Predicate::Une: return spv::Op::OpFUnordNotEqual;
        case Predicate::Eq: return spv::Op::OpIEqual;
        case Predicate::Ne: return spv::Op::OpINotEqual;
        case Predicate::UGt: return spv::Op::OpUGreaterThan;
        case Predicate::UGe: return spv::Op::OpUGreaterThanEqual;
        case Predicate::ULt: return spv::Op::OpULessThan;
        case Predicate::ULe: return spv::Op::OpULessThanEqual;
        case Predicate::SGt: return spv::Op::OpSGreaterThan;
        case Predicate::SGe: return spv::Op::OpSGreaterThanEqual;
        case Predicate::SLt: return spv::Op::OpSLessThan;
        case Predicate::SLe: return spv::Op::OpSLessThanEqual;
        default: return spv::Op::OpNop;
            // clang-format on
    }
}

void Emitter::emitCompare(const Value& i)
{
    const Type& type = *i.operands[0]->type;
    if (type.isPointer() || type.isAggregate()) {
        unsupported("a comparison of " + type.text());
        return;
    }
    const Val a = get(i.operands[0]);
    const Val b = get(i.operands[1]);
    const bool ofBools = type.scalar().isInt(1);
    Val out;
    for (size_t p = 0; p < partCount(type); ++p) {
        const Id boolean = partType(*i.type, p);
        Id x = a.parts.at(p);
        Id y = b.parts.at(p);
        spv::Op op = compareOp(i.predicate);
        if (i.predicate == Predicate::False || i.predicate == Predicate::True) {
            out.parts.push_back(m_b.constant(boolean, i.predicate == Predicate::True));
            continue;
        }
        if (i.predicate == Predicate::Ord || i.predicate == Predicate::Uno) {
            out.parts.push_back(compareOrdered(i, boolean, x, y));
            continue;
        }
        if (ofBools && (op == spv::Op::OpIEqual || op == spv::Op::OpINotEqual)) {
            op = op == spv::Op::OpIEqual ? spv::Op::OpLogicalEqual : spv::Op::OpLogicalNotEqual;
        } else if (ofBools) {
            // Ordered: true is 1, or -1 if signed.
            const Id number = like(m_b.uintType(), boolean);
            const bool isSigned = i.predicate >= Predicate::SGt;
            const Id set = m_b.constant(number, isSigned ? ~0u : 1u);
            x = m_b.emit(spv::Op::OpSelect, number, {x, set, m_b.constant(number, 0)});
            y = m_b.emit(spv::Op::OpSelect, number, {y, set, m_b.constant(number, 0)});
        }
        out.parts.push_back(m_b.emit(op, boolean, {x, y}));
    }
    set(i, std::move(out));
}

// An index outside of the vector gives any value, as in LLVM.
Id Emitter::dynamicElement(const Value& i)
{
    const Type& type = *i.operands[0]->type;
    const Val vector = get(i.operands[0]);
    const Id index = getUint(i.operands[1]);
    const Id scalar = scalarType(*type.element);
    if (partCount(type) == 1)
        return type.count == 1 ? vector.id() : m_b.emit(spv::Op::OpVectorExtractDynamic, scalar, {vector.id(), index});
    const Id pointer = m_b.pointerType(spv::StorageClass::Function, scalar);
    return m_b.load(scalar, m_b.emit(spv::Op::OpAccessChain, pointer, {indexedCopy(i.operands[0]), index}));
}

bool Emitter::isIndexed(const Value& i) const
{
    return i.op == Op::ExtractElement && partCount(*i.operands[0]->type) > 1 && !constantOf(i.operands[1]);
}

// Vectors that are indexed are stored where they are made, which is once however often they are read; those that no
// instruction makes, once in each block that reads them.
Id Emitter::indexedCopy(const Value* vector)
{
    const bool isMadeOnce = vector->parent != nullptr;
    Id& variable = m_indexedCopies[{vector, isMadeOnce ? Id{} : m_label}];
    if (!variable.value)
        variable = storeIndexed(vector);
    return variable;
}

Id Emitter::storeIndexed(const Value* vector)
{
    const Type& type = *vector->type;
    const Val value = get(vector);
    const Id memory = m_b.arrayType(scalarType(*type.element), static_cast<uint32_t>(type.count));
    std::vector<Id> elements;
    for (uint32_t e = 0; e < type.count; ++e)
        elements.push_back(element(type, value, e));
    const Id variable = local(memory);
    m_b.store(variable, m_b.construct(memory, elements));
    return variable;
}

Val Emitter::insertDynamic(const Value& i)
{
    const Type& type = *i.type;
    const Val vector = get(i.operands[0]);
    const Id value = getId(i.operands[1]);
    const Id index = getUint(i.operands[2]);
    if (partCount(type) == 1 && type.count > 4)
        return Val(m_b.emit(spv::Op::OpVectorInsertDynamic, partType(type, 0), {vector.id(), value, index}));
    Val out;
    for (size_t p = 0; p < partCount(type); ++p) {
        const uint32_t size = partSize(type, p);
        const Id where =
            m_b.emit(spv::Op::OpISub, m_b.uintType(), {index, m_b.uintConstant(static_cast<uint32_t>(m_partSize * p))});
        // Parts are small, so that comparing beats a variable.
        std::vector<Id> elements;
        for (uint32_t e = 0; e < size; ++e) {
            const Id here = m_b.emit(spv::Op::OpIEqual, m_b.boolType(), {where, m_b.uintConstant(e)});
            elements.push_back(
                m_b.emit(spv::Op::OpSelect, scalarType(*type.element),
                         {here, value, element(type, vector, static_cast<uint32_t>(m_partSize * p) + e)}));
        }
        out.parts.push_back(m_b.construct(partType(type, p), elements));
    }
    return out;
}

void Emitter::emitVectorInstruction(const Value& i)
{
    if (i.op == Op::ExtractElement) {
        const Type& type = *i.operands[0]->type;
        const auto index = constantOf(i.operands[1]);
        if (!index)
            set(i, dynamicElement(i));
        else if (*index >= type.count)
            set(i, undef(*i.type));
        else
            set(i, element(type, get(i.operands[0]), static_cast<uint32_t>(*index)));
        return;
    }
    if (i.op == Op::InsertElement) {
        const auto index = constantOf(i.operands[2]);
        if (!index) {
            set(i, insertDynamic(i));
            return;
        }
        Val out = get(i.operands[0]);
        const size_t p = static_cast<size_t>(*index / m_partSize);
        if (*index < i.type->count) {
            const Id value = getId(i.operands[1]);
            out.parts[p] = partSize(*i.type, p) == 1
                               ? value
                               : m_b.emit(instruction(spv::Op::OpCompositeInsert, partType(*i.type, p))
                                              .add(value)
                                              .add(out.parts[p])
                                              .add(static_cast<uint32_t>(*index % m_partSize)));
        }
        set(i, std::move(out));
        return;
    }
    const Type& type = *i.operands[0]->type;
    const Val a = get(i.operands[0]);
    const Val b = get(i.operands[1]);
    std::vector<Id> elements;
    for (const int32_t index : i.indices) {
        const auto at = static_cast<uint32_t>(std::max(index, 0));
        const auto count = static_cast<uint32_t>(type.count);
        elements.push_back(index < 0    ? m_b.undef(scalarType(*type.element))
                           : at < count ? element(type, a, at)
                                        : element(type, b, at - count));
    }
    set(i, assemble(*i.type, elements));
}

void Emitter::emitExtractValue(const Value& i)
{
    Val value = get(i.operands[0]);
    for (const int32_t index : i.indices) {
        if (static_cast<size_t>(index) >= value.fields.size()) {
            unsupported("extractvalue from " + i.operands[0]->type->text());
            return;
        }
        Val field = value.fields[static_cast<size_t>(index)];
        value = std::move(field);
    }
    set(i, std::move(value));
}

Id Emitter::like(Id component, Id type)
{
    return m_b.vectorType(component, m_b.countOf(type));
}

}  // namespace millrace::dxil
