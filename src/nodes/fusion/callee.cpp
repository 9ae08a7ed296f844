// SPDX-License-Identifier: Apache-2.0
#include "nodes/fusion/callee.h"

#include <array>

#include "nodes/fusion/entry.h"
#include "nodes/fusion/plain_memory.h"
#include "shader/control_flow.h"
#include "shader/diagnose.h"
#include "shader/function_writer.h"
#include "shader/globals.h"
#include "shader/grid_position.h"
#include "shader/pointers.h"
#include "shader/workgroup_view.h"
#include "spirv/edit.h"
#include "spirv/id_set.h"

namespace millrace::nodes {

using spirv::Emitter;
using spirv::Id;
using spirv::Instruction;
using spirv::Module;
using spirv::Section;

namespace {

// More would take registers, or more parameters than a function may have (255).
constexpr size_t kMaxPushConstantLeaves = 64;
// A consumer runs with the registers of its producer, whose other work waits for them.
constexpr size_t kMaxInstructions = 600;
// Of one that several producers have a copy of.
constexpr size_t kMaxCopiedInstructions = 64;
// By an invocation, of which memory has room for the worst case, while most send less.
constexpr uint64_t kMaxSentBytes = 1024;

class Maker {
public:
    Maker(NodeShader node, const Caller& caller) : m_node(std::move(node)), m_module(m_node.module), m_caller(caller) {}

    Result<Callee> run()
    {
        findSharedMemory();
        const bool made = checkCode() && lowerInput() && (!m_caller.givesPushConstants || lowerPushConstants()) &&
                          lowerBuiltIns() && raiseBudgets() && m_memory.finish(m_failure);
        if (!made)
            return m_failure.diagnostic();
        CodeModes codeModes = codeModesOf(m_module, m_node.entry);
        for (const auto& start : takeInitializers(m_module, spv::StorageClass::Private))
            m_starts.push_back(start);
        writeFunction();
        allowAddresses(m_module);
        shader::decoratePhysicalPointers(m_module);
        spirv::removeUnused(m_module);
        spirv::orderGlobals(m_module);
        const bool hasBlock = static_cast<bool>(findPushConstants(m_module));
        auto library = spirv::Library::create(std::move(m_module));
        if (!library)
            return library.error();
        Callee callee{std::move(*library), std::move(m_input.leaves), std::move(m_pushConstants), std::move(codeModes),
                      hasBlock};
        callee.inPlace = static_cast<bool>(m_input.number);
        callee.groups = byWorkgroup() ? groups() : 0;
        callee.sharesMemory = m_sharesMemory;
        return callee;
    }

private:
    bool byWorkgroup() const { return m_caller.payloads.byWorkgroup; }

    uint32_t groups() const
    {
        const uint32_t* grid = m_node.node.declared.staticGrid;
        return grid[0] * grid[1] * grid[2];
    }

    bool checkCode()
    {
        size_t count = 0;
        for (const spirv::Function& function : m_module.functions) {
            for (const spirv::Block& block : function.blocks) {
                count += block.body.size();
                for (const Instruction& i : block.body) {
                    const bool orders = i.op == spv::Op::OpControlBarrier || i.op == spv::Op::OpMemoryBarrier;
                    m_sharesMemory |= orders;
                    if (orders && !byWorkgroup())
                        return m_failure.at(m_module, i, "orders memory, of which the producer knows nothing");
                }
            }
        }
        if (m_caller.isOneOfMany && (count > kMaxCopiedInstructions || m_node.hasLoops)) {
            return m_failure.at("size", "it has several producers, and loops or more than " +
                                            std::to_string(kMaxCopiedInstructions) + " instructions");
        }
        return count <= kMaxInstructions ||
               m_failure.at("size", "it has " + std::to_string(count) + " instructions, more than " +
                                        std::to_string(kMaxInstructions));
    }

    // It starts with its values whenever the node runs.
    void findSharedMemory()
    {
        for (const Instruction& i : m_module.section(Section::Globals)) {
            m_sharesMemory |= i.op == spv::Op::OpVariable &&
                              static_cast<spv::StorageClass>(i.literal(0)) == spv::StorageClass::Workgroup;
        }
        m_sharedStarts = takeInitializers(m_module, spv::StorageClass::Workgroup);
    }

