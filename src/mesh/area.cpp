// SPDX-License-Identifier: Apache-2.0
#include "mesh/area.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "abi/commands.h"
#include "abi/mesh.h"
#include "shader/diagnose.h"
#include "shader/globals.h"

namespace millrace::mesh {

using spirv::Emitter;
using spirv::Id;
using spirv::Instruction;
using spirv::Module;
using spirv::Section;

namespace {

// A type with explicit offsets and strides.
struct LaidOut {
    Id type;
    uint64_t bytes = 0;
    uint32_t alignment = 4;
};

uint64_t alignUp(uint64_t bytes, uint64_t alignment)
{
    return (bytes + alignment - 1) / alignment * alignment;
}

}  // namespace

class AreaBuilder {
public:
    explicit AreaBuilder(Module& module) : m_module(module) {}

    Result<Area> build(const std::vector<Id>& types)
    {
        std::vector<LaidOut> members;
        for (const Id type : types)
            members.push_back(layOut(type));
        const LaidOut area = layOutStructure(members);
        if (m_failure)
            return m_failure.diagnostic();
        if (area.bytes > UINT32_MAX)
            return Diagnostic{"mesh", {}, "what a workgroup leaves is larger than 4 GiB"};
        m_module.decorate(area.type, spv::Decoration::Block);
        m_module.setName(area.type, "MeshArea");
        Area out;
        out.m_stride = static_cast<uint32_t>(alignUp(area.bytes, area.alignment));
        out.m_type = area.type;
        out.m_bytes = alignUp(area.bytes, abi::kMeshAreaAlignment);
        out.m_alignments = std::move(m_alignments);
        return out;
    }

private:
    LaidOut layOut(Id type)
    {
        const Instruction i = *m_module.findDefinition(type);
        LaidOut out;
        switch (i.op) {
            case spv::Op::OpTypeBool:
                out = {m_module.getIntType(32, false), 4, 4};
                break;
            case spv::Op::OpTypeInt:
            case spv::Op::OpTypeFloat:
                out = layOutNumber(i);
                break;
            case spv::Op::OpTypeVector:
                out = layOutVector(i);
                break;
            case spv::Op::OpTypeMatrix:
                out = layOutMatrix(i);
                break;
            case spv::Op::OpTypeArray: {
                uint32_t length = 0;
                m_module.constantValue(i.id(1), length);
                return layOutArray(layOut(i.id(0)), length);
            }
            case spv::Op::OpTypeStruct: {
                std::vector<LaidOut> members;
                for (size_t m = 0; m < i.operandCount(); ++m)
                    members.push_back(layOut(i.id(m)));
                return layOutStructure(members);
            }
            default:
                m_failure.at(m_module, i, "is a type that outputs in memory cannot have");
                return {type, 4, 4};
        }
        m_alignments[out.type.value] = out.alignment;
        return out;
    }

    // Modules that only move small numbers between stages may not point to memory that has them.
    LaidOut layOutNumber(const Instruction& i)
    {
        const uint32_t bits = i.literal(0);
        const bool isFloat = i.op == spv::Op::OpTypeFloat;
        const spv::Capability arithmetic = isFloat     ? spv::Capability::Float16
                                           : bits == 8 ? spv::Capability::Int8
                                                       : spv::Capability::Int16;
        if (bits < 32 && !m_module.hasCapability(arithmetic))
            return {isFloat ? m_module.getFloatType(32) : m_module.getIntType(32, i.literal(1) != 0), 4, 4};
        noteWidth(bits);
        return {i.result, bits / 8, bits / 8};
    }

    LaidOut layOutMatrix(const Instruction& i)
    {
        const LaidOut column = layOut(i.id(0));
        const uint32_t operands[] = {column.type.value, i.literal(1)};
        Id type = m_module.findType(spv::Op::OpTypeMatrix, operands);
        if (!type) {
            type = m_module.newId();
            m_module.section(Section::Globals)
                .push_back(spirv::instruction(spv::Op::OpTypeMatrix, {}, type).add(column.type).add(operands[1]));
        }
        return {type, alignUp(column.bytes, column.alignment) * operands[1], column.alignment};
    }

