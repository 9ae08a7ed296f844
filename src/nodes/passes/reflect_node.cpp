// SPDX-License-Identifier: Apache-2.0
#include "nodes/passes/reflect_node.h"

#include <algorithm>
#include <vector>

#include "nodes/payload_grid.h"
#include "nodes/payload_origins.h"
#include "nodes/payload_types.h"
#include "shader/diagnose.h"
#include "shader/memory_operands.h"
#include "shader/type_layouts.h"
#include "spirv/id_set.h"

namespace millrace::nodes {

using graph::LaunchMode;
using spirv::Id;
using spirv::Instruction;
using spirv::Module;
using spirv::Section;

namespace {

constexpr std::string_view kPass = "reflectNode";

// A coalescing node gets some number of payloads from 1 to its maximum. More than this many at a time gain nothing,
// and each takes eight bytes of workgroup memory.
constexpr uint32_t kMaxInputPayloads = 256;
constexpr uint64_t kMaxInvocations = 65536;

struct State {
    NodeShader& shader;
    const Request& request;
    Module& module = shader.module;
    graph::NodeDeclaration& node = shader.node.declared;
    shader::TypeLayouts layouts{module};
    shader::Failure failure{kPass};
    bool isCoalescing = false;
    bool isStatic = false;

    bool constant(const Instruction& i, size_t operand, uint32_t& value)
    {
        if (operand >= i.operandCount())
            return failure.at(module, i, "too few operands");
        if (!i.isId(operand)) {
            value = i.literal(operand);
            return true;
        }
        return module.constantValue(i.id(operand), value) ||
               failure.at(module, i, "operand " + shader::describe(module, i.id(operand)) + " is no constant");
    }

    bool constants(const Instruction& mode, uint32_t (&values)[3])
    {
        return constant(mode, 2, values[0]) && constant(mode, 3, values[1]) && constant(mode, 4, values[2]);
    }

    bool readMode(const Instruction& mode)
    {
        uint32_t value = 0;
        switch (static_cast<spv::ExecutionMode>(mode.literal(1))) {
            case spv::ExecutionMode::LocalSize:
            case spv::ExecutionMode::LocalSizeId:
                return constants(mode, node.localSize);
            case spv::ExecutionMode::CoalescingAMDX:
                isCoalescing = true;
                return true;
            case spv::ExecutionMode::StaticNumWorkgroupsAMDX:
                isStatic = true;
                return constants(mode, node.staticGrid);
            case spv::ExecutionMode::MaxNumWorkgroupsAMDX:
                node.declaresMaxGrid = true;
                return constants(mode, node.maxGrid);
            case spv::ExecutionMode::MaxNodeRecursionAMDX:
                return constant(mode, 2, node.maxRecursion);
            case spv::ExecutionMode::ShaderIndexAMDX:
                return request.shaderIndex || constant(mode, 2, node.id.index);
            case spv::ExecutionMode::IsApiEntryAMDX:
                if (!constant(mode, 2, value))
                    return false;
                node.apiEntry = node.apiEntry && value != 0;
                return true;
            case spv::ExecutionMode::SharesInputWithAMDX: {
                graph::NodeId base;
                if (mode.operandCount() < 4 || !mode.isId(2) || !constant(mode, 3, base.index))
                    return failure.at(module, mode, "too few operands");
                base.name = module.constantString(mode.id(2));
                node.sharesInputWith = std::move(base);
                // By rule, not by mode: compilers leave IsApiEntryAMDX false away.
                node.apiEntry = false;
                return true;
            }
            default:
                return true;
        }
    }

    bool readModes()
    {
        node.id = {request.nodeName.value_or(request.entryPoint), request.shaderIndex.value_or(0)};
        node.entryPoint = request.entryPoint;
        for (const Instruction& i : module.section(Section::ExecutionModes))
            if (i.id(0) == shader.entry && !readMode(i))
                return false;
        const char* grid = isStatic ? "StaticNumWorkgroupsAMDX" : "CoalescingAMDX";
        if (node.declaresMaxGrid && (isStatic || isCoalescing))
            return failure.at("MaxNumWorkgroupsAMDX", std::string("must not be declared beside ") + grid);
        if (isCoalescing && isStatic)
            return failure.at("CoalescingAMDX", std::string("must not be declared beside ") + grid);
        node.mode = isCoalescing ? LaunchMode::Coalescing : isStatic ? LaunchMode::Static : LaunchMode::Dynamic;
        return readWorkgroupSize();
    }

    // A constant decorated WorkgroupSize wins over the execution mode.
    bool readWorkgroupSize()
    {
        for (const Instruction& i : module.section(Section::Annotations)) {
            const bool isSize = i.op == spv::Op::OpDecorate && i.operandCount() > 2 &&
                                i.literal(1) == static_cast<uint32_t>(spv::Decoration::BuiltIn) &&
                                i.literal(2) == static_cast<uint32_t>(spv::BuiltIn::WorkgroupSize);
            const Instruction* size = isSize ? module.findDefinition(i.id(0)) : nullptr;
            if (!size || size->op != spv::Op::OpConstantComposite || size->operandCount() != 3)
                continue;
            for (size_t c = 0; c < 3; ++c)
                if (!constant(*size, c, node.localSize[c]))
                    return false;
        }
        uint64_t invocations = 1;
        for (const uint32_t size : node.localSize)
            invocations = std::min(invocations * size, kMaxInvocations + 1);
        return (invocations > 0 && invocations <= kMaxInvocations) ||
               failure.at("LocalSize", "a workgroup of no or too many invocations");
    }