    // The payload becomes a variable.
    bool lowerInput()
    {
        const std::optional<HeldInput> held = holdInput(m_node, m_memory, m_failure, m_caller.payloads);
        if (!held)
            return false;
        m_input = *held;
        if (const Id input = m_node.input) {
            shader::forget(m_module, input);
            std::erase_if(m_module.section(Section::Globals), [&](const Instruction& i) { return i.result == input; });
        }
        return true;
    }

    bool lowerPushConstants()
    {
        const Id block = findPushConstants(m_module);
        if (!block)
            return true;
        const Id type = m_module.pointee(m_module.typeOf(block));
        auto leaves = leavesOf(m_module, type, kMaxPushConstantLeaves);
        if (!leaves)
            return m_failure.at(leaves.error().where, leaves.error().message);
        m_pushConstants = std::move(*leaves);
        m_block = m_memory.createVariable(type);
        for (spirv::Function& function : m_module.functions) {
            for (spirv::Block& b : function.blocks) {
                for (Instruction& i : b.body) {
                    for (size_t o = 0; o < i.operandCount(); ++o)
                        if (i.isId(o) && i.id(o) == block)
                            i.setId(o, m_block);
                }
            }
        }
        return true;
    }

    // There is one invocation, and a coalescing node has one workgroup; or those of the producer's workgroup.
    bool lowerBuiltIns()
    {
        const auto used = spirv::usedInFunctions(m_module);
        std::vector<std::pair<Id, spv::BuiltIn>> builtIns;
        for (const Instruction& i : m_module.section(Section::Annotations)) {
            const bool isBuiltIn = i.op == spv::Op::OpDecorate && i.operandCount() > 2 &&
                                   i.literal(1) == static_cast<uint32_t>(spv::Decoration::BuiltIn);
            if (isBuiltIn)
                builtIns.emplace_back(i.id(0), static_cast<spv::BuiltIn>(i.literal(2)));
        }
        for (const auto& [id, builtIn] : builtIns)
            if (used.contains(id) && !lowerBuiltIn(id, builtIn))
                return false;
        // The constant keeps its value.
        m_module.removeDecorations([](const Instruction& i) {
            return i.op == spv::Op::OpDecorate && i.operandCount() > 2 &&
                   i.literal(1) == static_cast<uint32_t>(spv::Decoration::BuiltIn) &&
                   i.literal(2) == static_cast<uint32_t>(spv::BuiltIn::WorkgroupSize);
        });
        return true;
    }

    bool lowerBuiltIn(Id variable, spv::BuiltIn builtIn)
    {
        switch (builtIn) {
            case spv::BuiltIn::WorkgroupSize:
                return true;
            case spv::BuiltIn::LocalInvocationId:
            case spv::BuiltIn::LocalInvocationIndex:
            case spv::BuiltIn::GlobalInvocationId:
            case spv::BuiltIn::WorkgroupId:
            case spv::BuiltIn::RemainingRecursionLevelsAMDX:
            case spv::BuiltIn::ShaderIndexAMDX:
                break;
            default:
                return (byWorkgroup() && shader::isSubgroupBuiltIn(builtIn)) ||
                       m_failure.at(shader::describe(m_module, variable),
                                    "a built-in that the producer may have otherwise");
        }
        const bool isLocal =
            builtIn == spv::BuiltIn::LocalInvocationId || builtIn == spv::BuiltIn::LocalInvocationIndex;
        if (byWorkgroup() && isLocal)
            return true;
        if (builtIn == spv::BuiltIn::RemainingRecursionLevelsAMDX && m_caller.levelsAbove > 0)
            return countDown(variable);
        m_module.removeDecorations(
            [&](const Instruction& i) { return i.op == spv::Op::OpDecorate && i.id(0) == variable; });
        if (!shader::changeStorage(m_module, variable, spv::StorageClass::Private, m_failure))
            return false;
        if (builtIn == spv::BuiltIn::ShaderIndexAMDX)
            m_shaderIndices.push_back(variable);
        else if (byWorkgroup() && builtIn == spv::BuiltIn::WorkgroupId)
            m_groupIds.push_back(variable);
        else if (byWorkgroup() && builtIn == spv::BuiltIn::GlobalInvocationId)
            m_globalIds.push_back(variable);
        else
            m_starts.emplace_back(variable, shader::getNull(m_module, m_module.pointee(m_module.typeOf(variable))));
        return true;
    }

