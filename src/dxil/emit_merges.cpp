// SPDX-License-Identifier: Apache-2.0
// Phis and selects, of values and of what SPIR-V has no values for: handles, addresses, structures. Those merge by
// their parts: the same resource or variable with an index that differs.
#include <algorithm>

#include "dxil/emitter.h"
#include "dxil/opcodes.h"

namespace millrace::dxil {

using spirv::Instruction;
using spirv::instruction;

// Operands may be defined later: completePhis() adds them.
Val Emitter::phiOf(const Value& i, const Type& type, std::vector<uint32_t> path)
{
    Val out;
    if (type.isAggregate()) {
        const size_t count = type.isStruct() ? type.members.size() : arrayFields(type);
        for (uint32_t m = 0; m < count; ++m) {
            path.push_back(m);
            out.fields.push_back(phiOf(i, type.isStruct() ? *type.members[m] : *type.element, path));
            path.pop_back();
        }
        return out;
    }
    if (type.isPointer() || isLong(type))
        return Val(unsupported("a phi of " + i.type->text()));
    for (size_t p = 0; p < partCount(type); ++p)
        out.parts.push_back(m_b.emit(instruction(spv::Op::OpPhi, partType(type, p))));
    m_phis.push_back({&i, std::move(path), out.parts});
    return out;
}

void Emitter::emitPhi(const Value& i)
{
    if (i.type->isPointer() || isHandleType(*i.type))
        mergePhi(i);
    else
        set(i, phiOf(i, *i.type, {}));
}

// All are of one kind and have the same parts, but for indices.
bool Emitter::canMerge(const std::vector<Val>& values) const
{
    const Val& first = values[0];
    return std::ranges::all_of(values, [&](const Val& v) {
        if (first.handle && v.handle) {
            const Resource& a = first.handle->resource;
            const Resource& b = v.handle->resource;
            return a.resourceClass == b.resourceClass && a.space == b.space && a.lowerBound == b.lowerBound &&
                   a.kind == b.kind && first.handle->isHeap == v.handle->isHeap &&
                   static_cast<bool>(first.handle->index) == static_cast<bool>(v.handle->index);
        }
        if (first.output && v.output)
            return first.output->output == v.output->output;
        if (first.record && v.record)
            return first.record->isNull || v.record->isNull ||
                   (first.record->isInput == v.record->isInput && first.record->output == v.record->output);
        return first.pointer && v.pointer && first.pointer->base == v.pointer->base &&
               first.pointer->type == v.pointer->type && first.pointer->indices.size() == v.pointer->indices.size() &&
               (first.pointer->storage != spv::StorageClass::NodePayloadAMDX || first.pointer->base == m_input);
    });
}

// The indices of a value that canMerge() has seen.
std::vector<Id> Emitter::indicesOf(const Val& value)
{
    if (value.handle)
        return value.handle->index ? std::vector<Id>{value.handle->index} : std::vector<Id>{};
    if (value.output)
        return {value.output->index ? value.output->index : m_b.uintConstant(0)};
    return value.pointer ? value.pointer->indices : std::vector<Id>{};
}

Val Emitter::withIndices(const Val& value, const std::vector<Id>& indices)
{
    Val out;
    if (value.handle) {
        auto handle = std::make_shared<Handle>(*value.handle);
        if (!indices.empty())
            handle->index = indices[0];
        out.handle = std::move(handle);
    } else if (value.output) {
        auto handle = std::make_shared<OutputHandle>(*value.output);
        handle->index = indices[0];
        out.output = std::move(handle);
    } else {
        auto pointer = std::make_shared<Pointer>(*value.pointer);
        pointer->indices = indices;
        out.pointer = std::move(pointer);
    }
    return out;
}

// What phis lead to, through other phis, undefined values left out.
static void findSources(const Value* value, std::unordered_set<const Value*>& seen, std::vector<const Value*>& out)
{
    if (value->isUndef() || !seen.insert(value).second)
        return;
    if (!value->isInstruction(Op::Phi)) {
        out.push_back(value);
        return;
    }
    for (const Value* operand : value->operands)
        findSources(operand, seen, out);
}

// A handle made by operations on constants only, which made again is the same: new records are others each time.
static bool isConstantHandle(const Value* value)
{
    if (value->isInstruction(Op::Load))
        return value->operands[0]->kind == Value::Kind::Global && isHandleType(*value->type);
    if (!value->isInstruction(Op::Call) || !isHandleType(*value->type) ||
        !value->function->name.starts_with("dx.op.") || value->operands.empty() ||
        opcodeOf(*value) == opcode::AllocateNodeOutputRecords)
        return false;
    return std::ranges::all_of(value->operands, [](const Value* operand) {
        return operand->kind == Value::Kind::Instruction ? isConstantHandle(operand)
                                                         : operand->kind != Value::Kind::Argument;
    });
}

static bool isSameHandle(const Value* a, const Value* b)
{
    if (a == b)
        return true;
    return a->kind == b->kind && a->kind == Value::Kind::Instruction && a->op == b->op && a->function == b->function &&
           std::ranges::equal(a->operands, b->operands, isSameHandle);
}

// Structurizing leaves phis of one and the same handle, which may come from later blocks. Made again, it needs none.
bool Emitter::mergeSameHandle(const Value& i)
{
    std::unordered_set<const Value*> seen;
    std::vector<const Value*> sources;
    findSources(&i, seen, sources);
    const bool isSame = !sources.empty() && std::ranges::all_of(sources, [&](const Value* source) {
        return isConstantHandle(source) && isSameHandle(sources[0], source);
    });
    if (isSame) {
        makeAgain(*sources[0]);
        set(i, get(sources[0]));
    }
    return isSame;
}

// What comes around a loop is not there yet. Of a heap's resources that is their place, whatever they are.
bool Emitter::mergeAroundLoop(const Value& i)
{
    const bool isAround = std::ranges::any_of(i.blocks, [&](const Block* from) { return !m_ends.contains(from); });
    const auto source = isAround ? m_keptHandles.sourceOf(i) : KeptHandles::Source::Other;
    const bool isSampler = source == KeptHandles::Source::SamplerHeap;
    if (!isSampler && source != KeptHandles::Source::ResourceHeap)
        return false;
    const Id place = m_b.emit(instruction(spv::Op::OpPhi, m_b.uintType()));
    m_phis.push_back({&i, {}, {place}});
    set(i, handleInHeap(place, isSampler, true));
    return true;
}

void Emitter::makeAgain(const Value& handle)
{
    for (const Value* operand : handle.operands)
        if (operand->kind == Value::Kind::Instruction && operand->parent)
            makeAgain(*operand);
    emitInstruction(handle);
}

// What a phi merges, undefined values left out: they come from paths on which nobody uses it.
void Emitter::mergePhi(const Value& i)
{
    if (mergeSameHandle(i) || mergeAroundLoop(i))
        return;
    std::vector<Val> values;
    std::vector<size_t> edges;
    for (size_t e = 0; e < i.operands.size(); ++e) {
        if (!i.operands[e]->isUndef() && i.operands[e] != &i) {
            values.push_back(get(i.operands[e]));
            edges.push_back(e);
        }
    }
    const bool known = !values.empty() && std::ranges::all_of(values, [](const Val& v) {
        return v.handle || v.output || v.record || v.pointer;
    });
    if (!known || !canMerge(values)) {
        unsupported("a choice between different " +
                    std::string(i.type->isPointer() ? "variables" : "resources, outputs or records"));
        return;
    }
    if (values[0].record) {
        mergeRecords(i, values, edges);
        return;
    }
    std::vector<std::vector<Id>> indices;
    for (const Val& value : values)
        indices.push_back(indicesOf(value));
    std::vector<Id> merged = indices[0];
    uint64_t ignored = 0;
    for (size_t n = 0; n < merged.size(); ++n) {
        const bool isSame = std::ranges::all_of(indices, [&](const auto& list) { return list[n] == merged[n]; });
        if (isSame && m_b.constantValue(merged[n], ignored))
            continue;
        Instruction phi = instruction(spv::Op::OpPhi, m_b.uintType());
        for (size_t e = 0; e < i.operands.size(); ++e) {
            const auto at = std::ranges::find(edges, e);
            const bool isUndefined = at == edges.end();
            phi.add(isUndefined ? m_b.undef(m_b.uintType()) : indices[static_cast<size_t>(at - edges.begin())][n]);
            const auto end = m_ends.find(i.blocks[e]);
            if (end == m_ends.end()) {
                unsupported("a choice between resources that goes around a loop");
                return;
            }
            phi.add(end->second);
        }
        merged[n] = m_b.emit(std::move(phi));
    }
    set(i, withIndices(values[0], merged));
}

// Records in a variable of their array's type, which stands for them: so says the extension's reading of what DXC
// emits.
void Emitter::mergeRecords(const Value& i, const std::vector<Val>& values, const std::vector<size_t>& edges)
{
    const auto real = std::ranges::find_if(values, [](const Val& v) { return !v.record->isNull; });
    if (real == values.end()) {
        set(i, values[0]);
        return;
    }
    auto merged = std::make_shared<RecordHandle>(*real->record);
    const Id array = merged->isInput ? m_inputArray : outputArray(merged->output);
    merged->pointer = merged->isInput ? m_input : local(array);
    merged->isVariable = !merged->isInput;
    const bool anyNull = std::ranges::any_of(values, [](const Val& v) { return v.record->isNull || v.record->valid; });
    Instruction valid = instruction(spv::Op::OpPhi, m_b.boolType());
    for (size_t v = 0; v < values.size(); ++v) {
        const Block* from = i.blocks[edges[v]];
        const RecordHandle& record = *values[v].record;
        if (!m_ends.contains(from)) {
            unsupported("a choice between records that goes around a loop");
            return;
        }
        if (!record.isNull && !record.isInput)
            m_copies.push_back({from, array, record.pointer, merged->pointer});
        valid.add(record.valid ? record.valid : m_b.boolConstant(!record.isNull)).add(m_ends.at(from));
    }
    if (anyNull) {
        for (size_t e = 0; e < i.operands.size(); ++e)
            if (std::ranges::find(edges, e) == edges.end())
                valid.add(m_b.boolConstant(false)).add(m_ends.at(i.blocks[e]));
        merged->valid = m_b.emit(std::move(valid));
    }
    Val out;
    out.record = std::move(merged);
    set(i, std::move(out));
}

// As mergeRecords(), where both are there already.
void Emitter::selectRecords(const Value& i, const RecordHandle& a, const RecordHandle& b)
{
    auto merged = std::make_shared<RecordHandle>(a.isNull ? b : a);
    const Id condition = getId(i.operands[0]);
    if (!merged->isNull && !merged->isInput) {
        const Id array = outputArray(merged->output);
        merged->pointer = local(array);
        merged->isVariable = true;
        const auto copy = [&](const RecordHandle& from, Id when) {
            const Id merge = openIf(when);
            m_b.store(merged->pointer, m_b.load(array, from.pointer));
            closeIf(merge);
        };
        if (!a.isNull)
            copy(a, condition);
        if (!b.isNull)
            copy(b, m_b.emit(spv::Op::OpLogicalNot, m_b.boolType(), {condition}));
    }
    if (!merged->isNull && (a.isNull || b.isNull || a.valid || b.valid)) {
        const auto validOf = [&](const RecordHandle& r) { return r.valid ? r.valid : m_b.boolConstant(!r.isNull); };
        merged->valid = m_b.emit(spv::Op::OpSelect, m_b.boolType(), {condition, validOf(a), validOf(b)});
    }
    Val out;
    out.record = std::move(merged);
    set(i, std::move(out));
}

// Selects of handles and addresses.
void Emitter::mergeSelect(const Value& i)
{
    const std::vector<Val> values = {get(i.operands[1]), get(i.operands[2])};
    const bool known =
        std::ranges::all_of(values, [](const Val& v) { return v.handle || v.output || v.record || v.pointer; });
    if (!known || !canMerge(values)) {
        unsupported("a choice between different " +
                    std::string(i.type->isPointer() ? "variables" : "resources, outputs or records"));
        return;
    }
    if (values[0].record) {
        selectRecords(i, *values[0].record, *values[1].record);
        return;
    }
    std::vector<Id> merged = indicesOf(values[0]);
    const std::vector<Id> other = indicesOf(values[1]);
    for (size_t n = 0; n < merged.size(); ++n)
        if (merged[n] != other[n])
            merged[n] = m_b.emit(spv::Op::OpSelect, m_b.uintType(), {getId(i.operands[0]), merged[n], other[n]});
    set(i, withIndices(values[0], merged));
}

void Emitter::emitSelect(const Value& i)
{
    if (i.type->isPointer() || isHandleType(*i.type)) {
        mergeSelect(i);
        return;
    }
    if (i.type->isAggregate()) {
        unsupported("a select of " + i.type->text());
        return;
    }
    const Val condition = get(i.operands[0]);
    const Val a = get(i.operands[1]);
    const Val b = get(i.operands[2]);
    Val out;
    for (size_t p = 0; p < partCount(*i.type); ++p) {
        const Id which = i.operands[0]->type->isVector() ? condition.parts.at(p) : condition.id();
        out.parts.push_back(m_b.emit(spv::Op::OpSelect, partType(*i.type, p), {which, a.parts.at(p), b.parts.at(p)}));
    }
    set(i, std::move(out));
}

void Emitter::completePhis()
{
    if (m_error)
        return;
    std::unordered_map<uint32_t, Instruction*> found;
    for (spirv::Block& block : m_out->blocks) {
        for (Instruction& i : block.body)
            if (i.op == spv::Op::OpPhi)
                found[i.result.value] = &i;
    }
    for (const Phi& phi : m_phis) {
        m_instruction = phi.value;
        for (size_t e = 0; e < phi.value->operands.size(); ++e) {
            // Constants and undefined values are global, so nothing is emitted here.
            Val value = get(phi.value->operands[e]);
            if (isHandleType(*phi.value->type))
                value = Val(value.handle ? value.handle->index : m_b.undef(m_b.uintType()));
            for (const uint32_t member : phi.path) {
                Val field = value.fields.at(member);
                value = std::move(field);
            }
            for (size_t p = 0; p < phi.ids.size(); ++p)
                found.at(phi.ids[p].value)->add(value.parts.at(p)).add(m_ends.at(phi.value->blocks[e]));
        }
    }
    completeCopies();
}

// In front of the branches of the blocks that they come from.
void Emitter::completeCopies()
{
    for (const Copy& copy : m_copies) {
        const Id label = m_ends.at(copy.block);
        const auto block = std::ranges::find(m_out->blocks, label, &spirv::Block::label);
        auto at = block->body.end() - 1;
        if (at != block->body.begin() &&
            ((at - 1)->op == spv::Op::OpSelectionMerge || (at - 1)->op == spv::Op::OpLoopMerge))
            --at;
        const Id value = m_b.newId();
        at = block->body.insert(at, instruction(spv::Op::OpLoad, copy.type, value).add(copy.from));
        block->body.insert(at + 1, instruction(spv::Op::OpStore).add(copy.to).add(value));
    }
    m_copies.clear();
}

}  // namespace millrace::dxil
