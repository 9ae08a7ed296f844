// SPDX-License-Identifier: Apache-2.0
#include "mesh/count_work.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "abi/mesh.h"
#include "mesh/mesh_outputs.h"
#include "mesh/passes.h"
#include "shader/diagnose.h"
#include "shader/function_writer.h"
#include "shader/globals.h"
#include "shader/memory_operands.h"

namespace millrace::mesh {

using shader::FunctionWriter;
using spirv::Block;
using spirv::Emitter;
using spirv::Id;
using spirv::Instruction;
using spirv::Module;
using spirv::Section;

namespace {

constexpr uint32_t kBits = 32;  // of a word

// Writes additions to abi::MeshCounters.
class Counters {
public:
    Counters(commands::Variant& variant, uint64_t address)
        : m_module(variant.module), m_loads(variant), m_word(m_loads.wordType()), m_address(address)
    {
    }

    Id word() const { return m_word; }
    Id number(uint32_t value) { return m_module.getConstant(value); }
    Id select(Emitter& out, Id condition, uint32_t yes, uint32_t no)
    {
        return out.emit(spv::Op::OpSelect, m_word, {condition, number(yes), number(no)});
    }
    // A condition becomes 1 or 0.
    Id asNumber(Emitter& out, Id condition) { return select(out, condition, 1, 0); }
    Id compare(Emitter& out, spv::Op op, Id a, Id b) { return out.emit(op, m_module.getBoolType(), {a, b}); }

    Id atomic(Emitter& out, spv::Op op, Id pointer, Id value)
    {
        const auto scope =
            m_module.hasCapability(spv::Capability::VulkanMemoryModel) ? spv::Scope::QueueFamily : spv::Scope::Device;
        return out.emit(op, m_word, {pointer, number(static_cast<uint32_t>(scope)), number(0), value});
    }

    // `index`: of a sum in an array; none: the first.
    void add(Emitter& out, size_t member, Id value, Id index = {})
    {
        const spirv::LongWords low = locate(out, member, index);
        const Id before = atomic(out, spv::Op::OpAtomicIAdd, m_loads.pointer(out, low, m_word), value);
        const Id after = out.emit(spv::Op::OpIAdd, m_word, {before, value});
        const Id carry = asNumber(out, compare(out, spv::Op::OpULessThan, after, before));
        const spirv::LongWords high = m_loads.add(out, low, sizeof(uint32_t));
        atomic(out, spv::Op::OpAtomicIAdd, m_loads.pointer(out, high, m_word), carry);
    }
    void most(Emitter& out, size_t member, Id value)
    {
        atomic(out, spv::Op::OpAtomicUMax, m_loads.pointer(out, locate(out, member, {}), m_word), value);
    }
    // One more workgroup that has so many of at most `limit`.
    void addFill(Emitter& out, size_t member, Id count, uint32_t limit)
    {
        const Id scaled = out.emit(spv::Op::OpIMul, m_word, {count, number(abi::kMeshFillParts)});
        const Id rounded = out.emit(spv::Op::OpIAdd, m_word, {scaled, number(limit - 1)});
        const Id part = out.emit(spv::Op::OpUDiv, m_word, {rounded, number(limit)});
        const Id isThere = compare(out, spv::Op::OpULessThan, part, number(abi::kMeshFillParts));
        add(out, member, number(1), out.emit(spv::Op::OpSelect, m_word, {isThere, part, number(abi::kMeshFillParts)}));
    }

private:
    spirv::LongWords locate(Emitter& out, size_t member, Id index)
    {
        const uint64_t address = m_address + member;
        const spirv::LongWords begin{number(static_cast<uint32_t>(address)),
                                     number(static_cast<uint32_t>(address >> kBits))};
        const spirv::LongWords bytes{number(sizeof(uint64_t)), number(0)};
        spirv::LongArithmetic& math = m_loads.math();
        return index ? math.add(out, begin, math.multiply(out, {index, number(0)}, bytes)) : begin;
    }

