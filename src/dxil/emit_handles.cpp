// SPDX-License-Identifier: Apache-2.0
// Handles of resources: from registers, libraries and heaps to descriptors.
#include "dxil/emitter.h"

namespace millrace::dxil {

const Resource* Emitter::findResource(ResourceClass resourceClass, uint32_t space, uint32_t lowerBound) const
{
    for (const Resource& resource : m_info.resources)
        if (resource.resourceClass == resourceClass && resource.space == space && resource.lowerBound <= lowerBound &&
            (resource.count == kUnbounded || lowerBound - resource.lowerBound < resource.count))
            return &resource;
    return nullptr;
}

Val Emitter::handleOf(const Resource& resource, Id registerIndex, bool isRelative, bool nonUniform)
{
    auto handle = std::make_shared<Handle>();
    handle->resource = resource;
    handle->declared = resource;
    handle->place = m_options.bindings.place(resource);
    if (handle->place.kind == Place::Kind::HeapTable)
        return heapHandle(*handle, registerIndex, isRelative, nonUniform);
    // From here on the resource is the whole array that it is a part of.
    if (isRelative)
        registerIndex = m_b.add(registerIndex, m_b.uintConstant(resource.lowerBound));
    handle->isPart = handle->place.count != resource.count || handle->place.firstRegister != resource.lowerBound;
    handle->resource.lowerBound = handle->place.firstRegister;
    handle->resource.count = handle->place.count;
    uint64_t ignored = 0;
    handle->nonUniform = nonUniform && handle->place.count != 1 && !m_b.constantValue(registerIndex, ignored);
    if (handle->place.count != 1)
        handle->index = m_b.add(registerIndex, m_b.uintConstant(0u - handle->place.firstRegister));
    Val out;
    out.handle = std::move(handle);
    return out;
}

// A descriptor in the heap, counted from where a local root argument says that the table begins.
Val Emitter::heapHandle(const Handle& described, Id registerIndex, bool isRelative, bool nonUniform)
{
    auto handle = std::make_shared<Handle>(described);
    const Place& place = described.place;
    const Resource& resource = described.declared;
    const uint32_t first = isRelative ? resource.lowerBound - place.firstRegister : 0u - place.firstRegister;
    const Id inTable = m_b.add(registerIndex, m_b.uintConstant(first + place.heapOffset));
    handle->index = m_b.add(rootWord(place, m_b.uintConstant(place.offsetBytes / 4)), inTable);
    handle->isHeap = true;
    handle->nonUniform = nonUniform;
    const bool isSampler = resource.resourceClass == ResourceClass::Sampler;
    handle->place = {};
    handle->place.set = isSampler ? m_options.bindings.samplerHeapSet : m_options.bindings.resourceHeapSet;
    handle->place.counterBinding = kHeapCounters;
    handle->resource.space = 0;
    handle->resource.lowerBound = 0;
    handle->resource.count = kUnbounded;
    Val out;
    out.handle = std::move(handle);
    return out;
}

std::shared_ptr<const Handle> Emitter::getHandle(const Value* value)
{
    Val found = get(value);
    if (!found.handle && !m_error)
        unsupported("a resource handle that does not come from one place");
    return found.handle;
}

void Emitter::opCreateHandle(const Value& call)
{
    const auto resourceClass = constantOf(call.operands[1]);
    const auto id = constantOf(call.operands[2]);
    for (const Resource& resource : m_info.resources) {
        if (resourceClass && id && static_cast<uint64_t>(resource.resourceClass) == *resourceClass &&
            resource.id == *id) {
            const bool nonUniform = constantOf(call.operands[4]).value_or(0) != 0;
            set(call, handleOf(resource, getUint(call.operands[3]), false, nonUniform));
            return;
        }
    }
    unsupported("a handle of a resource that the program does not declare");
}

void Emitter::opCreateHandleFromBinding(const Value& call)
{
    const Value* binding = call.operands[1];
    const auto field = [&](size_t index) {
        const bool isThere = binding->kind == Value::Kind::Aggregate && index < binding->operands.size();
        return isThere ? constantOf(binding->operands[index]).value_or(0) : 0;
    };
    const Resource* resource = findResource(static_cast<ResourceClass>(field(3) & 3), static_cast<uint32_t>(field(2)),
                                            static_cast<uint32_t>(field(0)));
    if (!resource) {
        unsupported("a handle of a register that the program does not declare");
        return;
    }
    const bool nonUniform = constantOf(call.operands[3]).value_or(0) != 0;
    set(call, handleOf(*resource, getUint(call.operands[2]), false, nonUniform));
}

// The value is what was loaded from the resource's global: already its handle.
void Emitter::opCreateHandleForLib(const Value& call)
{
    if (const auto handle = getHandle(call.operands[1])) {
        Val out;
        out.handle = handle;
        set(call, std::move(out));
    }
}

void Emitter::opCreateHandleFromHeap(const Value& call)
{
    const bool isSampler = constantOf(call.operands[2]).value_or(0) != 0;
    const bool nonUniform = constantOf(call.operands[3]).value_or(0) != 0 && !constantOf(call.operands[1]);
    set(call, handleInHeap(getUint(call.operands[1]), isSampler, nonUniform));
}

Val Emitter::handleInHeap(Id index, bool isSampler, bool nonUniform) const
{
    auto handle = std::make_shared<Handle>();
    handle->isHeap = true;
    handle->nonUniform = nonUniform;
    handle->index = index;
    handle->place.set = isSampler ? m_options.bindings.samplerHeapSet : m_options.bindings.resourceHeapSet;
    handle->place.counterBinding = kHeapCounters;
    handle->resource.count = kUnbounded;
    Val out;
    out.handle = std::move(handle);
    return out;
}

bool Emitter::holdsHeapHandles(const Value& address, bool& isSampler)
{
    const KeptHandles::Source source = m_keptHandles.sourceOfVariable(variableOf(address));
    isSampler = source == KeptHandles::Source::SamplerHeap;
    const bool isKnown = isSampler || source == KeptHandles::Source::ResourceHeap;
    if (!isKnown)
        unsupported("a variable that holds resources of which not all come from one descriptor heap");
    return isKnown;
}

// A variable holds the places in the heap. That an invocation reads the same as all others nobody has said.
Val Emitter::loadHandle(const Pointer& from, const Value& address)
{
    bool isSampler = false;
    if (!holdsHeapHandles(address, isSampler))
        return {};
    Id type;
    const Id where = chain(from, type);
    return m_error ? Val() : handleInHeap(m_b.load(type, where), isSampler, true);
}

void Emitter::storeHandle(const Pointer& to, const Value& address, const Value& stored)
{
    bool isSampler = false;
    if (stored.isUndef() || stored.kind == Value::Kind::Null || !holdsHeapHandles(address, isSampler))
        return;
    const auto handle = getHandle(&stored);
    Id type;
    const Id where = chain(to, type);
    if (handle && !m_error)
        m_b.store(where, handle->index);
}

void Emitter::opAnnotateHandle(const Value& call)
{
    const auto handle = getHandle(call.operands[1]);
    const Value* properties = call.operands[2];
    if (!handle)
        return;
    Val out;
    out.handle = handle;
    if (handle->isHeap) {
        const bool known = properties->kind == Value::Kind::Aggregate && properties->operands.size() == 2;
        auto typed = std::make_shared<Handle>(*handle);
        typed->resource =
            decodeProperties(known ? static_cast<uint32_t>(constantOf(properties->operands[0]).value_or(0)) : 0,
                             known ? static_cast<uint32_t>(constantOf(properties->operands[1]).value_or(0)) : 0);
        typed->resource.count = kUnbounded;
        out.handle = std::move(typed);
    }
    set(call, std::move(out));
}

}  // namespace millrace::dxil