    // The built-in is the caller's.
    bool countDown(Id variable)
    {
        for (spirv::Function& function : m_module.functions) {
            spirv::rewriteFunction(m_module, function, [&](const Instruction& i, Emitter& out) {
                bool uses = false;
                i.forEachUse([&](Id id) { uses |= id == variable; });
                if (uses && i.op != spv::Op::OpLoad)
                    m_failure.at(m_module, i, "uses the number of levels for more than loads");
                if (!uses || m_failure) {
                    out.keep(i);
                    return;
                }
                const Id callers = out.emit(spv::Op::OpLoad, i.type, {variable});
                const Id above = m_module.getConstant(m_caller.levelsAbove);
                out.keep(spirv::instruction(spv::Op::OpISub, i.type, i.result).add(callers).add(above));
            });
        }
        return !m_failure;
    }

    bool raiseBudgets()
    {
        uint64_t bytes = 0;
        for (const auto& [array, number] : m_node.outputOfArray) {
            const graph::NodeOutput& output = m_node.node.declared.outputs[number];
            if (output.allocationSites == 0)
                continue;
            if (m_caller.levelsAbove == 0 || !(output.perInvocation || byWorkgroup()) ||
                m_module.findDecoration(Id{array}, spv::Decoration::NodeSharesPayloadLimitsWithAMDX))
                return m_failure.at(shader::describe(m_module, Id{array}), "sends payloads as no second level may");
            const uint64_t payloads = uint64_t{output.budget} * m_caller.calls * (byWorkgroup() ? groups() : 1);
            bytes += payloads * output.payloadBytes;
            if (payloads > kMaxSentBytes || bytes > kMaxSentBytes) {
                return m_failure.at("size", "all levels in one may send " + std::to_string(payloads) +
                                                " payloads and more than " + std::to_string(kMaxSentBytes) + " bytes");
            }
            setBudget(m_module, Id{array}, static_cast<uint32_t>(payloads));
        }
        return true;
    }

    void writeFunction()
    {
        shader::FunctionWriter writer(m_module);
        const Id uintType = m_module.getIntType(32, false);
        const Id index = writer.addParameter(uintType);
        writer.beginBlock();
        Emitter out = writer.out();
        for (const auto& [variable, value] : m_starts)
            out.emitVoid(spv::Op::OpStore, {variable, value});
        for (const Id variable : m_shaderIndices)
            storeBits(out, variable, index, uintType);
        if (m_input.number)
            writer.out().emitVoid(spv::Op::OpStore, {m_input.number, writer.addParameter(uintType)});
        else if (!byWorkgroup())
            store(writer, m_input.leaves, m_input.variable);
        if (byWorkgroup()) {
            setWorkgroup(writer);
            startSharedMemory(writer);
        }
        store(writer, m_pushConstants, m_block);
        writer.out().call(m_node.entry, m_module.getVoidType(), {});
        const Id created = writer.finish();
        m_module.section(Section::EntryPoints).clear();
        m_module.section(Section::ExecutionModes).clear();
        m_module.addCapability(spv::Capability::Linkage);
        announce(m_module, created, kCalleeName, spv::LinkageType::Export);
        if (m_input.number)
            announce(m_module, m_input.variable, kKeptPayloadsName, spv::LinkageType::Import);
    }

    static void storeBits(Emitter& out, Id variable, Id value, Id type)
    {
        const Id wanted = out.module().pointee(out.module().typeOf(variable));
        value = type == wanted ? value : out.emit(spv::Op::OpBitcast, wanted, {value});
        out.emitVoid(spv::Op::OpStore, {variable, value});
    }

