// SPDX-License-Identifier: Apache-2.0
#include "nodes/fusion/kept_outputs.h"

#include <algorithm>

#include "nodes/fusion/kept_memory.h"
#include "nodes/fusion/take_payloads.h"
#include "nodes/payload_types.h"
#include "shader/globals.h"
#include "shader/type_layouts.h"
#include "shader/values.h"

namespace millrace::nodes {

using spirv::Emitter;
using spirv::Id;
using spirv::Instruction;
using spirv::Module;

namespace {

constexpr auto kPrivate = spv::StorageClass::Private;
constexpr auto kWorkgroup = spv::StorageClass::Workgroup;
constexpr uint32_t kIndexBytes = 4;  // that are kept beside a payload where each has a node index of its own

// Those of a payload array type.
std::vector<Instruction> findAllocations(const Module& module, Id array)
{
    std::vector<Instruction> found;
    module.forEachInstruction([&](const Instruction& i) {
        if (i.op == spv::Op::OpAllocateNodePayloadsAMDX && payloadArrayOf(module, i.type) == array)
            found.push_back(i);
    });
    return found;
}

// Payloads that they are for at most; none if it is not known.
std::optional<uint64_t> largestSum(const Module& module, const std::vector<Instruction>& allocations)
{
    uint64_t sum = 0;
    for (const Instruction& allocation : allocations) {
        const std::optional<uint32_t> largest = shader::Values(module).largest(allocation.id(1));
        if (!largest)
            return std::nullopt;
        sum += *largest;
    }
    return sum;
}

// Instructions that do no more than to pass a handle on, or to send what it leads to.
bool passesHandleOn(spv::Op op)
{
    switch (op) {
        case spv::Op::OpVariable:
        case spv::Op::OpLoad:
        case spv::Op::OpStore:
        case spv::Op::OpCopyMemory:
        case spv::Op::OpCopyObject:
        case spv::Op::OpPhi:
        case spv::Op::OpSelect:
        case spv::Op::OpUndef:
        case spv::Op::OpEnqueueNodePayloadsAMDX:
            return true;
        default:
            return false;
    }
}

}  // namespace

// NVIDIA's driver keeps short arrays in registers and makes a selection of each access to an element that it does not
// know, which takes longer than memory. In recursion it mostly does not (H200: W7, whose invocations keep four
// payloads, takes 181 us with room for 4, 193 for 8, 217 for 16 and 174 for 32, which are in memory).
uint32_t KeptOutputs::arrayLength(const KeptOutput& kept) const
{
    constexpr uint32_t kLeast = 32;
    constexpr uint32_t kMostBytes = 512;
    const bool isShort = kept.room > 1 && kept.room < kLeast && !kept.byWorkgroup;
    const bool isCheap = m_shader.node.declared.outputs[kept.output].payloadBytes <= kMostBytes / kLeast;
    return isShort && isCheap && m_shader.node.declared.maxRecursion > 0 ? kLeast : kept.room;
}

bool KeptOutputs::add(uint32_t number, Keeper keeper, const KeptLimits& limits)
{
    KeptOutput kept{.output = number, .byWorkgroup = keeper == Keeper::Workgroup};
    for (const auto& [array, output] : m_shader.outputOfArray)
        kept.array = output == number ? Id{array} : kept.array;
    const graph::NodeOutput& output = m_shader.node.declared.outputs[number];
    const std::vector<Instruction> allocations = findAllocations(m_module, kept.array);
    kept.allocation = allocations.front().type;
    kept.scope = allocations.front().id(0);
    kept.isRepeated = allocations.size() > 1 || output.allocatesInLoop;
    if (kept.isRepeated && !checkScopes(allocations))
        return false;
    kept.payload = m_module.findDefinition(kept.array)->id(0);
    std::optional<uint64_t> said;
    if (!output.allocatesInLoop && (!kept.byWorkgroup || !output.perInvocation))
        said = largestSum(m_module, allocations);
    kept.most = static_cast<uint32_t>(std::min<uint64_t>(output.budget, said.value_or(output.budget)));
    const uint32_t mostBytes = said || kept.most <= kFewPayloads ? limits.bytes : limits.bytesOfMany;
    // One more where several allocations share them, which is nobody's: there goes what is written beyond what was
    // allocated.
    const bool isShared = kept.isRepeated || (kept.byWorkgroup && output.perInvocation);
    kept.room = std::max(kept.most, 1u) + (isShared ? 1 : 0);
    const uint32_t bytes = output.payloadBytes + (kept.isRepeated ? kIndexBytes : 0);
    if (kept.most * uint64_t{bytes} > mostBytes || kept.most > mostBytes) {
        const std::string who = kept.byWorkgroup ? "a workgroup" : "an invocation";
        return m_failure.at("size", who + " may allocate " + std::to_string(kept.most) + " payloads of " +
                                        std::to_string(output.payloadBytes) + " bytes, more than " +
                                        std::to_string(mostBytes) + " bytes");
    }
    auto leaves = leavesOf(m_module, kept.payload, kMaxKeptLeaves);
    if (!leaves)
        return m_failure.at(leaves.error().where, leaves.error().message);
    kept.leaves = std::move(*leaves);
    m_kept.push_back(std::move(kept));
    return true;
}

bool KeptOutputs::inWorkgroup() const
{
    return std::ranges::any_of(m_kept, &KeptOutput::byWorkgroup);
}

// Of several allocations. Those of one are looked at by the planner (graph::planFusion()).
bool KeptOutputs::checkScopes(const std::vector<Instruction>& allocations)
{
    constexpr auto kInvocation = static_cast<uint32_t>(spv::Scope::Invocation);
    for (const Instruction& i : allocations) {
        uint32_t scope = 0;
        const bool isKnown = m_module.constantValue(i.id(0), scope);
        if (!isKnown || (scope != kInvocation && graph::invocationsOf(m_shader.node.declared) > 1))
            return m_failure.at(m_module, i, "payloads are allocated by workgroups, and by others");
    }
    return true;
}

void KeptOutputs::makeStack(uint32_t room, Id placeOfFirst, Id first)
{
    m_kept.back().placeOfFirst = placeOfFirst;
    m_kept.back().first = first;
    m_kept.back().room = room;
}

bool KeptOutputs::lower()
{
    for (KeptOutput& kept : m_kept)
        createVariables(kept);
    findHandles();
    for (spirv::Function& function : m_module.functions)
        spirv::rewriteFunction(m_module, function, [this](const Instruction& i, Emitter& out) { visit(i, out); });
    return !m_failure;
}

void KeptOutputs::createVariables(KeptOutput& kept)
{
    const Id uintPointer = m_module.getPointerType(kPrivate, m_module.getIntType(32, false));
    if (kept.byWorkgroup && m_shader.node.declared.outputs[kept.output].perInvocation)
        shareArray(kept);
    kept.payloads = m_memory.createVariable(kept.payload, arrayLength(kept), kept.byWorkgroup ? kWorkgroup : kPrivate);
    if (kept.byWorkgroup)
        markKept(m_module, kept.payloads);
    kept.count = m_module.createVariable(uintPointer, kPrivate);
    kept.index = m_module.createVariable(uintPointer, kPrivate);
    const std::string name = m_shader.node.declared.outputs[kept.output].targetName;
    m_module.setName(kept.payloads, name + "_payloads");
    m_module.setName(kept.count, name + "_count");
    m_module.setName(kept.index, name + "_index");
    if (kept.isRepeated)
        lineUp(kept);
    if (kept.taken)
        kept.take = writeTakeShared(m_module, kept);
}

void KeptOutputs::lineUp(KeptOutput& kept)
{
    const Id uintType = m_module.getIntType(32, false);
    kept.indices = m_memory.createVariable(uintType, std::max(kept.most, 1u));
    kept.handle = m_module.createVariable(m_module.getPointerType(kPrivate, uintType), kPrivate);
    kept.take = writeTakeInLine(m_module, kept);
}

void KeptOutputs::shareArray(KeptOutput& kept)
{
    const Id uintType = m_module.getIntType(32, false);
    kept.first = m_module.createVariable(m_module.getPointerType(kPrivate, uintType), kPrivate);
    kept.indices = m_memory.createVariable(uintType, std::max(kept.most, 1u), kWorkgroup);
    const Id start = shader::getNull(m_module, uintType);
    const Id pointer = m_module.getPointerType(kWorkgroup, uintType);
    kept.taken = m_module.newId();
    m_module.section(spirv::Section::Globals)
        .push_back(spirv::instruction(spv::Op::OpVariable, pointer, kept.taken)
                       .add(static_cast<uint32_t>(kWorkgroup))
                       .add(start));
}

// What leads to payloads that are kept: allocations, copies of them, and variables that hold them. If there is one
// allocation of a type, all of them mean the same. Looked up before definitions go.
void KeptOutputs::findHandles()
{
    std::unordered_map<uint32_t, const KeptOutput*> byArray;
    for (const KeptOutput& kept : m_kept)
        byArray.emplace(kept.array.value, &kept);
    for (const spirv::Function& function : m_module.functions) {
        for (const spirv::Block& block : function.blocks) {
            for (const Instruction& i : block.body) {
                const auto kept = i.type ? byArray.find(payloadArrayOf(m_module, i.type).value) : byArray.end();
                if (kept != byArray.end())
                    m_handles.emplace(i.result.value, kept->second);
                if (kept != byArray.end() && i.op == spv::Op::OpVariable)
                    m_variables.insert(i.result.value);
                if (i.op == spv::Op::OpIsNodePayloadValidAMDX)
                    m_queried.insert(i.id(0).value);
            }
        }
    }
}

const KeptOutput* KeptOutputs::keptIn(const Instruction& i) const
{
    if (i.op == spv::Op::OpIsNodePayloadValidAMDX)
        return nullptr;
    if (const auto own = m_handles.find(i.result.value); i.result && own != m_handles.end())
        return own->second;
    for (size_t o = 0; o < i.operandCount(); ++o) {
        const auto kept = i.isId(o) ? m_handles.find(i.id(o).value) : m_handles.end();
        if (kept != m_handles.end())
            return kept->second;
    }
    return nullptr;
}

void KeptOutputs::visit(const Instruction& i, Emitter& out)
{
    const KeptOutput* kept = keptIn(i);
    if (!kept) {
        out.keep(i);
    } else if (i.op == spv::Op::OpAllocateNodePayloadsAMDX) {
        allocate(*kept, i, out);
    } else if (kept->isRepeated && i.op != spv::Op::OpEnqueueNodePayloadsAMDX) {
        visitHandle(*kept, i, out);
    } else if (i.op == spv::Op::OpNodePayloadArrayLengthAMDX) {
        const Id uintType = m_module.getIntType(32, false);
        const Id count = out.emit(spv::Op::OpLoad, uintType, {kept->count});
        out.keep(spirv::instruction(i.type == uintType ? spv::Op::OpCopyObject : spv::Op::OpBitcast, i.type, i.result)
                     .add(count));
    } else if (shader::isAccessChain(i.op) && shader::firstIndexOperand(i.op) == 1 &&
               payloadIndexOperand(m_module, i) == 1u) {
        access(*kept, i, out);
    } else if (i.op == spv::Op::OpVariable && m_queried.contains(i.result.value)) {
        out.keep(i);
    } else if (!passesHandleOn(i.op)) {
        m_failure.at(m_module, i, "uses a payload array as a whole");
    }
}

// 32-bit integers of any signedness, as all compilers give them.
Id KeptOutputs::toUint(const Instruction& i, Id value, Emitter& out)
{
    const Id uintType = m_module.getIntType(32, false);
    const Id type = m_module.typeOf(value);
    if (type == uintType)
        return value;
    if (type != m_module.getIntType(32, true)) {
        m_failure.at(m_module, i, "a count or an index that has not 32 bits");
        return value;
    }
    return out.emit(spv::Op::OpBitcast, uintType, {value});
}

Id KeptOutputs::smaller(Id value, uint32_t most, Emitter& out)
{
    const Id uintType = m_module.getIntType(32, false);
    const Id bound = m_module.getConstant(most);
    const Id isLess = out.emit(spv::Op::OpULessThan, m_module.getBoolType(), {value, bound});
    return out.emit(spv::Op::OpSelect, uintType, {isLess, value, bound});
}

void KeptOutputs::allocate(const KeptOutput& kept, const Instruction& i, Emitter& out)
{
    const uint32_t base = m_shader.node.declared.outputs[kept.output].baseIndex;
    Id index = toUint(i, i.id(2), out);
    if (base != 0)
        index = out.emit(spv::Op::OpIAdd, m_module.getIntType(32, false), {index, m_module.getConstant(base)});
    const Id count = smaller(toUint(i, i.id(1), out), kept.most, out);
    if (kept.take) {
        out.call(kept.take, m_module.getVoidType(), {count, index});
        if (kept.isRepeated) {
            const Id uintType = m_module.getIntType(32, false);
            out.keep(spirv::instruction(spv::Op::OpLoad, uintType, i.result).add(kept.handle));
        }
        return;
    }
    out.emitVoid(spv::Op::OpStore, {kept.count, count});
    out.emitVoid(spv::Op::OpStore, {kept.index, index});
}

// Where the allocation's payload lies in the array; nobody's payload if it has no such.
Id KeptOutputs::placeOf(const KeptOutput& kept, const Instruction& i, Emitter& out)
{
    const Id uintType = m_module.getIntType(32, false);
    const Id handle = handleValue(i.id(0), out);
    const Id index = toUint(i, i.id(1), out);
    const Id first = out.emit(spv::Op::OpBitwiseAnd, uintType, {handle, m_module.getConstant(kHandleFirstMask)});
    const Id count = out.emit(spv::Op::OpShiftRightLogical, uintType, {handle, m_module.getConstant(kHandleCountBit)});
    const Id isThere = out.emit(spv::Op::OpULessThan, m_module.getBoolType(), {index, count});
    const Id place = out.emit(spv::Op::OpIAdd, uintType, {first, index});
    return out.emit(spv::Op::OpSelect, uintType, {isThere, place, m_module.getConstant(kept.room - 1)});
}

// A number, of a variable what it holds.
Id KeptOutputs::handleValue(Id handle, Emitter& out)
{
    const Id uintType = m_module.getIntType(32, false);
    return m_variables.contains(handle.value) ? out.emit(spv::Op::OpLoad, uintType, {handle}) : handle;
}

// Handles are numbers where an invocation has several.
void KeptOutputs::visitHandle(const KeptOutput& kept, const Instruction& i, Emitter& out)
{
    const Id uintType = m_module.getIntType(32, false);
    switch (i.op) {
        case spv::Op::OpNodePayloadArrayLengthAMDX: {
            const Id handle = handleValue(i.id(0), out);
            const Id bit = m_module.getConstant(kHandleCountBit);
            const Id count = out.emit(spv::Op::OpShiftRightLogical, uintType, {handle, bit});
            const auto op = i.type == uintType ? spv::Op::OpCopyObject : spv::Op::OpBitcast;
            out.keep(spirv::instruction(op, i.type, i.result).add(count));
            return;
        }
        case spv::Op::OpVariable: {
            const auto storage = static_cast<spv::StorageClass>(i.literal(0));
            const bool isPlain = storage == spv::StorageClass::Function && !m_queried.contains(i.result.value);
            if (!isPlain)
                break;
            const Id type = m_module.getPointerType(storage, uintType);
            out.keep(spirv::instruction(i.op, type, i.result).add(i.literal(0)));
            return;
        }
        case spv::Op::OpLoad:
            out.keep(spirv::instruction(spv::Op::OpCopyObject, uintType, i.result).add(handleValue(i.id(0), out)));
            return;
        case spv::Op::OpStore:
            out.emitVoid(i.op, {i.id(0), i.id(1)});
            return;
        case spv::Op::OpCopyMemory:
            out.emitVoid(spv::Op::OpStore, {i.id(0), handleValue(i.id(1), out)});
            return;
        case spv::Op::OpCopyObject:
        case spv::Op::OpPhi:
        case spv::Op::OpSelect:
        case spv::Op::OpUndef: {
            if (i.op == spv::Op::OpCopyObject && m_variables.contains(i.id(0).value))
                break;
            Instruction number = i;
            number.type = uintType;
            out.keep(std::move(number));
            return;
        }
        default:
            if (shader::isAccessChain(i.op) && shader::firstIndexOperand(i.op) == 1 &&
                payloadIndexOperand(m_module, i) == 1u) {
                access(kept, i, out);
                return;
            }
            break;
    }
    m_failure.at(m_module, i, "uses a payload array as a whole");
}

// Behind those that are kept already.
Id KeptOutputs::placeInStack(const KeptOutput& kept, Id index, Emitter& out)
{
    const Id uintType = m_module.getIntType(32, false);
    uint32_t number = 0;
    const bool isKnown = m_module.constantValue(index, number);
    if (kept.placeOfFirst && isKnown && number == 0)
        return out.emit(spv::Op::OpLoad, uintType, {kept.placeOfFirst});
    const Id first = out.emit(spv::Op::OpLoad, uintType, {kept.first});
    const Id place = out.emit(spv::Op::OpIAdd, uintType, {first, index});
    if (!kept.placeOfFirst || isKnown)
        return place;
    const Id isFirst = out.emit(spv::Op::OpIEqual, m_module.getBoolType(), {index, m_module.getConstant(0)});
    const Id placeOfFirst = out.emit(spv::Op::OpLoad, uintType, {kept.placeOfFirst});
    return out.emit(spv::Op::OpSelect, uintType, {isFirst, placeOfFirst, place});
}

void KeptOutputs::access(const KeptOutput& kept, const Instruction& i, Emitter& out)
{
    const uint32_t last = std::max(kept.most, 1u) - 1;
    Id index = last == 0 ? m_module.getConstant(0) : smaller(toUint(i, i.id(1), out), last, out);
    if (kept.isRepeated)
        index = placeOf(kept, i, out);
    else if (kept.first)
        index = placeInStack(kept, index, out);
    if (kept.taken)
        index = smaller(index, kept.most, out);
    Instruction chain = spirv::instruction(spv::Op::OpAccessChain, i.type, i.result).add(kept.payloads).add(index);
    for (size_t o = 2; o < i.operandCount(); ++o)
        chain.add(i.id(o));
    m_memory.add(chain.result, kept.byWorkgroup ? kWorkgroup : kPrivate);
    out.keep(std::move(chain));
}

}  // namespace millrace::nodes
