// SPDX-License-Identifier: Apache-2.0
#include "nodes/passes/narrow_coalescing.h"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_set>
#include <vector>

#include "nodes/payload_types.h"
#include "shader/control_flow.h"
#include "shader/effects.h"
#include "shader/type_layouts.h"
#include "shader/values.h"
#include "shader/workgroup_view.h"

namespace millrace::nodes {

using spirv::Id;
using spirv::Instruction;
using spirv::Module;
using spirv::Section;

namespace {

// What the declarations say, as far as it matters.
struct Declarations {
    bool isCoalescing = false;
    bool isPlain = true;  // nothing that speaks of neighbouring invocations, or of the size of the workgroup
    uint32_t size[3] = {1, 1, 1};
    uint32_t maxPayloads = 1;
    Id input;
    Id inputArray;                           // its type
    std::unordered_set<uint32_t> indices;    // variables with LocalInvocationIndex
    std::unordered_set<uint32_t> positions;  // variables with LocalInvocationId, or GlobalInvocationId, which equals it

    uint32_t invocations() const { return size[0] * size[1] * size[2]; }
    bool isRow() const { return size[1] == 1 && size[2] == 1; }
};

class DeclarationReader {
public:
    DeclarationReader(const Module& module, Id entry) : m_module(module), m_entry(entry) {}

    Declarations read()
    {
        for (const Instruction& i : m_module.section(Section::ExecutionModes))
            if (i.id(0) == m_entry)
                readMode(i);
        for (const Instruction& i : m_module.section(Section::Annotations))
            if (i.op == spv::Op::OpDecorate && i.literal(1) == static_cast<uint32_t>(spv::Decoration::BuiltIn))
                readBuiltIn(i.id(0), static_cast<spv::BuiltIn>(i.literal(2)));
        for (const Instruction& i : m_module.section(Section::Globals))
            if (i.op == spv::Op::OpVariable)
                readVariable(i);
        return m_out;
    }

private:
    std::optional<uint32_t> value(const Instruction& i, size_t operand) const
    {
        uint32_t out = 0;
        if (operand >= i.operandCount())
            return std::nullopt;
        if (!i.isId(operand))
            return i.literal(operand);
        return m_module.constantValue(i.id(operand), out) ? std::optional(out) : std::nullopt;
    }

    void readMode(const Instruction& i)
    {
        switch (static_cast<spv::ExecutionMode>(i.literal(1))) {
            case spv::ExecutionMode::CoalescingAMDX:
                m_out.isCoalescing = true;
                break;
            case spv::ExecutionMode::LocalSize:
            case spv::ExecutionMode::LocalSizeId:
                for (size_t c = 0; c < 3; ++c)
                    m_out.size[c] = value(i, 2 + c).value_or(0);
                break;
            case spv::ExecutionMode::DerivativeGroupQuadsKHR:
            case spv::ExecutionMode::DerivativeGroupLinearKHR:
                m_out.isPlain = false;
                break;
            default:
                break;
        }
    }

    void readBuiltIn(Id id, spv::BuiltIn builtIn)
    {
        switch (builtIn) {
            case spv::BuiltIn::LocalInvocationIndex:
                m_out.indices.insert(id.value);
                break;
            case spv::BuiltIn::LocalInvocationId:
            case spv::BuiltIn::GlobalInvocationId:
                m_out.positions.insert(id.value);
                break;
            case spv::BuiltIn::WorkgroupSize:
                m_out.isPlain = false;
                break;
            default:
                break;
        }
    }

    void readVariable(const Instruction& i)
    {
        if (static_cast<spv::StorageClass>(i.literal(0)) != spv::StorageClass::NodePayloadAMDX)
            return;
        m_out.isPlain &= !m_out.input;  // reflectNode says what is wrong with a second one
        m_out.input = i.result;
        m_out.inputArray = payloadArrayOf(m_module, i.type);
        const Instruction* most = m_out.inputArray
                                      ? m_module.findDecoration(m_out.inputArray, spv::Decoration::NodeMaxPayloadsAMDX)
                                      : nullptr;
        m_out.maxPayloads = most ? value(*most, 2).value_or(0) : 1;
    }