    Module& m_module;
    commands::ArgumentLoads m_loads;
    Id m_word;
    uint64_t m_address;
};

Id isFirst(Module& module, Emitter& out)
{
    const Id word = module.getIntType(32, false);
    const Id index = commands::loadBuiltIn(out, spv::BuiltIn::LocalInvocationIndex, word);
    return out.emit(spv::Op::OpIEqual, module.getBoolType(), {index, module.getConstant(0)});
}

// In front of each OpEmitMeshTasksEXT, which ends the shader.
class TaskCounts {
public:
    TaskCounts(commands::Variant& task, uint64_t address)
        : m_task(task), m_module(task.module), m_counters(task, address)
    {
    }

    void run()
    {
        for (size_t block = 0; block < blocks().size(); ++block) {
            if (blocks()[block].body.back().op == spv::Op::OpEmitMeshTasksEXT) {
                count(block);
                block += 2;  // those that are new
            }
        }
    }

private:
    std::vector<Block>& blocks() { return m_module.findFunction(m_task.entry)->blocks; }

    void count(size_t number)
    {
        Block counting{m_module.newId(), {}, {}}, ending{m_module.newId(), {}, {}};
        Block& block = blocks()[number];
        Instruction emitted = block.body.back();
        block.body.pop_back();
        Emitter out(m_module, block.body);
        const Id first = isFirst(m_module, out);
        out.keep(spirv::instruction(spv::Op::OpSelectionMerge).add(ending.label).add(0u));
        out.emitVoid(spv::Op::OpBranchConditional, {first, counting.label, ending.label});
        Emitter counter(m_module, counting.body);
        addGrid(counter, emitted);
        counter.emitVoid(spv::Op::OpBranch, {ending.label});
        ending.body.push_back(std::move(emitted));
        const auto behind = blocks().begin() + static_cast<ptrdiff_t>(number) + 1;
        blocks().insert(blocks().insert(behind, std::move(ending)), std::move(counting));
    }

    void addGrid(Emitter& out, const Instruction& emitted)
    {
        const Id word = m_counters.word();
        const Id plane = out.emit(spv::Op::OpIMul, word, {asWord(out, emitted.id(0)), asWord(out, emitted.id(1))});
        const Id groups = out.emit(spv::Op::OpIMul, word, {plane, asWord(out, emitted.id(2))});
        const Id isEmpty = m_counters.compare(out, spv::Op::OpIEqual, groups, m_counters.number(0));
        m_counters.add(out, offsetof(abi::MeshCounters, taskGroups), m_counters.number(1));
        m_counters.add(out, offsetof(abi::MeshCounters, emptyTaskGroups), m_counters.asNumber(out, isEmpty));
        m_counters.add(out, offsetof(abi::MeshCounters, emittedGroups), groups);
        m_counters.most(out, offsetof(abi::MeshCounters, mostEmitted), groups);
    }

    commands::Variant& m_task;
    Module& m_module;
    Counters m_counters;
};

// Outputs cannot be read back: counts are kept where they are set, and what is culled is noted where it is stored, a
// bit for each primitive.
class MeshCounts {
public:
    MeshCounts(commands::Variant& mesh, const MeshOutputs& outputs, uint64_t address)
        : m_mesh(mesh), m_module(mesh.module), m_outputs(outputs), m_counters(mesh, address)
    {
    }

    Status run()
    {
        const Id type = m_module.getPointerType(spv::StorageClass::Private, word());
        const Id zero = shader::getNull(m_module, word());
        m_vertices = m_module.createVariable(type, spv::StorageClass::Private, zero);
        m_primitives = m_module.createVariable(type, spv::StorageClass::Private, zero);
        if (const BuiltInOutput* cull = m_outputs.find(spv::BuiltIn::CullPrimitiveEXT))
            declareBits(*cull);
        rewriteFunction(m_module, *m_module.findFunction(m_mesh.entry),
                        [&](const Instruction& i, Emitter& out) { rewrite(i, out); });
        wrapEntry();
        return m_failure.status();
    }

private:
    // The output of which a primitive is culled, or into it.
    struct Pointer {
        std::vector<Id> indices;  // the first is that of the primitive
    };

