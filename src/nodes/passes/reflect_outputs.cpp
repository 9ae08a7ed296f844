// SPDX-License-Identifier: Apache-2.0
#include "nodes/passes/reflect_outputs.h"

#include <algorithm>
#include <map>
#include <vector>

#include "nodes/finished_code.h"
#include "nodes/payload_types.h"
#include "shader/control_flow.h"
#include "shader/diagnose.h"
#include "shader/type_layouts.h"
#include "shader/values.h"

namespace millrace::nodes {

using graph::NodeOutput;
using spirv::Id;
using spirv::Instruction;
using spirv::Module;
using spirv::Section;

namespace {

// Budget of a type without NodeMaxPayloadsAMDX whose allocations cannot be counted: the number of payloads that the
// extension guarantees a workgroup (maxExecutionGraphShaderPayloadCount).
constexpr uint32_t kDefaultBudget = 256;

// How the shader uses one payload array type.
struct Use {
    uint32_t allocationSites = 0;
    bool allocatesInLoop = false;
    bool perInvocation = false;
    bool perWorkgroup = false;
    uint32_t together = 0;
    bool oneEach = true;
    bool hasUnknownIndex = false;
    std::optional<uint32_t> nodeIndex;   // that all sites and queries have used so far
    std::optional<uint64_t> count = 0u;  // payloads of all sites together, if known
    std::optional<uint64_t> most = 0u;   // the same, if they are known to be no more

    void addIndex(std::optional<uint32_t> index)
    {
        hasUnknownIndex |= !index || (nodeIndex && *nodeIndex != *index);
        nodeIndex = index;
    }
};

struct State {
    NodeShader& shader;
    Module& module = shader.module;
    shader::TypeLayouts layouts{module};
    shader::Values values{module};
    shader::Failure failure{"reflectOutputs"};
    std::map<uint32_t, Use> uses;  // by payload array type

    std::optional<uint32_t> constant(Id id) const
    {
        uint32_t value = 0;
        return module.constantValue(id, value) ? std::optional(value) : std::nullopt;
    }

    bool collect()
    {
        const auto repeated = shader::findRepeatedFunctions(module, shader.entry);
        for (const spirv::Function& function : module.functions) {
            const shader::ControlFlow flow(function);
            for (size_t b = 0; b < function.blocks.size(); ++b) {
                const bool isRepeated = flow.isOnCycle(b) || repeated.contains(function.id().value);
                for (const Instruction& i : function.blocks[b].body)
                    if (!visit(i, isRepeated))
                        return false;
            }
        }
        return true;
    }

    bool visit(const Instruction& i, bool isRepeated)
    {
        if (i.op == spv::Op::OpIsNodePayloadValidAMDX) {
            const Id array = queriedPayloadArray(module, i);
            if (!array)
                return failure.at(module, i, "asks about something that is no payload array");
            uses[array.value].addIndex(constant(i.id(1)));
        }
        if (i.op == spv::Op::OpAllocateNodePayloadsAMDX)
            return visitAllocation(i, isRepeated);
        return true;
    }

    bool visitAllocation(const Instruction& i, bool isRepeated)
    {
        const Id array = isHandle(module, i.type) ? payloadArrayOf(module, i.type) : Id{};
        const auto scope = constant(i.id(0));
        if (!array)
            return failure.at(module, i, "the result type is no pointer to a payload array");
        if (scope != static_cast<uint32_t>(spv::Scope::Workgroup) &&
            scope != static_cast<uint32_t>(spv::Scope::Invocation))
            return failure.at(module, i, "the scope must be the constant Workgroup or Invocation");
        Use& use = uses[array.value];
        const bool perInvocation = scope == static_cast<uint32_t>(spv::Scope::Invocation);
        ++use.allocationSites;
        use.allocatesInLoop |= isRepeated;
        use.perInvocation |= perInvocation;
        use.perWorkgroup |= !perInvocation;
        use.addIndex(constant(i.id(2)));
        const auto count = constant(i.id(1));
        if (perInvocation)
            use.together = std::max(use.together, count.value_or(0));
        const uint64_t times = perInvocation ? uint64_t{shader.node.declared.localSize[0]} *
                                                   shader.node.declared.localSize[1] * shader.node.declared.localSize[2]
                                             : 1;
        const auto largest = count ? count : values.largest(i.id(1));
        use.oneEach &= largest && *largest <= 1;  // of any scope: a workgroup may be one invocation
        use.most = largest && use.most && !isRepeated ? std::optional(*use.most + *largest * times) : std::nullopt;
        use.count = count && use.count && !isRepeated ? std::optional(*use.count + *count * times) : std::nullopt;
        return true;
    }

