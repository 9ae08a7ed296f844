// SPDX-License-Identifier: Apache-2.0
// Reads bitcode with LLVM and gives our IR. With structurize_llvm.cpp the only place that includes LLVM.
#include <unordered_map>

#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/raw_ostream.h>

#include "dxil/bitcode.h"
#include "dxil/structurize_llvm.h"

namespace millrace::dxil {

namespace {

Diagnostic fail(const std::string& message)
{
    return {"dxil", "bitcode", message};
}

class Converter {
public:
    Converter(const llvm::Module& from, Module& to) : m_from(from), m_to(to) {}

    Status convert();
    Status convertBody(const llvm::Function& from, Function& to);

private:
    const Type* type(const llvm::Type* from);
    Value* value(const llvm::Value* from);
    Value* constant(const llvm::Constant* from);
    void fillAggregate(const llvm::Constant* from, Value* to);
    Value* declareInstruction(const llvm::Instruction& from, Function& to);
    void fillUser(const llvm::User& from, Value* to);
    void fillInstruction(const llvm::Instruction& from, Value* to);
    void fillTerminator(const llvm::Instruction& from, Value* to);
    const Metadata* metadata(const llvm::Metadata* from);
    void refuse(const std::string& message)
    {
        if (m_error.empty())
            m_error = message;
    }
    Status status() const { return m_error.empty() ? Status() : fail(m_error); }