    const Module& m_module;
    Id m_entry;
    Declarations m_out;
};

// Whether others can see that an instruction ran. `acting`: functions of which they can.
bool acts(const Module& module, const std::unordered_set<uint32_t>& acting, const Instruction& i)
{
    return i.op == spv::Op::OpFunctionCall ? acting.contains(i.id(0).value) : shader::hasEffects(module, i);
}

std::unordered_set<uint32_t> findActing(const Module& module)
{
    std::unordered_set<uint32_t> acting;
    for (bool changed = true; changed;) {
        changed = false;
        for (const spirv::Function& function : module.functions) {
            for (const spirv::Block& block : function.blocks) {
                const auto isActing = [&](const Instruction& i) { return acts(module, acting, i); };
                changed |= std::ranges::any_of(block.body, isActing) && acting.insert(function.id().value).second;
            }
        }
    }
    return acting;
}

// Looks whether the entry point keeps to the pattern.
class Pattern {
public:
    Pattern(const Module& module, const spirv::Function& entry, const Declarations& declared)
        : m_module(module),
          m_entry(entry),
          m_declared(declared),
          m_values(module),
          m_flow(entry),
          m_acting(findActing(module))
    {
    }

    bool holds()
    {
        findLanes();
        findGuards();
        return keepsToOwnPayload() && !actsOutsideGuards();
    }

private:
    template <typename Visit>
    void forEach(const Visit& visit) const
    {
        for (const spirv::Block& block : m_entry.blocks)
            for (const Instruction& i : block.body)
                visit(i);
    }

    bool isLane(Id id) const { return m_lanes.contains(m_values.origin(id).value); }
    bool isLength(Id id) const { return m_lengths.contains(m_values.origin(id).value); }
    bool isZero(Id id) const
    {
        uint32_t value = 1;
        return m_module.constantValue(id, value) && value == 0;
    }

    // Values that are the invocation's number in its workgroup, and the number of payloads.
    void findLanes()
    {
        std::unordered_set<uint32_t> positions, pointers;
        forEach([&](const Instruction& i) {
            const bool isLoad = i.op == spv::Op::OpLoad;
            if (isLoad && (m_declared.indices.contains(i.id(0).value) || pointers.contains(i.id(0).value)))
                m_lanes.insert(i.result.value);
            else if (isLoad && m_declared.positions.contains(i.id(0).value))
                positions.insert(i.result.value);
            else if (i.op == spv::Op::OpAccessChain && m_declared.positions.contains(i.id(0).value) &&
                     m_declared.isRow() && i.operandCount() == 2 && isZero(i.id(1)))
                pointers.insert(i.result.value);
            else if (i.op == spv::Op::OpCompositeExtract && positions.contains(i.id(0).value) && m_declared.isRow() &&
                     i.operandCount() == 2 && i.literal(1) == 0)
                m_lanes.insert(i.result.value);
            else if (i.op == spv::Op::OpNodePayloadArrayLengthAMDX && i.id(0) == m_declared.input)
                m_lengths.insert(i.result.value);
        });
        m_positions = std::move(positions);
    }

    // Comparisons of the two: true if it holds for an invocation that has a payload, false for one that has none.
    void findGuards()
    {
        forEach([&](const Instruction& i) {
            switch (i.op) {
                case spv::Op::OpULessThan:
                case spv::Op::OpSLessThan:
                case spv::Op::OpUGreaterThanEqual:
                case spv::Op::OpSGreaterThanEqual:
                    addGuard(i, i.id(0), i.id(1), i.op == spv::Op::OpULessThan || i.op == spv::Op::OpSLessThan);
                    break;
                case spv::Op::OpUGreaterThan:
                case spv::Op::OpSGreaterThan:
                case spv::Op::OpULessThanEqual:
                case spv::Op::OpSLessThanEqual:
                    addGuard(i, i.id(1), i.id(0), i.op == spv::Op::OpUGreaterThan || i.op == spv::Op::OpSGreaterThan);
                    break;
                default:
                    break;
            }
        });
    }