    // Modules older than SPIR-V 1.4 do not list it in the interface, and others may list one that another entry point
    // uses.
    bool findInput()
    {
        const spirv::IdSet used = spirv::usedInFunctions(module);
        spirv::IdSet listed;
        for (const Instruction& i : module.section(Section::EntryPoints))
            for (size_t o = 3; i.id(1) == shader.entry && o < i.operandCount(); ++o)
                listed.insert(i.id(o));
        std::vector<Id> inputs, usedInputs;
        for (const Instruction& i : module.section(Section::Globals)) {
            const bool isInput = i.op == spv::Op::OpVariable &&
                                 i.literal(0) == static_cast<uint32_t>(spv::StorageClass::NodePayloadAMDX);
            if (isInput && used.contains(i.result))
                usedInputs.push_back(i.result);
            if (isInput && (used.contains(i.result) || listed.contains(i.result)))
                inputs.push_back(i.result);
        }
        if (inputs.size() > 1 && usedInputs.size() == 1)
            inputs = usedInputs;
        if (inputs.size() > 1)
            return failure.at(shader::describe(module, inputs[1]), "a second input payload");
        shader.input = inputs.empty() ? Id{} : inputs[0];
        return true;
    }

    bool readInput()
    {
        if (!shader.input)
            return true;
        const Id pointee = module.pointee(module.typeOf(shader.input));
        const Instruction* type = module.findDefinition(pointee);
        if (!type)
            return failure.at(shader::describe(module, shader.input), "the input payload has no type");
        const bool isArray = type->op == spv::Op::OpTypeNodePayloadArrayAMDX;
        const Id payload = isArray ? type->id(0) : pointee;
        if (holdsHandles(module, payload))
            return failure.at(shader::describe(module, shader.input), "a payload that holds payload arrays");
        const auto layout = layouts.layout(payload);
        if (!layout)
            return failure.at(layout.error().where, layout.error().message);
        node.declaresPayload = true;
        node.payloadBytes = static_cast<uint32_t>(layout->bytes);
        node.payloadAlignment = layout->alignment == 8 ? 8 : 4;
        return readMaxInputPayloads(isArray ? pointee : Id{}) && readGrid(payload);
    }

    bool readMaxInputPayloads(Id arrayType)
    {
        if (!isCoalescing || !arrayType)
            return true;
        if (const Instruction* i = module.findDecoration(arrayType, spv::Decoration::NodeMaxPayloadsAMDX)) {
            uint32_t count = 0;
            if (!constant(*i, 2, count))
                return false;
            node.maxInputPayloads = std::clamp(count, 1u, kMaxInputPayloads);
        }
        return true;
    }

    bool readGrid(Id payload)
    {
        if (node.mode != LaunchMode::Dynamic)
            return true;
        const auto grid = findGridMember(module, payload);
        if (!grid)
            return failure.at(grid.error().where, grid.error().message);
        if (!*grid) {
            return failure.at(shader::describe(module, shader.input),
                              "the payload must have a member decorated PayloadDispatchIndirectAMDX, because the node "
                              "has neither StaticNumWorkgroupsAMDX nor CoalescingAMDX");
        }
        node.grid = **grid;
        return true;
    }

    void readAccesses()
    {
        const PayloadOrigins origins(module, shader.input);
        for (const spirv::Function& function : module.functions) {
            for (const spirv::Block& block : function.blocks) {
                for (const Instruction& i : block.body) {
                    node.usesFinishWriting |= i.op == spv::Op::OpFinishWritingNodePayloadAMDX;
                    node.writesInput |= writesInput(origins, i);
                }
            }
        }
    }

    bool writesInput(const PayloadOrigins& origins, const Instruction& i) const
    {
        const auto isInput = [&](Id id) { return origins.isPayloadMemory(id) && origins.mayBeInput(id); };
        if (i.op == spv::Op::OpExtInst) {
            // Such as Modf, which stores the whole part through a pointer.
            bool found = false;
            i.forEachUse([&](Id id) { found |= isInput(id); });
            return found;
        }
        const bool writes = i.op == spv::Op::OpStore || i.op == spv::Op::OpCopyMemory ||
                            (shader::isAtomic(i.op) && i.op != spv::Op::OpAtomicLoad);
        return writes && i.operandCount() > 0 && i.isId(0) && isInput(i.id(0));
    }
};

}  // namespace

Status reflectNode(NodeShader& shader, const Request& request)
{
    State state{shader, request};
    if (state.readModes() && state.findInput() && state.readInput()) {
        state.readAccesses();
        shader.node.declared.vulkanMemoryModel = shader.vulkanMemoryModel;
    }
    return state.failure.status();
}

}  // namespace millrace::nodes
