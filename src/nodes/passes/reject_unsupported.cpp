// SPDX-License-Identifier: Apache-2.0
#include "nodes/passes/reject_unsupported.h"

#include <unordered_map>
#include <unordered_set>

#include <spirv-tools/libspirv.hpp>

#include "nodes/payload_types.h"
#include "shader/diagnose.h"
#include "shader/memory_operands.h"

namespace millrace::nodes {

using spirv::Id;
using spirv::Instruction;
using spirv::Module;
using spirv::Section;

namespace {

constexpr std::string_view kPass = "rejectUnsupported";
constexpr size_t kHeaderWords = 5;

// Numbers of revision 1 that mean something else, or nothing, in revision 2.
constexpr uint32_t kNodeOutputPayloadStorage = 5076;
constexpr uint32_t kInitializeNodePayloads = 5090;
constexpr uint32_t kInitializeNodePayloadsWords = 5;

// The parts of revision 1 that the grammar of revision 2 cannot even parse, so this looks at plain words.
std::string_view findRevision1(std::span<const uint32_t> words)
{
    for (size_t at = kHeaderWords; at < words.size();) {
        const uint32_t count = words[at] >> 16;
        const uint32_t op = words[at] & 0xffff;
        if (count == 0 || count > words.size() - at)
            return {};
        const auto word = [&](uint32_t w) { return w < count ? words[at + w] : 0; };
        if ((op == static_cast<uint32_t>(spv::Op::OpTypePointer) && word(2) == kNodeOutputPayloadStorage) ||
            (op == static_cast<uint32_t>(spv::Op::OpVariable) && word(3) == kNodeOutputPayloadStorage))
            return "storage class NodeOutputPayloadAMDX";
        if (op == kInitializeNodePayloads && count == kInitializeNodePayloadsWords)
            return "OpInitializeNodePayloadsAMDX";
        if (op == static_cast<uint32_t>(spv::Op::OpDecorateString) &&
            word(2) == static_cast<uint32_t>(spv::Decoration::PayloadNodeNameAMDX))
            return "OpDecorateString PayloadNodeNameAMDX";
        at += count;
    }
    return {};
}

// Nodes that send nothing have the numbers of both revisions. But revision 1 has variables of one payload, laid out as
// compilers like, or of an array of them, where revision 2 wants Offset and OpTypeNodePayloadArrayAMDX.
std::string_view findRevision1Input(const Module& module)
{
    for (const Instruction& i : module.section(Section::Globals)) {
        const bool isPayload = i.op == spv::Op::OpVariable &&
                               static_cast<spv::StorageClass>(i.literal(0)) == spv::StorageClass::NodePayloadAMDX;
        const Instruction* type = isPayload ? module.findDefinition(module.pointee(i.type)) : nullptr;
        if (type && (type->op == spv::Op::OpTypeArray || type->op == spv::Op::OpTypeRuntimeArray))
            return "a variable in NodePayloadAMDX that is an array of payloads";
        if (type && type->op == spv::Op::OpTypeStruct && type->operandCount() > 0 &&
            !module.findMemberDecoration(type->result, 0, spv::Decoration::Offset))
            return "a variable in NodePayloadAMDX without a layout";
    }
    return {};
}

// SPIRV-Tools walk structures member by member, however often the same structure is inside. Real ones have some
// thousand members.
constexpr uint64_t kMaxMembers = 1u << 16;

Status checkTypes(const Module& module)
{
    // Types precede their uses, but for pointers, which end the walk.
    std::unordered_map<uint32_t, uint64_t> members;
    const auto membersOf = [&](Id type) {
        const auto known = members.find(type.value);
        return known == members.end() ? uint64_t{1} : known->second;
    };
    for (const Instruction& i : module.section(Section::Globals)) {
        uint64_t count = 0;
        if (i.op == spv::Op::OpTypeStruct) {
            for (size_t o = 0; o < i.operandCount() && count <= kMaxMembers; ++o)
                count += membersOf(i.id(o));
        } else {
            const bool isArray = i.op == spv::Op::OpTypeArray || i.op == spv::Op::OpTypeRuntimeArray ||
                                 i.op == spv::Op::OpTypeNodePayloadArrayAMDX;
            count = isArray ? membersOf(i.id(0)) : 1;
        }
        members[i.result.value] = count;
        if (count > kMaxMembers)
            return Diagnostic{std::string(kPass), shader::describe(module, i), "a structure of too many members"};
    }
    return {};
}

// Compilers set OutputMemory for node outputs, which needs a capability of the Vulkan memory model.
void tameBarrier(Module& module, Instruction& barrier, spirv::InstructionList& added)
{
    constexpr auto kOutputMemory = static_cast<uint32_t>(spv::MemorySemanticsMask::OutputMemory);
    const size_t operand = barrier.op == spv::Op::OpControlBarrier ? 2 : 1;
    uint32_t semantics = 0;
    if (!module.constantValue(barrier.id(operand), semantics) || (semantics & kOutputMemory) == 0)
        return;
    added.push_back(spirv::instruction(spv::Op::OpConstant, module.typeOf(barrier.id(operand)), module.newId())
                        .add(semantics & ~kOutputMemory));
    barrier.setId(operand, added.back().result);
}

// Rewrites what spirv-val rejects although it means something into what it accepts. The result is for spirv-val alone:
// Workgroup memory takes the place of payloads, since all operations are allowed on it.
void tame(Module& module)
{
    const auto payload = static_cast<uint32_t>(spv::StorageClass::NodePayloadAMDX);
    std::unordered_set<uint32_t> payloadVariables;
    std::unordered_map<uint32_t, Id> undefined;  // by type
    spirv::InstructionList added;
    module.forEachInstruction([&](Instruction& i) {
        const bool hasStorage =
            i.op == spv::Op::OpTypePointer || i.op == spv::Op::OpVariable || i.op == spv::Op::OpTypeForwardPointer;
        const size_t operand = i.op == spv::Op::OpTypeForwardPointer ? 1 : 0;
        if (hasStorage && i.operandCount() > operand && i.literal(operand) == payload) {
            i.setLiteral(operand, static_cast<uint32_t>(spv::StorageClass::Workgroup));
            if (i.op == spv::Op::OpVariable)
                payloadVariables.insert(i.result.value);
        }
        if (i.op == spv::Op::OpControlBarrier || i.op == spv::Op::OpMemoryBarrier)
            tameBarrier(module, i, added);
        if (i.op == spv::Op::OpConstantNull && isHandle(module, i.type))
            i.op = spv::Op::OpUndef;
        if (i.op == spv::Op::OpVariable && i.operandCount() > 1 && holdsHandles(module, module.pointee(i.type)))
            i = spirv::instruction(i.op, i.type, i.result).add(i.literal(0));
        if (i.op == spv::Op::OpIsNodePayloadValidAMDX && isPayloadArray(module, i.id(0))) {
            Id& value = undefined[i.id(0).value];
            if (!value) {
                value = module.newId();
                added.push_back(spirv::instruction(spv::Op::OpUndef, i.id(0), value));
            }
            i.setId(0, value);
        }
    });
    // Choosing between handles is harmless, whatever the device can do with pointers.
    module.addCapability(spv::Capability::VariablePointersStorageBuffer);
    module.addCapability(spv::Capability::VariablePointers);
    spirv::InstructionList& globals = module.section(Section::Globals);
    globals.insert(globals.end(), added.begin(), added.end());
    module.removeDecorations([&](const Instruction& i) {
        return i.op == spv::Op::OpDecorate && i.isId(0) && payloadVariables.contains(i.id(0).value);
    });
}

// What spirv-val says, empty if nothing. Looking for friendly names of ids takes it a fifth of its time.
std::string findMistake(const std::vector<uint32_t>& words, bool withNames)
{
    std::string text;
    spvtools::SpirvTools tools(SPV_ENV_UNIVERSAL_1_6);
    tools.SetMessageConsumer([&](spv_message_level_t level, const char*, const spv_position_t&, const char* message) {
        if (level <= SPV_MSG_ERROR)
            text += text.empty() ? message : std::string("; ") + message;
    });
    spvtools::ValidatorOptions options;
    // No stricter than drivers are: this guards our passes, it does not judge the application.
    options.SetBeforeHlslLegalization(true);
    options.SetRelaxLogicalPointer(true);
    options.SetRelaxStructStore(true);
    options.SetSkipBlockLayout(true);
    options.SetAllowLocalSizeId(true);
    options.SetFriendlyNames(withNames);
    const bool isValid = tools.Validate(words.data(), words.size(), options);
    if (isValid)
        return {};
    return text.empty() ? "for no given reason" : text;
}

Status checkModels(const Module& module)
{
    for (const Instruction& i : module.section(Section::MemoryModel)) {
        if (i.op != spv::Op::OpMemoryModel)
            continue;
        const auto addressing = static_cast<spv::AddressingModel>(i.literal(0));
        const auto memory = static_cast<spv::MemoryModel>(i.literal(1));
        const bool isSupported = (addressing == spv::AddressingModel::Logical ||
                                  addressing == spv::AddressingModel::PhysicalStorageBuffer64) &&
                                 memory != spv::MemoryModel::OpenCL;
        return isSupported ? Status()
                           : Status(Diagnostic{std::string(kPass), "OpMemoryModel", "not a model for shaders"});
    }
    return Diagnostic{std::string(kPass), {}, "no OpMemoryModel"};
}

Status refuseRevision1(std::string_view found)
{
    if (found.empty())
        return {};
    return Diagnostic{std::string(kPass), std::string(found),
                      "this is revision 1 of SPV_AMDX_shader_enqueue; only revision 2 is supported"};
}

Status checkRevision(const Module& module)
{
    return refuseRevision1(findRevision1Input(module));
}

// Instructions on payloads whose result could not be told from memory; all others are lowered or plain.
Status checkAtomics(const Module& module)
{
    shader::Failure failure(kPass);
    module.forEachInstruction([&](const Instruction& i) {
        const bool hasPointer = shader::isAtomic(i.op) && i.operandCount() > 0 && i.isId(0);
        if (hasPointer && isHandle(module, module.typeOf(i.id(0))))
            failure.at(module, i, "an atomic operation on a whole payload array");
    });
    return failure.status();
}

}  // namespace

Status rejectRevision1(std::span<const uint32_t> words)
{
    return refuseRevision1(findRevision1(words));
}

Status rejectUnsupported(const Module& module)
{
    for (const auto& check : {checkModels, checkRevision, checkTypes, checkAtomics})
        if (const Status status = check(module); !status)
            return status;
    return {};
}

Status rejectOtherEntryPoint(const spirv::EntryPoints& entryPoints, const std::string& name, spv::ExecutionModel model)
{
    if (entryPoints.contains(name, model))
        return {};
    if (entryPoints.contains(name, spv::ExecutionModel::MeshEXT))
        return Diagnostic{std::string(kPass), name, "this is a mesh node, which a graphics pipeline is made of"};
    const char* const wanted = model == spv::ExecutionModel::MeshEXT ? "mesh" : "compute";
    return Diagnostic{std::string(kPass), name, std::string("there is no ") + wanted + " entry point of this name"};
}

Status rejectInvalid(const Module& module)
{
    Module tamed = module;
    tame(tamed);
    const std::vector<uint32_t> words = spirv::write(tamed);
    if (findMistake(words, false).empty())
        return {};
    return Diagnostic{std::string(kPass), {}, "the module is invalid: " + findMistake(words, true)};
}

}  // namespace millrace::nodes