    const llvm::Module& m_from;
    Module& m_to;
    std::string m_error;
    std::unordered_map<const llvm::Type*, const Type*> m_types;
    std::unordered_map<const llvm::Value*, Value*> m_constants;  // of the whole module, functions and globals too
    std::unordered_map<const llvm::Value*, Value*> m_locals;     // of the function in work
    std::unordered_map<const llvm::Value*, Block*> m_blocks;
    std::unordered_map<const llvm::Metadata*, const Metadata*> m_metadata;
};

const Type* Converter::type(const llvm::Type* from)
{
    const auto found = m_types.find(from);
    if (found != m_types.end())
        return found->second;
    Type& to = m_to.types.emplace_back();
    m_types[from] = &to;
    if (from->isVoidTy()) {
        to.kind = Type::Kind::Void;
    } else if (from->isIntegerTy()) {
        to.kind = Type::Kind::Int;
        to.bits = from->getIntegerBitWidth();
        if (to.bits > 64)
            refuse("integers of " + std::to_string(to.bits) + " bits");
    } else if (from->isHalfTy() || from->isFloatTy() || from->isDoubleTy()) {
        to.kind = Type::Kind::Float;
        to.bits = static_cast<uint32_t>(from->getPrimitiveSizeInBits().getFixedValue());
    } else if (from->isPointerTy()) {
        to.kind = Type::Kind::Pointer;
        to.addressSpace = from->getPointerAddressSpace();
    } else if (const auto* structure = llvm::dyn_cast<llvm::StructType>(from)) {
        to.kind = Type::Kind::Struct;
        to.name = structure->hasName() ? structure->getName().str() : "";
        for (const llvm::Type* member : structure->elements())
            to.members.push_back(type(member));
    } else if (const auto* array = llvm::dyn_cast<llvm::ArrayType>(from)) {
        to.kind = Type::Kind::Array;
        to.count = array->getNumElements();
        to.element = type(array->getElementType());
    } else if (const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(from)) {
        to.kind = Type::Kind::Vector;
        to.count = vector->getNumElements();
        to.element = type(vector->getElementType());
    } else {
        to.kind = Type::Kind::Other;
        llvm::raw_string_ostream stream(to.name);
        from->print(stream);
    }
    return &to;
}

Value* Converter::value(const llvm::Value* from)
{
    if (const auto* known = llvm::dyn_cast<llvm::Constant>(from))
        return constant(known);
    const auto found = m_locals.find(from);
    if (found != m_locals.end())
        return found->second;
    if (llvm::isa<llvm::MetadataAsValue>(from))
        return m_to.newValue(Value::Kind::Metadata, type(from->getType()));
    refuse("an operand of a kind that DXIL does not have");
    return m_to.newValue(Value::Kind::Undef, type(from->getType()));
}

Value* Converter::constant(const llvm::Constant* from)
{
    const auto found = m_constants.find(from);
    if (found != m_constants.end())
        return found->second;
    Value* to = m_to.newValue(Value::Kind::Undef, type(from->getType()));
    m_constants[from] = to;
    if (const auto* integer = llvm::dyn_cast<llvm::ConstantInt>(from); integer && integer->getBitWidth() <= 64) {
        to->kind = Value::Kind::Int;
        to->bits = integer->getZExtValue();
    } else if (const auto* number = llvm::dyn_cast<llvm::ConstantFP>(from)) {
        to->kind = Value::Kind::Float;
        to->bits = number->getValueAPF().bitcastToAPInt().getLimitedValue();
    } else if (llvm::isa<llvm::UndefValue>(from)) {
        to->kind = Value::Kind::Undef;
    } else if (from->isNullValue()) {
        to->kind = Value::Kind::Null;
    } else if (llvm::isa<llvm::ConstantAggregate>(from) || llvm::isa<llvm::ConstantDataSequential>(from)) {
        fillAggregate(from, to);
    } else if (const auto* expression = llvm::dyn_cast<llvm::ConstantExpr>(from)) {
        to->kind = Value::Kind::Instruction;
        fillUser(*expression, to);
    } else {
        refuse("a constant of a kind that DXIL does not have");
    }
    return to;
}

void Converter::fillAggregate(const llvm::Constant* from, Value* to)
{
    to->kind = Value::Kind::Aggregate;
    if (const auto* data = llvm::dyn_cast<llvm::ConstantDataSequential>(from)) {
        for (unsigned e = 0; e < data->getNumElements(); ++e)
            to->operands.push_back(constant(data->getElementAsConstant(e)));
        return;
    }
    for (const llvm::Use& operand : from->operands())
        to->operands.push_back(constant(llvm::cast<llvm::Constant>(operand.get())));
}

Op opOf(unsigned opcode)
{
    switch (opcode) {
        // clang-format off
        case llvm::Instruction::Ret: return Op::Return;
        case llvm::Instruction::Switch: return Op::Switch;
        case llvm::Instruction::Unreachable: return Op::Unreachable;
        case llvm::Instruction::FNeg: return Op::FNeg;
        case llvm::Instruction::Add: return Op::Add;
        case llvm::Instruction::FAdd: return Op::FAdd;
        case llvm::Instruction::Sub: return Op::Sub;
        case llvm::Instruction::FSub: return Op::FSub;
        case llvm::Instruction::Mul: return Op::Mul;
        case llvm::Instruction::FMul: return Op::FMul;
        case llvm::Instruction::UDiv: return Op::UDiv;
        case llvm::Instruction::SDiv: return Op::SDiv;
        case llvm::Instruction::FDiv: return Op::FDiv;
        case llvm::Instruction::URem: return Op::URem;
        case llvm::Instruction::SRem: return Op::SRem;
        case llvm::Instruction::FRem: return Op::FRem;
        case llvm::Instruction::Shl: return Op::Shl;
        case llvm::Instruction::LShr: return Op::LShr;
        case llvm::Instruction::AShr: return Op::AShr;
        case llvm::Instruction::And: return Op::And;
        case llvm::Instruction::Or: return Op::Or;
        case llvm::Instruction::Xor: return Op::Xor;
        case llvm::Instruction::Trunc: return Op::Trunc;
        case llvm::Instruction::ZExt: return Op::ZExt;
        case llvm::Instruction::SExt: return Op::SExt;
        case llvm::Instruction::FPToUI: return Op::FPToUI;
        case llvm::Instruction::FPToSI: return Op::FPToSI;
        case llvm::Instruction::UIToFP: return Op::UIToFP;
        case llvm::Instruction::SIToFP: return Op::SIToFP;
        case llvm::Instruction::FPTrunc: return Op::FPTrunc;
        case llvm::Instruction::FPExt: return Op::FPExt;
        case llvm::Instruction::BitCast: return Op::BitCast;
        case llvm::Instruction::AddrSpaceCast: return Op::AddressSpaceCast;
        case llvm::Instruction::Alloca: return Op::Alloca;
        case llvm::Instruction::Load: return Op::Load;
        case llvm::Instruction::Store: return Op::Store;
        case llvm::Instruction::GetElementPtr: return Op::GetElementPtr;
        case llvm::Instruction::AtomicRMW: return Op::AtomicRmw;
        case llvm::Instruction::AtomicCmpXchg: return Op::CompareExchange;
        case llvm::Instruction::ICmp: return Op::ICmp;
        case llvm::Instruction::FCmp: return Op::FCmp;
        case llvm::Instruction::PHI: return Op::Phi;
        case llvm::Instruction::Select: return Op::Select;
        case llvm::Instruction::Call: return Op::Call;
        case llvm::Instruction::ExtractElement: return Op::ExtractElement;
        case llvm::Instruction::InsertElement: return Op::InsertElement;
        case llvm::Instruction::ShuffleVector: return Op::ShuffleVector;
        case llvm::Instruction::ExtractValue: return Op::ExtractValue;
        case llvm::Instruction::InsertValue: return Op::InsertValue;
        case llvm::Instruction::Freeze: return Op::Freeze;
        default: return Op::Other;
            // clang-format on
    }
}

Predicate predicateOf(llvm::CmpInst::Predicate predicate)
{
    if (predicate <= llvm::CmpInst::FCMP_TRUE)
        return static_cast<Predicate>(predicate);
    switch (predicate) {
        // clang-format off
        case llvm::CmpInst::ICMP_EQ: return Predicate::Eq;
        case llvm::CmpInst::ICMP_NE: return Predicate::Ne;
        case llvm::CmpInst::ICMP_UGT: return Predicate::UGt;
        case llvm::CmpInst::ICMP_UGE: return Predicate::UGe;
        case llvm::CmpInst::ICMP_ULT: return Predicate::ULt;
        case llvm::CmpInst::ICMP_ULE: return Predicate::ULe;
        case llvm::CmpInst::ICMP_SGT: return Predicate::SGt;
        case llvm::CmpInst::ICMP_SGE: return Predicate::SGe;
        case llvm::CmpInst::ICMP_SLT: return Predicate::SLt;
        default: return Predicate::SLe;
            // clang-format on
    }
}

Rmw rmwOf(llvm::AtomicRMWInst::BinOp op)
{
    switch (op) {
        // clang-format off
        case llvm::AtomicRMWInst::Xchg: return Rmw::Exchange;
        case llvm::AtomicRMWInst::Add: return Rmw::Add;
        case llvm::AtomicRMWInst::Sub: return Rmw::Sub;
        case llvm::AtomicRMWInst::And: return Rmw::And;
        case llvm::AtomicRMWInst::Or: return Rmw::Or;
        case llvm::AtomicRMWInst::Xor: return Rmw::Xor;
        case llvm::AtomicRMWInst::Max: return Rmw::Max;
        case llvm::AtomicRMWInst::Min: return Rmw::Min;
        case llvm::AtomicRMWInst::UMax: return Rmw::UMax;
        case llvm::AtomicRMWInst::UMin: return Rmw::UMin;
        default: return Rmw::Other;
            // clang-format on
    }
}

// What instructions and constant expressions have in common.
void Converter::fillUser(const llvm::User& from, Value* to)
{
    const auto& op = llvm::cast<llvm::Operator>(from);
    to->op = opOf(op.getOpcode());
    if (to->op == Op::Other) {
        const auto* instruction = llvm::dyn_cast<llvm::Instruction>(&from);
        to->text = instruction ? instruction->getOpcodeName() : "constant expression";
    }
    if (const auto* address = llvm::dyn_cast<llvm::GEPOperator>(&from))
        to->elementType = type(address->getSourceElementType());
    for (const llvm::Use& operand : from.operands())
        if (!llvm::isa<llvm::BasicBlock>(operand.get()))
            to->operands.push_back(value(operand.get()));
}

void Converter::fillTerminator(const llvm::Instruction& from, Value* to)
{
    if (const auto* choice = llvm::dyn_cast<llvm::SwitchInst>(&from)) {
        to->op = Op::Switch;
        to->operands = {value(choice->getCondition())};
        to->blocks = {m_blocks.at(choice->getDefaultDest())};
        for (const auto& entry : choice->cases()) {
            to->blocks.push_back(m_blocks.at(entry.getCaseSuccessor()));
            to->cases.push_back(entry.getCaseValue()->getZExtValue());
        }
        return;
    }
    fillUser(from, to);
    for (unsigned s = 0; s < from.getNumSuccessors(); ++s)
        to->blocks.push_back(m_blocks.at(from.getSuccessor(s)));
    if (llvm::isa<llvm::BranchInst>(from))
        to->op = from.getNumSuccessors() == 2 ? Op::ConditionalBranch : Op::Branch;
}

void Converter::fillInstruction(const llvm::Instruction& from, Value* to)
{
    if (from.isTerminator()) {
        fillTerminator(from, to);
        return;
    }
    if (const auto* call = llvm::dyn_cast<llvm::CallInst>(&from)) {
        to->op = Op::Call;
        const llvm::Function* callee = call->getCalledFunction();
        if (!callee) {
            refuse("a call through a pointer");
            return;
        }
        to->function = constant(callee)->function;
        for (const llvm::Use& argument : call->args())
            to->operands.push_back(value(argument.get()));
        to->precise = call->getMetadata("dx.precise") != nullptr;
        return;
    }
    fillUser(from, to);
    // Flags may only be asked for where there can be any.
    to->fast = !llvm::isa<llvm::FPMathOperator>(from) || from.hasAllowContract();
    if (const auto* compare = llvm::dyn_cast<llvm::CmpInst>(&from))
        to->predicate = predicateOf(compare->getPredicate());
    else if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(&from))
        for (const llvm::BasicBlock* incoming : phi->blocks())
            to->blocks.push_back(m_blocks.at(incoming));
    else if (const auto* memory = llvm::dyn_cast<llvm::AllocaInst>(&from))
        to->elementType = type(memory->getAllocatedType());
    else if (const auto* rmw = llvm::dyn_cast<llvm::AtomicRMWInst>(&from))
        to->rmw = rmwOf(rmw->getOperation());
    else if (const auto* extract = llvm::dyn_cast<llvm::ExtractValueInst>(&from))
        to->indices.assign(extract->idx_begin(), extract->idx_end());
    else if (const auto* insert = llvm::dyn_cast<llvm::InsertValueInst>(&from))
        to->indices.assign(insert->idx_begin(), insert->idx_end());
    else if (const auto* shuffle = llvm::dyn_cast<llvm::ShuffleVectorInst>(&from))
        to->indices.assign(shuffle->getShuffleMask().begin(), shuffle->getShuffleMask().end());
}

Value* Converter::declareInstruction(const llvm::Instruction& from, Function& to)
{
    Value* out = m_to.newInstruction(to, Op::Other, type(from.getType()));
    out->text = from.getName().str();
    m_locals[&from] = out;
    return out;
}

// Also to read a body anew: what the old one was stays in the module's storage, unreachable.
Status Converter::convertBody(const llvm::Function& from, Function& to)
{
    m_locals.clear();
    m_blocks.clear();
    to.blocks.clear();
    to.arguments.clear();
    to.valueCount = 0;
    for (const llvm::Argument& argument : from.args()) {
        Value* out = m_to.newValue(Value::Kind::Argument, type(argument.getType()));
        out->number = to.valueCount++;
        out->text = argument.getName().str();
        to.arguments.push_back(out);
        m_locals[&argument] = out;
    }
    for (const llvm::BasicBlock& block : from)
        m_blocks[&block] = m_to.newBlock(to);
    for (const llvm::BasicBlock& block : from) {
        Block* out = m_blocks.at(&block);
        for (const llvm::Instruction& instruction : block) {
            Value* declared = declareInstruction(instruction, to);
            declared->parent = out;
            out->instructions.push_back(declared);
        }
    }
    for (const llvm::BasicBlock& block : from)
        for (const llvm::Instruction& instruction : block)
            fillInstruction(instruction, m_locals.at(&instruction));
    return status();
}

const Metadata* Converter::metadata(const llvm::Metadata* from)
{
    const auto found = m_metadata.find(from);
    if (found != m_metadata.end())
        return found->second;
    Metadata& to = m_to.nodes.emplace_back();
    m_metadata[from] = &to;
    if (!from)
        return &to;
    if (const auto* string = llvm::dyn_cast<llvm::MDString>(from)) {
        to.kind = Metadata::Kind::String;
        to.string = string->getString().str();
    } else if (const auto* leaf = llvm::dyn_cast<llvm::ConstantAsMetadata>(from)) {
        to.kind = Metadata::Kind::Value;
        to.value = constant(leaf->getValue());
    } else if (const auto* node = llvm::dyn_cast<llvm::MDNode>(from)) {
        to.kind = Metadata::Kind::Node;
        for (const llvm::MDOperand& operand : node->operands())
            to.operands.push_back(metadata(operand.get()));
    }
    return &to;
}

Status Converter::convert()
{
    // DXC says so by their alignment in memory.
    m_to.minPrecision = m_from.getDataLayoutStr().find("i16:32") != std::string::npos;
    for (const llvm::GlobalVariable& global : m_from.globals()) {
        auto out = std::make_unique<Global>();
        out->name = global.getName().str();
        out->type = type(global.getValueType());
        out->addressSpace = global.getAddressSpace();
        out->isConstant = global.isConstant();
        Value* pointer = m_to.newValue(Value::Kind::Global, type(global.getType()));
        pointer->global = out.get();
        m_constants[&global] = pointer;
        m_to.globals.push_back(std::move(out));
    }
    for (const llvm::Function& function : m_from) {
        auto out = std::make_unique<Function>();
        out->name = function.getName().str();
        out->resultType = type(function.getReturnType());
        Value* pointer = m_to.newValue(Value::Kind::Function, type(function.getType()));
        pointer->function = out.get();
        m_constants[&function] = pointer;
        m_to.functions.push_back(std::move(out));
    }
    size_t g = 0;
    for (const llvm::GlobalVariable& global : m_from.globals()) {
        if (global.hasInitializer())
            m_to.globals[g]->initializer = constant(global.getInitializer());
        ++g;
    }
    size_t f = 0;
    for (const llvm::Function& function : m_from)
        if (Status status = convertBody(function, *m_to.functions[f++]); !status)
            return status;
    for (llvm::StructType* structure : m_from.getIdentifiedStructTypes())
        if (structure->hasName())
            m_to.structs.emplace_back(structure->getName().str(), type(structure));
    for (const llvm::NamedMDNode& named : m_from.named_metadata())
        m_to.metadataNames.push_back(named.getName().str());
    // Named metadata of the front end's interest; type annotations are large and say nothing that it needs.
    for (const char* name : {"dx.version", "dx.valver", "dx.shaderModel", "dx.resources", "dx.entryPoints"}) {
        if (const llvm::NamedMDNode* named = m_from.getNamedMetadata(name))
            for (const llvm::MDNode* node : named->operands())
                m_to.metadata[name].push_back(metadata(node));
    }
    return status();
}

class LlvmProgram : public Program {
public:
    Status read(std::span<const uint8_t> bitcode);
    Module& module() override { return m_module; }
    Status structurize(Function& function) override;

private:
    // Where LLVM says what is wrong, instead of ending the process.
    struct Handler : llvm::DiagnosticHandler {
        explicit Handler(std::string& message) : out(message) {}
        bool handleDiagnostics(const llvm::DiagnosticInfo& info) override
        {
            if (info.getSeverity() == llvm::DS_Error && out.empty()) {
                llvm::raw_string_ostream stream(out);
                llvm::DiagnosticPrinterRawOStream printer(stream);
                info.print(printer);
            }
            return true;
        }
        std::string& out;
    };

