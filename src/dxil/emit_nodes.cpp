// SPDX-License-Identifier: Apache-2.0
// Nodes of work graphs as nodes of execution graphs.
#include <algorithm>
#include <array>

#include "dxil/emitter.h"
#include "dxil/opcodes.h"

namespace millrace::dxil {

using spirv::Instruction;
using spirv::instruction;

namespace {

// The structure that dx.op.getNodeRecordPtr.<name> points to.
std::string recordNameOf(const Value& call)
{
    constexpr std::string_view kPrefix = "dx.op.getNodeRecordPtr.";
    const std::string& name = call.function->name;
    return name.starts_with(kPrefix) ? name.substr(kPrefix.size()) : std::string();
}

bool isCallOf(const Value& i, uint32_t opcode)
{
    return i.isInstruction(Op::Call) && i.function->name.starts_with("dx.op.") && !i.operands.empty() &&
           i.operands[0]->isConstantInt() && i.operands[0]->bits == opcode;
}

// The operation that made a handle, through annotations, indexing and phis (any of the values that they merge).
const Value* originOf(const Value* handle)
{
    constexpr int kMaxSteps = 1000;
    for (int step = 0; step < kMaxSteps; ++step) {
        const Value* next = handle;
        if (isCallOf(*handle, opcode::IndexNodeHandle) || isCallOf(*handle, opcode::AnnotateNodeHandle) ||
            isCallOf(*handle, opcode::AnnotateNodeRecordHandle))
            next = handle->operands.at(1);
        else if (handle->isInstruction(Op::Phi) || handle->isInstruction(Op::Select))
            for (const Value* operand : handle->operands)
                next = operand->kind == Value::Kind::Instruction && operand->type == handle->type ? operand : next;
        if (next == handle)
            break;
        handle = next;
    }
    return handle;
}

}  // namespace

// What the records are is known where they are used; the metadata has only their size.
void Emitter::findRecordTypes(const Function& function)
{
    if (m_entry.kind != ShaderKind::Node)
        return;
    m_outputs.resize(m_entry.node.outputs.size(), {});
    for (const Block* block : m_structures->at(&function).order) {
        for (const Value* i : block->instructions) {
            if (!isCallOf(*i, opcode::GetNodeRecordPtr))
                continue;
            const Type* type = m_ir.findStruct(recordNameOf(*i));
            const Value* origin = originOf(i->operands[1]);
            const Type** target = nullptr;
            if (isCallOf(*origin, opcode::CreateNodeInputRecordHandle)) {
                target = &m_inputType;
            } else if (isCallOf(*origin, opcode::AllocateNodeOutputRecords)) {
                const Value* output = originOf(origin->operands[1]);
                const auto index = output->operands.size() > 1 ? constantOf(output->operands[1]) : std::nullopt;
                if (index && *index < m_outputs.size())
                    target = &m_outputs[static_cast<size_t>(*index)].type;
            }
            if (target && type) {
                m_instruction = i;
                if (*target && *target != type && !haveSameLayout(**target, *type))
                    unsupported("records seen as " + (*target)->text() + " and as " + type->text());
                *target = *target ? *target : type;
            }
        }
    }
    m_instruction = nullptr;
    for (size_t o = 0; o < m_outputs.size(); ++o)
        if (const auto twin = m_entry.node.outputs[o].staticOutput; twin)
            m_outputs.at(*twin).type = m_outputs[o].type;
}

bool Emitter::haveSameLayout(const Type& a, const Type& b) const
{
    if (&a == &b)
        return true;
    if (a.kind != b.kind || a.bits != b.bits || a.count != b.count || a.members.size() != b.members.size())
        return false;
    for (size_t m = 0; m < a.members.size(); ++m)
        if (!haveSameLayout(*a.members[m], *b.members[m]))
            return false;
    return !a.element || haveSameLayout(*a.element, *b.element);
}

// Words, where nobody looks into the records: a grid must still be declared.
Id Emitter::opaqueRecord(const NodeIo& io)
{
    std::vector<Id> members;
    std::vector<uint32_t> offsets;
    const Id number = m_b.uintType();
    uint32_t end = 0;
    const auto addWords = [&](uint32_t until) {
        if (until > end) {
            members.push_back(m_b.arrayType(number, (until - end) / 4, 4));
            offsets.push_back(end);
            end = until;
        }
    };
    uint32_t gridMember = ~0u;
    if (io.grid) {
        const uint32_t bytes = io.grid->componentBytes * io.grid->components;
        addWords(io.grid->offsetBytes / 4 * 4);
        gridMember = static_cast<uint32_t>(members.size());
        const Id component = m_b.intType(io.grid->componentBytes * 8);
        members.push_back(m_b.vectorType(component, io.grid->components));
        offsets.push_back(io.grid->offsetBytes);
        end = std::min((io.grid->offsetBytes + bytes + 3) / 4 * 4, io.recordBytes);
    }
    addWords(io.recordBytes / 4 * 4);
    if (io.recordBytes - end == 2) {
        members.push_back(m_b.intType(16));
        offsets.push_back(end);
        end += 2;
    }
    const Id out = m_b.structType(members);
    for (uint32_t m = 0; m < members.size(); ++m)
        m_b.decorateMember(out, m, spv::Decoration::Offset, {offsets[m]});
    if (gridMember != ~0u)
        m_b.decorateMember(out, gridMember, spv::Decoration::PayloadDispatchIndirectAMDX);
    if (end != io.recordBytes)
        unsupported("a record of " + std::to_string(io.recordBytes) + " bytes that is not looked into");
    return out;
}

void Emitter::decorateGrid(Id structType, const Type& type, const GridMember& grid, uint32_t baseBytes)
{
    uint32_t offset = baseBytes;
    for (uint32_t m = 0; m < type.members.size(); ++m) {
        const Type& member = *type.members[m];
        const uint32_t align = layoutAlign(member);
        offset = (offset + align - 1) / align * align;
        const uint32_t end = offset + layoutSize(member);
        if (grid.offsetBytes >= offset && grid.offsetBytes < end) {
            if (member.isStruct())
                decorateGrid(memoryType(member, Form::Record), member, grid, offset);
            else if (grid.offsetBytes == offset)
                m_b.decorateMember(structType, m, spv::Decoration::PayloadDispatchIndirectAMDX);
            else
                unsupported("a dispatch grid inside of " + member.text());
            return;
        }
        offset = end;
    }
    unsupported("a dispatch grid outside of its record");
}

// A structure of its own for each use: the decorations differ.
Id Emitter::recordType(const NodeIo& io, const Type* type)
{
    Id out;
    if ((io.flags & kNodeEmpty) != 0 || io.recordBytes == 0) {
        out = m_b.structType({});
    } else if (!type || !type->isStruct()) {
        out = type ? unsupported("records of type " + type->text()) : opaqueRecord(io);
    } else {
        if (layoutSize(*type) != io.recordBytes) {
            return unsupported("a record of " + std::to_string(io.recordBytes) + " bytes whose type has " +
                               std::to_string(layoutSize(*type)));
        }
        out = recordStruct(*type);
        m_b.name(out, type->name);
        if (io.grid)
            decorateGrid(out, *type, *io.grid, 0);
    }
    if ((io.flags & kNodeTrackSharing) != 0)
        m_b.decorate(out, spv::Decoration::TrackFinishWritingAMDX);
    return out;
}

Id Emitter::payloadArray(const NodeIo& io, const Type* type)
{
    const Id record = recordType(io, type);
    const Id out = m_b.newId();
    m_b.module()
        .section(spirv::Section::Globals)
        .push_back(instruction(spv::Op::OpTypeNodePayloadArrayAMDX, {}, out).add(record));
    const uint32_t count = std::max(1u, io.maxRecords.value_or(1));
    m_b.decorateId(out, spv::Decoration::NodeMaxPayloadsAMDX, m_b.uintConstant(count));
    return out;
}

// Also where none is declared: a thread node has one record each.
void Emitter::inputVariable()
{
    const bool isThread = m_entry.node.launch == LaunchType::Thread;
    if (m_entry.node.inputs.empty() && !isThread)
        return;
    NodeIo io;
    io.flags = kNodeInput | kNodeEmpty;
    if (!m_entry.node.inputs.empty())
        io = m_entry.node.inputs[0];
    if (m_entry.node.launch != LaunchType::Coalescing)
        io.maxRecords = 1;
    m_inputArray = payloadArray(io, m_inputType);
    m_input = m_b.variable(spv::StorageClass::NodePayloadAMDX, m_inputArray);
    m_b.name(m_input, "input");
}

Id Emitter::outputArray(uint32_t output)
{
    Output& found = m_outputs.at(output);
    if (found.array)
        return found.array;
    const NodeIo& io = m_entry.node.outputs[output];
    NodeIo declared = io;
    if (io.sharesBudgetWith) {
        // The budget is the other's; the mode must have a count nevertheless.
        declared.maxRecords = std::max(1u, m_entry.node.outputs[*io.sharesBudgetWith].maxRecords.value_or(1));
    }
    found.array = payloadArray(declared, found.type);
    const Id array = found.array;
    m_b.decorateId(array, spv::Decoration::PayloadNodeNameAMDX, m_b.string(io.id.name));
    if (io.id.index != 0)
        m_b.decorateId(array, spv::Decoration::PayloadNodeBaseIndexAMDX, m_b.uintConstant(io.id.index));
    const bool isArray = (io.flags & kNodeArray) != 0;
    const bool isUnbounded = io.arraySize == kUnbounded;
    if (isArray && io.arraySize && !isUnbounded) {
        // The extension's size counts from index 0, D3D12's from the first.
        m_b.decorateId(array, spv::Decoration::PayloadNodeArraySizeAMDX, m_b.uintConstant(*io.arraySize + io.id.index));
    }
    if (io.sparse || isUnbounded)
        m_b.decorate(array, spv::Decoration::PayloadNodeSparseArrayAMDX);
    if (io.sharesBudgetWith)
        m_b.decorateId(array, spv::Decoration::NodeSharesPayloadLimitsWithAMDX, outputArray(*io.sharesBudgetWith));
    return array;
}

static void modeWithIds(Builder& b, Id function, spv::ExecutionMode mode, std::initializer_list<Id> operands)
{
    Instruction out = instruction(spv::Op::OpExecutionModeId).add(function).add(static_cast<uint32_t>(mode));
    for (const Id operand : operands)
        out.add(operand);
    b.module().section(spirv::Section::ExecutionModes).push_back(std::move(out));
}

void Emitter::declareNode(Id function)
{
    using Mode = spv::ExecutionMode;
    const Node& node = m_entry.node;
    const auto grid = [&](Mode mode, const std::array<uint32_t, 3>& size) {
        modeWithIds(m_b, function, mode,
                    {m_b.uintConstant(size[0]), m_b.uintConstant(size[1]), m_b.uintConstant(size[2])});
    };
    if (node.launch == LaunchType::Coalescing || node.launch == LaunchType::Thread) {
        m_b.module()
            .section(spirv::Section::ExecutionModes)
            .push_back(
                instruction(spv::Op::OpExecutionMode).add(function).add(static_cast<uint32_t>(Mode::CoalescingAMDX)));
    } else if (node.launch != LaunchType::Broadcasting) {
        unsupported("a node of this launch type");
    } else if (node.grid) {
        grid(Mode::StaticNumWorkgroupsAMDX, *node.grid);
    } else if (node.maxGrid) {
        grid(Mode::MaxNumWorkgroupsAMDX, *node.maxGrid);
    }
    modeWithIds(m_b, function, Mode::ShaderIndexAMDX, {m_b.uintConstant(node.id.index)});
    if (node.maxRecursion > 0)
        modeWithIds(m_b, function, Mode::MaxNodeRecursionAMDX, {m_b.uintConstant(node.maxRecursion)});
    if (node.sharesInputOf) {
        modeWithIds(m_b, function, Mode::SharesInputWithAMDX,
                    {m_b.string(node.sharesInputOf->name), m_b.uintConstant(node.sharesInputOf->index)});
    }
}

std::shared_ptr<const RecordHandle> Emitter::recordOf(const Value* value)
{
    const Val found = get(value);
    if (!found.record)
        unsupported("a record handle that does not come from one place");
    return found.record;
}

std::shared_ptr<const OutputHandle> Emitter::outputOf(const Value* value)
{
    const Val found = get(value);
    if (!found.output)
        unsupported("an output handle that does not come from one place");
    return found.output;
}

void Emitter::opCreateNodeOutput(const Value& call)
{
    const auto index = constantOf(call.operands[1]);
    if (!index || *index >= m_outputs.size()) {
        unsupported("an output that the node does not declare");
        return;
    }
    auto handle = std::make_shared<OutputHandle>();
    handle->output = static_cast<uint32_t>(*index);
    Val out;
    out.output = std::move(handle);
    set(call, std::move(out));
}

// The output that has this index of an array: nodes with a fixed grid are apart, see separateGrids().
uint32_t Emitter::outputAt(uint32_t output, std::optional<uint64_t> index)
{
    const NodeIo& io = m_entry.node.outputs[output];
    if (!io.staticOutput)
        return output;
    if (!index) {
        unsupported("an index of \"" + io.id.name +
                    "\" that is not constant: of its nodes some have a fixed grid and some have it in the record");
        return output;
    }
    return std::ranges::find(io.staticIndices, *index) != io.staticIndices.end() ? *io.staticOutput : output;
}

void Emitter::opIndexNode(const Value& call)
{
    if (const auto base = outputOf(call.operands[1])) {
        auto handle = std::make_shared<OutputHandle>(*base);
        handle->index = getUint(call.operands[2]);
        handle->output = outputAt(base->output, constantOf(call.operands[2]));
        Val out;
        out.output = std::move(handle);
        set(call, std::move(out));
    }
}

void Emitter::opAnnotateNode(const Value& call)
{
    set(call, get(call.operands[1]));
}

void Emitter::opCreateNodeInput(const Value& call)
{
    if (!m_input) {
        unsupported("an input that the node does not declare");
        return;
    }
    auto handle = std::make_shared<RecordHandle>();
    handle->isInput = true;
    handle->pointer = m_input;
    Val out;
    out.record = std::move(handle);
    set(call, std::move(out));
}

Id Emitter::allocate(const OutputHandle& output, Id count, bool perThread)
{
    const Id array = outputArray(output.output);
    const spv::Scope scope = perThread ? spv::Scope::Invocation : spv::Scope::Workgroup;
    const Id index = output.index ? output.index : m_b.uintConstant(0);
    return m_b.emit(spv::Op::OpAllocateNodePayloadsAMDX, m_b.pointerType(spv::StorageClass::NodePayloadAMDX, array),
                    {m_b.uintConstant(static_cast<uint32_t>(scope)), count, index});
}

void Emitter::opAllocateRecords(const Value& call)
{
    const auto output = outputOf(call.operands[1]);
    const auto perThread = constantOf(call.operands[3]);
    if (!output || !perThread) {
        unsupported("an allocation for threads or groups, not known which");
        return;
    }
    auto handle = std::make_shared<RecordHandle>();
    handle->output = output->output;
    handle->pointer = allocate(*output, getUint(call.operands[2]), *perThread != 0);
    Val out;
    out.record = std::move(handle);
    set(call, std::move(out));
}

void Emitter::opRecordPointer(const Value& call)
{
    const auto record = recordOf(call.operands[1]);
    const Type* type = m_ir.findStruct(recordNameOf(call));
    if (!record || !type) {
        unsupported("a record of unknown type");
        return;
    }
    if (!record->isInput)
        outputArray(record->output);
    auto pointer = std::make_shared<Pointer>();
    pointer->base = record->pointer;
    pointer->storage = record->isVariable ? spv::StorageClass::Function : spv::StorageClass::NodePayloadAMDX;
    pointer->form = Form::Record;
    pointer->type = type;
    pointer->indices = {getUint(call.operands[2])};
    pointer->within = {type};
    Val out;
    out.pointer = std::move(pointer);
    set(call, std::move(out));
}

// Records without content are complete as soon as they are counted.
void Emitter::opIncrementOutput(const Value& call)
{
    const auto output = outputOf(call.operands[1]);
    const auto perThread = constantOf(call.operands[3]);
    if (!output || !perThread) {
        unsupported("a count for threads or groups, not known which");
        return;
    }
    const Id payloads = allocate(*output, getUint(call.operands[2]), *perThread != 0);
    m_b.emitVoid(spv::Op::OpEnqueueNodePayloadsAMDX, {payloads});
}

void Emitter::opOutputComplete(const Value& call)
{
    const auto record = recordOf(call.operands[1]);
    if (!record || record->isNull)
        return;  // completing no records does nothing
    const Id merge = record->valid ? openIf(record->valid) : Id{};
    m_b.emitVoid(spv::Op::OpEnqueueNodePayloadsAMDX, {record->pointer});
    if (merge)
        closeIf(merge);
}

void Emitter::opRecordCount(const Value& call)
{
    if (const auto record = recordOf(call.operands[1]))
        set(call, m_b.emit(spv::Op::OpNodePayloadArrayLengthAMDX, m_b.uintType(), {record->pointer}));
}

void Emitter::opFinishedSharing(const Value& call)
{
    if (const auto record = recordOf(call.operands[1]))
        set(call, m_b.emit(spv::Op::OpFinishWritingNodePayloadAMDX, m_b.boolType(), {record->pointer}));
}

// spirv-val does not take the type that the extension wants here; a variable of the type, as DXC has it, passes.
void Emitter::opOutputIsValid(const Value& call)
{
    if (const auto output = outputOf(call.operands[1])) {
        const Id variable = local(outputArray(output->output));
        const Id index = output->index ? output->index : m_b.uintConstant(0);
        set(call, m_b.emit(spv::Op::OpIsNodePayloadValidAMDX, m_b.boolType(), {variable, index}));
    }
}

void Emitter::opRemainingRecursion(const Value& call)
{
    set(call, builtIn(spv::BuiltIn::RemainingRecursionLevelsAMDX, m_b.uintType()));
}

}  // namespace millrace::dxil