    LaidOut layOutVector(const Instruction& i)
    {
        const LaidOut component = layOut(i.id(0));
        const uint32_t count = i.literal(1);
        return {m_module.getVectorType(component.type, count), component.bytes * count,
                component.alignment * (count == 2 ? 2u : 4u)};
    }

    LaidOut layOutArray(const LaidOut& element, uint32_t length)
    {
        const uint64_t stride = alignUp(element.bytes, element.alignment);
        const Id type = m_module.newId();
        const Id count = m_module.getConstant(length);
        m_module.section(Section::Globals)
            .push_back(spirv::instruction(spv::Op::OpTypeArray, {}, type).add(element.type).add(count));
        const uint32_t literal[] = {static_cast<uint32_t>(stride)};
        m_module.decorate(type, spv::Decoration::ArrayStride, literal);
        m_alignments[type.value] = element.alignment;
        return {type, stride * length, element.alignment};
    }

    LaidOut layOutStructure(const std::vector<LaidOut>& members)
    {
        LaidOut out{m_module.newId(), 0, 4};
        Instruction type = spirv::instruction(spv::Op::OpTypeStruct, {}, out.type);
        for (uint32_t m = 0; m < members.size(); ++m) {
            const LaidOut& member = members[m];
            out.bytes = alignUp(out.bytes, member.alignment);
            const uint32_t offset[] = {static_cast<uint32_t>(out.bytes)};
            m_module.decorateMember(out.type, m, spv::Decoration::Offset, offset);
            decorateMatrix(out.type, m, member.type);
            type.add(member.type);
            out.bytes += member.bytes;
            out.alignment = std::max(out.alignment, member.alignment);
        }
        // Where a structure would go on in an array nothing else may lie, without scalarBlockLayout.
        out.bytes = alignUp(out.bytes, out.alignment);
        m_module.section(Section::Globals).push_back(std::move(type));
        m_alignments[out.type.value] = out.alignment;
        return out;
    }

    // Also of matrices in arrays.
    void decorateMatrix(Id structure, uint32_t member, Id type)
    {
        const Instruction* i = m_module.findDefinition(type);
        while (i->op == spv::Op::OpTypeArray)
            i = m_module.findDefinition(i->id(0));
        if (i->op != spv::Op::OpTypeMatrix)
            return;
        const LaidOut column = layOut(i->id(0));
        const uint32_t stride[] = {static_cast<uint32_t>(alignUp(column.bytes, column.alignment))};
        m_module.decorateMember(structure, member, spv::Decoration::ColMajor);
        m_module.decorateMember(structure, member, spv::Decoration::MatrixStride, stride);
    }

    void noteWidth(uint32_t bits)
    {
        if (bits == 16)
            m_module.addCapability(spv::Capability::StorageBuffer16BitAccess);
        else if (bits == 8)
            m_module.addCapability(spv::Capability::StorageBuffer8BitAccess);
    }