    // An operand of a decoration of a payload array type, if the type has it. False on errors.
    bool decoration(Id array, spv::Decoration which, std::optional<uint32_t>& value)
    {
        const Instruction* i = module.findDecoration(array, which);
        if (!i)
            return true;
        value = i->operandCount() > 2 && i->isId(2) ? constant(i->id(2)) : std::nullopt;
        return value || failure.at(module, *i, "the operand is no constant");
    }

    bool addOutput(Id array, const Use& use)
    {
        const Instruction* name = module.findDecoration(array, spv::Decoration::PayloadNodeNameAMDX);
        NodeOutput out;
        if (name && name->operandCount() > 2 && name->isId(2))
            out.targetName = module.constantString(name->id(2));
        if (out.targetName.empty()) {
            return failure.at(shader::describe(module, array),
                              "payloads of this type are allocated, but it has no "
                              "PayloadNodeNameAMDX");
        }
        std::optional<uint32_t> baseIndex;
        if (!decoration(array, spv::Decoration::PayloadNodeBaseIndexAMDX, baseIndex) ||
            !decoration(array, spv::Decoration::PayloadNodeArraySizeAMDX, out.arraySize))
            return false;
        out.baseIndex = baseIndex.value_or(0);
        out.sparse = module.findDecoration(array, spv::Decoration::PayloadNodeSparseArrayAMDX) != nullptr;
        if (!use.hasUnknownIndex && use.nodeIndex)
            out.constantIndex = out.baseIndex + *use.nodeIndex;
        out.allocationSites = use.allocationSites;
        out.allocatesInLoop = use.allocatesInLoop;
        out.perInvocation = use.perInvocation;
        out.perWorkgroup = use.perWorkgroup;
        out.together = use.together;
        out.oneEach = use.oneEach;
        out.most = use.most;
        const Id payload = module.findDefinition(array)->id(0);
        const auto layout = layouts.layout(payload);
        if (!layout)
            return failure.at(layout.error().where, layout.error().message);
        out.payloadBytes = static_cast<uint32_t>(layout->bytes);
        out.tracksFinishWriting = module.findDecoration(payload, spv::Decoration::TrackFinishWritingAMDX) != nullptr;
        shader.outputOfArray[array.value] = static_cast<uint32_t>(shader.node.declared.outputs.size());
        shader.node.declared.outputs.push_back(std::move(out));
        return true;
    }

    // The type whose budget counts for `array`.
    Id poolOf(Id array) const
    {
        const Instruction* i = module.findDecoration(array, spv::Decoration::NodeSharesPayloadLimitsWithAMDX);
        const bool shares = i && i->operandCount() > 2 && i->isId(2) && isPayloadArray(module, i->id(2));
        return shares ? i->id(2) : array;
    }

    // Compilers decorate the sharing type with a budget of 1 of its own, which means nothing.
    bool addBudgets()
    {
        std::map<uint32_t, uint32_t> poolOutput;  // pool type to the output that stands for it
        const auto member = [&](Id array) { return shader.outputOfArray.find(array.value); };
        for (const Instruction& i : module.section(Section::Globals)) {
            const auto output = member(i.result);
            if (output == shader.outputOfArray.end())
                continue;
            const Id pool = poolOf(i.result);
            const auto named = member(pool);
            const uint32_t stand = named != shader.outputOfArray.end() ? named->second : output->second;
            const uint32_t index = poolOutput.try_emplace(pool.value, stand).first->second;
            NodeOutput& out = shader.node.declared.outputs[output->second];
            std::optional<uint32_t> budget;
            if (!decoration(pool, spv::Decoration::NodeMaxPayloadsAMDX, budget))
                return false;
            out.budgetPool = index;
            out.budget = budget ? *budget : countedBudget(pool);
        }
        return true;
    }

    // Without NodeMaxPayloadsAMDX: what the allocations of all types of the pool need.
    uint32_t countedBudget(Id pool) const
    {
        uint64_t total = 0;
        for (const auto& [array, use] : uses)
            if (poolOf(Id{array}) == pool)
                total += use.count.value_or(kDefaultBudget);
        return static_cast<uint32_t>(std::min<uint64_t>(total, UINT32_MAX));
    }
};

}  // namespace

Status reflectOutputs(NodeShader& shader)
{
    State state{shader};
    if (!state.collect())
        return state.failure.status();
    std::vector<Id> types;
    for (const Instruction& i : shader.module.section(Section::Globals))
        if (state.uses.contains(i.result.value))
            types.push_back(i.result);
    for (const Id type : types)
        if (!state.addOutput(type, state.uses[type.value]))
            return state.failure.status();
    (void)state.addBudgets();
    shader.node.declared.sendsWhenFinished =
        shader.node.declared.usesFinishWriting && allocatesWhenFinished(shader.module, shader.entry);
    return state.failure.status();
}

}  // namespace millrace::nodes
