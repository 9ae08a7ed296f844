// SPDX-License-Identifier: Apache-2.0
// Images: typed buffers, textures, samplers.
#include <algorithm>
#include <array>

#include "dxil/emitter.h"
#include "dxil/opcodes.h"

namespace millrace::dxil {

using spirv::Instruction;
using spirv::instruction;

namespace {

struct Shape {
    spv::Dim dimension = spv::Dim::Dim2D;
    bool isArray = false;
    bool isMultisampled = false;
    uint32_t coordinates = 2;  // array layer included
    uint32_t offsets = 2;
};

Shape shapeOf(ResourceKind kind)
{
    switch (kind) {
        // clang-format off
        case ResourceKind::Texture1D: return {spv::Dim::Dim1D, false, false, 1, 1};
        case ResourceKind::Texture1DArray: return {spv::Dim::Dim1D, true, false, 2, 1};
        case ResourceKind::Texture2DArray: return {spv::Dim::Dim2D, true, false, 3, 2};
        case ResourceKind::Texture2DMS: return {spv::Dim::Dim2D, false, true, 2, 2};
        case ResourceKind::Texture2DMSArray: return {spv::Dim::Dim2D, true, true, 3, 2};
        case ResourceKind::Texture3D: return {spv::Dim::Dim3D, false, false, 3, 3};
        case ResourceKind::TextureCube: return {spv::Dim::Cube, false, false, 3, 0};
        case ResourceKind::TextureCubeArray: return {spv::Dim::Cube, true, false, 4, 0};
        case ResourceKind::TypedBuffer:
        case ResourceKind::TBuffer: return {spv::Dim::Buffer, false, false, 1, 0};
        default: return {};
            // clang-format on
    }
}

bool isSignedComponent(ComponentType type)
{
    return type == ComponentType::I16 || type == ComponentType::I32 || type == ComponentType::I64;
}

bool isUnsignedComponent(ComponentType type)
{
    return type == ComponentType::U16 || type == ComponentType::U32 || type == ComponentType::U64;
}

}  // namespace

uint32_t Emitter::coordinateCount(ResourceKind kind) const
{
    return shapeOf(kind).coordinates;
}

// The type of a texel's component: SPIR-V tells signed from unsigned images.
Id Emitter::texelType(const Resource& resource)
{
    const ComponentType type = resource.component;
    const bool isWide = type == ComponentType::I64 || type == ComponentType::U64;
    if (isSignedComponent(type) || isUnsignedComponent(type)) {
        if (isWide) {
            m_b.capability(spv::Capability::Int64ImageEXT);
            m_b.extension("SPV_EXT_shader_image_int64");
        }
        return m_b.intType(isWide ? 64 : 32, isSignedComponent(type));
    }
    return m_b.floatType(32);
}

static void allowShape(Builder& b, const Shape& shape, bool isStorage)
{
    using Capability = spv::Capability;
    if (shape.dimension == spv::Dim::Dim1D)
        b.capability(isStorage ? Capability::Image1D : Capability::Sampled1D);
    else if (shape.dimension == spv::Dim::Buffer)
        b.capability(isStorage ? Capability::ImageBuffer : Capability::SampledBuffer);
    else if (shape.dimension == spv::Dim::Cube && shape.isArray)
        b.capability(isStorage ? Capability::ImageCubeArray : Capability::SampledCubeArray);
    if (shape.isMultisampled && isStorage) {
        b.capability(Capability::StorageImageMultisample);
        if (shape.isArray)
            b.capability(Capability::ImageMSArray);
    }
}

Id Emitter::imageType(const Handle& handle, View view)
{
    const Resource& r = handle.resource;
    const bool isImage =
        (r.kind >= ResourceKind::Texture1D && r.kind <= ResourceKind::TypedBuffer) || r.kind == ResourceKind::TBuffer;
    if (!isImage)
        return unsupported("a resource of this kind: " + describe(r));
    const Shape shape = shapeOf(r.kind);
    const bool isStorage = r.resourceClass == ResourceClass::Uav;
    allowShape(m_b, shape, isStorage);
    const Id texel = view == View::ImageAtomic64 ? m_b.intType(64) : texelType(r);
    auto format = spv::ImageFormat::Unknown;
    if (view == View::ImageAtomic64) {
        m_b.capability(spv::Capability::Int64ImageEXT);
        m_b.extension("SPV_EXT_shader_image_int64");
        format = spv::ImageFormat::R64ui;
    } else if (view == View::ImageAtomic) {
        const bool isWide = m_b.bitsOf(texel) == 64;
        const bool isSigned = isSignedComponent(r.component);
        format = isWide ? (isSigned ? spv::ImageFormat::R64i : spv::ImageFormat::R64ui)
                        : (isSigned ? spv::ImageFormat::R32i : spv::ImageFormat::R32ui);
        format = m_b.isFloat(texel) ? spv::ImageFormat::R32f : format;
    }
    return m_b.imageType(
        texel, {static_cast<uint32_t>(shape.dimension), view == View::ImageDepth ? 1u : 0u, shape.isArray ? 1u : 0u,
                shape.isMultisampled ? 1u : 0u, isStorage ? 2u : 1u, static_cast<uint32_t>(format)});
}

Id Emitter::loadImage(const Handle& handle, View view, Id& type)
{
    spv::StorageClass storage = spv::StorageClass::UniformConstant;
    const Id pointer = descriptorPointer(handle, view, storage, type);
    const Id out = m_b.load(type, pointer);
    nonUniform(handle, out);
    return out;
}

Id Emitter::vectorOf(Id type, const Value& call, size_t first, uint32_t count)
{
    std::vector<Id> parts;
    const Id component = m_b.componentOf(type);
    for (uint32_t c = 0; c < count; ++c) {
        const Value* value = call.operands[first + c];
        parts.push_back(value->isUndef() ? m_b.undef(component) : getId(value));
    }
    return m_b.construct(type, parts);
}

// A texel of four components as the fields that the operation returns.
void Emitter::setTexel(const Value& call, const Handle& handle, Id texel, Id status, bool isScalar)
{
    const Id component = texelType(handle.resource);
    const uint32_t used = m_usedFields[&call];
    Val out;
    for (uint32_t f = 0; f + 1 < call.type->members.size(); ++f) {
        const Type& type = *call.type->members[f];
        if ((used >> f & 1) == 0) {
            out.fields.push_back(undef(type));
            continue;
        }
        Id value = isScalar ? texel : m_b.extract(component, texel, f);
        const Id to = scalarType(type);
        if (m_b.isFloat(component)) {
            value = type.isFloat() ? (to == component ? value : m_b.emit(spv::Op::OpFConvert, to, {value}))
                                   : m_b.emit(spv::Op::OpBitcast, to, {value});
        } else if (m_b.bitsOf(to) == m_b.bitsOf(component)) {
            value = m_b.bitcast(to, value, component);
        } else {
            value = m_b.emit(spv::Op::OpUConvert, to, {value});
        }
        out.fields.emplace_back(value);
    }
    out.fields.emplace_back(status);
    set(call, std::move(out));
}

static spv::Op sparseOp(spv::Op op)
{
    switch (op) {
        // clang-format off
        case spv::Op::OpImageSampleImplicitLod: return spv::Op::OpImageSparseSampleImplicitLod;
        case spv::Op::OpImageSampleExplicitLod: return spv::Op::OpImageSparseSampleExplicitLod;
        case spv::Op::OpImageSampleDrefImplicitLod: return spv::Op::OpImageSparseSampleDrefImplicitLod;
        case spv::Op::OpImageSampleDrefExplicitLod: return spv::Op::OpImageSparseSampleDrefExplicitLod;
        case spv::Op::OpImageFetch: return spv::Op::OpImageSparseFetch;
        case spv::Op::OpImageGather: return spv::Op::OpImageSparseGather;
        case spv::Op::OpImageDrefGather: return spv::Op::OpImageSparseDrefGather;
        default: return spv::Op::OpImageSparseRead;
            // clang-format on
    }
}

void Emitter::emitTexel(const Value& call, const Handle& handle, Instruction read, bool isScalar)
{
    const bool wantsStatus = (m_usedFields[&call] >> (call.type->members.size() - 1) & 1) != 0;
    const Id type = read.type;
    Id status = m_b.uintConstant(1);
    Id texel;
    if (wantsStatus) {
        m_b.capability(spv::Capability::SparseResidency);
        const std::array<Id, 2> members = {m_b.uintType(), type};
        read.op = sparseOp(read.op);
        read.type = m_b.structType(members);
        const Id both = m_b.emit(std::move(read));
        texel = m_b.extract(type, both, 1);
        const Id resident =
            m_b.emit(spv::Op::OpImageSparseTexelsResident, m_b.boolType(), {m_b.extract(m_b.uintType(), both, 0)});
        status = m_b.emit(spv::Op::OpSelect, m_b.uintType(), {resident, status, m_b.uintConstant(0)});
    } else {
        texel = m_b.emit(std::move(read));
    }
    nonUniform(handle, texel);
    setTexel(call, handle, texel, status, isScalar);
}

// What is written is always a vector of four.
Id Emitter::texelFromFields(const Value& call, size_t first, const Handle& handle)
{
    const Id component = texelType(handle.resource);
    std::vector<Id> parts;
    for (uint32_t c = 0; c < 4; ++c) {
        const Value* value = call.operands[first + c];
        const Id from = scalarType(*value->type);
        if (value->isUndef()) {
            parts.push_back(m_b.undef(component));
        } else if (m_b.bitsOf(from) == m_b.bitsOf(component)) {
            parts.push_back(m_b.bitcast(component, getId(value), from));
        } else if (m_b.isFloat(component)) {
            parts.push_back(m_b.emit(spv::Op::OpFConvert, component, {getId(value)}));
        } else {
            const bool isSigned = isSignedComponent(handle.resource.component);
            parts.push_back(m_b.emit(isSigned ? spv::Op::OpSConvert : spv::Op::OpUConvert, component, {getId(value)}));
        }
    }
    return m_b.construct(m_b.vectorType(component, 4), parts);
}

void Emitter::readTexel(const Value& call, const Handle& handle, Id coordinates, const Value* levelOrSample)
{
    const bool isStorage = handle.resource.resourceClass == ResourceClass::Uav;
    const Shape shape = shapeOf(handle.resource.kind);
    Id type;
    const Id image = loadImage(handle, View::Image, type);
    if (isStorage)
        m_b.capability(spv::Capability::StorageImageReadWithoutFormat);
    Instruction out = instruction(isStorage ? spv::Op::OpImageRead : spv::Op::OpImageFetch,
                                  m_b.vectorType(texelType(handle.resource), 4))
                          .add(image)
                          .add(coordinates);
    if (shape.isMultisampled) {
        out.add(static_cast<uint32_t>(spv::ImageOperandsMask::Sample)).add(getUint(levelOrSample));
    } else if (!isStorage && shape.dimension != spv::Dim::Buffer) {
        const Id level = levelOrSample->isUndef() ? m_b.uintConstant(0) : getUint(levelOrSample);
        out.add(static_cast<uint32_t>(spv::ImageOperandsMask::Lod)).add(level);
    }
    emitTexel(call, handle, std::move(out), false);
}

void Emitter::writeTexel(const Value& call, const Handle& handle, Id coordinates, size_t firstValue,
                         const Value* sample)
{
    Id type;
    const Id image = loadImage(handle, View::Image, type);
    m_b.capability(spv::Capability::StorageImageWriteWithoutFormat);
    Instruction out =
        instruction(spv::Op::OpImageWrite).add(image).add(coordinates).add(texelFromFields(call, firstValue, handle));
    if (sample)
        out.add(static_cast<uint32_t>(spv::ImageOperandsMask::Sample)).add(getUint(sample));
    m_b.append(std::move(out));
}

void Emitter::typedBufferLoad(const Value& call, const Handle& handle)
{
    readTexel(call, handle, getUint(call.operands[2]), nullptr);
}

void Emitter::typedBufferStore(const Value& call, const Handle& handle)
{
    writeTexel(call, handle, getUint(call.operands[2]), 4, nullptr);
}

// Offsets of loads are added: they count in texels, and so do the coordinates.
void Emitter::opTextureLoad(const Value& call)
{
    const auto handle = getHandle(call.operands[1]);
    if (!handle)
        return;
    const Shape shape = shapeOf(handle->resource.kind);
    std::vector<Id> parts;
    for (uint32_t c = 0; c < shape.coordinates; ++c) {
        Id coordinate = c < 3 ? getUint(call.operands[3 + c]) : m_b.uintConstant(0);
        if (c < shape.offsets && !call.operands[6 + c]->isUndef())
            coordinate = m_b.add(coordinate, getUint(call.operands[6 + c]));
        parts.push_back(coordinate);
    }
    readTexel(call, *handle, m_b.construct(m_b.vectorType(m_b.uintType(), shape.coordinates), parts), call.operands[2]);
}

void Emitter::opTextureStore(const Value& call)
{
    const auto handle = getHandle(call.operands[1]);
    if (!handle)
        return;
    const Shape shape = shapeOf(handle->resource.kind);
    if (constantOf(call.operands[9]).value_or(0) != 15) {
        unsupported("a store of some components of a texel");
        return;
    }
    const Id coordinates = vectorOf(m_b.vectorType(m_b.uintType(), shape.coordinates), call, 2, shape.coordinates);
    writeTexel(call, *handle, coordinates, 5,
               opcodeOf(call) == opcode::TextureStoreSample ? call.operands[10] : nullptr);
}

Id Emitter::sampledImage(const Value& call, const Handle& image, bool depth)
{
    const auto sampler = getHandle(call.operands[2]);
    if (!sampler)
        return Id{1};
    Id type;
    const Id texture = loadImage(image, depth ? View::ImageDepth : View::Image, type);
    Id samplerType;
    const Id samplerValue = loadImage(*sampler, View::Sampler, samplerType);
    const Id out = m_b.emit(spv::Op::OpSampledImage, m_b.sampledImageType(type), {texture, samplerValue});
    nonUniform(image, out);
    return out;
}

// Derivatives in compute shaders: over 2 x 2 invocations, or four in a row.
void Emitter::needDerivatives()
{
    if (m_entry.kind == ShaderKind::Pixel)
        return;
    m_needsDerivatives = true;
    m_b.extension("SPV_KHR_compute_shader_derivatives");
    const bool isLinear = m_entry.threads[0] % 2 != 0 || m_entry.threads[1] % 2 != 0;
    m_b.capability(isLinear ? spv::Capability::ComputeDerivativeGroupLinearKHR
                            : spv::Capability::ComputeDerivativeGroupQuadsKHR);
}

// Constant offsets of a sample or gather, or none if they are 0.
Id Emitter::texelOffsets(const Value& call, size_t first, uint32_t count, bool& isConstant)
{
    const Id number = m_b.intType(32, true);
    std::vector<Id> parts;
    bool any = false;
    isConstant = true;
    for (uint32_t c = 0; c < count; ++c) {
        const Value* value = call.operands[first + c];
        const auto constant = value->isUndef() ? std::optional<uint64_t>(0) : constantOf(value);
        isConstant = isConstant && constant;
        any = any || !constant || *constant != 0;
        parts.push_back(constant ? m_b.constant(number, *constant)
                                 : m_b.emit(spv::Op::OpBitcast, number, {getId(value)}));
    }
    if (!any || parts.empty())
        return {};
    const Id type = m_b.vectorType(number, count);
    return isConstant && count > 1 ? m_b.composite(type, parts) : m_b.construct(type, parts);
}

// How an operation samples.
struct SampleKind {
    bool compares, hasBias, hasGradient, isExplicit;
};

static SampleKind sampleKindOf(uint32_t opcode)
{
    SampleKind out{};
    out.compares =
        opcode == opcode::SampleCmp || opcode == opcode::SampleCmpLevelZero || opcode >= opcode::SampleCmpLevel;
    out.hasBias = opcode == opcode::SampleBias || opcode == opcode::SampleCmpBias;
    out.hasGradient = opcode == opcode::SampleGrad || opcode == opcode::SampleCmpGrad;
    out.isExplicit = out.hasGradient || opcode == opcode::SampleLevel || opcode == opcode::SampleCmpLevel ||
                     opcode == opcode::SampleCmpLevelZero;
    return out;
}

// Image, sampler, four coordinates, three offsets, and what the operation wants besides.
void Emitter::opSample(const Value& call)
{
    const auto handle = getHandle(call.operands[1]);
    if (!handle)
        return;
    const Shape shape = shapeOf(handle->resource.kind);
    const SampleKind kind = sampleKindOf(opcodeOf(call));
    if (!kind.isExplicit)
        needDerivatives();
    const Id image = sampledImage(call, *handle, kind.compares);
    const Id coordinates = vectorOf(m_b.vectorType(m_b.floatType(32), shape.coordinates), call, 3, shape.coordinates);
    const Id component = texelType(handle->resource);
    const spv::Op op =
        kind.compares
            ? (kind.isExplicit ? spv::Op::OpImageSampleDrefExplicitLod : spv::Op::OpImageSampleDrefImplicitLod)
            : (kind.isExplicit ? spv::Op::OpImageSampleExplicitLod : spv::Op::OpImageSampleImplicitLod);
    Instruction out =
        instruction(op, kind.compares ? component : m_b.vectorType(component, 4)).add(image).add(coordinates);
    size_t next = 10;
    if (kind.compares)
        out.add(getId(call.operands[next++]));
    addSampleOperands(call, *handle, next, out);
    emitTexel(call, *handle, std::move(out), kind.compares);
}

// Image operands, in the order of their bits. `next` is the first of the call's that is not looked at yet.
void Emitter::addSampleOperands(const Value& call, const Handle& handle, size_t next, Instruction& out)
{
    const SampleKind kind = sampleKindOf(opcodeOf(call));
    const Shape shape = shapeOf(handle.resource.kind);
    const Id real = m_b.floatType(32);
    auto mask = static_cast<uint32_t>(spv::ImageOperandsMask::MaskNone);
    std::vector<Id> operands;
    const auto with = [&](spv::ImageOperandsMask bit, Id id) {
        mask |= static_cast<uint32_t>(bit);
        operands.push_back(id);
    };
    if (kind.hasBias)
        with(spv::ImageOperandsMask::Bias, getId(call.operands[next++]));
    if (kind.isExplicit && !kind.hasGradient) {
        const bool isZero = opcodeOf(call) == opcode::SampleCmpLevelZero;
        with(spv::ImageOperandsMask::Lod, isZero ? m_b.constant(real, 0) : getId(call.operands[next++]));
    }
    if (kind.hasGradient) {
        const uint32_t count = std::min(3u, shape.coordinates - (shape.isArray ? 1 : 0));
        const Id type = m_b.vectorType(real, count);
        with(spv::ImageOperandsMask::Grad, vectorOf(type, call, next, count));
        operands.push_back(vectorOf(type, call, next + 3, count));
        next += 6;
    }
    bool isConstant = true;
    if (const Id offsets = texelOffsets(call, 7, shape.offsets, isConstant)) {
        // Others than constants want VK_KHR_maintenance8.
        if (!isConstant)
            m_b.capability(spv::Capability::ImageGatherExtended);
        with(isConstant ? spv::ImageOperandsMask::ConstOffset : spv::ImageOperandsMask::Offset, offsets);
    }
    const bool takesClamp = !kind.isExplicit || kind.hasGradient;
    if (takesClamp && next < call.operands.size() && !call.operands[next]->isUndef() &&
        !(call.operands[next]->kind == Value::Kind::Float && call.operands[next]->bits == 0)) {
        m_b.capability(spv::Capability::MinLod);
        with(spv::ImageOperandsMask::MinLod, getId(call.operands[next]));
    }
    if (mask != 0) {
        out.add(mask);
        for (const Id id : operands)
            out.add(id);
    }
}

void Emitter::opTextureGather(const Value& call)
{
    const auto handle = getHandle(call.operands[1]);
    if (!handle)
        return;
    const Shape shape = shapeOf(handle->resource.kind);
    const bool compares = opcodeOf(call) == opcode::TextureGatherCmp;
    const bool isRaw = opcodeOf(call) == opcode::TextureGatherRaw;  // texels of one component, as they are
    const Id image = sampledImage(call, *handle, compares);
    const Id coordinates = vectorOf(m_b.vectorType(m_b.floatType(32), shape.coordinates), call, 3, shape.coordinates);
    Instruction out = instruction(compares ? spv::Op::OpImageDrefGather : spv::Op::OpImageGather,
                                  m_b.vectorType(texelType(handle->resource), 4))
                          .add(image)
                          .add(coordinates)
                          .add(compares ? getId(call.operands[10])
                               : isRaw  ? m_b.uintConstant(0)
                                        : getUint(call.operands[9]));
    bool isConstant = true;
    if (const Id offsets = texelOffsets(call, 7, shape.offsets, isConstant)) {
        if (!isConstant)
            m_b.capability(spv::Capability::ImageGatherExtended);
        out.add(
               static_cast<uint32_t>(isConstant ? spv::ImageOperandsMask::ConstOffset : spv::ImageOperandsMask::Offset))
            .add(offsets);
    }
    emitTexel(call, *handle, std::move(out), false);
}

void Emitter::opCalculateLod(const Value& call)
{
    const auto handle = getHandle(call.operands[1]);
    if (!handle)
        return;
    needDerivatives();
    m_b.capability(spv::Capability::ImageQuery);
    const Shape shape = shapeOf(handle->resource.kind);
    const uint32_t count = shape.coordinates - (shape.isArray ? 1 : 0);
    const Id real = m_b.floatType(32);
    const Id image = sampledImage(call, *handle, false);
    const Id levels = m_b.emit(spv::Op::OpImageQueryLod, m_b.vectorType(real, 2),
                               {image, vectorOf(m_b.vectorType(real, count), call, 3, count)});
    const bool isClamped = constantOf(call.operands[6]).value_or(0) != 0;
    set(call, m_b.extract(real, levels, isClamped ? 0 : 1));
}

// Width, height, depth or layers in this order as far as there are; levels or samples last.
Val Emitter::imageDimensions(const Handle& handle, const Value* level)
{
    const Shape shape = shapeOf(handle.resource.kind);
    m_b.capability(spv::Capability::ImageQuery);
    const bool isStorage = handle.resource.resourceClass == ResourceClass::Uav;
    const bool hasLevels = !isStorage && !shape.isMultisampled && shape.dimension != spv::Dim::Buffer;
    Id imageTypeId;
    const Id image = loadImage(handle, View::Image, imageTypeId);
    const Id number = m_b.uintType();
    const uint32_t count = shape.dimension == spv::Dim::Cube ? (shape.isArray ? 3 : 2) : shape.coordinates;
    const Id type = m_b.vectorType(number, count);
    const Id size = hasLevels ? m_b.emit(spv::Op::OpImageQuerySizeLod, type,
                                         {image, level->isUndef() ? m_b.uintConstant(0) : getUint(level)})
                              : m_b.emit(spv::Op::OpImageQuerySize, type, {image});
    Val out;
    for (uint32_t f = 0; f < 3; ++f)
        out.fields.emplace_back(f >= count ? m_b.uintConstant(0) : count == 1 ? size : m_b.extract(number, size, f));
    if (hasLevels)
        out.fields.emplace_back(m_b.emit(spv::Op::OpImageQueryLevels, number, {image}));
    else if (shape.isMultisampled)
        out.fields.emplace_back(m_b.emit(spv::Op::OpImageQuerySamples, number, {image}));
    else
        out.fields.emplace_back(m_b.uintConstant(0));
    return out;
}

}  // namespace millrace::dxil