    Id word() { return m_counters.word(); }
    Id number(uint32_t value) { return m_counters.number(value); }
    Id load(Emitter& out, Id variable) { return out.emit(spv::Op::OpLoad, word(), {variable}); }
    const Output& output() const { return m_outputs.variables[m_cull->output]; }

    void declareBits(const BuiltInOutput& cull)
    {
        m_cull = cull;
        m_words = (m_outputs.maxPrimitives + kBits - 1) / kBits;
        const Id array = m_module.newId();
        m_module.section(Section::Globals)
            .push_back(spirv::instruction(spv::Op::OpTypeArray, {}, array).add(word()).add(number(m_words)));
        const Id type = m_module.getPointerType(spv::StorageClass::Workgroup, array);
        m_bits = m_module.createVariable(type, spv::StorageClass::Workgroup);
        m_module.setName(m_bits, "culled_primitives");
        m_pointers[output().variable.value] = {};
    }

    Id pointerToBits(Emitter& out, Id index)
    {
        return out.emit(spv::Op::OpAccessChain, m_module.getPointerType(spv::StorageClass::Workgroup, word()),
                        {m_bits, index});
    }

    void rewrite(const Instruction& i, Emitter& out)
    {
        if (i.op == spv::Op::OpSetMeshOutputsEXT) {
            out.emitVoid(spv::Op::OpStore, {m_vertices, asWord(out, i.id(0))});
            out.emitVoid(spv::Op::OpStore, {m_primitives, asWord(out, i.id(1))});
        }
        out.keep(i);
        const auto base = i.operandCount() > 0 && i.isId(0) ? m_pointers.find(i.id(0).value) : m_pointers.end();
        const bool isChain = i.op == spv::Op::OpAccessChain || i.op == spv::Op::OpInBoundsAccessChain;
        const bool isTracked = base != m_pointers.end();
        for (size_t operand = isTracked ? 1 : 0; operand < i.operandCount(); ++operand)
            if (i.isId(operand) && m_pointers.contains(i.id(operand).value))
                m_failure.at(m_module, i, "passes a pointer to the output on that culls primitives");
        if (!isTracked)
            return;
        if (isChain) {
            Pointer pointer = base->second;
            for (size_t index = 1; index < i.operandCount(); ++index)
                pointer.indices.push_back(i.id(index));
            m_pointers[i.result.value] = std::move(pointer);
        } else if (i.op == spv::Op::OpStore) {
            note(out, Pointer(base->second).indices, i.id(1));
        } else if (i.op != spv::Op::OpLoad) {
            m_failure.at(m_module, i, "copies the output by pointer that culls primitives");
        }
    }

    Id extract(Emitter& out, Id value, Id type, uint32_t index)
    {
        const Id part = m_module.newId();
        out.keep(spirv::instruction(spv::Op::OpCompositeExtract, type, part).add(value).add(index));
        return part;
    }

    // A store to the output or to a part of it, in which the value for the primitive may be.
    void note(Emitter& out, const std::vector<Id>& indices, Id value)
    {
        if (indices.empty()) {
            uint32_t count = 0;
            m_module.constantValue(m_module.findDefinition(output().array)->id(1), count);
            for (uint32_t element = 0; element < std::min(count, m_outputs.maxPrimitives); ++element)
                note(out, {number(element)}, extract(out, value, output().element, element));
            return;
        }
        uint32_t member = 0;
        if (m_cull->member && indices.size() == 1)
            value = extract(out, value, m_cull->type, *m_cull->member);
        else if (m_cull->member && (!m_module.constantValue(indices[1], member) || member != *m_cull->member))
            return;
        setBit(out, asWord(out, indices[0]), value);
    }

