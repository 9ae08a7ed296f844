// SPDX-License-Identifier: Apache-2.0
// Variables, groupshared memory and records: addresses, loads, stores, atomics.
#include <algorithm>

#include "dxil/emitter.h"

namespace millrace::dxil {

using spirv::instruction;

namespace {

constexpr uint32_t kGroupShared = 3;

}  // namespace

// HLSL's layout, which is not LLVM's: vectors are aligned like their elements.
uint32_t Emitter::layoutAlign(const Type& type) const
{
    if (type.isStruct()) {
        uint32_t out = 1;
        for (const Type* member : type.members)
            out = std::max(out, layoutAlign(*member));
        return out;
    }
    return type.isArray() || type.isVector() ? layoutAlign(*type.element)
                                             : std::max(1u, (type.isInt(1) ? 32 : registerBits(type)) / 8);
}

uint32_t Emitter::layoutSize(const Type& type) const
{
    const auto roundUp = [](uint32_t value, uint32_t to) { return (value + to - 1) / to * to; };
    if (type.isStruct()) {
        uint32_t out = 0;
        for (const Type* member : type.members)
            out = roundUp(out, layoutAlign(*member)) + layoutSize(*member);
        return roundUp(out, layoutAlign(type));
    }
    return type.isArray() || type.isVector() ? static_cast<uint32_t>(type.count) * layoutSize(*type.element)
                                             : layoutAlign(type);
}

// A float, or an array or vector of them.
static bool isFloatInMemory(const Type& type)
{
    const Type* element = &type;
    while (element->isArray() || element->isVector())
        element = element->element;
    return element->isFloat();
}

Id Emitter::recordStruct(const Type& type)
{
    std::vector<Id> members;
    for (const Type* member : type.members)
        members.push_back(memoryType(*member, Form::Record));
    const Id out = m_b.structType(members);
    uint32_t offset = 0;
    for (uint32_t m = 0; m < type.members.size(); ++m) {
        const uint32_t align = layoutAlign(*type.members[m]);
        offset = (offset + align - 1) / align * align;
        m_b.decorateMember(out, m, spv::Decoration::Offset, {offset});
        if (m_hasRecordAtomics && isFloatInMemory(*type.members[m]))
            m_b.decorateFloat(out, m);
        offset += layoutSize(*type.members[m]);
    }
    return out;
}

Id Emitter::memoryType(const Type& type, Form form)
{
    const auto found = m_memoryTypes.find({&type, form});
    if (found != m_memoryTypes.end())
        return found->second;
    constexpr uint64_t kMaxElements = 1u << 20;
    Id out;
    if (isHandleType(type)) {
        out = type.name == "dx.types.Handle" ? m_b.uintType()
                                             : unsupported("a variable that holds outputs or records of a node");
    } else if (type.isStruct()) {
        if (form == Form::Record) {
            out = recordStruct(type);
        } else {
            std::vector<Id> members;
            for (const Type* member : type.members)
                members.push_back(memoryType(*member, form));
            out = m_b.structType(members);
        }
        m_b.name(out, type.name);
    } else if (type.isArray() || (type.isVector() && isArrayInMemory(type))) {
        if (type.count == 0 || type.count > kMaxElements)
            return unsupported("an array of " + std::to_string(type.count) + " elements in memory");
        const Id element = memoryType(*type.element, form);
        out = m_b.arrayType(element, static_cast<uint32_t>(type.count),
                            form == Form::Record ? layoutSize(*type.element) : 0);
    } else if (type.isVector()) {
        out = m_b.vectorType(memoryType(*type.element, form), static_cast<uint32_t>(type.count));
    } else if (type.isFloat() && (form == Form::AsIntegers || (form == Form::Record && m_hasRecordAtomics))) {
        out = m_b.intType(registerBits(type));
    } else {
        out = scalarType(type);
    }
    m_memoryTypes[{&type, form}] = out;
    return out;
}

// Null for what may be anything.
Id Emitter::constantInMemory(const Value& value, const Type& type)
{
    const Id memory = memoryType(type, Form::Plain);
    if (value.kind == Value::Kind::Null || value.kind == Value::Kind::Undef)
        return m_b.null(memory);
    if (value.kind != Value::Kind::Aggregate)
        return getId(&value);
    std::vector<Id> elements;
    for (const Value* operand : value.operands)
        elements.push_back(constantInMemory(*operand, *operand->type));
    return m_b.composite(memory, elements);
}

Val Emitter::globalPointer(const Global& global)
{
    const auto found = m_globals.find(&global);
    if (found != m_globals.end())
        return found->second;
    for (const Resource& resource : m_info.resources)
        if (resource.global == &global)
            return handleOf(resource, m_b.uintConstant(0), true, false);
    const bool isShared = global.addressSpace == kGroupShared;
    const spv::StorageClass storage = isShared ? spv::StorageClass::Workgroup : spv::StorageClass::Private;
    auto pointer = std::make_shared<Pointer>();
    pointer->storage = storage;
    pointer->type = global.type;
    const bool asIntegers = m_atomicGlobals.contains(&global);
    pointer->form = asIntegers ? Form::AsIntegers : Form::Plain;
    const bool hasContent = !isShared && global.initializer && !global.initializer->isUndef();
    if (hasContent && asIntegers)
        unsupported("atomic operations on a variable that is not groupshared");
    const Id initializer = hasContent ? constantInMemory(*global.initializer, *global.type) : Id{};
    pointer->base = m_b.variable(storage, memoryType(*global.type, pointer->form), initializer);
    m_b.name(pointer->base, global.name);
    Val out;
    out.pointer = std::move(pointer);
    m_globals[&global] = out;
    return out;
}

void Emitter::emitAlloca(const Value& i)
{
    const auto count = i.operands.empty() ? std::optional<uint64_t>(1) : constantOf(i.operands[0]);
    if (count != 1u) {
        unsupported("an alloca of several elements");
        return;
    }
    auto pointer = std::make_shared<Pointer>();
    pointer->storage = spv::StorageClass::Function;
    pointer->type = i.elementType;
    pointer->base = local(memoryType(*i.elementType, Form::Plain));
    m_b.name(pointer->base, i.text);
    Val out;
    out.pointer = std::move(pointer);
    set(i, std::move(out));
}

// To the first element, until the place has the type that is asked for: zero offsets are not written in LLVM.
Pointer Emitter::descend(Pointer pointer, const Type* wanted)
{
    while (pointer.type != wanted && (pointer.type->isAggregate() || pointer.type->isVector())) {
        // A vector out of the first elements of an array is read element by element.
        if (wanted->isVector() && pointer.type->isArray() && pointer.type->element == wanted->element)
            break;
        if (pointer.type->isStruct() && pointer.type->members.empty())
            break;
        pointer.within.push_back(pointer.type);
        pointer.indices.push_back(m_b.uintConstant(0));
        pointer.type = pointer.type->isStruct() ? pointer.type->members[0] : pointer.type->element;
    }
    return pointer;
}

// An element of a library's array of resources. DXC does not say reliably whether the index is the same in all lanes.
Val Emitter::elementOfResource(const Value& i, const Handle& base)
{
    Id index = m_b.uintConstant(0);
    const Type* type = i.elementType;
    bool isConstant = true;
    for (size_t o = 2; o < i.operands.size() && type->isArray(); ++o) {
        type = type->element;
        uint64_t inner = 1;
        for (const Type* rest = type; rest->isArray(); rest = rest->element)
            inner *= rest->count;
        isConstant = isConstant && constantOf(i.operands[o]).has_value();
        index = m_b.add(index, m_b.mul(getUint(i.operands[o]), static_cast<uint32_t>(inner)));
    }
    return handleOf(base.declared, index, true, !isConstant);
}

// GEPs, and casts, which are nothing where pointers have no type.
Val Emitter::address(const Value& i)
{
    const Val base = get(i.operands[0]);
    if (i.op != Op::GetElementPtr)
        return base;
    if (base.handle)
        return elementOfResource(i, *base.handle);
    if (!base.pointer)
        return Val(unsupported("an address in what is no variable"));
    Pointer out = descend(*base.pointer, i.elementType);
    if (out.type != i.elementType && !(i.elementType->isArray() && out.type->isArray())) {
        return Val(
            unsupported("an address in " + base.pointer->type->text() + " as if it were " + i.elementType->text()));
    }
    const auto first = i.operands.size() > 1 ? constantOf(i.operands[1]) : std::optional<uint64_t>(0);
    if (first != uint64_t{0}) {
        // Steps from one element of an array to another.
        if (out.indices.empty() || out.within.back()->isStruct())
            return Val(unsupported("an address beside a variable"));
        out.indices.back() = m_b.add(out.indices.back(), getUint(i.operands[1]));
    }
    for (size_t o = 2; o < i.operands.size(); ++o) {
        const auto constant = constantOf(i.operands[o]);
        out.within.push_back(out.type);
        out.indices.push_back(getUint(i.operands[o]));
        if (out.type->isStruct()) {
            if (!constant || *constant >= out.type->members.size())
                return Val(unsupported("an address of no member of " + out.type->text()));
            out.type = out.type->members[static_cast<size_t>(*constant)];
        } else if (out.type->isArray() || out.type->isVector()) {
            out.type = out.type->element;
        } else {
            return Val(unsupported("an address inside " + out.type->text()));
        }
    }
    Val value;
    value.pointer = std::make_shared<Pointer>(std::move(out));
    return value;
}

Id Emitter::chain(const Pointer& pointer, Id& type)
{
    type = memoryType(*pointer.type, pointer.form);
    if (pointer.indices.empty())
        return pointer.base;
    std::vector<Id> operands = {pointer.base};
    operands.insert(operands.end(), pointer.indices.begin(), pointer.indices.end());
    return m_b.emit(spv::Op::OpAccessChain, m_b.pointerType(pointer.storage, type), operands);
}

Val Emitter::loadFrom(Pointer pointer, const Type& type)
{
    pointer = descend(std::move(pointer), &type);
    const bool elementwise = type.isVector() && (isArrayInMemory(type) || pointer.type != &type);
    if (isLong(type))
        return Val(unsupported("a load of " + type.text() + " from " + pointer.type->text()));
    if (type.isVector() && elementwise) {
        if (!(pointer.type->isArray() || pointer.type->isVector()) || pointer.type->count < type.count)
            return Val(unsupported("a load of " + type.text() + " from " + pointer.type->text()));
        std::vector<Id> elements;
        for (uint32_t e = 0; e < type.count; ++e) {
            Pointer element = pointer;
            element.within.push_back(pointer.type);
            element.indices.push_back(m_b.uintConstant(e));
            element.type = pointer.type->element;
            elements.push_back(loadFrom(std::move(element), *type.element).id());
        }
        return assemble(type, elements);
    }
    const Type& from = *pointer.type;
    if (type.isAggregate() || from.isAggregate() ||
        (from.isVector() ? from.count : 1) != (type.isVector() ? type.count : 1) ||
        registerBits(from.scalar()) != registerBits(type.scalar()))
        return Val(unsupported("a load of " + type.text() + " from " + from.text()));
    Id memory;
    const Id where = chain(pointer, memory);
    return m_b.bitcast(partType(type, 0), m_b.load(memory, where), memory);
}

void Emitter::storeTo(Pointer pointer, const Type& type, const Val& value)
{
    pointer = descend(std::move(pointer), &type);
    if (isLong(type)) {
        unsupported("a store of " + type.text() + " to " + pointer.type->text());
        return;
    }
    if (type.isVector() && (isArrayInMemory(type) || pointer.type != &type)) {
        if (!(pointer.type->isArray() || pointer.type->isVector()) || pointer.type->count < type.count) {
            unsupported("a store of " + type.text() + " to " + pointer.type->text());
            return;
        }
        for (uint32_t e = 0; e < type.count; ++e) {
            Pointer to = pointer;
            to.within.push_back(pointer.type);
            to.indices.push_back(m_b.uintConstant(e));
            to.type = pointer.type->element;
            storeTo(std::move(to), *type.element, Val(element(type, value, e)));
        }
        return;
    }
    const Type& to = *pointer.type;
    if (type.isAggregate() || to.isAggregate() ||
        (to.isVector() ? to.count : 1) != (type.isVector() ? type.count : 1) ||
        registerBits(to.scalar()) != registerBits(type.scalar())) {
        unsupported("a store of " + type.text() + " to " + to.text());
        return;
    }
    Id memory;
    const Id where = chain(pointer, memory);
    m_b.store(where, m_b.bitcast(memory, value.id(), partType(type, 0)));
}

void Emitter::emitLoad(const Value& i)
{
    Val from = get(i.operands[0]);
    if (from.handle) {
        set(i, std::move(from));
        return;
    }
    if (!from.pointer) {
        unsupported("a load from what is no variable");
        return;
    }
    if (isHandleType(*i.type)) {
        set(i, loadHandle(descend(*from.pointer, i.type), *i.operands[0]));
        return;
    }
    set(i, i.type->isAggregate() ? loadAggregate(*from.pointer, *i.type) : loadFrom(*from.pointer, *i.type));
}

void Emitter::emitStore(const Value& i)
{
    const Val to = get(i.operands[1]);
    if (!to.pointer) {
        unsupported("a store to what is no variable");
        return;
    }
    if (isHandleType(*i.operands[0]->type))
        storeHandle(descend(*to.pointer, i.operands[0]->type), *i.operands[1], *i.operands[0]);
    else if (i.operands[0]->type->isAggregate())
        storeAggregate(*to.pointer, *i.operands[0]);
    else
        storeTo(*to.pointer, *i.operands[0]->type, get(i.operands[0]));
}

// The address of an integer, and the scope in which operations on it are atomic.
Id Emitter::atomicPointer(const Value& i, const Type& type, uint32_t& scope)
{
    const Val to = get(i.operands[0]);
    if (!to.pointer)
        return unsupported("an atomic operation on what is no variable");
    const Pointer pointer = descend(*to.pointer, &type);
    if (pointer.type->isAggregate() || pointer.type->isVector() || registerBits(*pointer.type) != registerBits(type) ||
        pointer.storage == spv::StorageClass::Function)
        return unsupported("an atomic operation on " + pointer.type->text());
    scope = static_cast<uint32_t>(spv::Scope::Workgroup);
    if (pointer.form == Form::Record) {
        scope = static_cast<uint32_t>(spv::Scope::Device);
        m_hasPayloadAtomics = true;
    }
    if (registerBits(type) == 64)
        m_b.capability(spv::Capability::Int64Atomics);
    Id memory;
    return chain(pointer, memory);
}

static spv::Op rmwOp(Rmw rmw)
{
    switch (rmw) {
        // clang-format off
        case Rmw::Exchange: return spv::Op::OpAtomicExchange;
        case Rmw::Add: return spv::Op::OpAtomicIAdd;
        case Rmw::Sub: return spv::Op::OpAtomicISub;
        case Rmw::And: return spv::Op::OpAtomicAnd;
        case Rmw::Or: return spv::Op::OpAtomicOr;
        case Rmw::Xor: return spv::Op::OpAtomicXor;
        case Rmw::Max: return spv::Op::OpAtomicSMax;
        case Rmw::Min: return spv::Op::OpAtomicSMin;
        case Rmw::UMax: return spv::Op::OpAtomicUMax;
        case Rmw::UMin: return spv::Op::OpAtomicUMin;
        default: return spv::Op::OpNop;
            // clang-format on
    }
}

void Emitter::emitRmw(const Value& i)
{
    const spv::Op op = rmwOp(i.rmw);
    if (op == spv::Op::OpNop || i.type->isVector()) {
        unsupported("this atomic operation");
        return;
    }
    uint32_t scope = 0;
    const Id pointer = atomicPointer(i, *i.type, scope);
    const Id type = m_b.intType(std::max(32u, registerBits(*i.type)));
    const Id value = m_b.bitcast(type, getId(i.operands[1]), scalarType(*i.type));
    const Id old = m_b.emit(op, type, {pointer, m_b.uintConstant(scope), m_b.uintConstant(0), value});
    set(i, m_b.bitcast(scalarType(*i.type), old, type));
}

void Emitter::emitCompareExchange(const Value& i)
{
    const Type& type = *i.operands[1]->type;
    uint32_t scope = 0;
    const Id pointer = atomicPointer(i, type, scope);
    const Id number = m_b.intType(std::max(32u, registerBits(type)));
    const Id expected = m_b.bitcast(number, getId(i.operands[1]), scalarType(type));
    const Id value = m_b.bitcast(number, getId(i.operands[2]), scalarType(type));
    const Id relaxed = m_b.uintConstant(0);
    const Id old = m_b.emit(spv::Op::OpAtomicCompareExchange, number,
                            {pointer, m_b.uintConstant(scope), relaxed, relaxed, value, expected});
    Val out;
    out.fields.emplace_back(m_b.bitcast(scalarType(type), old, number));
    out.fields.emplace_back(m_b.emit(spv::Op::OpIEqual, m_b.boolType(), {old, expected}));
    set(i, std::move(out));
}

}  // namespace millrace::dxil
