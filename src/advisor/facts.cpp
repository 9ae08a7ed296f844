// SPDX-License-Identifier: Apache-2.0
#include "advisor/facts.h"

#include <algorithm>
#include <unordered_set>

#include "advisor/barriers.h"
#include "advisor/outputs.h"
#include "advisor/registers.h"
#include "advisor/source_places.h"
#include "advisor/stored_types.h"
#include "shader/own_lane.h"

namespace millrace::advisor {

using spirv::Id;
using spirv::Instruction;
using spirv::Section;

namespace {

Diagnostic problem(const PreparedShader& shader, const std::string& message)
{
    return {"advisor", shader.entryPoint, message};
}

// A constant with the built-in WorkgroupSize stands above the execution modes.
const Instruction* findWorkgroupSizeConstant(const spirv::Module& module)
{
    for (const Instruction& i : module.section(Section::Annotations))
        if (i.op == spv::Op::OpDecorate && i.literal(1) == static_cast<uint32_t>(spv::Decoration::BuiltIn) &&
            i.literal(2) == static_cast<uint32_t>(spv::BuiltIn::WorkgroupSize))
            return module.findDefinition(i.id(0));
    return nullptr;
}

bool readWorkgroupSize(const spirv::Module& module, std::array<uint32_t, 3>& size)
{
    if (const Instruction* constant = findWorkgroupSizeConstant(module)) {
        return constant->operandCount() == 3 && module.constantValue(constant->id(0), size[0]) &&
               module.constantValue(constant->id(1), size[1]) && module.constantValue(constant->id(2), size[2]);
    }
    for (const Instruction& i : module.section(Section::ExecutionModes)) {
        const auto mode = static_cast<spv::ExecutionMode>(i.literal(1));
        for (uint32_t d = 0; d < 3; ++d)
            if (mode == spv::ExecutionMode::LocalSize)
                size[d] = i.literal(2 + d);
            else if (mode == spv::ExecutionMode::LocalSizeId && !module.constantValue(i.id(2 + d), size[d]))
                return false;
        if (mode == spv::ExecutionMode::LocalSize || mode == spv::ExecutionMode::LocalSizeId)
            return true;
    }
    return false;
}

void readMeshModes(const spirv::Module& module, Facts& facts)
{
    for (const Instruction& i : module.section(Section::ExecutionModes)) {
        switch (static_cast<spv::ExecutionMode>(i.literal(1))) {
            case spv::ExecutionMode::OutputVertices:
                facts.maxVertices = i.literal(2);
                break;
            case spv::ExecutionMode::OutputPrimitivesEXT:
                facts.maxPrimitives = i.literal(2);
                break;
            case spv::ExecutionMode::OutputPoints:
                facts.verticesPerPrimitive = 1;
                break;
            case spv::ExecutionMode::OutputLinesEXT:
                facts.verticesPerPrimitive = 2;
                break;
            default:
                break;
        }
    }
}

std::unordered_set<uint32_t> usedIds(const PreparedShader& shader)
{
    std::unordered_set<uint32_t> used;
    for (const spirv::Block& block : shader.function().blocks) {
        for (const Instruction& i : block.body)
            if (!spirv::isExtendedInstruction(i.op))
                i.forEachUse([&](Id id) { used.insert(id.value); });
    }
    return used;
}

// Variables follow each other at multiples of their alignment; blocks with explicit offsets share the memory.
void readShared(const PreparedShader& shader, const std::unordered_set<uint32_t>& used, Facts& facts)
{
    const spirv::Module& module = shader.module;
    uint64_t end = 0;
    uint64_t aliased = 0;
    for (const Instruction& i : module.section(Section::Globals)) {
        if (i.op != spv::Op::OpVariable || i.literal(0) != static_cast<uint32_t>(spv::StorageClass::Workgroup) ||
            !used.contains(i.result.value))
            continue;
        const Id type = module.pointee(i.type);
        const uint32_t bytes = storedBytes(module, type);
        const bool isBlock = module.findDecoration(type, spv::Decoration::Block) != nullptr;
        const uint32_t alignment = storedAlignment(module, type);
        const std::string name = module.name(i.result);
        facts.shared.push_back({name.empty() ? "%" + std::to_string(i.result.value) : name, bytes});
        if (isBlock)
            aliased = std::max<uint64_t>(aliased, bytes);
        else
            end = (end + alignment - 1) / alignment * alignment + bytes;
    }
    facts.sharedBytes = static_cast<uint32_t>(std::min<uint64_t>(std::max(end, aliased), UINT32_MAX));
}

std::string payloadName(const spirv::Module& module, Id variable, Id type)
{
    const std::string name = module.name(variable).empty() ? module.name(type) : module.name(variable);
    return name.empty() ? "%" + std::to_string(variable.value) : name;
}

// Whether a pointer leads to a variable of a storage class, through access chains.
bool isInto(const spirv::Module& module, Id pointer, spv::StorageClass storage)
{
    return module.storageOf(module.typeOf(pointer)) == storage;
}

bool isAtomic(spv::Op op)
{
    return (op >= spv::Op::OpAtomicLoad && op <= spv::Op::OpAtomicXor) || op == spv::Op::OpAtomicFAddEXT ||
           op == spv::Op::OpAtomicFMinEXT || op == spv::Op::OpAtomicFMaxEXT;
}

void readPayload(const PreparedShader& shader, const std::unordered_set<uint32_t>& used, Facts& facts)
{
    const spirv::Module& module = shader.module;
    for (const Instruction& i : module.section(Section::Globals)) {
        if (i.op == spv::Op::OpVariable && used.contains(i.result.value) &&
            i.literal(0) == static_cast<uint32_t>(spv::StorageClass::TaskPayloadWorkgroupEXT)) {
            const Id type = module.pointee(i.type);
            facts.payload = Payload{payloadName(module, i.result, type), storedBytes(module, type), false};
        }
    }
}

class CodeReader {
public:
    CodeReader(const PreparedShader& shader, Facts& facts) : m_module(shader.module), m_facts(facts) {}