    void setBit(Emitter& out, Id primitive, Id isCulled)
    {
        const Id isThere = m_counters.compare(out, spv::Op::OpULessThan, primitive, number(m_outputs.maxPrimitives));
        const Id shift = out.emit(spv::Op::OpBitwiseAnd, word(), {primitive, number(kBits - 1)});
        const Id bit = out.emit(spv::Op::OpShiftLeftLogical, word(), {m_counters.asNumber(out, isThere), shift});
        const Id index = out.emit(spv::Op::OpUDiv, word(), {primitive, number(kBits)});
        const Id pointer = pointerToBits(out, out.emit(spv::Op::OpSelect, word(), {isThere, index, number(0)}));
        const Id scope = number(static_cast<uint32_t>(spv::Scope::Workgroup));
        const Id kept = out.emit(spv::Op::OpNot, word(), {bit});
        const Id set = out.emit(spv::Op::OpSelect, word(), {isCulled, bit, number(0)});
        const Id left = out.emit(spv::Op::OpSelect, word(), {isCulled, number(~0u), kept});
        out.emit(spv::Op::OpAtomicOr, word(), {pointer, scope, number(0), set});
        out.emit(spv::Op::OpAtomicAnd, word(), {pointer, scope, number(0), left});
    }

    void wait(Emitter out)
    {
        if (m_cull)
            shader::emitWorkgroupBarrier(m_module, out, m_module.hasCapability(spv::Capability::VulkanMemoryModel));
    }

    void wrapEntry()
    {
        FunctionWriter writer(m_module);
        writer.beginBlock();
        Emitter out = writer.out();
        const Id first = isFirst(m_module, out);
        const Id joinBegin = m_module.newId(), joinEnd = m_module.newId();
        writer.beginIf(first, joinBegin);
        Emitter clearing = writer.out();
        for (uint32_t w = 0; w < m_words; ++w)
            clearing.emitVoid(spv::Op::OpStore, {pointerToBits(clearing, number(w)), number(0)});
        writer.endIf(joinBegin);
        wait(writer.out());
        writer.out().call(m_mesh.entry, m_module.getVoidType(), {});
        wait(writer.out());
        writer.beginIf(first, joinEnd);
        Emitter counting = writer.out();
        countGroup(counting);
        writer.endIf(joinEnd);
        commands::replaceEntry(m_mesh, writer.finish());
    }

    void countGroup(Emitter& out)
    {
        using abi::MeshCounters;
        const Id vertices = load(out, m_vertices), primitives = load(out, m_primitives);
        const Id culled = countCulled(out, primitives);
        const Id isEmpty = m_counters.compare(out, spv::Op::OpIEqual, primitives, number(0));
        const Id isCulled = out.emit(spv::Op::OpLogicalAnd, m_module.getBoolType(),
                                     {out.emit(spv::Op::OpLogicalNot, m_module.getBoolType(), {isEmpty}),
                                      m_counters.compare(out, spv::Op::OpIEqual, primitives, culled)});
        m_counters.add(out, offsetof(MeshCounters, groups), number(1));
        m_counters.add(out, offsetof(MeshCounters, emptyGroups), m_counters.asNumber(out, isEmpty));
        m_counters.add(out, offsetof(MeshCounters, culledGroups), m_counters.asNumber(out, isCulled));
        m_counters.add(out, offsetof(MeshCounters, vertices), vertices);
        m_counters.add(out, offsetof(MeshCounters, primitives), primitives);
        m_counters.add(out, offsetof(MeshCounters, culledPrimitives), culled);
        m_counters.most(out, offsetof(MeshCounters, mostVertices), vertices);
        m_counters.most(out, offsetof(MeshCounters, mostPrimitives), primitives);
        if (m_outputs.maxVertices > 0 && m_outputs.maxPrimitives > 0) {
            m_counters.addFill(out, offsetof(MeshCounters, vertexFill), vertices, m_outputs.maxVertices);
            m_counters.addFill(out, offsetof(MeshCounters, primitiveFill), primitives, m_outputs.maxPrimitives);
        }
    }

