// SPDX-License-Identifier: Apache-2.0
// The module around an entry point, its functions and blocks.
#include "dxil/emitter.h"

#include "dxil/dead_memory.h"
#include "dxil/opcodes.h"

#include <algorithm>
#include <stdexcept>

namespace millrace::dxil {

using spirv::Instruction;
using spirv::instruction;
using spirv::Section;

Emitter::Emitter(Module& module, const ProgramInfo& info, const EntryPoint& entry, const EmitterOptions& options)
    : m_ir(module),
      m_info(info),
      m_entry(entry),
      m_options(options),
      m_partSize(options.wholeVectors ? kMaxVectorSize : 4),
      m_longFrom(options.wholeVectors ? kMaxVectorSize : std::max(options.splitUpTo, 4u))
{
}

Id Emitter::unsupported(const std::string& what)
{
    if (!m_error)
        m_error = Diagnostic{"dxil", place(), what};
    return Id{1};
}

// Names of C++ begin with a mark that they are not to be changed.
static std::string plainName(const Function& function)
{
    return function.name.starts_with('\1') ? function.name.substr(1) : function.name;
}

// "main, block 3, instruction 7: call dx.op.unary.f32"
std::string Emitter::place() const
{
    if (!m_function || !m_instruction)
        return m_entry.name;
    std::string out = plainName(*m_function);
    for (size_t b = 0; b < m_function->blocks.size(); ++b) {
        const auto& list = m_function->blocks[b]->instructions;
        const auto found = std::ranges::find(list, m_instruction);
        if (found != list.end())
            out += ", block " + std::to_string(b) + ", instruction " + std::to_string(found - list.begin());
    }
    out += std::string(": ") + opText(m_instruction->op);
    return m_instruction->function ? out + " " + plainName(*m_instruction->function) : out;
}

void Emitter::set(const Value& i, Val value)
{
    if (m_element && i.type && isLong(*i.type))
        m_long.elements[&i] = std::move(value);
    else
        m_values[i.number] = std::move(value);
}

Id Emitter::local(Id type)
{
    Instruction out = instruction(spv::Op::OpVariable, m_b.pointerType(spv::StorageClass::Function, type), m_b.newId());
    out.add(static_cast<uint32_t>(spv::StorageClass::Function));
    m_locals.push_back(out);
    return out.result;
}

// What must be known before the first use is met.
void Emitter::findUses(const Value& i)
{
    if (i.op == Op::ExtractValue && !i.indices.empty() && i.indices[0] < 32)
        m_usedFields[i.operands[0]] |= 1u << i.indices[0];
    if (isIndexed(i))
        m_indexed.insert(i.operands[0]);
    findLongUses(i);
    if (i.op == Op::Phi && i.type->isStruct())
        for (const Value* operand : i.operands)
            m_usedFields[operand] = ~0u;
    if (i.op == Op::AtomicRmw || i.op == Op::CompareExchange) {
        const Value& root = variableOf(*i.operands[0]);
        if (root.kind == Value::Kind::Global)
            m_atomicGlobals[root.global] = true;
        m_hasRecordAtomics = m_hasRecordAtomics || (root.isInstruction(Op::Call) &&
                                                    root.function->name.starts_with("dx.op.getNodeRecordPtr."));
    }
    if (i.op == Op::Call && !i.operands.empty() && i.function->name.starts_with("dx.op.barrier")) {
        const uint64_t opcode = constantOf(i.operands[0]).value_or(0);
        const uint64_t flags = constantOf(i.operands.size() > 1 ? i.operands[1] : nullptr).value_or(~uint64_t{0});
        m_hasUavBarrier = m_hasUavBarrier ||
                          (opcode == opcode::Barrier ? (flags & 6) != 0
                                                     : opcode == opcode::BarrierByMemoryHandle || (flags & 1) != 0);
    }
}

void Emitter::prepare()
{
    for (const auto& [function, structure] : *m_structures) {
        m_function = function;
        for (const Block* block : structure.order) {
            for (const Value* i : block->instructions) {
                m_instruction = i;
                checkOperation(*i);
            }
        }
    }
    for (const auto& [function, structure] : *m_structures) {
        m_dead.merge(findDeadMemory(*function));
        m_keptHandles.add(*function);
        for (const Block* block : m_error ? std::vector<Block*>() : structure.order) {
            for (const Value* i : block->instructions)
                if (!m_dead.contains(i))
                    findUses(*i);
        }
        if (!m_error)
            findRecordTypes(*function);
    }
    m_function = nullptr;
    m_instruction = nullptr;
}

Status Emitter::run(const std::unordered_map<const Function*, Structure>& structures)
{
    m_structures = &structures;
    prepare();
    if (m_error)
        return *m_error;
    if (m_entry.kind == ShaderKind::Node) {
        m_b.capability(spv::Capability::ShaderEnqueueAMDX);
        m_b.extension("SPV_AMDX_shader_enqueue");
        inputVariable();
    } else if (m_entry.kind == ShaderKind::Mesh || m_entry.kind == ShaderKind::Amplification) {
        m_b.capability(spv::Capability::MeshShadingEXT);
        m_b.extension("SPV_EXT_mesh_shader");
    }
    try {
        if (m_entry.kind == ShaderKind::Library) {
            emitLibrary();
            return m_error ? Status(*m_error) : Status();
        }
        const Id body = emitFunction(*m_entry.function, structures.at(m_entry.function));
        declareEntryPoint(m_entry.kind == ShaderKind::Amplification ? taskMain(body) : body);
    } catch (const std::out_of_range&) {
        unsupported("an operand that is not of the type that the operation takes");
    }
    if (m_error)
        return *m_error;
    return {};
}

// All functions, for others to link with.
void Emitter::emitLibrary()
{
    m_b.capability(spv::Capability::Linkage);
    for (const auto& function : m_ir.functions) {
        const auto structure = m_structures->find(function.get());
        if (structure == m_structures->end())
            continue;
        const Id id = emitFunction(*function, structure->second);
        const std::string name = plainName(*function);
        m_b.name(id, name);
        m_b.module()
            .section(Section::Annotations)
            .push_back(instruction(spv::Op::OpDecorate)
                           .add(id)
                           .add(static_cast<uint32_t>(spv::Decoration::LinkageAttributes))
                           .add(name)
                           .add(static_cast<uint32_t>(spv::LinkageType::Export)));
    }
}

// A node's entry point is named like the node, so that a module needs nobody to say which node it is.
std::string Emitter::entryPointName() const
{
    return m_entry.kind == ShaderKind::Node && !m_entry.node.id.name.empty() ? m_entry.node.id.name : m_entry.name;
}

static spv::ExecutionModel modelOf(ShaderKind kind)
{
    return kind == ShaderKind::Mesh            ? spv::ExecutionModel::MeshEXT
           : kind == ShaderKind::Vertex        ? spv::ExecutionModel::Vertex
           : kind == ShaderKind::Pixel         ? spv::ExecutionModel::Fragment
           : kind == ShaderKind::Amplification ? spv::ExecutionModel::TaskEXT
                                               : spv::ExecutionModel::GLCompute;
}

void Emitter::declareEntryPoint(Id function)
{
    Instruction entry = instruction(spv::Op::OpEntryPoint)
                            .add(static_cast<uint32_t>(modelOf(m_entry.kind)))
                            .add(function)
                            .add(entryPointName());
    for (const Instruction& i : m_b.module().section(Section::Globals))
        if (i.op == spv::Op::OpVariable)
            entry.add(i.result);
    m_b.module().section(Section::EntryPoints).push_back(std::move(entry));
    m_b.name(function, m_entry.name);
    declareExecutionModes(function);
    if (m_entry.kind == ShaderKind::Node)
        declareNode(function);
    else if (m_entry.kind == ShaderKind::Mesh)
        declareMesh(function);
}

void Emitter::declareExecutionModes(Id function)
{
    if (m_entry.kind == ShaderKind::Vertex || m_entry.kind == ShaderKind::Pixel) {
        declareGraphicsModes(function);
        return;
    }
    spirv::InstructionList& modes = m_b.module().section(Section::ExecutionModes);
    modes.push_back(instruction(spv::Op::OpExecutionMode)
                        .add(function)
                        .add(static_cast<uint32_t>(spv::ExecutionMode::LocalSize))
                        .add(m_entry.threads[0])
                        .add(m_entry.threads[1])
                        .add(m_entry.threads[2]));
    if (m_needsDerivatives) {
        const bool isLinear = m_entry.threads[0] % 2 != 0 || m_entry.threads[1] % 2 != 0;
        modes.push_back(instruction(spv::Op::OpExecutionMode)
                            .add(function)
                            .add(static_cast<uint32_t>(isLinear ? spv::ExecutionMode::DerivativeGroupLinearKHR
                                                                : spv::ExecutionMode::DerivativeGroupQuadsKHR)));
    }
}

// The type that a pointer argument is used as; pointers themselves have none.
const Type* Emitter::pointeeOf(const Function& function, const Value& argument) const
{
    const Type* accessed = nullptr;
    const auto isIt = [&](const Value* pointer) {
        while (pointer->isInstruction(Op::BitCast))
            pointer = pointer->operands[0];
        return pointer == &argument;
    };
    for (const Block* block : m_structures->at(&function).order) {
        for (const Value* i : block->instructions) {
            if (i->op == Op::GetElementPtr && isIt(i->operands[0]))
                return i->elementType;
            if (i->op == Op::Load && isIt(i->operands[0]))
                accessed = i->type;
            else if (i->op == Op::Store && isIt(i->operands[1]))
                accessed = i->operands[0]->type;
        }
    }
    return accessed;
}

// Gives the types. An argument that is a pointer is a variable of the caller.
std::vector<Id> Emitter::declareParameters(const Function& function, spirv::Function& out, std::vector<Val>& values)
{
    std::vector<Id> types;
    const auto declare = [&](Id type) {
        out.parameters.push_back(instruction(spv::Op::OpFunctionParameter, type, m_b.newId()));
        types.push_back(type);
        return out.parameters.back().result;
    };
    for (const Value* argument : function.arguments) {
        if (isLong(*argument->type)) {
            const Id array = m_b.pointerType(spv::StorageClass::Function, longArrayType(*argument->type));
            values[argument->number].array = declare(array);
            continue;
        }
        if (argument->type->isAggregate()) {
            values[argument->number] = Val(declare(valueType(*argument->type)));  // taken apart by emitFunction()
            continue;
        }
        if (!argument->type->isPointer()) {
            for (size_t p = 0; p < partCount(*argument->type); ++p)
                values[argument->number].parts.push_back(declare(partType(*argument->type, p)));
            continue;
        }
        const Type* pointee = pointeeOf(function, *argument);
        if (argument->type->addressSpace != 0)
            unsupported("an argument that is a pointer to other memory than that of the caller");
        if (pointee) {
            auto pointer = std::make_shared<Pointer>();
            pointer->type = pointee;
            pointer->base = declare(m_b.pointerType(pointer->storage, memoryType(*pointee, Form::Plain)));
            values[argument->number].pointer = std::move(pointer);
        }
    }
    return types;
}

// What structures and arrays are as arguments and results.
Id Emitter::valueType(const Type& type)
{
    return hasFewParts(type) ? memoryType(type, Form::Plain)
                             : unsupported("a value of type " + type.text() + ", which has too many parts");
}

// Vectors of several parts are returned as a structure, long ones as an array.
Id Emitter::resultType(const Type& type)
{
    if (type.isVoid())
        return m_b.voidType();
    if (type.isAggregate())
        return valueType(type);
    if (isLong(type))
        return longArrayType(type);
    if (partCount(type) == 1)
        return partType(type, 0);
    Id& out = m_resultTypes[&type];
    if (!out) {
        std::vector<Id> parts;
        for (size_t p = 0; p < partCount(type); ++p)
            parts.push_back(partType(type, p));
        out = m_b.structType(parts);
    }
    return out;
}

// A function that is not inlined: DXC leaves none but [noinline] and exported ones, all without resources as arguments.
Id Emitter::emitFunction(const Function& function, const Structure& structure)
{
    const auto known = m_functions.find(&function);
    if (known != m_functions.end())
        return known->second;
    spirv::Function out;
    std::vector<Val> values(function.valueCount);
    const std::vector<Id> parameters = declareParameters(function, out, values);
    const Id result = resultType(*function.resultType);
    const Id id = m_b.newId();
    m_functions[&function] = id;
    out.definition = instruction(spv::Op::OpFunction, result, id).add(0u).add(m_b.functionType(result, parameters));

    std::swap(m_values, values);
    const Function* const outerFunction = std::exchange(m_function, &function);
    const Value* const outerInstruction = std::exchange(m_instruction, nullptr);
    spirv::Function* const outerOut = std::exchange(m_out, &out);
    spirv::InstructionList outerLocals = std::exchange(m_locals, {});
    auto outerPhis = std::exchange(m_phis, {});
    auto outerLabels = std::exchange(m_labels, {});
    auto outerEnds = std::exchange(m_ends, {});
    auto outerCopies = std::exchange(m_copies, {});
    auto outerLong = std::exchange(m_long, {});
    const Id outerLabel = m_label;
    for (const Block* block : structure.order)
        m_labels[block] = m_b.newId();
    for (const Block* block : structure.order)
        emitBlock(*block, structure, out);
    completePhis();
    out.blocks[0].body.insert(out.blocks[0].body.begin(), m_locals.begin(), m_locals.end());
    m_b.module().functions.push_back(std::move(out));
    std::swap(m_values, values);
    m_function = outerFunction;
    m_instruction = outerInstruction;
    m_out = outerOut;
    m_locals = std::move(outerLocals);
    m_phis = std::move(outerPhis);
    m_labels = std::move(outerLabels);
    m_ends = std::move(outerEnds);
    m_copies = std::move(outerCopies);
    m_long = std::move(outerLong);
    m_label = outerLabel;
    if (m_out)
        m_b.setBlock(&m_out->blocks.back().body);
    return id;
}

Id Emitter::beginBlock(Id label)
{
    spirv::Block block;
    block.label = label;
    m_out->blocks.push_back(std::move(block));
    m_b.setBlock(&m_out->blocks.back().body);
    m_label = label;
    return label;
}

Id Emitter::openIf(Id condition)
{
    const Id body = m_b.newId();
    const Id merge = m_b.newId();
    m_b.append(instruction(spv::Op::OpSelectionMerge).add(merge).add(0u));
    m_b.emitVoid(spv::Op::OpBranchConditional, {condition, body, merge});
    beginBlock(body);
    return merge;
}

void Emitter::closeIf(Id merge)
{
    m_b.emitVoid(spv::Op::OpBranch, {merge});
    beginBlock(merge);
}

// Structures and arrays, whose members are apart from here on.
void Emitter::takeArgumentsApart()
{
    for (const Value* argument : m_function->arguments)
        if (argument->type->isAggregate() && !m_error)
            m_values[argument->number] = decompose(*argument->type, m_values[argument->number].id());
}

void Emitter::emitBlock(const Block& block, const Structure& structure, spirv::Function& out)
{
    spirv::Block target;
    target.label = m_labels.at(&block);
    m_label = target.label;
    out.blocks.push_back(std::move(target));
    m_b.setBlock(&out.blocks.back().body);
    if (out.blocks.size() == 1)
        takeArgumentsApart();
    std::vector<const Value*> indexed;  // made and not yet stored, since nothing may stand between phis
    bool hasLongPhis = true;
    for (const Value* i : block.instructions) {
        m_instruction = i;
        if (i->op != Op::Phi) {
            if (std::exchange(hasLongPhis, false))
                takeLongPhis(block, structure);
            std::ranges::for_each(indexed, [&](const Value* vector) { indexedCopy(vector); });
            indexed.clear();
        }
        if (m_indexed.contains(i))
            indexed.push_back(i);
        if (i->isTerminator()) {
            storeLongPhis(block, structure);
            m_ends[&block] = m_label;
            emitTerminator(block, structure);
        } else {
            emitInstruction(*i);
        }
        if (m_error)
            break;
    }
}

void Emitter::emitSwitch(const Value& last, Id condition, const Construct& construct)
{
    Instruction out = instruction(spv::Op::OpSwitch).add(condition).add(m_labels.at(last.blocks[0]));
    const bool isWide = registerBits(*last.operands[0]->type) == 64;
    const auto& order = construct.caseOrder;
    for (size_t c = 1; c < last.blocks.size(); ++c) {
        const size_t at = order.empty() ? c : order[c - 1];
        const uint64_t value = last.cases[at - 1];
        spirv::Operand literal;
        literal.first = static_cast<uint16_t>(out.words.size());
        literal.count = isWide ? 2 : 1;
        out.words.push_back(static_cast<uint32_t>(value));
        if (isWide)
            out.words.push_back(static_cast<uint32_t>(value >> 32));
        out.operands.push_back(literal);
        out.add(m_labels.at(last.blocks[at]));
    }
    m_b.append(std::move(out));
}

void Emitter::emitTerminator(const Block& block, const Structure& structure)
{
    const Value& last = *block.terminator();
    const auto found = structure.constructs.find(&block);
    // Before the merge instruction, since nothing may stand between it and the branch.
    Id condition;
    if (!last.operands.empty()) {
        const Type& type = *last.operands[0]->type;
        condition = isLong(type)         ? m_b.load(longArrayType(type), longArray(*last.operands[0]))
                    : type.isAggregate() ? compose(type, get(last.operands[0]))
                                         : getId(last.operands[0]);
    }
    if (found != structure.constructs.end()) {
        const Construct& construct = found->second;
        Instruction merge = instruction(construct.next ? spv::Op::OpLoopMerge : spv::Op::OpSelectionMerge);
        merge.add(m_labels.at(construct.merge));
        if (construct.next)
            merge.add(m_labels.at(construct.next));
        m_b.append(merge.add(0u));
    }
    switch (last.op) {
        case Op::Branch:
            m_b.emitVoid(spv::Op::OpBranch, {m_labels.at(last.blocks[0])});
            break;
        case Op::ConditionalBranch:
            m_b.emitVoid(spv::Op::OpBranchConditional,
                         {condition, m_labels.at(last.blocks[0]), m_labels.at(last.blocks[1])});
            break;
        case Op::Switch:
            emitSwitch(last, condition, found->second);
            break;
        case Op::Return:
            if (last.operands.empty()) {
                m_b.emitVoid(spv::Op::OpReturn, {});
            } else if (isLong(*last.operands[0]->type) || last.operands[0]->type->isAggregate()) {
                m_b.emitVoid(spv::Op::OpReturnValue, {condition});
            } else {
                const Val value = get(last.operands[0]);
                m_b.emitVoid(spv::Op::OpReturnValue,
                             {value.parts.size() == 1 ? value.id()
                                                      : m_b.emit(spv::Op::OpCompositeConstruct,
                                                                 resultType(*last.operands[0]->type), value.parts)});
            }
            break;
        default:
            m_b.emitVoid(spv::Op::OpUnreachable, {});
            break;
    }
}

void Emitter::emitInstruction(const Value& i)
{
    if (!m_dead.contains(&i))
        concernsLong(i) ? emitLong(i) : dispatch(i);
}

void Emitter::dispatch(const Value& i)
{
    switch (i.op) {
        // clang-format off
        case Op::Phi: return emitPhi(i);
        case Op::Call: return emitCall(i);
        case Op::Alloca: return emitAlloca(i);
        case Op::Load: return emitLoad(i);
        case Op::Store: return emitStore(i);
        case Op::GetElementPtr:
        case Op::AddressSpaceCast: return set(i, address(i));
        case Op::AtomicRmw: return emitRmw(i);
        case Op::CompareExchange: return emitCompareExchange(i);
        case Op::ICmp:
        case Op::FCmp: return emitCompare(i);
        case Op::Select: return emitSelect(i);
        case Op::ExtractElement:
        case Op::InsertElement:
        case Op::ShuffleVector: return emitVectorInstruction(i);
        case Op::ExtractValue: return emitExtractValue(i);
        case Op::BitCast: return emitBitcast(i);
        case Op::Freeze: return set(i, get(i.operands[0]));
        // clang-format on
        case Op::InsertValue:
        case Op::Other:
            unsupported("DXIL does not allow this instruction" + (i.text.empty() ? "" : ": " + i.text));
            return;
        default:
            return i.op >= Op::Trunc && i.op <= Op::FPExt ? emitConversion(i) : emitBinary(i);
    }
}

void Emitter::emitCall(const Value& i)
{
    const std::string& name = i.function->name;
    if (name.starts_with("dx.op.")) {
        const auto opcode = i.operands.empty() ? std::nullopt : constantOf(i.operands[0]);
        if (!opcode) {
            unsupported("an operation without a constant number");
            return;
        }
        emitOperation(i, static_cast<uint32_t>(*opcode));
        return;
    }
    if (name.starts_with("llvm.lifetime.") || name.starts_with("llvm.dbg.") || name.starts_with("llvm.assume"))
        return;
    const auto structure = m_structures->find(i.function);
    if (structure == m_structures->end()) {
        unsupported("a call of " + name + ", which has no body");
        return;
    }
    emitFunctionCall(i, structure->second);
}

// The caller may see other types than the function, of the same scalars.
void Emitter::copyArgument(const Pointer& to, const Pointer& from, const Type& pointee)
{
    if (to.type == from.type)
        copyMemory(to, from);
    else
        copyScalars(to, from, pointee);
}

void Emitter::emitFunctionCall(const Value& i, const Structure& structure)
{
    std::vector<Id> operands = {emitFunction(*i.function, structure)};
    std::vector<std::pair<Pointer, Pointer>> copies;
    for (size_t a = 0; a < i.operands.size() && a < i.function->arguments.size(); ++a) {
        const Type& type = *i.operands[a]->type;
        if (isLong(type)) {
            operands.push_back(longArray(*i.operands[a]));
            continue;
        }
        const Val value = get(i.operands[a]);
        if (type.isAggregate()) {
            operands.push_back(compose(*i.function->arguments[a]->type, value));
            continue;
        }
        if (!type.isPointer()) {
            operands.insert(operands.end(), value.parts.begin(), value.parts.end());
            continue;
        }
        const Type* pointee = pointeeOf(*i.function, *i.function->arguments[a]);
        if (!pointee)
            continue;  // the function does not look at it
        if (!value.pointer) {
            unsupported("an argument of type " + type.text() + " that is no variable");
            return;
        }
        // Only whole variables can be handed over: others are copied there and back, as HLSL says of inout.
        Pointer from = descend(*value.pointer, pointee);
        from = from.type == pointee ? std::move(from) : *value.pointer;
        Pointer to;
        to.type = pointee;
        to.base = local(memoryType(*pointee, Form::Plain));
        copyArgument(to, from, *pointee);
        operands.push_back(to.base);
        copies.emplace_back(std::move(from), std::move(to));
    }
    const Id result = m_b.emit(spv::Op::OpFunctionCall, resultType(*i.function->resultType), operands);
    for (const auto& [from, to] : copies)
        copyArgument(from, to, *to.type);
    Val out(result);
    if (isLong(*i.type)) {
        out = {};
        out.array = longVariable(*i.type);
        m_b.store(out.array, result);
    } else if (i.type->isAggregate()) {
        out = decompose(*i.function->resultType, result);
    } else if (!i.type->isVoid() && partCount(*i.type) > 1) {
        out = {};
        for (uint32_t p = 0; p < partCount(*i.type); ++p)
            out.parts.push_back(m_b.extract(partType(*i.type, p), result, p));
    }
    set(i, std::move(out));
}

Id Emitter::builtInVariable(spv::BuiltIn which, Id type)
{
    const auto found = m_builtIns.find(static_cast<uint32_t>(which));
    if (found != m_builtIns.end())
        return found->second.first;
    const Id variable = m_b.variable(spv::StorageClass::Input, type);
    m_b.decorate(variable, spv::Decoration::BuiltIn, {static_cast<uint32_t>(which)});
    if (m_entry.kind == ShaderKind::Pixel)
        m_b.decorate(variable, spv::Decoration::Flat);  // they are integers
    m_builtIns[static_cast<uint32_t>(which)] = {variable, type};
    return variable;
}

Id Emitter::builtIn(spv::BuiltIn which, Id type)
{
    return m_b.load(type, builtInVariable(which, type));
}

}  // namespace millrace::dxil
