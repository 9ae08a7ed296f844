// SPDX-License-Identifier: Apache-2.0
// Structures and arrays as values: in memory, as arguments and as results. A value has its members apart, as fields.
// DXC writes them for matrices of exported functions, and zeros where the life of a variable begins and ends.
#include "dxil/emitter.h"

namespace millrace::dxil {

namespace {

// Members of members, counted as often as they are met: a type of a few lines can have any number of them.
constexpr size_t kMaxParts = 4096;

uint64_t memberCount(const Type& type)
{
    return type.isStruct() ? type.members.size() : type.count;
}

const Type* memberOf(const Type& type, uint64_t member)
{
    return type.isStruct() ? type.members[static_cast<size_t>(member)] : type.element;
}

// The scalars that a type is made of, in the order of memory. False if there are too many.
bool findScalars(const Type& type, size_t& budget, std::vector<const Type*>& out)
{
    if (budget-- == 0)
        return false;
    if (!type.isAggregate() && !type.isVector()) {
        out.push_back(&type);
        return true;
    }
    for (uint64_t m = 0; m < memberCount(type); ++m)
        if (!findScalars(*memberOf(type, m), budget, out))
            return false;
    return true;
}

}  // namespace

bool Emitter::hasFewParts(const Type& type) const
{
    std::vector<const Type*> ignored;
    size_t budget = kMaxParts;
    return findScalars(type, budget, ignored);
}

// The places of the first `count` scalars from a pointer on.
bool Emitter::findScalarPlaces(const Pointer& from, size_t count, size_t& budget, std::vector<Pointer>& out)
{
    if (budget-- == 0)
        return false;
    const Type& type = *from.type;
    if (!type.isAggregate() && !type.isVector()) {
        out.push_back(from);
        return true;
    }
    for (uint64_t m = 0; m < memberCount(type) && out.size() < count; ++m) {
        Pointer member = from;
        member.within.push_back(&type);
        member.indices.push_back(m_b.uintConstant(static_cast<uint32_t>(m)));
        member.type = memberOf(type, m);
        if (!findScalarPlaces(member, count, budget, out))
            return false;
    }
    return true;
}

// The same memory may be seen as other types of the same scalars: a matrix as a vector of all its elements.
std::vector<Pointer> Emitter::scalarPlaces(const Pointer& from, const Type& type, std::vector<const Type*>& scalars)
{
    std::vector<Pointer> out;
    size_t budget = kMaxParts;
    if (!findScalars(type, budget, scalars)) {
        unsupported("a value of type " + type.text() + ", which has too many parts");
        return out;
    }
    budget = kMaxParts;
    if (!findScalarPlaces(from, scalars.size(), budget, out) || out.size() != scalars.size()) {
        unsupported("a value of type " + type.text() + " in memory of type " + from.type->text());
        out.clear();
    }
    return out;
}

Val Emitter::fromScalars(const Type& type, std::span<const Id>& scalars)
{
    Val out;
    if (type.isAggregate()) {
        for (uint64_t m = 0; m < memberCount(type); ++m)
            out.fields.push_back(fromScalars(*memberOf(type, m), scalars));
        return out;
    }
    const size_t count = type.isVector() ? static_cast<size_t>(type.count) : 1;
    out = assemble(type, {scalars.begin(), scalars.begin() + static_cast<std::ptrdiff_t>(count)});
    scalars = scalars.subspan(count);
    return out;
}

void Emitter::toScalars(const Type& type, const Val& value, std::vector<Id>& out)
{
    if (!type.isAggregate()) {
        for (uint32_t e = 0; e < (type.isVector() ? type.count : 1); ++e)
            out.push_back(element(type, value, e));
        return;
    }
    for (uint64_t m = 0; m < memberCount(type); ++m)
        toScalars(*memberOf(type, m), value.fields.at(static_cast<size_t>(m)), out);
}

Val Emitter::loadAggregate(const Pointer& from, const Type& type)
{
    std::vector<const Type*> scalars;
    const std::vector<Pointer> places = scalarPlaces(from, type, scalars);
    std::vector<Id> ids;
    for (size_t s = 0; s < places.size(); ++s)
        ids.push_back(loadFrom(places[s], *scalars[s]).id());
    std::span<const Id> rest = ids;
    return m_error ? Val() : fromScalars(type, rest);
}

void Emitter::storeAggregate(const Pointer& to, const Value& value)
{
    const Type& type = *value.type;
    if (value.isUndef())
        return;
    if (value.kind == Value::Kind::Null && to.type == &type) {
        Id memory;
        const Id where = chain(to, memory);
        m_b.store(where, m_b.null(memory));
        return;
    }
    std::vector<const Type*> scalars;
    const std::vector<Pointer> places = scalarPlaces(to, type, scalars);
    std::vector<Id> ids;
    if (!m_error)
        toScalars(type, get(&value), ids);
    for (size_t s = 0; s < places.size() && s < ids.size(); ++s)
        storeTo(places[s], *scalars[s], Val(ids[s]));
}

// As many as `type` has.
void Emitter::copyScalars(const Pointer& to, const Pointer& from, const Type& type)
{
    std::vector<const Type*> scalars;
    std::vector<const Type*> same;
    const std::vector<Pointer> sources = scalarPlaces(from, type, scalars);
    const std::vector<Pointer> targets = scalarPlaces(to, type, same);
    for (size_t s = 0; s < sources.size() && s < targets.size(); ++s)
        storeTo(targets[s], *scalars[s], loadFrom(sources[s], *scalars[s]));
}

// A value with its members apart as one of SPIR-V, of the type that variables have, and back.
Id Emitter::compose(const Type& type, const Val& value)
{
    const bool isArray = type.isVector() && isArrayInMemory(type);
    if (!type.isAggregate() && !isArray)
        return value.id();
    std::vector<Id> members;
    for (uint64_t m = 0; m < memberCount(type); ++m) {
        members.push_back(isArray ? element(type, value, static_cast<uint32_t>(m))
                                  : compose(*memberOf(type, m), value.fields.at(static_cast<size_t>(m))));
    }
    return m_b.emit(spv::Op::OpCompositeConstruct, memoryType(type, Form::Plain), members);
}

Val Emitter::decompose(const Type& type, Id value)
{
    const bool isArray = type.isVector() && isArrayInMemory(type);
    if (!type.isAggregate() && !isArray)
        return Val(value);
    std::vector<Val> members;
    std::vector<Id> elements;
    for (uint64_t m = 0; m < memberCount(type); ++m) {
        const Type& member = *memberOf(type, m);
        const Id part = m_b.extract(memoryType(member, Form::Plain), value, static_cast<uint32_t>(m));
        elements.push_back(part);
        members.push_back(decompose(member, part));
    }
    if (isArray)
        return assemble(type, elements);
    Val out;
    out.fields = std::move(members);
    return out;
}

}  // namespace millrace::dxil
