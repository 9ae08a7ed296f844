// SPDX-License-Identifier: Apache-2.0
// Calls of DXIL operations: overloads, shader models and stages, and the operands of buffer loads and stores.
#include <algorithm>

#include "dxil/opcodes.h"
#include "dxil/validator.h"

namespace millrace::dxil {

namespace {

constexpr uint64_t kMaxVectorElements = 1024;

char codeOf(const Type& type)
{
    if (type.isFloat())
        return type.bits == 16 ? 'h' : type.bits == 32 ? 'f' : type.bits == 64 ? 'd' : ' ';
    if (!type.isInt())
        return ' ';
    switch (type.bits) {
        case 1:
            return '1';
        case 8:
            return '8';
        case 16:
            return 'w';
        case 32:
            return 'i';
        case 64:
            return 'l';
        default:
            return ' ';
    }
}

bool contains(const char* codes, char code)
{
    return code != ' ' && std::string_view(codes).find(code) != std::string_view::npos;
}

bool sameType(const Type& a, const Type& b)
{
    return &a == &b || (!a.isStruct() && a.text() == b.text());
}

}  // namespace

bool Validator::isResRet(const Type& type, const Type& overload) const
{
    if (!type.isStruct() || type.members.empty() || !type.members.back()->isInt(32))
        return false;
    const size_t count = overload.isVector() ? 1 : 4;
    return type.members.size() == count + 1 &&
           std::all_of(type.members.begin(), type.members.end() - 1,
                       [&](const Type* member) { return sameType(*member, overload); });
}

bool Validator::isCarryRet(const Type& type, const Type& overload)
{
    return type.isStruct() && type.members.size() == 2 && sameType(*type.members[0], overload) &&
           type.members[1]->isInt(1);
}

bool Validator::matches(char code, const Type& type, const Type* overload) const
{
    const auto inShape = [&](char element) {
        const bool sameShape =
            type.isVector() == overload->isVector() && (!type.isVector() || type.count == overload->count);
        return sameShape && codeOf(type.scalar()) == element;
    };
    switch (code) {
        case '?':
            return true;
        case 'v':
            return type.isVoid();
        case 'H':
            return type.name == "dx.types.Handle";
        case 'o':
            return !overload || sameType(type, *overload);
        case 'e':
            return !overload || sameType(type, overload->scalar());
        case 'b':
            return !overload || inShape('1');
        case 'n':
            return !overload || inShape('i');
        case 'c':
            return !overload || isCarryRet(type, *overload);
        case 'r':
            return !overload || isResRet(type, *overload);
        default:
            return codeOf(type) == code;
    }
}

// The type that stands where the signature has the overload. Where the result is all that has it, the result.
bool Validator::checkOverload(const Value& call, const Operation& operation, const Type*& overload)
{
    const std::string_view signature = operation.signature;
    if (!operation.hasOverload() || *operation.scalars == '*')
        return true;
    for (size_t p = 1; p < signature.size() && !overload; ++p)
        overload = signature[p] == 'o' ? call.operands[p - 1]->type : nullptr;
    if (!overload && signature[0] == 'o')
        overload = call.type;
    else if (!overload && signature[0] == 'r' && call.type->isStruct() && !call.type->members.empty())
        overload = call.type->members[0];
    if (!overload)
        return true;  // told by something that is not checked here
    const bool isLegal = overload->isVector()
                             ? contains(operation.vectors, codeOf(*overload->element)) &&
                                   overload->count <= kMaxVectorElements && (overload->count > 1 || isLibrary())
                             : contains(operation.scalars, codeOf(*overload));
    if (isLegal)
        return true;
    std::string hint;
    if (overload->isVector()) {
        hint = operation.opcode == opcode::LoadInput || operation.opcode == opcode::StoreOutput
                   ? " Vectors cannot be in signatures of entry points."
               : operation.opcode == opcode::CBufferLoad || operation.opcode == opcode::CBufferLoadLegacy
                   ? " Vectors cannot be in constant buffers."
               : *operation.vectors == 0 ? " The operation takes no vectors."
                                         : "";
    }
    report("INSTR.OLOAD", "DXIL intrinsic overload must be valid: " + std::string(operation.name) + " of " +
                              overload->text() + "." + hint);
    return false;
}

bool Validator::checkSignature(const Value& call, const Operation& operation, const Type* overload)
{
    const std::string_view signature = operation.signature;
    bool isRight = matches(signature[0], *call.type, overload);
    for (size_t p = 1; p < signature.size(); ++p)
        isRight = isRight && matches(signature[p], *call.operands[p - 1]->type, overload);
    if (!isRight) {
        report("INSTR.CALLOLOAD",
               "Call to DXIL intrinsic '" + call.function->name + "' does not match an allowed overload signature.");
    }
    return isRight;
}

void Validator::checkCall(const Value& call)
{
    constexpr std::string_view kPrefix = "dx.op.";
    const std::string_view name = call.function->name;
    if (!name.starts_with(kPrefix)) {
        for (const Value* operand : call.operands)
            checkValueType(*operand->type);
        return;
    }
    if (call.operands.empty() || !call.operands[0]->isConstantInt()) {
        report("INSTR.OPCONST", "Opcode of DXIL operation must be an immediate constant.");
        return;
    }
    const uint64_t opcode = call.operands[0]->bits;
    const Operation* operation = findOperation(static_cast<uint32_t>(opcode));
    if (!operation || opcode > ~0u) {
        report("INSTR.ILLEGALDXILOPCODE", "DXILOpCode must be [0..312] or a supported experimental opcode. " +
                                              std::to_string(opcode) + " specified.");
        return;
    }
    const std::string_view rest = name.substr(kPrefix.size());
    if (rest.substr(0, rest.find('.')) != operation->function) {
        report("INSTR.ILLEGALDXILOPFUNCTION",
               "'" + std::string(name) + "' is not a DXILOpFuncition for DXILOpcode '" + operation->name + "'.");
        return;
    }
    checkOperation(call, *operation);
}

void Validator::checkOperation(const Value& call, const Operation& operation)
{
    if (call.operands.size() != operation.operandCount()) {
        report("INSTR.CALLOLOAD",
               "Call to DXIL intrinsic '" + call.function->name + "' does not match an allowed overload signature.");
        return;
    }
    const Type* overload = nullptr;
    if (!checkOverload(call, operation, overload) || !checkSignature(call, operation, overload))
        return;
    // Vectors are of 6.9 whatever the operation.
    const bool isReduction = operation.opcode >= opcode::VectorReduceAnd;
    const bool isTooEarly = isBefore(isReduction ? 9 : operation.minorVersion) ||
                            (overload && overload->isVector() && isBefore(9) && !isLibrary());
    const ShaderKind kind = kindOf(*m_function);
    if (isTooEarly || (operation.stages >> static_cast<uint32_t>(kind) & 1) == 0) {
        report("SM.OPCODE", std::string("Opcode ") + operation.name + " not valid in shader model " + shaderModel() +
                                (isLibrary() ? std::string(" (") + shaderKindText(kind) + ")" : "") + ".");
        return;
    }
    switch (operation.opcode) {
        case opcode::LoadInput:
        case opcode::StoreOutput:
            if (std::ranges::find(m_info.entryPoints, m_function, &EntryPoint::function) == m_info.entryPoints.end()) {
                report("INSTR.SIGNATUREOPERATIONNOTINENTRY",
                       "Dxil operation for input output signature must be in entryPoints.");
            }
            break;
        case opcode::RawBufferVectorLoad:
            checkBufferAccess(call, false, 4);
            break;
        case opcode::RawBufferVectorStore:
            checkBufferAccess(call, true, 5);
            break;
        case opcode::RawBufferLoad:
            checkBufferAccess(call, false, 5);
            break;
        case opcode::RawBufferStore:
            checkBufferAccess(call, true, 9);
            break;
        default:
            break;
    }
    if (operation.opcode >= opcode::IsNaN && operation.opcode <= opcode::IsNormal && isBefore(9) && overload &&
        codeOf(overload->scalar()) == 'h')
        report("SM.ISSPECIALFLOAT", "16 bit IsSpecialFloat overloads require Shader Model 6.9 or higher.");
}

// The resource of a handle as the handle was made: nothing if it was chosen among several.
bool Validator::resourceOf(const Value& handle, Resource& out) const
{
    if (!handle.isInstruction(Op::Call) || handle.operands.size() < 2 || !handle.operands[0]->isConstantInt())
        return false;
    const auto number = [](const Value* value) { return value->isConstantInt() ? value->bits : ~uint64_t{0}; };
    const auto find = [&](auto&& isIt) {
        const auto found = std::ranges::find_if(m_info.resources, isIt);
        if (found != m_info.resources.end())
            out = *found;
        return found != m_info.resources.end();
    };
    switch (handle.operands[0]->bits) {
        case opcode::AnnotateHandle: {
            const Value& properties = *handle.operands[2];
            const bool known = properties.kind == Value::Kind::Aggregate && properties.operands.size() == 2;
            out = known ? decodeProperties(static_cast<uint32_t>(number(properties.operands[0])),
                                           static_cast<uint32_t>(number(properties.operands[1])))
                        : Resource();
            return known;
        }
        case opcode::CreateHandle:
            return find([&](const Resource& r) {
                return static_cast<uint64_t>(r.resourceClass) == number(handle.operands[1]) &&
                       r.id == number(handle.operands[2]);
            });
        case opcode::CreateHandleForLib: {
            const Value* from = handle.operands[1];
            while (from->kind == Value::Kind::Instruction && !from->operands.empty() && from->op != Op::Call)
                from = from->operands[0];
            return from->kind == Value::Kind::Global &&
                   find([&](const Resource& r) { return r.global == from->global; });
        }
        default:
            return false;
    }
}

void Validator::checkCoordinates(ResourceKind kind, const Value& offset)
{
    if (kind == ResourceKind::RawBuffer) {
        if (!offset.isUndef())
            report("INSTR.COORDINATECOUNTFORRAWTYPEDBUF", "raw/typed buffer offset must be undef.");
    } else if (kind == ResourceKind::StructuredBuffer) {
        if (offset.isUndef()) {
            report("INSTR.COORDINATECOUNTFORSTRUCTBUF",
                   "structured buffer requires defined index and offset coordinates.");
        }
    } else {
        report("INSTR.RESOURCEKINDFORBUFFERLOADSTORE", "buffer load/store only works on Raw/Typed/StructuredBuffer.");
    }
}

void Validator::checkBufferAccess(const Value& call, bool isStore, size_t alignOperand)
{
    constexpr size_t kHandle = 1, kOffset = 3, kValue = 4;
    Resource resource;
    if (!resourceOf(*call.operands[kHandle], resource)) {
        report("INSTR.HANDLENOTFROMCREATEHANDLE", "Resource handle should returned by createHandle.");
        return;
    }
    const bool isUav = resource.resourceClass == ResourceClass::Uav;
    if (isStore && !isUav)
        report("INSTR.RESOURCECLASSFORUAVSTORE", "store should be on uav resource.");
    else if (!isUav && resource.resourceClass != ResourceClass::Srv)
        report("INSTR.RESOURCECLASSFORLOAD", "load can only run on UAV/SRV resource.");
    if (!call.operands[alignOperand]->isConstantInt())
        report("INSTR.CONSTALIGNFORRAWBUF", "Raw Buffer alignment value must be a constant.");
    if (isStore && call.operands[kValue]->isUndef())
        report("INSTR.UNDEFINEDVALUEFORUAVSTORE", "Assignment of undefined values to UAV.");
    const bool isImage = resource.resourceClass != ResourceClass::Srv && !isUav;
    checkCoordinates(isImage ? ResourceKind::Invalid : resource.kind, *call.operands[kOffset]);
}

}  // namespace millrace::dxil
