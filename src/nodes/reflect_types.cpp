// SPDX-License-Identifier: Apache-2.0
#include "nodes/reflect_types.h"

#include <set>

namespace millrace::nodes {

using data::arrayType;
using data::DataMember;
using data::DataType;
using data::scalarType;
using data::structureType;
using data::vectorType;
using spirv::Id;
using spirv::Instruction;
using Kind = DataType::Kind;

namespace {

// Valid modules cannot nest deeper.
constexpr uint32_t kMaxDepth = 256;

DataTypeRef strided(Kind kind, const DataTypeRef& element, uint64_t count, uint64_t stride)
{
    DataType type;
    type.kind = kind;
    type.count = count;
    type.stride = stride;
    type.bytes = count == 0 ? 0 : (count - 1) * stride + element->bytes;
    type.element = element;
    return std::make_shared<DataType>(type);
}

}  // namespace

TypeReflection::TypeReflection(const spirv::Module& module, NamelessMembers nameless)
    : m_module(module), m_decorations(module), m_nameless(nameless)
{
    for (const Instruction& i : module.section(spirv::Section::Annotations))
        if (i.op == spv::Op::OpMemberDecorateString &&
            i.literal(2) == static_cast<uint32_t>(spv::Decoration::UserSemantic) && i.string(3) == "float")
            m_floats.insert({i.id(0).value, i.literal(1)});
    for (const Instruction& i : module.section(spirv::Section::DebugNames))
        if (i.op == spv::Op::OpMemberName)
            m_names[{i.id(0).value, i.literal(1)}] = i.string(2);
}

std::string TypeReflection::memberName(Id structure, uint32_t member) const
{
    const auto found = m_names.find({structure.value, member});
    return found == m_names.end() ? "" : found->second;
}

DataTypeRef TypeReflection::reflect(Id type, std::string& error)
{
    m_error.clear();
    DataTypeRef out = reflectAt(type, {}, 0);
    error = m_error;
    return out;
}

DataTypeRef TypeReflection::fail(const std::string& why)
{
    m_error = m_error.empty() ? why : m_error;
    return nullptr;
}

DataTypeRef TypeReflection::reflectAt(Id id, const Decorations& member, uint32_t depth)
{
    const Instruction* type = m_module.findDefinition(id);
    if (type == nullptr || depth > kMaxDepth)
        return fail("a type is not defined");
    switch (type->op) {
        case spv::Op::OpTypeInt:
            return scalarType(member.isFloat          ? Kind::Float
                              : type->literal(1) != 0 ? Kind::Signed
                                                      : Kind::Unsigned,
                              type->literal(0));
        case spv::Op::OpTypeFloat:
            return scalarType(Kind::Float, type->literal(0));
        case spv::Op::OpTypePointer:
            return scalarType(Kind::Unsigned, 64);
        case spv::Op::OpTypeVector: {
            const DataTypeRef component = reflectAt(type->id(0), member, depth + 1);
            return component ? vectorType(component, type->literal(1)) : nullptr;
        }
        case spv::Op::OpTypeMatrix:
            return reflectMatrix(*type, member, depth);
        case spv::Op::OpTypeArray:
        case spv::Op::OpTypeRuntimeArray:
            return reflectArray(*type, member, depth);
        case spv::Op::OpTypeStruct:
            return reflectStructure(*type, depth);
        default:
            return fail(spirv::opName(type->op) + " cannot be in memory");
    }
}

DataTypeRef TypeReflection::reflectMatrix(const Instruction& type, const Decorations& member, uint32_t depth)
{
    const DataTypeRef column = reflectAt(type.id(0), {}, depth + 1);
    if (!column)
        return nullptr;
    if (column->kind != Kind::Vector || member.matrixStride == 0)
        return fail("a matrix has no stride");
    if (!member.isRowMajor)
        return strided(Kind::Matrix, column, type.literal(1), member.matrixStride);
    const DataTypeRef spread = strided(Kind::Vector, column->element, *column->count, member.matrixStride);
    return strided(Kind::Matrix, spread, type.literal(1), column->element->bytes);
}

DataTypeRef TypeReflection::reflectArray(const Instruction& type, const Decorations& member, uint32_t depth)
{
    const DataTypeRef element = reflectAt(type.id(0), member, depth + 1);
    if (!element)
        return nullptr;
    if (element->findOpenMember() != nullptr || element->isRuntimeArray())
        return fail("an array of runtime arrays cannot be in memory");
    const std::optional<uint32_t> stride = m_decorations.arrayStride(type.result);
    if (!stride)
        return fail("an array has no stride");
    uint32_t count = 0;
    if (type.op == spv::Op::OpTypeArray && !m_module.constantValue(type.id(1), count))
        return fail("the length of an array is not known");
    return arrayType(element, type.op == spv::Op::OpTypeArray ? std::optional<uint64_t>(count) : std::nullopt, *stride);
}

DataTypeRef TypeReflection::reflectStructure(const Instruction& type, uint32_t depth)
{
    std::vector<DataMember> members;
    for (uint32_t m = 0; m < type.operandCount(); ++m) {
        const Decorations decorations{m_decorations.member(type.result, m), m_floats.contains({type.result.value, m})};
        if (!decorations.offset)
            return fail("member " + std::to_string(m) + " of a structure has no offset");
        DataMember member{memberName(type.result, m), *decorations.offset,
                          reflectAt(type.id(m), decorations, depth + 1)};
        if (!member.type)
            return nullptr;
        if (member.name.empty()) {
            member.name = m_nameless == NamelessMembers::Number ? "member" + std::to_string(m)
                                                                : "@" + std::to_string(member.offset);
        }
        if (m + 1 < type.operandCount() && (member.type->isRuntimeArray() || member.type->findOpenMember() != nullptr))
            return fail("a runtime array is not the last member");
        members.push_back(std::move(member));
    }
    return structureType(std::move(members));
}

DataTypeRef reflectPayload(const spirv::Module& module, const std::string& entryPoint)
{
    std::set<uint32_t> interface;
    for (const Instruction& i : module.section(spirv::Section::EntryPoints))
        if (i.string(2) == entryPoint)
            for (size_t o = 3; o < i.operandCount(); ++o)
                interface.insert(i.id(o).value);
    for (const Instruction& i : module.section(spirv::Section::Globals)) {
        if (i.op != spv::Op::OpVariable || i.literal(0) != static_cast<uint32_t>(spv::StorageClass::NodePayloadAMDX) ||
            !interface.contains(i.result.value))
            continue;
        const Id type = module.pointee(i.type);
        const Instruction* array = module.findDefinition(type);
        const bool isArray = array != nullptr && array->op == spv::Op::OpTypeNodePayloadArrayAMDX;
        std::string error;
        DataTypeRef payload =
            TypeReflection(module, NamelessMembers::Offset).reflect(isArray ? array->id(0) : type, error);
        return payload && payload->bytes > 0 ? payload : nullptr;
    }
    return nullptr;
}

namespace {

// The function of the entry point and all that it calls.
std::set<uint32_t> reachableFunctions(const spirv::Module& module, const std::string& entryPoint)
{
    std::set<uint32_t> found;
    for (const Instruction& i : module.section(spirv::Section::EntryPoints))
        if (i.string(2) == entryPoint)
            found.insert(i.id(1).value);
    for (size_t before = 0; before != found.size();) {
        before = found.size();
        for (const spirv::Function& function : module.functions) {
            if (!found.contains(function.id().value))
                continue;
            for (const spirv::Block& block : function.blocks) {
                for (const Instruction& i : block.body)
                    if (i.op == spv::Op::OpFunctionCall)
                        found.insert(i.id(0).value);
            }
        }
    }
    return found;
}

}  // namespace

std::vector<SentPayload> reflectSentPayloads(const spirv::Module& module, const std::string& entryPoint)
{
    std::vector<SentPayload> out;
    std::set<uint32_t> seen;
    const std::set<uint32_t> functions = reachableFunctions(module, entryPoint);
    for (const spirv::Function& function : module.functions) {
        for (const spirv::Block& block : function.blocks) {
            for (const Instruction& i : block.body) {
                const Id array = i.op == spv::Op::OpAllocateNodePayloadsAMDX ? module.pointee(i.type) : Id{};
                const Instruction* type = array ? module.findDefinition(array) : nullptr;
                if (!functions.contains(function.id().value) || type == nullptr ||
                    type->op != spv::Op::OpTypeNodePayloadArrayAMDX || !seen.insert(array.value).second)
                    continue;
                const Instruction* name = module.findDecoration(array, spv::Decoration::PayloadNodeNameAMDX);
                std::string error;
                DataTypeRef payload = TypeReflection(module, NamelessMembers::Offset).reflect(type->id(0), error);
                if (name != nullptr && name->operandCount() > 2 && name->isId(2) && payload && payload->bytes > 0)
                    out.push_back({module.constantString(name->id(2)), std::move(payload)});
            }
        }
    }
    return out;
}

}  // namespace millrace::nodes
