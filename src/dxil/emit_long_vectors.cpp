// SPDX-License-Identifier: Apache-2.0
// Vectors of so many elements that splitting them would make programs that no driver compiles in time: each such value
// is an array in a variable, and what is done element by element is a loop around the code for one element. In that
// loop (m_element) such a vector counts as a scalar, so that all handlers of operations serve both forms. A value that
// only one other in the same block wants is not stored: it is computed in the loop of that one.
#include <algorithm>
#include <array>

#include "dxil/emitter.h"
#include "dxil/opcodes.h"

namespace millrace::dxil {

using spirv::Instruction;
using spirv::instruction;

namespace {

bool isOperation(const Value& i)
{
    return i.op == Op::Call && i.function->name.starts_with("dx.op.") && !i.operands.empty();
}

// The type of the vector that a buffer load gives, which comes in a structure.
const Type* loadedVector(const Value& i)
{
    const bool isLoad = isOperation(i) && i.operands[0]->isConstantInt() &&
                        opcodeOf(i) == opcode::RawBufferVectorLoad && i.type->isStruct() && !i.type->members.empty();
    return isLoad ? i.type->members[0] : nullptr;
}

bool hasOneValue(const Value& constant)
{
    return std::ranges::all_of(constant.operands, [&](const Value* v) { return v == constant.operands[0]; });
}

}  // namespace

bool Emitter::isLong(const Type& type) const
{
    return type.isVector() && type.count > m_longFrom;
}

bool Emitter::concernsLong(const Value& i) const
{
    const Type* loaded = loadedVector(i);
    return (i.type && isLong(*i.type)) || (loaded && isLong(*loaded)) ||
           std::ranges::any_of(i.operands,
                               [&](const Value* operand) { return operand->type && isLong(*operand->type); });
}

// Where each element depends on the same element of the operands, and on nothing else that may change.
bool Emitter::isElementwise(const Value& i) const
{
    if (i.op == Op::BitCast)
        return i.operands[0]->type->isVector() && i.operands[0]->type->count == i.type->count;
    if (i.op == Op::Call) {
        const uint32_t opcode = isOperation(i) && i.operands[0]->isConstantInt() ? opcodeOf(i) : ~0u;
        return (opcode >= opcode::FAbs && opcode <= opcode::RoundZ) ||
               (opcode >= opcode::Bfrev && opcode <= opcode::UMin) ||
               (opcode >= opcode::FMad && opcode <= opcode::UMad);
    }
    return i.op == Op::ICmp || i.op == Op::FCmp || i.op == Op::Select || i.op == Op::Freeze ||
           (i.op >= Op::Trunc && i.op <= Op::FPExt) || (i.op >= Op::FNeg && i.op <= Op::Xor);
}

// Whether all that `i` wants of its long operands is one element after the other, each once.
bool Emitter::readsInOrder(const Value& i) const
{
    if (i.op == Op::Store || isElementwise(i))
        return true;
    switch (isOperation(i) && i.operands[0]->isConstantInt() ? opcodeOf(i) : 0) {
        case opcode::RawBufferVectorStore:
        case opcode::VectorReduceAnd:
        case opcode::VectorReduceOr:
        case opcode::FDot:
            return true;
        default:
            return false;
    }
}

// Who uses long vectors, for what may be left out and what may be used again.
void Emitter::findLongUses(const Value& user)
{
    for (const Value* operand : user.operands) {
        if (operand->kind == Value::Kind::Instruction && operand->type && isLong(*operand->type)) {
            LongUse& use = m_longUses[operand];
            ++use.count;
            use.user = &user;
            use.isLocal = use.isLocal && user.parent == operand->parent && user.op != Op::Phi && !user.isTerminator();
        } else if (user.op == Op::ExtractValue && isLong(*user.type)) {
            ++m_longUses[operand].count;
        }
    }
}

bool Emitter::isFused(const Value& i) const
{
    const auto use = m_longUses.find(&i);
    return isLong(*i.type) && isElementwise(i) && use != m_longUses.end() && use->second.count == 1 &&
           use->second.isLocal && readsInOrder(*use->second.user);
}

Id Emitter::longArrayType(const Type& type)
{
    return m_b.arrayType(scalarType(*type.element), static_cast<uint32_t>(type.count));
}

Id Emitter::longVariable(const Type& type)
{
    const Id array = longArrayType(type);
    std::vector<Id>& free = m_long.free[array.value];
    if (free.empty())
        return local(array);
    const Id out = free.back();
    free.pop_back();
    return out;
}

// `user` has been emitted: what only it wanted may be overwritten.
void Emitter::releaseOperands(const Value& user)
{
    for (const Value* operand : user.operands) {
        const auto use = m_longUses.find(operand);
        if (use == m_longUses.end() || !use->second.isLocal || !isLong(*operand->type))
            continue;
        if (isFused(*operand))
            releaseOperands(*operand);
        else if (++use->second.done == use->second.count && m_values[operand->number].array.value &&
                 !m_long.shared.contains(operand))
            m_long.free[longArrayType(*operand->type).value].push_back(m_values[operand->number].array);
    }
}

// The array of a value of which more than an element is wanted, or elements in no order.
Id Emitter::longArray(const Value& value)
{
    const bool isMade = value.kind == Value::Kind::Instruction || value.kind == Value::Kind::Argument;
    if (isMade && m_values[value.number].array)
        return m_values[value.number].array;
    const Id out = longVariable(*value.type);
    forEachElement(*value.type, [&] { storeLongElement(out, value.type->scalar(), get(&value).id()); });
    return out;
}

Id Emitter::longElementPointer(Id array, const Type& scalar, Id index)
{
    const Id pointer = m_b.pointerType(spv::StorageClass::Function, scalarType(scalar));
    return m_b.emit(spv::Op::OpAccessChain, pointer, {array, index});
}

void Emitter::storeLongElement(Id array, const Type& scalar, Id value)
{
    m_b.store(longElementPointer(array, scalar, m_element), value);
}

Id Emitter::loadLongElement(const Value& value, Id index)
{
    const Type& scalar = value.type->scalar();
    return m_b.load(scalarType(scalar), longElementPointer(longArray(value), scalar, index));
}

// What get() gives of a long vector inside the loop over its elements.
Val Emitter::currentElement(const Value& value)
{
    const auto known = m_long.elements.find(&value);
    if (known != m_long.elements.end())
        return known->second;
    Val out;
    if (value.kind == Value::Kind::Aggregate && !hasOneValue(value)) {
        out = Val(constantElement(value));
    } else if (value.kind == Value::Kind::Aggregate) {
        out = get(value.operands[0]);
    } else if (isFused(value)) {
        const Value* const outer = std::exchange(m_instruction, &value);
        dispatch(value);
        m_instruction = outer;
        return m_long.elements[&value];
    } else if (!m_values[value.number].array) {
        return Val(unsupported("a vector that is not known here"));
    } else {
        out = Val(loadLongElement(value, m_element));
    }
    m_long.elements[&value] = out;
    return out;
}

// Different constants are a variable of the module, which is never written to.
Id Emitter::constantElement(const Value& value)
{
    Id& table = m_longConstants[&value];
    if (!table) {
        std::vector<Id> elements;
        for (const Value* operand : value.operands)
            elements.push_back(getId(operand));
        const Id array = longArrayType(*value.type);
        table = m_b.variable(spv::StorageClass::Private, array, m_b.composite(array, elements));
    }
    const Id scalar = scalarType(*value.type->element);
    const Id pointer = m_b.pointerType(spv::StorageClass::Private, scalar);
    return m_b.load(scalar, m_b.emit(spv::Op::OpAccessChain, pointer, {table, m_element}));
}

// A loop over all elements. `carried` is a value that goes from one to the next; what `body` returns is the new one.
Id Emitter::forEachElement(const Type& type, Id carriedType, Id initial, const std::function<Id(Id)>& body)
{
    const Id number = m_b.uintType();
    const Id before = m_label;
    const Id header = m_b.newId();
    const Id test = m_b.newId();
    const Id inside = m_b.newId();
    const Id next = m_b.newId();
    const Id merge = m_b.newId();
    const Id step = m_b.newId();
    m_b.emitVoid(spv::Op::OpBranch, {header});
    beginBlock(header);
    m_element = m_b.emit(spv::Op::OpPhi, number, {m_b.uintConstant(0), before, step, next});
    const size_t headerBlock = m_out->blocks.size() - 1;
    const Id carried = carriedType ? m_b.emit(spv::Op::OpPhi, carriedType, {initial, before}) : Id{};
    m_b.append(instruction(spv::Op::OpLoopMerge).add(merge).add(next).add(0u));
    m_b.emitVoid(spv::Op::OpBranch, {test});
    beginBlock(test);
    const Id end = m_b.uintConstant(static_cast<uint32_t>(type.count));
    const Id goesOn = m_b.emit(spv::Op::OpULessThan, m_b.boolType(), {m_element, end});
    m_b.emitVoid(spv::Op::OpBranchConditional, {goesOn, inside, merge});
    beginBlock(inside);
    const Id result = body(carried);
    m_b.emitVoid(spv::Op::OpBranch, {next});
    beginBlock(next);
    m_b.append(instruction(spv::Op::OpIAdd, number, step).add(m_element).add(m_b.uintConstant(1)));
    m_b.emitVoid(spv::Op::OpBranch, {header});
    if (carriedType)
        m_out->blocks[headerBlock].body[1].add(result).add(next);
    beginBlock(merge);
    m_element = {};
    m_long.elements.clear();
    return carried;
}

void Emitter::forEachElement(const Type& type, const std::function<void()>& body)
{
    forEachElement(type, {}, {}, [&](Id) {
        body();
        return Id{};
    });
}

void Emitter::setLong(const Value& i, Id array)
{
    Val out;
    out.array = array;
    set(i, std::move(out));
}

void Emitter::emitLong(const Value& i)
{
    if (isFused(i))
        return;
    switch (i.op) {
        case Op::Phi:
            m_long.shared.insert(&i);
            return setLong(i, longPhi(i).value);
        case Op::Load:
        case Op::Store:
            longMemory(i);
            break;
        case Op::ExtractElement:
            set(i, loadLongElement(*i.operands[0], longIndex(*i.operands[0]->type, i.operands[1])));
            break;
        case Op::InsertElement:
            longInsert(i);
            return;
        case Op::ShuffleVector:
            longShuffle(i);
            break;
        case Op::ExtractValue:
            longLoaded(i);
            return;
        case Op::Call:
            if (!isOperation(i))
                dispatch(i);
            else
                longOperation(i);
            break;
        case Op::BitCast:
            isElementwise(i) ? longElementwise(i) : longRegroup(i);
            break;
        case Op::InsertValue:
        case Op::Other:
            dispatch(i);
            return;
        default:
            longElementwise(i);
            break;
    }
    releaseOperands(i);
}

void Emitter::longElementwise(const Value& i)
{
    const Id out = longVariable(*i.type);
    forEachElement(*i.type, [&] {
        dispatch(i);
        storeLongElement(out, i.type->scalar(), m_long.elements[&i].id());
    });
    setLong(i, out);
}

// An index beyond the end may give or change any element, but nothing else.
Id Emitter::longIndex(const Type& type, const Value* index)
{
    const auto last = static_cast<uint32_t>(type.count - 1);
    if (const auto constant = constantOf(index))
        return m_b.uintConstant(static_cast<uint32_t>(std::min<uint64_t>(*constant, last)));
    return m_b.ext(GLSLstd450UMin, m_b.uintType(), {getUint(index), m_b.uintConstant(last)});
}

// In place if nobody else wants what is changed: chains of insertions are one array.
void Emitter::longInsert(const Value& i)
{
    const Value& from = *i.operands[0];
    const Type& scalar = *i.type->element;
    const auto use = m_longUses.find(&from);
    const bool isOwn = use != m_longUses.end() && use->second.isLocal && use->second.count == 1 && !isFused(from) &&
                       m_values[from.number].array && !m_long.shared.contains(&from);
    const Id index = longIndex(*i.type, i.operands[2]);
    const Id value = getId(i.operands[1]);
    const Id out = isOwn ? m_values[from.number].array : longVariable(*i.type);
    if (!isOwn && !from.isUndef())
        forEachElement(*i.type, [&] { storeLongElement(out, scalar, get(&from).id()); });
    m_b.store(longElementPointer(out, scalar, index), value);
    setLong(i, out);
    if (!isOwn)
        releaseOperands(i);
}

Id Emitter::elementAt(const Value& vector, uint32_t index)
{
    if (vector.kind == Value::Kind::Aggregate)
        return getId(vector.operands.at(index));
    const bool isMade = vector.kind == Value::Kind::Instruction || vector.kind == Value::Kind::Argument;
    return isMade && isLong(*vector.type) ? loadLongElement(vector, m_b.uintConstant(index))
                                          : element(*vector.type, get(&vector), index);
}

void Emitter::longShuffle(const Value& i)
{
    const Type& from = *i.operands[0]->type;
    const auto count = static_cast<int32_t>(from.count);
    const auto sourceOf = [&](int32_t at) {
        return std::pair(at < count ? 0u : 1u, static_cast<uint32_t>(at % count));
    };
    std::vector<Id> elements;
    if (isLong(*i.type) && i.indices[0] >= 0 &&
        std::ranges::all_of(i.indices, [&](int32_t at) { return at == i.indices[0]; })) {
        const auto [which, at] = sourceOf(i.indices[0]);
        const Id value = elementAt(*i.operands[which], at);
        const Id out = longVariable(*i.type);
        forEachElement(*i.type, [&] { storeLongElement(out, *i.type->element, value); });
        setLong(i, out);
        return;
    }
    const Id out = isLong(*i.type) ? longVariable(*i.type) : Id{};
    for (uint32_t e = 0; e < i.indices.size(); ++e) {
        const int32_t index = i.indices[e];
        const auto [which, at] = sourceOf(std::max(index, 0));
        const Id value = index < 0 ? m_b.undef(scalarType(*from.element)) : elementAt(*i.operands[which], at);
        if (out)
            m_b.store(longElementPointer(out, *i.type->element, m_b.uintConstant(e)), value);
        else
            elements.push_back(value);
    }
    out ? setLong(i, out) : set(i, assemble(*i.type, elements));
}

// Bits as elements of another width, of which there are more or fewer.
void Emitter::longRegroup(const Value& i)
{
    const Type& from = *i.operands[0]->type;
    const Type& to = *i.type;
    const auto bitsOf = [](const Type& type) { return (type.isVector() ? type.count : 1) * type.scalar().bits; };
    if (from.isAggregate() || to.isAggregate() || bitsOf(from) != bitsOf(to) || m_ir.minPrecision ||
        std::min(from.scalar().bits, to.scalar().bits) < 16) {
        unsupported("a bitcast from " + from.text() + " to " + to.text());
        return;
    }
    const auto fromCount = static_cast<uint32_t>(from.isVector() ? from.count : 1);
    const auto toCount = static_cast<uint32_t>(to.isVector() ? to.count : 1);
    const uint32_t together = std::max(fromCount, toCount) / std::min(fromCount, toCount);
    const Id fromScalar = scalarType(from.scalar());
    const Id toScalar = scalarType(to.scalar());
    std::vector<Id> elements;
    for (uint32_t e = 0; e < fromCount; e += toCount < fromCount ? together : 1) {
        if (toCount < fromCount) {
            std::vector<Id> parts;
            for (uint32_t p = 0; p < together; ++p)
                parts.push_back(elementAt(*i.operands[0], e + p));
            elements.push_back(
                m_b.emit(spv::Op::OpBitcast, toScalar, {m_b.construct(m_b.vectorType(fromScalar, together), parts)}));
            continue;
        }
        const Id parts =
            m_b.emit(spv::Op::OpBitcast, m_b.vectorType(toScalar, together), {elementAt(*i.operands[0], e)});
        for (uint32_t p = 0; p < together; ++p)
            elements.push_back(m_b.extract(toScalar, parts, p));
    }
    if (!isLong(to)) {
        set(i, to.isVector() ? assemble(to, elements) : Val(elements.at(0)));
        return;
    }
    const Id out = longVariable(to);
    m_b.store(out, m_b.construct(longArrayType(to), elements));
    setLong(i, out);
}

void Emitter::longMemory(const Value& i)
{
    const bool isLoad = i.op == Op::Load;
    const Val where = get(i.operands[isLoad ? 0 : 1]);
    const Value& value = isLoad ? i : *i.operands[0];
    if (!where.pointer) {
        unsupported(isLoad ? "a load from what is no variable" : "a store to what is no variable");
        return;
    }
    Pointer pointer = descend(*where.pointer, value.type);
    if (!(pointer.type->isArray() || pointer.type->isVector()) || pointer.type->count < value.type->count) {
        unsupported((isLoad ? "a load of " : "a store of ") + value.type->text() + " in " + pointer.type->text());
        return;
    }
    const Id out = isLoad ? longVariable(*value.type) : Id{};
    forEachElement(*value.type, [&] {
        Pointer at = pointer;
        at.within.push_back(pointer.type);
        at.indices.push_back(m_element);
        at.type = pointer.type->element;
        if (isLoad)
            storeLongElement(out, *value.type->element, loadFrom(std::move(at), *value.type->element).id());
        else
            storeTo(std::move(at), *value.type->element, get(&value));
    });
    if (isLoad)
        setLong(i, out);
}

// The vector out of the structure that a buffer load gives.
void Emitter::longLoaded(const Value& i)
{
    emitExtractValue(i);
    // Others may have it under another name, or again.
    if (m_longUses[i.operands[0]].count > 1 || i.parent != i.operands[0]->parent)
        m_long.shared.insert(&i);
}

void Emitter::longOperation(const Value& i)
{
    const auto opcode = constantOf(i.operands[0]);
    if (!opcode) {
        unsupported("an operation without a constant number");
        return;
    }
    switch (*opcode) {
        case opcode::RawBufferVectorLoad:
            longBufferLoad(i);
            break;
        case opcode::RawBufferVectorStore:
            longBufferStore(i);
            break;
        case opcode::VectorReduceAnd:
        case opcode::VectorReduceOr:
        case opcode::FDot:
            longReduce(i, static_cast<uint32_t>(*opcode));
            break;
        case opcode::WaveMatch:
            opWaveMatch(i);
            break;
        default:
            isLong(*i.type) ? longElementwise(i)
                            : static_cast<void>(unsupported("an operation that takes no vector of this length"));
            break;
    }
}

void Emitter::longBufferLoad(const Value& call)
{
    const auto handle = getHandle(call.operands[1]);
    if (!handle)
        return;
    const Type& vector = *call.type->members.at(0);
    const Id offset = byteOffset(*handle, call.operands[2], call.operands[3]);
    Val loaded;
    loaded.array = longVariable(vector);
    forEachElement(vector, [&] {
        const Id at = m_b.add(offset, m_b.mul(m_element, bufferBytes(vector.scalar(), m_ir.minPrecision)));
        storeLongElement(loaded.array, vector.scalar(), loadElement(*handle, vector.scalar(), at, 0));
    });
    Val out;
    out.fields.push_back(std::move(loaded));
    out.fields.emplace_back(m_b.uintConstant(1));
    set(call, std::move(out));
}

void Emitter::longBufferStore(const Value& call)
{
    const auto handle = getHandle(call.operands[1]);
    if (!handle)
        return;
    const Type& vector = *call.operands.at(4)->type;
    const Id offset = byteOffset(*handle, call.operands[2], call.operands[3]);
    forEachElement(vector, [&] {
        const Id at = m_b.add(offset, m_b.mul(m_element, bufferBytes(vector.scalar(), m_ir.minPrecision)));
        storeElement(*handle, vector.scalar(), at, 0, get(call.operands[4]).id());
    });
}

// Dot products, all and any: in the order of the elements.
void Emitter::longReduce(const Value& call, uint32_t opcode)
{
    const Type& vector = *call.operands[1]->type;
    const bool isDot = opcode == opcode::FDot;
    const bool isAnd = opcode == opcode::VectorReduceAnd;
    const bool isBool = vector.scalar().isInt(1);
    const spv::Op op = isDot    ? spv::Op::OpFAdd
                       : isBool ? (isAnd ? spv::Op::OpLogicalAnd : spv::Op::OpLogicalOr)
                                : (isAnd ? spv::Op::OpBitwiseAnd : spv::Op::OpBitwiseOr);
    const Id type = scalarType(vector.scalar());
    // The first sum of floats is with -0, which changes no number.
    const uint64_t none = isDot ? uint64_t{1} << (m_b.bitsOf(type) - 1) : isAnd ? ~uint64_t{0} : 0;
    const Id initial = isBool ? m_b.boolConstant(isAnd) : m_b.constant(type, none);
    set(call, forEachElement(vector, type, initial, [&](Id carried) {
            Id value = get(call.operands[1]).id();
            if (isDot) {
                value = m_b.emit(spv::Op::OpFMul, type, {value, get(call.operands[2]).id()});
                noContraction(value, call.precise);
            }
            const Id out = m_b.emit(op, type, {carried, value});
            noContraction(out, isDot && call.precise);
            return out;
        }));
}

// Phis are variables. What comes from a block is written to a second one at its end, since all phis take their values
// at once, and from there to the first behind the phis: for the header of a loop, which must not have loops of its own
// in it, in the block behind it.
Emitter::LongPhi& Emitter::longPhi(const Value& phi)
{
    LongPhi& out = m_long.phis[&phi];
    if (!out.value) {
        out.value = local(longArrayType(*phi.type));
        out.incoming = local(longArrayType(*phi.type));
    }
    return out;
}

void Emitter::copyLong(const Type& type, Id to, const Value& from)
{
    if (!from.isUndef())
        forEachElement(type, [&] { storeLongElement(to, type.scalar(), get(&from).id()); });
}

static std::vector<const Value*> phisOf(const Block& block)
{
    std::vector<const Value*> out;
    for (const Value* i : block.instructions)
        if (i->op == Op::Phi)
            out.push_back(i);
    return out;
}

static const Value& incomingOf(const Value& phi, const Block& from)
{
    const auto at = std::ranges::find(phi.blocks, &from);
    return *phi.operands.at(static_cast<size_t>(at - phi.blocks.begin()));
}

// The header that a continue target leads to.
static const Block* headerOf(const Block& target, const Structure& structure)
{
    for (const auto& [header, construct] : structure.constructs)
        if (construct.next == &target)
            return header;
    return nullptr;
}

// At the end of a block, for the phis of those that follow. A continue target has none of its own: what it would merge
// is written to the header's at once.
void Emitter::storeLongPhis(const Block& block, const Structure& structure)
{
    if (headerOf(block, structure))
        return;
    std::vector<const Block*> done;
    for (const Block* target : block.terminator()->blocks) {
        if (std::ranges::find(done, target) != done.end())
            continue;
        done.push_back(target);
        const Block* header = headerOf(*target, structure);
        for (const Value* phi : phisOf(header ? *header : *target)) {
            if (!isLong(*phi->type))
                continue;
            const Value* from = &incomingOf(*phi, header ? *target : block);
            if (header && from->isInstruction(Op::Phi) && from->parent == target)
                from = &incomingOf(*from, block);
            copyLong(*phi->type, longPhi(*phi).incoming, *from);
        }
    }
}

// In front of the first instruction of a block that is not a phi.
void Emitter::takeLongPhis(const Block& block, const Structure& structure)
{
    const auto own = structure.constructs.find(&block);
    const bool isHeader = own != structure.constructs.end() && own->second.next;
    const Block* before = nullptr;
    for (const auto& [header, construct] : structure.constructs)
        if (construct.next && header->terminator()->blocks[0] == &block)
            before = header;
    for (const Block* from : {before, isHeader || headerOf(block, structure) ? nullptr : &block}) {
        for (const Value* phi : from ? phisOf(*from) : std::vector<const Value*>()) {
            if (isLong(*phi->type)) {
                const LongPhi& variables = longPhi(*phi);
                const Type& scalar = phi->type->scalar();
                forEachElement(*phi->type, [&] {
                    const Id at = longElementPointer(variables.incoming, scalar, m_element);
                    storeLongElement(variables.value, scalar, m_b.load(scalarType(scalar), at));
                });
            }
        }
    }
}

}  // namespace millrace::dxil