    Module& m_module;
    std::unordered_map<uint32_t, uint32_t> m_alignments;
    shader::Failure m_failure{"mesh outputs"};
};

Result<Area> Area::create(Module& module, const std::vector<Id>& members)
{
    if (members.empty())
        return Area();
    return AreaBuilder(module).build(members);
}

Id Area::pointerType(Module& module) const
{
    return module.getPointerType(spv::StorageClass::PhysicalStorageBuffer, m_type);
}

Id Area::locate(commands::Variant& variant, Emitter& out, Id group) const
{
    commands::ArgumentLoads loads(variant);
    spirv::LongArithmetic& math = loads.math();
    constexpr auto kBack = -static_cast<int64_t>(offsetof(abi::MeshWork, table));
    const spirv::LongWords table = loads.address(out, offsetof(abi::SequenceArguments, table));
    const Id pair = out.module().getVectorType(math.wordType(), 2);
    const Id results = loads.load(out, loads.add(out, table, kBack), pair, sizeof(uint64_t));
    const auto word = [&](uint32_t number) {
        Instruction i = spirv::instruction(spv::Op::OpCompositeExtract, math.wordType(), out.module().newId());
        i.add(results).add(number);
        const Id result = i.result;
        out.keep(std::move(i));
        return result;
    };
    const Id low = word(0);
    const spirv::LongWords first{low, word(1)};
    const Id zero = math.constant(0);
    const spirv::LongWords size{math.constant(static_cast<uint32_t>(m_bytes)), zero};
    return pointTo(variant, out, math.add(out, first, math.multiply(out, {group, zero}, size)));
}

Id Area::pointTo(commands::Variant& variant, Emitter& out, spirv::LongWords address) const
{
    return commands::ArgumentLoads(variant).pointer(out, address, m_type);
}

Area::Place Area::place(Emitter& out, Id area, size_t member, const std::vector<Id>& indices) const
{
    Module& module = out.module();
    Id type = module.findDefinition(m_type)->id(member);
    for (const Id index : indices) {
        const Instruction* i = module.findDefinition(type);
        uint32_t number = 0;
        if (i->op == spv::Op::OpTypeStruct)
            module.constantValue(index, number);
        type = i->id(number);  // an array's element, a matrix' column, a vector's component
    }
    const auto known = m_alignments.find(type.value);
    Instruction chain = spirv::instruction(
        spv::Op::OpAccessChain, module.getPointerType(spv::StorageClass::PhysicalStorageBuffer, type), module.newId());
    chain.add(area).add(module.getConstant(static_cast<uint32_t>(member)));
    for (const Id index : indices)
        chain.add(index);
    const Id pointer = chain.result;
    out.keep(std::move(chain));
    return {pointer, type, known == m_alignments.end() ? 4u : known->second};
}

uint32_t Area::offsetOf(const Module& module, size_t member, const std::vector<uint32_t>& indices) const
{
    const auto offset = [&](Id structure, uint32_t number) {
        return module.findMemberDecoration(structure, number, spv::Decoration::Offset)->literal(3);
    };
    uint32_t bytes = offset(m_type, static_cast<uint32_t>(member));
    Id type = module.findDefinition(m_type)->id(member);
    for (const uint32_t index : indices) {
        bytes += offset(type, index);
        type = module.findDefinition(type)->id(index);
    }
    return bytes;
}

namespace {

// Turns values as shaders have them into those in memory, where booleans are words and small numbers may be wider, and
// back.
class Conversion {
public:
    explicit Conversion(Emitter& out) : m_out(out), m_module(out.module()) {}

    Id convert(Id value, Id from, Id to)
    {
        if (from == to)
            return value;
        switch (leafOf(from)) {
            case spv::Op::OpTypeBool:
                return m_out.emit(spv::Op::OpSelect, to, {value, words(to, 1), words(to, 0)});
            case spv::Op::OpTypeFloat:
                return m_out.emit(spv::Op::OpFConvert, to, {value});
            case spv::Op::OpTypeInt:
                return leafOf(to) == spv::Op::OpTypeBool
                           ? m_out.emit(spv::Op::OpINotEqual, to, {value, words(from, 0)})
                           : m_out.emit(isSigned(from) ? spv::Op::OpSConvert : spv::Op::OpUConvert, to, {value});
            default:
                return differs(from, to) ? convertParts(value, from, to)
                                         : m_out.emit(spv::Op::OpCopyLogical, to, {value});
        }
    }

    // Stores part by part where parts are converted: modules that only move small numbers may not put them together.
    void store(Id value, Id from, Id to, Id pointer, spv::StorageClass storage)
    {
        const spv::Op leaf = leafOf(to);
        const bool isLeaf = leaf == spv::Op::OpTypeBool || leaf == spv::Op::OpTypeFloat || leaf == spv::Op::OpTypeInt;
        if (isLeaf || !differs(from, to)) {
            m_out.emitVoid(spv::Op::OpStore, {pointer, convert(value, from, to)});
            return;
        }
        for (uint32_t part = 0; part < countParts(to); ++part) {
            const Id type = partType(to, part);
            const Id where = m_out.emit(spv::Op::OpAccessChain, m_module.getPointerType(storage, type),
                                        {pointer, m_module.getConstant(part)});
            store(extract(value, from, part), partType(from, part), type, where, storage);
        }
    }

private:
    // Of a number, a boolean or a vector of such; else of the type itself.
    spv::Op leafOf(Id type) const
    {
        const Instruction* i = m_module.findDefinition(type);
        return i->op == spv::Op::OpTypeVector ? leafOf(i->id(0)) : i->op;
    }

    bool isSigned(Id type) const
    {
        const Instruction* i = m_module.findDefinition(type);
        return i->op == spv::Op::OpTypeVector ? isSigned(i->id(0)) : i->literal(1) != 0;
    }