    // Of the first `primitives`.
    Id countCulled(Emitter& out, Id primitives)
    {
        Id sum = number(0);
        for (uint32_t w = 0; w < m_words; ++w) {
            const Id begin = number(w * kBits);
            const Id isBehind = m_counters.compare(out, spv::Op::OpULessThanEqual, primitives, begin);
            const Id isWhole =
                m_counters.compare(out, spv::Op::OpUGreaterThanEqual, primitives, number((w + 1) * kBits));
            const Id own = out.emit(spv::Op::OpBitwiseAnd, word(),
                                    {out.emit(spv::Op::OpISub, word(), {primitives, begin}), number(kBits - 1)});
            const Id above = out.emit(spv::Op::OpShiftLeftLogical, word(), {number(~0u), own});
            const Id part =
                out.emit(spv::Op::OpSelect, word(), {isWhole, number(~0u), out.emit(spv::Op::OpNot, word(), {above})});
            const Id mask = out.emit(spv::Op::OpSelect, word(), {isBehind, number(0), part});
            const Id bits = load(out, pointerToBits(out, number(w)));
            const Id counted =
                out.emit(spv::Op::OpBitCount, word(), {out.emit(spv::Op::OpBitwiseAnd, word(), {bits, mask})});
            sum = out.emit(spv::Op::OpIAdd, word(), {sum, counted});
        }
        return sum;
    }

    commands::Variant& m_mesh;
    Module& m_module;
    const MeshOutputs& m_outputs;
    Counters m_counters;
    Id m_vertices, m_primitives;  // Private: what the counts were set to
    std::optional<BuiltInOutput> m_cull;
    uint32_t m_words = 0;  // of m_bits
    Id m_bits;             // Workgroup
    std::unordered_map<uint32_t, Pointer> m_pointers;
    shader::Failure m_failure{"countMeshes"};
};

// Empty if the compiler has not said.
std::string sourceOf(const Module& module)
{
    for (const Instruction& i : module.section(Section::DebugStrings)) {
        const Instruction* file = i.op == spv::Op::OpSource && i.isId(2) ? module.findDefinition(i.id(2)) : nullptr;
        if (file && file->op == spv::Op::OpString)
            return file->string(0);
    }
    return {};
}

void finish(Stage& stage, commands::Variant& variant)
{
    stage.words = commands::finishVariant(variant);
    stage.constants.clear();
}

}  // namespace

Status countTasks(Stage& task, uint64_t counters)
{
    auto variant = readInlined(task, spv::ExecutionModel::TaskEXT);
    if (!variant)
        return variant.error();
    if (const Status status = commands::useAddresses(variant->module); !status)
        return status;
    TaskCounts(*variant, counters).run();
    finish(task, *variant);
    return {};
}

Result<MeshShape> countMeshes(Stage& mesh, uint64_t counters)
{
    auto variant = readInlined(mesh, spv::ExecutionModel::MeshEXT);
    if (!variant)
        return variant.error();
    const auto outputs = readOutputs(variant->module);
    if (!outputs)
        return outputs.error();
    if (outputs->maxPrimitives > abi::kMeshCountMask)
        return Diagnostic{"countMeshes", {}, "the mesh shader declares too many primitives"};
    std::string source = sourceOf(variant->module);
    if (const Status status = commands::useAddresses(variant->module); !status)
        return status.error();
    if (const Status status = MeshCounts(*variant, *outputs, counters).run(); !status)
        return status.error();
    finish(mesh, *variant);
    return MeshShape{outputs->corners, outputs->maxVertices, outputs->maxPrimitives, std::move(source)};
}

}  // namespace millrace::mesh