    void addGuard(const Instruction& i, Id lane, Id length, bool holds)
    {
        if (isLane(lane) && isLength(length))
            m_guards.emplace(i.result.value, holds);
    }

    // Whether lanes are nothing but the index of a payload or part of a guard, and payloads have no other index.
    bool keepsToOwnPayload() const
    {
        bool keeps = true;
        forEach([&](const Instruction& i) {
            for (size_t o = 0; o < i.operandCount(); ++o)
                keeps &= !i.isId(o) || isAllowed(i, o);
        });
        return keeps;
    }

    bool isAllowed(const Instruction& i, size_t operand) const
    {
        const Id id = i.id(operand);
        if (m_declared.indices.contains(id.value))
            return i.op == spv::Op::OpLoad;
        if (m_declared.positions.contains(id.value)) {
            return i.op == spv::Op::OpLoad ||
                   (i.op == spv::Op::OpAccessChain && i.operandCount() == 2 && isZero(i.id(1)) && m_declared.isRow());
        }
        if (m_positions.contains(id.value))
            return m_lanes.contains(i.result.value);
        if (id == m_declared.input) {
            const bool isLengthQuery = i.op == spv::Op::OpNodePayloadArrayLengthAMDX;
            return isLengthQuery || (shader::isAccessChain(i.op) && operand == 0 && isOwnPayload(i));
        }
        if (!isLane(id) && !isLength(id))
            return true;
        const bool isCopy =
            i.op == spv::Op::OpStore ? isKept(i, operand) : m_values.origin(i.result) == m_values.origin(id);
        return isCopy || m_guards.contains(i.result.value) ||
               (shader::isAccessChain(i.op) && isPayloadIndex(i, operand));
    }

    // In a variable from where this function alone takes it.
    bool isKept(const Instruction& store, size_t operand) const
    {
        const bool isLocal = m_module.storageOf(m_module.typeOf(store.id(0))) == spv::StorageClass::Function;
        return operand == 1 && isLocal && m_values.isTransparent(store.id(0));
    }

    bool isPayloadIndex(const Instruction& chain, size_t operand) const
    {
        return chain.id(0) == m_declared.input && payloadIndexOperand(m_module, chain) == operand;
    }

    bool isOwnPayload(const Instruction& chain) const
    {
        const auto index = payloadIndexOperand(m_module, chain);
        return index && shader::firstIndexOperand(chain.op) == 1 && isLane(chain.id(*index));
    }

    // Blocks that an invocation without a payload can come to.
    bool actsOutsideGuards() const
    {
        std::vector<bool> reached(m_entry.blocks.size());
        std::vector<size_t> todo = {0};
        reached[0] = true;
        while (!todo.empty()) {
            const size_t block = todo.back();
            todo.pop_back();
            for (const size_t next : successorsWithoutPayload(block)) {
                if (!reached[next]) {
                    reached[next] = true;
                    todo.push_back(next);
                }
            }
        }
        for (size_t b = 0; b < reached.size(); ++b) {
            const auto isActing = [&](const Instruction& i) { return acts(m_module, m_acting, i); };
            if (reached[b] && std::ranges::any_of(m_entry.blocks[b].body, isActing))
                return true;
        }
        return false;
    }

    std::vector<size_t> successorsWithoutPayload(size_t block) const
    {
        const Instruction& last = m_entry.blocks[block].body.back();
        const auto guard = guardOf(last);
        if (!guard)
            return m_flow.successors(block);
        const Id target = last.id(*guard ? 2 : 1);
        const auto found = std::ranges::find(m_entry.blocks, target, &spirv::Block::label);
        return {static_cast<size_t>(found - m_entry.blocks.begin())};
    }