    // True if not only layouts do.
    bool differs(Id from, Id to) const
    {
        const Instruction* source = m_module.findDefinition(from);
        const Instruction* target = m_module.findDefinition(to);
        const bool isArray = source->op == spv::Op::OpTypeArray || source->op == spv::Op::OpTypeMatrix;
        if (!isArray && source->op != spv::Op::OpTypeStruct)
            return from != to;
        for (size_t m = 0; m < (isArray ? 1 : source->operandCount()); ++m)
            if (differs(source->id(m), target->id(m)))
                return true;
        return false;
    }

    // A word, or a vector of the same word.
    Id words(Id type, uint32_t number)
    {
        const Id word = m_module.getConstant(number);
        const Instruction i = *m_module.findDefinition(type);
        if (i.op != spv::Op::OpTypeVector)
            return word;
        Instruction all = spirv::instruction(spv::Op::OpCompositeConstruct, type, m_module.newId());
        for (uint32_t component = 0; component < i.literal(1); ++component)
            all.add(word);
        return keep(std::move(all));
    }

    // Of an array, a matrix or a structure.
    uint32_t countParts(Id type) const
    {
        const Instruction* i = m_module.findDefinition(type);
        auto count = static_cast<uint32_t>(i->operandCount());
        if (i->op == spv::Op::OpTypeArray)
            m_module.constantValue(i->id(1), count);
        return i->op == spv::Op::OpTypeMatrix ? i->literal(1) : count;
    }

    Id partType(Id type, uint32_t part) const
    {
        const Instruction* i = m_module.findDefinition(type);
        return i->id(i->op == spv::Op::OpTypeStruct ? part : 0);
    }

    Id extract(Id value, Id type, uint32_t part)
    {
        Instruction i = spirv::instruction(spv::Op::OpCompositeExtract, partType(type, part), m_module.newId());
        i.add(value).add(part);
        return keep(std::move(i));
    }

    Id convertParts(Id value, Id from, Id to)
    {
        Instruction whole = spirv::instruction(spv::Op::OpCompositeConstruct, to, m_module.newId());
        for (uint32_t part = 0; part < countParts(from); ++part)
            whole.add(convert(extract(value, from, part), partType(from, part), partType(to, part)));
        return keep(std::move(whole));
    }

    Id keep(Instruction i)
    {
        const Id result = i.result;
        m_out.keep(std::move(i));
        return result;
    }

    Emitter& m_out;
    Module& m_module;
};

}  // namespace

Id Area::load(Emitter& out, const Place& place, Id type) const
{
    return Conversion(out).convert(commands::loadAligned(out, place.pointer, place.type, place.alignment), place.type,
                                   type);
}

void Area::store(Emitter& out, const Place& place, Id value, Id type) const
{
    out.keep(spirv::instruction(spv::Op::OpStore)
                 .add(place.pointer)
                 .add(Conversion(out).convert(value, type, place.type))
                 .add(static_cast<uint32_t>(spv::MemoryAccessMask::Aligned))
                 .add(place.alignment));
}

void Area::copy(Emitter& out, const Place& from, Id variable, Id type) const
{
    const Id value = commands::loadAligned(out, from.pointer, from.type, from.alignment);
    const Module& module = out.module();
    Conversion(out).store(value, from.type, type, variable, module.storageOf(module.typeOf(variable)));
}

Id declarePair(Module& module, uint32_t words)
{
    const Id element = module.getVectorType(module.getIntType(32, false), words);
    const Id count = module.getConstant(2);
    const Id array = module.newId();
    module.section(Section::Globals)
        .push_back(spirv::instruction(spv::Op::OpTypeArray, {}, array).add(element).add(count));
    return array;
}

Id whichOfPair(Emitter& out)
{
    Module& module = out.module();
    const Id word = module.getIntType(32, false);
    const Id zero = module.getConstant(0);
    const Id index = commands::loadBuiltIn(out, spv::BuiltIn::LocalInvocationIndex, word);
    const Id isFirst = out.emit(spv::Op::OpIEqual, module.getBoolType(), {index, zero});
    return out.emit(spv::Op::OpSelect, word, {isFirst, zero, module.getConstant(1)});
}

}  // namespace millrace::mesh
