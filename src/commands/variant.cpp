// SPDX-License-Identifier: Apache-2.0
#include "commands/variant.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "abi/commands.h"
#include "shader/globals.h"
#include "shader/modern_forms.h"
#include "shader/pointers.h"
#include "spirv/check.h"
#include "spirv/edit.h"
#include "spirv/id_set.h"

namespace millrace::commands {

using spirv::Emitter;
using spirv::Id;
using spirv::Instruction;
using spirv::LongWords;
using spirv::Module;
using spirv::Section;

namespace {

constexpr uint32_t kLeastVersion = 0x00010500;  // pointers from two words

// Members of abi::SequenceArguments: addresses are pairs of words, which every layout rule allows at multiples of 8.
struct Member {
    size_t offset;
    bool isAddress;
};
constexpr Member kMembers[] = {
    {offsetof(abi::SequenceArguments, stream), true},         {offsetof(abi::SequenceArguments, pushConstants), true},
    {offsetof(abi::SequenceArguments, table), true},          {offsetof(abi::SequenceArguments, stride), false},
    {offsetof(abi::SequenceArguments, firstSequence), false},
};
static_assert(sizeof(abi::SequenceArguments) == 32);

uint32_t memberAt(size_t offset)
{
    return static_cast<uint32_t>(std::ranges::find(kMembers, offset, &Member::offset) - std::begin(kMembers));
}

bool isPushConstants(const Instruction& i)
{
    return (i.op == spv::Op::OpVariable || i.op == spv::Op::OpUntypedVariableKHR) &&
           i.literal(0) == static_cast<uint32_t>(spv::StorageClass::PushConstant);
}

Id declareBlock(Module& module)
{
    const Id word = module.getIntType(32, false);
    const Id pair = module.getVectorType(word, 2);
    const Id block = module.newId();
    Instruction type = spirv::instruction(spv::Op::OpTypeStruct, {}, block);
    module.setName(block, "SequenceArguments");
    module.decorate(block, spv::Decoration::Block);
    for (uint32_t m = 0; m < std::size(kMembers); ++m) {
        const uint32_t offset[] = {static_cast<uint32_t>(kMembers[m].offset)};
        module.decorateMember(block, m, spv::Decoration::Offset, offset);
        type.add(kMembers[m].isAddress ? pair : word);
    }
    module.section(Section::Globals).push_back(std::move(type));
    return block;
}

// An entry point may list but one block, so those that its code does not use make room for ours.
void removeUnusedPushConstants(Module& module)
{
    const spirv::IdSet used = spirv::usedInFunctions(module);
    std::vector<Id> unused;
    for (const Instruction& i : module.section(Section::Globals))
        if (isPushConstants(i) && !used.contains(i.result))
            unused.push_back(i.result);
    for (const Id variable : unused) {
        shader::forget(module, variable);
        std::erase_if(module.section(Section::Globals), [&](const Instruction& i) { return i.result == variable; });
    }
}

}  // namespace

Result<Variant> readStage(std::span<const uint32_t> words, std::string_view entryPoint, spv::ExecutionModel model)
{
    auto module = spirv::read(words);
    if (!module)
        return module.error();
    Variant variant{.module = std::move(*module),
                    .model = model,
                    .entry = {},
                    .arguments = {},
                    .sequence = {},
                    .group = {},
                    .recordsOffset = 0};
    if (const Status status = spirv::extractEntryPoint(variant.module, entryPoint, model); !status)
        return status.error();
    // What the steps rely on without looking.
    if (const Status status = spirv::checkStructure(variant.module); !status)
        return status.error();
    variant.entry = variant.module.section(Section::EntryPoints)[0].id(1);
    const spirv::Function* function = variant.module.findFunction(variant.entry);
    if (!function || function->blocks.empty())
        return Diagnostic{"commands", {}, "the entry point has no function"};
    return variant;
}

uint32_t rankOf(spv::ExecutionModel model)
{
    switch (model) {
        case spv::ExecutionModel::Vertex:
        case spv::ExecutionModel::TaskEXT:
            return 0;
        case spv::ExecutionModel::TessellationControl:
        case spv::ExecutionModel::MeshEXT:
            return 1;
        case spv::ExecutionModel::TessellationEvaluation:
            return 2;
        case spv::ExecutionModel::Geometry:
            return 3;
        default:
            return 4;
    }
}

void replaceEntry(Variant& variant, Id created)
{
    Module& module = variant.module;
    for (Instruction& i : module.section(Section::EntryPoints))
        i.setId(1, created);
    for (Instruction& i : module.section(Section::ExecutionModes))
        i.setId(0, created);
    if (const std::string name = module.name(variant.entry); !name.empty()) {
        module.setName(created, name);
        module.setName(variant.entry, "application_" + name);
    }
    variant.entry = created;
}

uint32_t stageBit(spv::ExecutionModel model)
{
    switch (model) {
        case spv::ExecutionModel::Vertex:
            return 0x01;
        case spv::ExecutionModel::TessellationControl:
            return 0x02;
        case spv::ExecutionModel::TessellationEvaluation:
            return 0x04;
        case spv::ExecutionModel::Geometry:
            return 0x08;
        case spv::ExecutionModel::Fragment:
            return 0x10;
        case spv::ExecutionModel::GLCompute:
            return 0x20;
        case spv::ExecutionModel::TaskEXT:
            return 0x40;
        case spv::ExecutionModel::MeshEXT:
            return 0x80;
        default:
            return 0;
    }
}

Result<Id> findPushConstants(const Module& module)
{
    const spirv::IdSet used = spirv::usedInFunctions(module);
    Id block;
    for (const Instruction& i : module.section(Section::Globals)) {
        if (!isPushConstants(i) || !used.contains(i.result))
            continue;
        if (block)
            return Diagnostic{"commands", {}, "a second push constant block"};
        block = i.result;
    }
    return block;
}

std::vector<Id> findInputs(const Module& module, spv::BuiltIn builtIn)
{
    std::vector<Id> found;
    for (const Instruction& i : module.section(Section::Annotations)) {
        const bool isBuiltIn = i.op == spv::Op::OpDecorate && i.operandCount() > 2 && !i.isId(2) &&
                               i.literal(1) == static_cast<uint32_t>(spv::Decoration::BuiltIn) &&
                               i.literal(2) == static_cast<uint32_t>(builtIn);
        const Instruction* variable = isBuiltIn ? module.findDefinition(i.id(0)) : nullptr;
        if (variable && variable->op == spv::Op::OpVariable &&
            variable->literal(0) == static_cast<uint32_t>(spv::StorageClass::Input))
            found.push_back(variable->result);
    }
    return found;
}

bool makePrivate(Module& module, Id variable, shader::Failure& failure)
{
    module.removeDecorations([&](const Instruction& i) {
        const bool isAbout = i.op == spv::Op::OpDecorate && i.id(0) == variable;
        return isAbout && i.literal(1) != static_cast<uint32_t>(spv::Decoration::RelaxedPrecision);
    });
    return shader::changeStorage(module, variable, spv::StorageClass::Private, failure);
}

Id loadBuiltIn(Emitter& out, spv::BuiltIn builtIn, Id type)
{
    Module& module = out.module();
    const std::vector<Id> own = findInputs(module, builtIn);
    const Id variable = own.empty() ? shader::getBuiltInVariable(module, builtIn, type) : own[0];
    const Id ownType = module.pointee(module.typeOf(variable));
    const Id value = out.emit(spv::Op::OpLoad, ownType, {variable});
    return ownType == type ? value : out.emit(spv::Op::OpBitcast, type, {value});
}

Status useAddresses(Module& module)
{
    if (const Status status = shader::useModernForms(module); !status)
        return status;
    module.version = std::max(module.version, kLeastVersion);
    module.addCapability(spv::Capability::PhysicalStorageBufferAddresses);
    for (Instruction& i : module.section(Section::MemoryModel))
        if (i.op == spv::Op::OpMemoryModel)
            i.setLiteral(0, static_cast<uint32_t>(spv::AddressingModel::PhysicalStorageBuffer64));
    return {};
}

Status declareArguments(Variant& variant)
{
    Module& module = variant.module;
    if (const Status status = useAddresses(module); !status)
        return status;
    removeUnusedPushConstants(module);
    const Id pointer = module.getPointerType(spv::StorageClass::PushConstant, declareBlock(module));
    variant.arguments = module.createVariable(pointer, spv::StorageClass::PushConstant);
    module.setName(variant.arguments, "sequence_arguments");
    const Id wordPointer = module.getPointerType(spv::StorageClass::Private, module.getIntType(32, false));
    variant.sequence = module.createVariable(wordPointer, spv::StorageClass::Private);
    module.setName(variant.sequence, "sequence");
    return {};
}

spirv::Words finishVariant(Variant& variant)
{
    shader::extendInterface(variant.module, variant.entry);
    spirv::orderGlobals(variant.module);
    return spirv::write(variant.module);
}

Id ArgumentLoads::member(Emitter& out, size_t offsetBytes, Id type)
{
    const Id pointerType = m_module.getPointerType(spv::StorageClass::PushConstant, type);
    const Id number = m_module.getConstant(memberAt(offsetBytes));
    const Id where = out.emit(spv::Op::OpAccessChain, pointerType, {m_variant.arguments, number});
    return out.emit(spv::Op::OpLoad, type, {where});
}

Id ArgumentLoads::word(Emitter& out, size_t offsetBytes)
{
    return member(out, offsetBytes, m_word);
}

LongWords ArgumentLoads::address(Emitter& out, size_t offsetBytes)
{
    return split(out, member(out, offsetBytes, m_module.getVectorType(m_word, 2)));
}

LongWords ArgumentLoads::split(Emitter& out, Id pair)
{
    const auto extract = [&](uint32_t component) {
        Instruction i = spirv::instruction(spv::Op::OpCompositeExtract, m_word, m_module.newId());
        i.add(pair).add(component);
        const Id result = i.result;
        out.keep(std::move(i));
        return result;
    };
    const Id low = extract(0);
    return {low, extract(1)};
}

Id ArgumentLoads::seriesStride(Emitter& out)
{
    return address(out, offsetof(abi::SequenceArguments, stream)).low;
}

Id ArgumentLoads::isSeries(Emitter& out)
{
    return out.emit(spv::Op::OpINotEqual, m_module.getBoolType(), {seriesStride(out), m_math.constant(0)});
}

LongWords ArgumentLoads::record(Emitter& out, Id sequence)
{
    const LongWords stream =
        m_variant.recordsOffset == 0
            ? address(out, offsetof(abi::SequenceArguments, stream))
            : split(out,
                    load(out, add(out, address(out, offsetof(abi::SequenceArguments, table)), m_variant.recordsOffset),
                         m_module.getVectorType(m_word, 2), sizeof(uint64_t)));
    const Id stride = word(out, offsetof(abi::SequenceArguments, stride));
    const Id zero = m_math.constant(0);
    // Streams of generated commands are shorter than 2^32: the properties limit sequences and stride.
    const LongWords offset = m_variant.recordsOffset == 0
                                 ? LongWords{out.emit(spv::Op::OpIMul, m_word, {sequence, stride}), zero}
                                 : m_math.multiply(out, {sequence, zero}, {stride, zero});
    return m_math.add(out, stream, offset);
}

LongWords ArgumentLoads::pushed(Emitter& out, Id sequence)
{
    if (m_variant.pushed)
        return split(out, out.emit(spv::Op::OpLoad, m_module.getVectorType(m_word, 2), {m_variant.pushed}));
    const LongWords first = address(out, offsetof(abi::SequenceArguments, pushConstants));
    if (!m_variant.mayBeSeries)
        return first;
    const Id zero = m_math.constant(0);
    return m_math.add(out, first, m_math.multiply(out, {sequence, zero}, {seriesStride(out), zero}));
}

Id ArgumentLoads::drawNumber(Emitter& out, const Layout& layout)
{
    const Id first = word(out, offsetof(abi::SequenceArguments, firstSequence));
    if (!layout.numbersDraws)
        return first;
    m_module.addCapability(spv::Capability::DrawParameters);
    Id variable = shader::findBuiltIn(m_module, spv::BuiltIn::DrawIndex);
    if (!variable) {
        variable = shader::getBuiltInVariable(m_module, spv::BuiltIn::DrawIndex, m_word);
        m_module.setName(variable, "sequence_draw");
    }
    return out.emit(spv::Op::OpIAdd, m_word, {first, out.emit(spv::Op::OpLoad, m_word, {variable})});
}

LongWords ArgumentLoads::drawEntry(Emitter& out, const Layout& layout)
{
    const Id number = drawNumber(out, layout);
    const LongWords table =
        add(out, address(out, offsetof(abi::SequenceArguments, pushConstants)),
            static_cast<int64_t>(offsetof(abi::DrawTable, entries)) - static_cast<int64_t>(sizeof(abi::DrawTable)));
    const LongWords entries = split(out, load(out, table, m_module.getVectorType(m_word, 2), 8));
    const Id zero = m_math.constant(0), size = m_math.constant(sizeof(abi::DrawEntry));
    return m_math.add(out, entries, m_math.multiply(out, {number, zero}, {size, zero}));
}

LongWords ArgumentLoads::add(Emitter& out, LongWords address, int64_t bytes)
{
    const auto value = static_cast<uint64_t>(bytes);
    const LongWords addend{m_math.constant(static_cast<uint32_t>(value)),
                           m_math.constant(static_cast<uint32_t>(value >> 32))};
    return value == 0 ? address : m_math.add(out, address, addend);
}

Id ArgumentLoads::pair(Emitter& out, LongWords address)
{
    return out.emit(spv::Op::OpCompositeConstruct, m_module.getVectorType(m_word, 2), {address.low, address.high});
}

Id ArgumentLoads::pointer(Emitter& out, LongWords address, Id type)
{
    const Id pointerType = m_module.getPointerType(spv::StorageClass::PhysicalStorageBuffer, type);
    return out.emit(spv::Op::OpBitcast, pointerType, {pair(out, address)});
}

Id ArgumentLoads::load(Emitter& out, LongWords address, Id type, uint32_t alignment)
{
    return loadAligned(out, pointer(out, address, type), type, alignment);
}

Id ArgumentLoads::readOnlyType()
{
    if (m_readOnlyType)
        return m_readOnlyType;
    const Id array = m_module.newId(), block = m_module.newId();
    const uint32_t stride[] = {4}, offset[] = {0};
    m_module.section(Section::Globals)
        .push_back(spirv::instruction(spv::Op::OpTypeRuntimeArray, {}, array).add(m_word));
    m_module.section(Section::Globals).push_back(spirv::instruction(spv::Op::OpTypeStruct, {}, block).add(array));
    m_module.decorate(array, spv::Decoration::ArrayStride, stride);
    m_module.decorate(block, spv::Decoration::Block);
    m_module.decorateMember(block, 0, spv::Decoration::Offset, offset);
    m_module.decorateMember(block, 0, spv::Decoration::NonWritable);
    m_module.setName(block, "ReadOnlyWords");
    m_readOnlyType = block;
    return block;
}

Id ArgumentLoads::readOnlyWords(Emitter& out, LongWords address)
{
    return pointer(out, address, readOnlyType());
}

Id ArgumentLoads::wordAt(Emitter& out, Id readOnlyWords, uint32_t number)
{
    const Id pointerType = m_module.getPointerType(spv::StorageClass::PhysicalStorageBuffer, m_word);
    const Id where =
        out.emit(spv::Op::OpAccessChain, pointerType, {readOnlyWords, m_math.constant(0), m_math.constant(number)});
    return loadAligned(out, where, m_word, 4);
}

Id ArgumentLoads::readableBytes(Emitter& out, LongWords address, Id sizeBytes)
{
    const Id zero = m_math.constant(0);
    return out.emit(spv::Op::OpSelect, m_word, {m_math.isEqual(out, address, {zero, zero}), zero, sizeBytes});
}

Id ArgumentLoads::glslFunctions()
{
    constexpr std::string_view kName = "GLSL.std.450";
    for (const Instruction& i : m_module.section(Section::ExtInstImports))
        if (i.string(0) == kName)
            return i.result;
    const Id set = m_module.newId();
    m_module.section(Section::ExtInstImports)
        .push_back(spirv::instruction(spv::Op::OpExtInstImport, {}, set).add(kName));
    return set;
}

Id loadAligned(Emitter& out, Id pointer, Id type, uint32_t alignment, Id result)
{
    result = result ? result : out.module().newId();
    out.keep(spirv::instruction(spv::Op::OpLoad, type, result)
                 .add(pointer)
                 .add(static_cast<uint32_t>(spv::MemoryAccessMask::Aligned))
                 .add(alignment));
    return result;
}

}  // namespace millrace::commands