    llvm::LLVMContext m_context;
    std::unique_ptr<llvm::Module> m_llvm;
    std::string m_message;
    Module m_module;
    std::unique_ptr<Converter> m_converter;
};

// DXIL's layout string gives i8 an alignment of 32 bits where min-precision types are in use, which LLVM refuses since
// version 16. No DXIL has an i8 in memory, so its alignment can be anything.
std::optional<std::string> correctDataLayout(llvm::StringRef, llvm::StringRef layout)
{
    std::string out = layout.str();
    const size_t at = out.find("i8:32");
    if (at != std::string::npos)
        out.replace(at, 5, "i8:8");
    return out;
}

Status LlvmProgram::read(std::span<const uint8_t> bitcode)
{
    m_context.setDiagnosticHandler(std::make_unique<Handler>(m_message));
    const llvm::StringRef bytes(reinterpret_cast<const char*>(bitcode.data()), bitcode.size());
    auto parsed = llvm::parseBitcodeFile(llvm::MemoryBufferRef(bytes, "DXIL"), m_context,
                                         llvm::ParserCallbacks(correctDataLayout));
    if (!parsed)
        return fail(llvm::toString(parsed.takeError()));
    m_llvm = std::move(*parsed);
    llvm::StripDebugInfo(*m_llvm);
    std::string problem;
    llvm::raw_string_ostream stream(problem);
    if (llvm::verifyModule(*m_llvm, &stream))
        return fail("not a well-formed module: " + problem);
    if (!m_message.empty())
        return fail(m_message);
    m_converter = std::make_unique<Converter>(*m_llvm, m_module);
    return m_converter->convert();
}

Status LlvmProgram::structurize(Function& function)
{
    llvm::Function* from = m_llvm->getFunction(function.name);
    if (!from || from->isDeclaration())
        return fail("no function \"" + function.name + "\" to structurize");
    structurizeControlFlow(*from);
    return m_converter->convertBody(*from, function);
}

}  // namespace

bool canReadBitcode()
{
    return true;
}

Result<std::unique_ptr<Program>> readBitcode(std::span<const uint8_t> bitcode)
{
    auto program = std::make_unique<LlvmProgram>();
    if (Status status = program->read(bitcode); !status)
        return status.error();
    return std::unique_ptr<Program>(std::move(program));
}

}  // namespace millrace::dxil
