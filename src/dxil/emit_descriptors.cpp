// SPDX-License-Identifier: Apache-2.0
// Descriptors as variables, root arguments, and what is read and written through them.
#include <algorithm>
#include <array>

#include "dxil/emitter.h"

namespace millrace::dxil {

using spirv::instruction;

void Emitter::nonUniform(const Handle& handle, Id id)
{
    if (handle.nonUniform && m_nonUniform.insert(id.value).second)
        m_b.decorate(id, spv::Decoration::NonUniform);
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
        if (bits == 16)
            m_b.capability(spv::Capability::StorageBuffer16BitAccess);
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
    if (found != m_descriptors.end())
        return found->second;
    if (handle.place.kind != Place::Kind::Descriptor)
        unsupported("a resource of this kind as a root parameter: " + describe(r));
    if (isCounter && handle.place.counterBinding == kUnbounded)
        unsupported("a counter whose binding is not known");
    spv::StorageClass storage = spv::StorageClass::UniformConstant;
    Descriptor out;
    out.pointee = descriptorPointee(handle, view, storage);
    out.isArray = r.count != 1;
    Id type = out.pointee;
    if (out.isArray) {
        const bool isEndless = r.count == kUnbounded;
        if (isEndless)
            m_b.capability(spv::Capability::RuntimeDescriptorArray);
        type = m_b.arrayType(out.pointee, isEndless ? 0 : r.count);
    }
    out.variable = m_b.variable(storage, type);
    m_b.name(out.variable, r.name.empty() ? "" : r.name + (isCounter ? ".counter" : ""));
    m_b.decorate(out.variable, spv::Decoration::DescriptorSet, {handle.place.set});
    m_b.decorate(out.variable, spv::Decoration::Binding,
                 {isCounter ? handle.place.counterBinding : handle.place.binding});
    if (storage == spv::StorageClass::StorageBuffer && r.resourceClass == ResourceClass::Srv)
        m_b.decorate(out.variable, spv::Decoration::NonWritable);
    // Barriers make no write of others visible unless the variable is coherent.
    const bool isUav = r.resourceClass == ResourceClass::Uav;
    if (isUav && (r.coherent || m_hasUavBarrier))
        m_b.decorate(out.variable, spv::Decoration::Coherent);
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
    if (!found.isArray)
        return found.variable;
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
    if (!type)
        type = descriptorPointee(handle, view, ignored);
    pointee = type;
    const uint32_t word = handle.place.offsetBytes / 4;
    const std::array<Id, 2> words = {rootWord(handle.place, m_b.uintConstant(word)),
                                     rootWord(handle.place, m_b.uintConstant(word + 1))};
    const Id address = m_b.construct(m_b.vectorType(m_b.uintType(), 2), words);
    return m_b.emit(spv::Op::OpBitcast, m_b.pointerType(spv::StorageClass::PhysicalStorageBuffer, pointee), {address});
}

Id Emitter::loadThrough(const Handle& handle, Id type, Id pointer)
{
    if (handle.place.kind != Place::Kind::Address)
        return m_b.load(type, pointer);
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

}  // namespace millrace::dxil