    // Which one of the grid it is.
    void setWorkgroup(shader::FunctionWriter& writer)
    {
        const Id uintType = m_module.getIntType(32, false);
        const Id group = writer.addParameter(uintType);
        Emitter out = writer.out();
        if (m_groupIds.empty() && m_globalIds.empty())
            return;
        const Id uint3Type = m_module.getVectorType(uintType, 3);
        const Id id = shader::positionInGrid(out, group, m_node.node.declared.staticGrid);
        for (const Id variable : m_groupIds)
            storeBits(out, variable, id, uint3Type);
        for (const Id variable : m_globalIds) {
            const Id size = vector(out, {m_node.node.declared.localSize[0], m_node.node.declared.localSize[1],
                                         m_node.node.declared.localSize[2]});
            const Id first = out.emit(spv::Op::OpIMul, uint3Type, {id, size});
            const Id local = shader::getBuiltInVariable(m_module, spv::BuiltIn::LocalInvocationId, uint3Type);
            const Id place = out.emit(spv::Op::OpLoad, uint3Type, {local});
            storeBits(out, variable, out.emit(spv::Op::OpIAdd, uint3Type, {first, place}), uint3Type);
        }
    }

    void startSharedMemory(shader::FunctionWriter& writer)
    {
        if (m_sharedStarts.empty())
            return;
        const Id uintType = m_module.getIntType(32, false);
        const Id index = shader::getBuiltInVariable(m_module, spv::BuiltIn::LocalInvocationIndex, uintType);
        const Id own = writer.out().emit(spv::Op::OpLoad, uintType, {index});
        const Id isFirst = writer.out().emit(spv::Op::OpIEqual, m_module.getBoolType(), {own, m_module.getConstant(0)});
        const Id join = m_module.newId();
        writer.beginIf(isFirst, join);
        for (const auto& [variable, value] : m_sharedStarts) {
            writer.out().keep(
                sharedAccess(spirv::instruction(spv::Op::OpStore).add(variable).add(value), m_node.vulkanMemoryModel));
        }
        writer.endIf(join);
        addBarrier(writer, m_node);
    }

    Id vector(Emitter& out, const std::array<uint32_t, 3>& values)
    {
        const Id type = m_module.getVectorType(m_module.getIntType(32, false), 3);
        return out.emit(
            spv::Op::OpCompositeConstruct, type,
            {m_module.getConstant(values[0]), m_module.getConstant(values[1]), m_module.getConstant(values[2])});
    }

    void store(shader::FunctionWriter& writer, const std::vector<Leaf>& leaves, Id variable)
    {
        for (const Leaf& leaf : leaves) {
            const Id value = writer.addParameter(leafTypeInCalls(m_module, leaf));
            Emitter out = writer.out();
            storeLeaf(out, leaf, variable, spv::StorageClass::Private, value);
        }
    }

    NodeShader m_node;
    Module& m_module;
    const Caller& m_caller;
    PlainMemory m_memory{m_module};
    shader::Failure m_failure{"fuse"};
    HeldInput m_input;
    std::vector<Leaf> m_pushConstants;
    Id m_block;                               // a variable that holds them
    std::vector<std::pair<Id, Id>> m_starts;  // variables and their values
    std::vector<Id> m_shaderIndices;          // variables
    std::vector<Id> m_groupIds, m_globalIds;  // likewise
    std::vector<std::pair<Id, Id>> m_sharedStarts;
    bool m_sharesMemory = false;
};

}  // namespace

Id findPushConstants(const Module& module)
{
    const auto used = spirv::usedInFunctions(module);
    for (const Instruction& i : module.section(Section::Globals)) {
        const bool isBlock = i.op == spv::Op::OpVariable && used.contains(i.result) &&
                             static_cast<spv::StorageClass>(i.literal(0)) == spv::StorageClass::PushConstant;
        if (isBlock)
            return i.result;
    }
    return {};
}

Result<Callee> makeCallee(NodeShader node, const Caller& caller)
{
    return Maker(std::move(node), caller).run();
}

}  // namespace millrace::nodes