    void read(const Instruction& i, const Place& place)
    {
        if (i.op == spv::Op::OpSetMeshOutputsEXT) {
            m_facts.outputCounts.push_back({place, constant(i.id(0)), constant(i.id(1))});
        } else if (i.op == spv::Op::OpEmitMeshTasksEXT) {
            m_facts.launches.push_back({place, {constant(i.id(0)), constant(i.id(1)), constant(i.id(2))}});
        } else if (i.op == spv::Op::OpLoad) {
            readLoad(i, place);
        } else if (isAtomic(i.op) && m_facts.payload) {
            const Id pointer = i.id(0);
            m_facts.payload->hasAtomics |= isInto(m_module, pointer, spv::StorageClass::TaskPayloadWorkgroupEXT);
        }
    }

private:
    std::optional<uint32_t> constant(Id id) const
    {
        uint32_t value = 0;
        return m_module.constantValue(id, value) ? std::optional(value) : std::nullopt;
    }

    void readLoad(const Instruction& load, const Place& place)
    {
        Id variable = shader::samePlace(m_module, load.id(0));
        uint32_t component = UINT32_MAX;
        const Instruction* chain = m_module.findDefinition(variable);
        if (chain != nullptr && chain->op == spv::Op::OpAccessChain) {
            variable = shader::samePlace(m_module, chain->id(0));
            m_module.constantValue(chain->id(1), component);
        }
        const Instruction* builtIn = m_module.findDecoration(variable, spv::Decoration::BuiltIn);
        if (builtIn == nullptr || (builtIn->literal(2) != static_cast<uint32_t>(spv::BuiltIn::WorkgroupId) &&
                                   builtIn->literal(2) != static_cast<uint32_t>(spv::BuiltIn::GlobalInvocationId)))
            return;
        if (!m_facts.usesWorkgroupId)
            m_facts.usesWorkgroupId = place;
        m_facts.usesWorkgroupIdBeyondX |= component == UINT32_MAX ? usesMoreThanX(load.result) : component != 0;
    }

    // Of a vector that was loaded whole.
    bool usesMoreThanX(Id vector) const
    {
        bool found = false;
        m_module.forEachInstruction([&](const Instruction& i) {
            i.forEachUse([&](Id id) {
                const bool takesX = i.op == spv::Op::OpCompositeExtract && i.literal(1) == 0;
                found |= id == vector && !takesX && i.op != spv::Op::OpName;
            });
        });
        return found;
    }

    const spirv::Module& m_module;
    Facts& m_facts;
};

void readCode(const PreparedShader& shader, Facts& facts)
{
    CodeReader reader(shader, facts);
    SourcePlaces places(shader.module);
    for (const spirv::Block& block : shader.function().blocks) {
        places.beginBlock();
        for (const Instruction& i : block.body)
            if (!places.step(i))
                reader.read(i, places.place());
    }
}

}  // namespace

Result<Facts> readFacts(const PreparedShader& shader)
{
    Facts facts;
    facts.stage = shader.stage;
    facts.entryPoint = shader.entryPoint;
    if (!readWorkgroupSize(shader.module, facts.workgroupSize))
        return problem(shader, "the size of the workgroup is no constant");
    const auto isOutside = [](uint32_t size) { return size == 0 || size > 1024; };
    if (std::ranges::any_of(facts.workgroupSize, isOutside) || facts.invocations() > 1024)
        return problem(shader, "no device has workgroups of this size");
    readMeshModes(shader.module, facts);
    if (facts.maxVertices > 256 || facts.maxPrimitives > 256)
        return problem(shader, "more than 256 vertices or primitives, which AMD's GPUs do not have");
    const std::unordered_set<uint32_t> used = usedIds(shader);
    readShared(shader, used, facts);
    readPayload(shader, used, facts);
    readCode(shader, facts);
    facts.barriers = readBarriers(shader);
    facts.liveWords = liveWords(shader);
    if (shader.stage == Stage::Mesh)
        facts.outputs = readOutputs(shader, shader::OwnLane(shader.module, facts.workgroupSize));
    return facts;
}

}  // namespace millrace::advisor