    // Whether the first of two targets is for those that have a payload; none if another condition decides.
    std::optional<bool> guardOf(const Instruction& branch) const
    {
        if (branch.op != spv::Op::OpBranchConditional)
            return std::nullopt;
        Id condition = m_values.origin(branch.id(0));
        bool holds = true;
        const Instruction* i = m_module.findDefinition(condition);
        while (i && i->op == spv::Op::OpLogicalNot) {
            holds = !holds;
            condition = m_values.origin(i->id(0));
            i = m_module.findDefinition(condition);
        }
        const auto guard = m_guards.find(condition.value);
        return guard == m_guards.end() ? std::nullopt : std::optional(guard->second == holds);
    }

    const Module& m_module;
    const spirv::Function& m_entry;
    const Declarations& m_declared;
    const shader::Values m_values;
    const shader::ControlFlow m_flow;
    const std::unordered_set<uint32_t> m_acting;
    std::unordered_set<uint32_t> m_lanes, m_positions, m_lengths;
    std::map<uint32_t, bool> m_guards;
};

// Other functions may do what they like, as long as they cannot tell which invocation calls them.
bool othersSee(const Module& module, Id entry, const Declarations& declared)
{
    bool found = false;
    for (const spirv::Function& function : module.functions) {
        for (const spirv::Block& block : function.blocks) {
            for (const Instruction& i : block.body) {
                const bool isBarrier = i.op == spv::Op::OpControlBarrier || i.op == spv::Op::OpMemoryBarrier;
                const bool sends = i.op == spv::Op::OpAllocateNodePayloadsAMDX;
                found |= isBarrier || sends;
                for (size_t o = 0; function.id() != entry && o < i.operandCount(); ++o) {
                    const uint32_t id = i.isId(o) ? i.id(o).value : 0;
                    found |= id != 0 && (declared.indices.contains(id) || declared.positions.contains(id) ||
                                         id == declared.input.value);
                }
            }
        }
    }
    return found;
}

void narrow(Module& module, Id entry, const Declarations& declared)
{
    for (Instruction& i : module.section(Section::ExecutionModes)) {
        const auto mode = static_cast<spv::ExecutionMode>(i.literal(1));
        if (i.id(0) == entry && (mode == spv::ExecutionMode::LocalSize || mode == spv::ExecutionMode::LocalSizeId)) {
            i = spirv::instruction(spv::Op::OpExecutionMode)
                    .add(entry)
                    .add(static_cast<uint32_t>(spv::ExecutionMode::LocalSize))
                    .add(1u)
                    .add(1u)
                    .add(1u);
        }
    }
    const Id one = module.getConstant(1);
    for (Instruction& i : module.section(Section::Annotations)) {
        const bool isMost = i.op == spv::Op::OpDecorateId && i.id(0) == declared.inputArray &&
                            i.literal(1) == static_cast<uint32_t>(spv::Decoration::NodeMaxPayloadsAMDX);
        if (isMost)
            i.setId(2, one);
    }
}

}  // namespace

Status narrowCoalescing(NodeShader& shader, const Target& target)
{
    Module& module = shader.module;
    const spirv::Function* entry = module.findFunction(shader.entry);
    const Declarations declared = DeclarationReader(module, shader.entry).read();
    const uint32_t invocations = declared.invocations();
    const bool isCandidate = target.packWidth > 0 && declared.isCoalescing && declared.isPlain && declared.inputArray &&
                             invocations > 1 && declared.maxPayloads > 0 && declared.maxPayloads <= invocations;
    if (isCandidate && !shader::seesWorkgroup(module) && !othersSee(module, shader.entry, declared) &&
        Pattern(module, *entry, declared).holds())
        narrow(module, shader.entry, declared);
    return {};
}

}  // namespace millrace::nodes
