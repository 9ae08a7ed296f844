// SPDX-License-Identifier: Apache-2.0
// Descriptors, and buffers of words: raw and structured buffers, constant buffers, counters, atomics.
#include <algorithm>
#include <array>

#include "dxil/emitter.h"

namespace millrace::dxil {

using spirv::instruction;

const Resource* Emitter::findResource(ResourceClass resourceClass, uint32_t space, uint32_t lowerBound) const
{
    for (const Resource& resource : m_info.resources) {
        if (resource.resourceClass == resourceClass && resource.space == space && resource.lowerBound <= lowerBound &&
            (resource.count == kUnbounded || lowerBound - resource.lowerBound < resource.count)) {
            return &resource;
        }
    }
    return nullptr;
}

Val Emitter::handleOf(const Resource& resource, Id registerIndex, bool isRelative, bool nonUniform)
{
    auto handle = std::make_shared<Handle>();
    handle->resource = resource;
    handle->declared = resource;
    handle->place = m_options.bindings.place(resource);
    if (handle->place.kind == Place::Kind::HeapTable) {
        return heapHandle(*handle, registerIndex, isRelative, nonUniform);
    }
    // From here on the resource is the whole array that it is a part of.
    if (isRelative) {
        registerIndex = m_b.add(registerIndex, m_b.uintConstant(resource.lowerBound));
    }
    handle->isPart = handle->place.count != resource.count || handle->place.firstRegister != resource.lowerBound;
    handle->resource.lowerBound = handle->place.firstRegister;
    handle->resource.count = handle->place.count;
    uint64_t ignored = 0;
    handle->nonUniform = nonUniform && handle->place.count != 1 && !m_b.constantValue(registerIndex, ignored);
    if (handle->place.count != 1) {
        handle->index = m_b.add(registerIndex, m_b.uintConstant(0u - handle->place.firstRegister));
    }
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
    handle->place.counterBinding = kUnbounded;
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
    if (!found.handle && !m_error) {
        unsupported("a resource handle that does not come from one place");
    }
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
    auto handle = std::make_shared<Handle>();
    const bool isSampler = constantOf(call.operands[2]).value_or(0) != 0;
    handle->isHeap = true;
    handle->nonUniform = constantOf(call.operands[3]).value_or(0) != 0 && !constantOf(call.operands[1]);
    handle->index = getUint(call.operands[1]);
    handle->place.set = isSampler ? m_options.bindings.samplerHeapSet : m_options.bindings.resourceHeapSet;
    handle->resource.count = kUnbounded;
    Val out;
    out.handle = std::move(handle);
    set(call, std::move(out));
}

void Emitter::opAnnotateHandle(const Value& call)
{
    const auto handle = getHandle(call.operands[1]);
    const Value* properties = call.operands[2];
    if (!handle) {
        return;
    }
    Val out;
    out.handle = handle;
    if (handle->isHeap) {
        const bool known = properties->kind == Value::Kind::Aggregate && properties->operands.size() == 2;
        auto typed = std::make_shared<Handle>(*handle);
        typed->resource =
            decodeProperties(known ? static_cast<uint32_t>(constantOf(properties->operands[0]).value_or(0)) : 0,
                             known ? static_cast<uint32_t>(constantOf(properties->operands[1]).value_or(0)) : 0);
        typed->resource.count = kUnbounded;
        if (typed->resource.hasCounter) {
            // Counters of heap descriptors have no descriptor of their own to be found in.
            typed->place.counterBinding = kUnbounded;
        }
        out.handle = std::move(typed);
    }
    set(call, std::move(out));
}

void Emitter::nonUniform(const Handle& handle, Id id)
{
    if (handle.nonUniform && m_nonUniform.insert(id.value).second) {
        m_b.decorate(id, spv::Decoration::NonUniform);
    }
}

Id Emitter::descriptorPointee(const Handle& handle, View view, spv::StorageClass& storage)
{
    if (isImageView(view)) {
        storage = spv::StorageClass::UniformConstant;
        return view == View::Sampler ? m_b.samplerType() : imageType(handle, view);
    }
    std::array<Id, 1> members = {m_b.uintType()};
    storage = spv::StorageClass::StorageBuffer;
    if (view == View::Constants) {
        // Rows of 16 bytes; where the size is unknown, as many as D3D allows.
        constexpr uint32_t kMaxRows = 4096;
        const uint32_t rows = handle.resource.sizeBytes == 0 ? kMaxRows : (handle.resource.sizeBytes + 15) / 16;
        storage = spv::StorageClass::Uniform;
        members[0] = m_b.arrayType(m_b.vectorType(m_b.uintType(), 4), std::min(rows, kMaxRows), 16);
    } else if (view != View::Counter) {
        const uint32_t bits = view == View::Words16 ? 16 : view == View::Words32 ? 32 : 64;
        if (bits == 16) {
            m_b.capability(spv::Capability::StorageBuffer16BitAccess);
        }
        members[0] = m_b.arrayType(m_b.intType(bits), 0, bits / 8);
    }
    const Id type = m_b.structType(members);
    m_b.decorate(type, spv::Decoration::Block);
    m_b.decorateMember(type, 0, spv::Decoration::Offset, {0});
    return type;
}

Emitter::Descriptor Emitter::descriptor(const Handle& handle, View view)
{
    const Resource& r = handle.resource;
    const bool isCounter = view == View::Counter;
    // Heaps, and ranges of root signatures, hold descriptors of every type: one variable for each type, all in the same
    // place.
    const std::vector<uint32_t> key = {
        handle.isHeap,
        static_cast<uint32_t>(r.resourceClass),
        r.space,
        r.lowerBound,
        static_cast<uint32_t>(view),
        handle.isHeap || handle.isPart ? static_cast<uint32_t>(r.kind) << 8 | static_cast<uint32_t>(r.component) : 0,
        handle.isHeap || handle.isPart ? r.sizeBytes : 0};
    const auto found = m_descriptors.find(key);
    if (found != m_descriptors.end()) {
        return found->second;
    }
    if (handle.place.kind != Place::Kind::Descriptor) {
        unsupported("a resource of this kind as a root parameter: " + describe(r));
    }
    if (isCounter && handle.place.counterBinding == kUnbounded) {
        unsupported("the counter of a buffer of a descriptor heap");
    }
    spv::StorageClass storage = spv::StorageClass::UniformConstant;
    Descriptor out;
    out.pointee = descriptorPointee(handle, view, storage);
    out.isArray = r.count != 1;
    Id type = out.pointee;
    if (out.isArray) {
        const bool isEndless = r.count == kUnbounded;
        if (isEndless) {
            m_b.capability(spv::Capability::RuntimeDescriptorArray);
        }
        type = m_b.arrayType(out.pointee, isEndless ? 0 : r.count);
    }
    out.variable = m_b.variable(storage, type);
    m_b.name(out.variable, r.name.empty() ? "" : r.name + (isCounter ? ".counter" : ""));
    m_b.decorate(out.variable, spv::Decoration::DescriptorSet, {handle.place.set});
    m_b.decorate(out.variable, spv::Decoration::Binding,
                 {isCounter ? handle.place.counterBinding : handle.place.binding});
    if (storage == spv::StorageClass::StorageBuffer && r.resourceClass == ResourceClass::Srv) {
        m_b.decorate(out.variable, spv::Decoration::NonWritable);
    }
    // Barriers make no write of others visible unless the variable is coherent.
    const bool isUav = r.resourceClass == ResourceClass::Uav;
    if (isUav && (r.coherent || m_hasUavBarrier)) {
        m_b.decorate(out.variable, spv::Decoration::Coherent);
    }
    m_descriptors[key] = out;
    return out;
}

// What indexing an array of descriptors needs to be allowed.
static void allowIndexing(Builder& b, spv::StorageClass storage, const Resource& resource, bool nonUniform)
{
    using Capability = spv::Capability;
    const bool isTexel = resource.kind == ResourceKind::TypedBuffer;
    const bool isUav = resource.resourceClass == ResourceClass::Uav;
    Capability dynamic = Capability::SampledImageArrayDynamicIndexing;
    Capability scattered = Capability::SampledImageArrayNonUniformIndexing;
    if (storage == spv::StorageClass::StorageBuffer) {
        dynamic = Capability::StorageBufferArrayDynamicIndexing;
        scattered = Capability::StorageBufferArrayNonUniformIndexing;
    } else if (storage == spv::StorageClass::Uniform) {
        dynamic = Capability::UniformBufferArrayDynamicIndexing;
        scattered = Capability::UniformBufferArrayNonUniformIndexing;
    } else if (isTexel) {
        dynamic = isUav ? Capability::StorageTexelBufferArrayDynamicIndexing
                        : Capability::UniformTexelBufferArrayDynamicIndexing;
        scattered = isUav ? Capability::StorageTexelBufferArrayNonUniformIndexing
                          : Capability::UniformTexelBufferArrayNonUniformIndexing;
    } else if (isUav) {
        dynamic = Capability::StorageImageArrayDynamicIndexing;
        scattered = Capability::StorageImageArrayNonUniformIndexing;
    }
    b.capability(dynamic);
    if (nonUniform) {
        b.capability(Capability::ShaderNonUniform);
        b.capability(scattered);
    }
}

// A pointer to one descriptor.
Id Emitter::descriptorPointer(const Handle& handle, View view, spv::StorageClass& storage, Id& pointee)
{
    const Descriptor found = descriptor(handle, view);
    pointee = found.pointee;
    storage = view == View::Constants ? spv::StorageClass::Uniform
              : isImageView(view)     ? spv::StorageClass::UniformConstant
                                      : spv::StorageClass::StorageBuffer;
    if (!found.isArray) {
        return found.variable;
    }
    uint64_t ignored = 0;
    if (!m_b.constantValue(handle.index, ignored)) {
        allowIndexing(m_b, storage, handle.resource, handle.nonUniform);
        nonUniform(handle, handle.index);
    }
    const Id out = m_b.emit(spv::Op::OpAccessChain, m_b.pointerType(storage, pointee), {found.variable, handle.index});
    nonUniform(handle, out);
    return out;
}

// The root arguments, as words: push constants, or the node's record in the table of local ones.
Id Emitter::rootWord(const Place& place, Id index)
{
    const auto storage = place.isLocal ? spv::StorageClass::StorageBuffer : spv::StorageClass::PushConstant;
    Id& variable = place.isLocal ? m_localArguments : m_pushConstants;
    if (!variable) {
        const uint32_t words = place.isLocal ? 0 : std::max(1u, (m_options.bindings.pushConstantBytes + 3) / 4);
        const std::array<Id, 1> members = {m_b.arrayType(m_b.uintType(), words, 4)};
        const Id type = m_b.structType(members);
        m_b.decorate(type, spv::Decoration::Block);
        m_b.decorateMember(type, 0, spv::Decoration::Offset, {0});
        variable = m_b.variable(storage, type);
        m_b.name(variable, place.isLocal ? "local_root" : "root");
        if (place.isLocal) {
            m_b.decorate(variable, spv::Decoration::DescriptorSet, {m_options.bindings.local.set});
            m_b.decorate(variable, spv::Decoration::Binding, {m_options.bindings.local.binding});
            m_b.decorate(variable, spv::Decoration::NonWritable);
        }
    }
    if (place.isLocal) {
        const auto record = static_cast<uint32_t>(m_entry.node.localArgumentsIndex);
        index = m_b.add(index, m_b.uintConstant(record * (m_options.bindings.local.strideBytes / 4)));
    }
    const Id pointer = m_b.emit(spv::Op::OpAccessChain, m_b.pointerType(storage, m_b.uintType()),
                                {variable, m_b.uintConstant(0), index});
    return m_b.load(m_b.uintType(), pointer);
}

// A buffer by its address among the root arguments.
Id Emitter::addressedBuffer(const Handle& handle, View view, Id& pointee)
{
    m_b.capability(spv::Capability::PhysicalStorageBufferAddresses);
    m_b.module().section(spirv::Section::MemoryModel)[0].setLiteral(
        0, static_cast<uint32_t>(spv::AddressingModel::PhysicalStorageBuffer64));
    spv::StorageClass ignored = spv::StorageClass::PhysicalStorageBuffer;
    const uint32_t bytes = view == View::Constants ? handle.resource.sizeBytes : 0;
    Id& type = m_addressedTypes[static_cast<uint32_t>(view) | bytes << 8];
    if (!type) {
        type = descriptorPointee(handle, view, ignored);
    }
    pointee = type;
    const uint32_t word = handle.place.offsetBytes / 4;
    const std::array<Id, 2> words = {rootWord(handle.place, m_b.uintConstant(word)),
                                     rootWord(handle.place, m_b.uintConstant(word + 1))};
    const Id address = m_b.construct(m_b.vectorType(m_b.uintType(), 2), words);
    return m_b.emit(spv::Op::OpBitcast, m_b.pointerType(spv::StorageClass::PhysicalStorageBuffer, pointee), {address});
}

Id Emitter::loadThrough(const Handle& handle, Id type, Id pointer)
{
    if (handle.place.kind != Place::Kind::Address) {
        return m_b.load(type, pointer);
    }
    const uint32_t bytes = m_b.countOf(type) * m_b.bitsOf(type) / 8;
    return m_b.emit(instruction(spv::Op::OpLoad, type)
                        .add(pointer)
                        .add(static_cast<uint32_t>(spv::MemoryAccessMask::Aligned))
                        .add(bytes));
}

void Emitter::storeThrough(const Handle& handle, Id type, Id pointer, Id value)
{
    if (handle.place.kind != Place::Kind::Address) {
        m_b.store(pointer, value);
        return;
    }
    m_b.append(instruction(spv::Op::OpStore)
                   .add(pointer)
                   .add(value)
                   .add(static_cast<uint32_t>(spv::MemoryAccessMask::Aligned))
                   .add(m_b.bitsOf(type) / 8));
}

// A pointer to an element of the array in a buffer.
Id Emitter::elementPointer(const Handle& handle, View view, Id index, Id& type)
{
    spv::StorageClass storage = spv::StorageClass::StorageBuffer;
    Id pointee;
    Id buffer;
    if (handle.place.kind == Place::Kind::Address && view != View::Counter) {
        storage = spv::StorageClass::PhysicalStorageBuffer;
        buffer = addressedBuffer(handle, view, pointee);
    } else {
        buffer = descriptorPointer(handle, view, storage, pointee);
    }
    type = view == View::Constants ? m_b.vectorType(m_b.uintType(), 4)
           : view == View::Words16 ? m_b.intType(16)
           : view == View::Words64 ? m_b.intType(64)
                                   : m_b.uintType();
    const Id zero = m_b.uintConstant(0);
    const Id pointer = m_b.pointerType(storage, type);
    const Id out = view == View::Counter ? m_b.emit(spv::Op::OpAccessChain, pointer, {buffer, zero})
                                         : m_b.emit(spv::Op::OpAccessChain, pointer, {buffer, zero, index});
    nonUniform(handle, out);
    return out;
}

Id Emitter::byteOffset(const Handle& handle, const Value* index, const Value* offset)
{
    if (handle.resource.kind != ResourceKind::StructuredBuffer) {
        return getUint(index);
    }
    const Id begin = m_b.mul(getUint(index), handle.resource.strideBytes);
    return offset->isUndef() ? begin : m_b.add(begin, getUint(offset));
}

uint32_t Emitter::bufferBytes(const Type& type, bool minPrecision)
{
    return type.bits == 16 && minPrecision ? 4 : std::max(type.bits, 16u) / 8;
}

Id Emitter::loadWord(const Handle& handle, Id wordIndex)
{
    Id type;
    const Id pointer = elementPointer(handle, View::Words32, wordIndex, type);
    return loadThrough(handle, type, pointer);
}

Id Emitter::loadElement(const Handle& handle, const Type& type, Id offset, uint32_t extra)
{
    const uint32_t bytes = bufferBytes(type, m_ir.minPrecision);
    const Id to = scalarType(type);
    if (bytes == 2) {
        Id from;
        const Id index = m_b.shiftRight(m_b.add(offset, m_b.uintConstant(extra)), 1);
        const Id pointer = elementPointer(handle, View::Words16, index, from);
        return m_b.bitcast(to, loadThrough(handle, from, pointer), from);
    }
    const Id word = m_b.add(m_b.shiftRight(offset, 2), m_b.uintConstant(extra / 4));
    const Id low = loadWord(handle, word);
    if (bytes == 4) {
        return m_b.bitcast(to, low, m_b.uintType());
    }
    const std::array<Id, 2> words = {low, loadWord(handle, m_b.add(word, m_b.uintConstant(1)))};
    return m_b.emit(spv::Op::OpBitcast, to, {m_b.construct(m_b.vectorType(m_b.uintType(), 2), words)});
}

void Emitter::storeElement(const Handle& handle, const Type& type, Id offset, uint32_t extra, Id value)
{
    const uint32_t bytes = bufferBytes(type, m_ir.minPrecision);
    const Id from = scalarType(type);
    Id to;
    if (bytes == 2) {
        const Id index = m_b.shiftRight(m_b.add(offset, m_b.uintConstant(extra)), 1);
        const Id pointer = elementPointer(handle, View::Words16, index, to);
        storeThrough(handle, to, pointer, m_b.bitcast(to, value, from));
        return;
    }
    const Id word = m_b.add(m_b.shiftRight(offset, 2), m_b.uintConstant(extra / 4));
    if (bytes == 4) {
        const Id pointer = elementPointer(handle, View::Words32, word, to);
        storeThrough(handle, to, pointer, m_b.bitcast(to, value, from));
        return;
    }
    const Id pair = m_b.emit(spv::Op::OpBitcast, m_b.vectorType(m_b.uintType(), 2), {value});
    for (uint32_t half = 0; half < 2; half++) {
        const Id pointer = elementPointer(handle, View::Words32, m_b.add(word, m_b.uintConstant(half)), to);
        storeThrough(handle, to, pointer, m_b.extract(to, pair, half));
    }
}

// Only the fields that somebody reads: the others may lie behind the end of the buffer.
void Emitter::loadFields(const Value& call, const Handle& handle, Id offset)
{
    const Type& result = *call.type;
    const uint32_t used = m_usedFields[&call];
    Val out;
    for (uint32_t f = 0; f + 1 < result.members.size(); f++) {
        const Type& type = *result.members[f];
        const bool isUsed = (used >> f & 1) != 0;
        out.fields.push_back(isUsed ? Val(loadElement(handle, type, offset, f * bufferBytes(type, m_ir.minPrecision)))
                                    : undef(type));
    }
    // Residency: buffers that are storage buffers are always resident.
    out.fields.emplace_back(m_b.uintConstant(1));
    set(call, std::move(out));
}

void Emitter::storeFields(const Value& call, const Handle& handle, Id offset, size_t firstValue, uint32_t mask)
{
    for (uint32_t f = 0; f < 4; f++) {
        const Value* value = call.operands[firstValue + f];
        if ((mask >> f & 1) != 0) {
            storeElement(handle, *value->type, offset, f * bufferBytes(*value->type, m_ir.minPrecision), getId(value));
        }
    }
}

void Emitter::opRawBufferLoad(const Value& call)
{
    if (const auto handle = getHandle(call.operands[1])) {
        loadFields(call, *handle, byteOffset(*handle, call.operands[2], call.operands[3]));
    }
}

void Emitter::opRawBufferStore(const Value& call)
{
    if (const auto handle = getHandle(call.operands[1])) {
        storeFields(call, *handle, byteOffset(*handle, call.operands[2], call.operands[3]), 4,
                    static_cast<uint32_t>(constantOf(call.operands[8]).value_or(0)));
    }
}

void Emitter::opBufferLoad(const Value& call)
{
    const auto handle = getHandle(call.operands[1]);
    if (handle && handle->resource.kind == ResourceKind::TypedBuffer) {
        typedBufferLoad(call, *handle);
    } else if (handle) {
        loadFields(call, *handle, byteOffset(*handle, call.operands[2], call.operands[3]));
    }
}

void Emitter::opBufferStore(const Value& call)
{
    const auto handle = getHandle(call.operands[1]);
    if (handle && handle->resource.kind == ResourceKind::TypedBuffer) {
        typedBufferStore(call, *handle);
    } else if (handle) {
        storeFields(call, *handle, byteOffset(*handle, call.operands[2], call.operands[3]), 4,
                    static_cast<uint32_t>(constantOf(call.operands[8]).value_or(0)));
    }
}

void Emitter::opRawBufferVectorLoad(const Value& call)
{
    const auto handle = getHandle(call.operands[1]);
    if (!handle) {
        return;
    }
    const Type& vector = *call.type->members.at(0);
    const Type& type = vector.scalar();
    const Id offset = byteOffset(*handle, call.operands[2], call.operands[3]);
    std::vector<Id> elements;
    for (uint32_t e = 0; e < (vector.isVector() ? vector.count : 1); e++) {
        elements.push_back(loadElement(*handle, type, offset, e * bufferBytes(type, m_ir.minPrecision)));
    }
    Val out;
    out.fields.push_back(assemble(vector, elements));
    out.fields.emplace_back(m_b.uintConstant(1));
    set(call, std::move(out));
}

void Emitter::opRawBufferVectorStore(const Value& call)
{
    const auto handle = getHandle(call.operands[1]);
    if (!handle) {
        return;
    }
    const Type& vector = *call.operands[4]->type;
    const Type& type = vector.scalar();
    const Val value = get(call.operands[4]);
    const Id offset = byteOffset(*handle, call.operands[2], call.operands[3]);
    for (uint32_t e = 0; e < (vector.isVector() ? vector.count : 1); e++) {
        storeElement(*handle, type, offset, e * bufferBytes(type, m_ir.minPrecision), element(vector, value, e));
    }
}

Id Emitter::constantWord(const Handle& handle, Id row, uint32_t column)
{
    if (handle.place.kind == Place::Kind::Constants) {
        const uint32_t first = handle.place.offsetBytes / 4 + column;
        return rootWord(handle.place, m_b.add(m_b.mul(row, 4), m_b.uintConstant(first)));
    }
    Id type;
    const Id pointer = elementPointer(handle, View::Constants, row, type);
    return m_b.extract(m_b.uintType(), loadThrough(handle, type, pointer), column);
}

// A row of 16 bytes as 4, 8 or 2 values.
void Emitter::opCBufferLoadLegacy(const Value& call)
{
    const auto handle = getHandle(call.operands[1]);
    if (!handle) {
        return;
    }
    const Id row = getUint(call.operands[2]);
    const uint32_t used = m_usedFields[&call];
    const uint32_t bytes = 16 / std::max<uint32_t>(1, static_cast<uint32_t>(call.type->members.size()));
    Val out;
    for (uint32_t f = 0; f < call.type->members.size(); f++) {
        const Type& type = *call.type->members[f];
        const Id to = scalarType(type);
        if ((used >> f & 1) == 0) {
            out.fields.push_back(undef(type));
            continue;
        }
        const Id word = constantWord(*handle, row, f * bytes / 4);
        if (bytes == 8) {
            const std::array<Id, 2> words = {word, constantWord(*handle, row, 2 * f + 1)};
            const Id pair = m_b.construct(m_b.vectorType(m_b.uintType(), 2), words);
            out.fields.emplace_back(m_b.emit(spv::Op::OpBitcast, to, {pair}));
        } else if (bytes == 2) {
            const Id half = m_b.intType(16);
            const Id pair = m_b.emit(spv::Op::OpBitcast, m_b.vectorType(half, 2), {word});
            out.fields.emplace_back(m_b.bitcast(to, m_b.extract(half, pair, f % 2), half));
        } else {
            out.fields.emplace_back(m_b.bitcast(to, word, m_b.uintType()));
        }
    }
    set(call, std::move(out));
}

// One value at a byte offset.
void Emitter::opCBufferLoad(const Value& call)
{
    const auto handle = getHandle(call.operands[1]);
    if (!handle) {
        return;
    }
    const Type& type = *call.type;
    const Id offset = getUint(call.operands[2]);
    const Id row = m_b.shiftRight(offset, 4);
    const auto wordAt = [&](uint32_t extra) {
        if (handle->place.kind == Place::Kind::Constants) {
            return rootWord(handle->place, m_b.add(m_b.shiftRight(offset, 2),
                                                   m_b.uintConstant(handle->place.offsetBytes / 4 + extra)));
        }
        Id rowType;
        const Id pointer = elementPointer(*handle, View::Constants, row, rowType);
        const Id column = m_b.emit(spv::Op::OpBitwiseAnd, m_b.uintType(),
                                   {m_b.add(m_b.shiftRight(offset, 2), m_b.uintConstant(extra)), m_b.uintConstant(3)});
        return m_b.emit(spv::Op::OpVectorExtractDynamic, m_b.uintType(),
                        {loadThrough(*handle, rowType, pointer), column});
    };
    if (type.isVector()) {
        unsupported("a load of " + type.text() + " from a constant buffer");
    } else if (bufferBytes(type, m_ir.minPrecision) == 2) {
        const Id half = m_b.intType(16);
        const Id bit = m_b.emit(spv::Op::OpBitwiseAnd, m_b.uintType(), {m_b.mul(offset, 8), m_b.uintConstant(16)});
        const Id word = m_b.emit(spv::Op::OpShiftRightLogical, m_b.uintType(), {wordAt(0), bit});
        set(call, m_b.bitcast(scalarType(type), m_b.emit(spv::Op::OpUConvert, half, {word}), half));
    } else if (type.bits == 64) {
        const std::array<Id, 2> words = {wordAt(0), wordAt(1)};
        const Id pair = m_b.construct(m_b.vectorType(m_b.uintType(), 2), words);
        set(call, m_b.emit(spv::Op::OpBitcast, scalarType(type), {pair}));
    } else {
        set(call, m_b.bitcast(scalarType(type), wordAt(0), m_b.uintType()));
    }
}

// Atomic operations on resources have their coordinates in operands 2 to 4, or 3 to 5 with an operation in front.
Id Emitter::resourceAtomicPointer(const Value& call, Id& type)
{
    constexpr uint64_t kAtomicBinOp = 78;
    const auto handle = getHandle(call.operands[1]);
    const uint32_t bits = call.type->bits;
    type = m_b.intType(bits);
    if (!handle) {
        return Id{1};
    }
    const size_t first = constantOf(call.operands[0]) == kAtomicBinOp ? 3 : 2;
    const ResourceKind kind = handle->resource.kind;
    if (bits == 64) {
        m_b.capability(spv::Capability::Int64Atomics);
    }
    if (kind == ResourceKind::RawBuffer || kind == ResourceKind::StructuredBuffer) {
        const Id offset = byteOffset(*handle, call.operands[first], call.operands[first + 1]);
        return elementPointer(*handle, bits == 64 ? View::Words64 : View::Words32,
                              m_b.shiftRight(offset, bits == 64 ? 3 : 2), type);
    }
    // Resources of 64-bit integers may be declared as pairs of 32-bit ones.
    const bool isPair = bits == 64 && m_b.bitsOf(texelType(handle->resource)) != 64;
    type = isPair ? m_b.intType(64) : texelType(handle->resource);
    spv::StorageClass storage = spv::StorageClass::UniformConstant;
    Id image;
    const Id pointer = descriptorPointer(*handle, isPair ? View::ImageAtomic64 : View::ImageAtomic, storage, image);
    const uint32_t count = std::min(3u, coordinateCount(kind));
    const Id coordinates = vectorOf(m_b.vectorType(m_b.uintType(), count), call, first, count);
    const Id texel = m_b.emit(spv::Op::OpImageTexelPointer, m_b.pointerType(spv::StorageClass::Image, type),
                              {pointer, coordinates, m_b.uintConstant(0)});
    nonUniform(*handle, texel);
    return texel;
}

void Emitter::opAtomicBinOp(const Value& call)
{
    static constexpr std::array<spv::Op, 9> kOps = {
        spv::Op::OpAtomicIAdd, spv::Op::OpAtomicAnd,  spv::Op::OpAtomicOr,
        spv::Op::OpAtomicXor,  spv::Op::OpAtomicSMin, spv::Op::OpAtomicSMax,
        spv::Op::OpAtomicUMin, spv::Op::OpAtomicUMax, spv::Op::OpAtomicExchange};
    const uint64_t op = constantOf(call.operands[2]).value_or(99);
    if (op >= kOps.size()) {
        unsupported("atomic operation " + std::to_string(op));
        return;
    }
    Id type;
    const Id pointer = resourceAtomicPointer(call, type);
    const Id own = scalarType(*call.type);
    if (m_b.bitsOf(own) != m_b.bitsOf(type)) {
        unsupported("a 32-bit atomic operation on a resource of 64-bit integers");
        return;
    }
    const Id value = m_b.bitcast(type, getId(call.operands[6]), own);
    const Id old =
        m_b.emit(kOps[static_cast<size_t>(op)], type,
                 {pointer, m_b.uintConstant(static_cast<uint32_t>(spv::Scope::Device)), m_b.uintConstant(0), value});
    set(call, m_b.bitcast(own, old, type));
}

void Emitter::opAtomicCompareExchange(const Value& call)
{
    Id type;
    const Id pointer = resourceAtomicPointer(call, type);
    const Id own = scalarType(*call.type);
    const Id relaxed = m_b.uintConstant(0);
    const Id expected = m_b.bitcast(type, getId(call.operands[5]), own);
    const Id value = m_b.bitcast(type, getId(call.operands[6]), own);
    const Id old = m_b.emit(
        spv::Op::OpAtomicCompareExchange, type,
        {pointer, m_b.uintConstant(static_cast<uint32_t>(spv::Scope::Device)), relaxed, relaxed, value, expected});
    set(call, m_b.bitcast(own, old, type));
}

// An increment gives the value before, a decrement the value after.
void Emitter::opBufferUpdateCounter(const Value& call)
{
    const auto handle = getHandle(call.operands[1]);
    if (!handle) {
        return;
    }
    Id type;
    const Id pointer = elementPointer(*handle, View::Counter, {}, type);
    const bool increments = static_cast<int8_t>(constantOf(call.operands[2]).value_or(1)) > 0;
    const Id one = m_b.uintConstant(1);
    const Id old =
        m_b.emit(increments ? spv::Op::OpAtomicIAdd : spv::Op::OpAtomicISub, type,
                 {pointer, m_b.uintConstant(static_cast<uint32_t>(spv::Scope::Device)), m_b.uintConstant(0), one});
    set(call, increments ? old : m_b.emit(spv::Op::OpISub, type, {old, one}));
}

void Emitter::opCheckAccessFullyMapped(const Value& call)
{
    set(call, m_b.emit(spv::Op::OpINotEqual, m_b.boolType(), {getId(call.operands[1]), m_b.uintConstant(0)}));
}

void Emitter::opGetDimensions(const Value& call)
{
    const auto handle = getHandle(call.operands[1]);
    if (!handle) {
        return;
    }
    const ResourceKind kind = handle->resource.kind;
    if (kind != ResourceKind::RawBuffer && kind != ResourceKind::StructuredBuffer) {
        set(call, imageDimensions(*handle, call.operands[2]));
        return;
    }
    if (handle->place.kind != Place::Kind::Descriptor) {
        unsupported("the size of a root descriptor, which has none");
        return;
    }
    spv::StorageClass storage = spv::StorageClass::StorageBuffer;
    Id pointee;
    const Id buffer = descriptorPointer(*handle, View::Words32, storage, pointee);
    const Id number = m_b.uintType();
    Id size = m_b.emit(instruction(spv::Op::OpArrayLength, number).add(buffer).add(0u));
    size = m_b.emit(spv::Op::OpIMul, number, {size, m_b.uintConstant(4)});
    const uint32_t stride = handle->resource.strideBytes;
    if (kind == ResourceKind::StructuredBuffer && stride > 0) {
        size = m_b.emit(spv::Op::OpUDiv, number, {size, m_b.uintConstant(stride)});
    }
    Val out;
    out.fields = {Val(size), Val(m_b.uintConstant(stride)), Val(m_b.uintConstant(0)), Val(m_b.uintConstant(0))};
    set(call, std::move(out));
}

}  // namespace millrace::dxil
