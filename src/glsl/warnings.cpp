// SPDX-License-Identifier: Apache-2.0
#include "glsl/warnings.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>

namespace millrace::glsl {

namespace {

using spirv::Block;
using spirv::Id;
using spirv::Instruction;
using spirv::Module;
using spirv::Section;

bool isIn(const std::unordered_set<uint32_t>& ids, Id id)
{
    return ids.contains(id.value);
}

// Values that differ among the invocations of a workgroup because they come from an invocation's number. What is read
// from memory counts as equal: warnings are for what is certain.
std::unordered_set<uint32_t> findDivergent(const Module& module)
{
    std::unordered_set<uint32_t> divergent;
    for (const Instruction& i : module.section(Section::Annotations)) {
        if (i.op != spv::Op::OpDecorate || i.literal(1) != static_cast<uint32_t>(spv::Decoration::BuiltIn)) {
            continue;
        }
        const auto builtIn = static_cast<spv::BuiltIn>(i.literal(2));
        if (builtIn == spv::BuiltIn::LocalInvocationId || builtIn == spv::BuiltIn::LocalInvocationIndex ||
            builtIn == spv::BuiltIn::GlobalInvocationId || builtIn == spv::BuiltIn::SubgroupLocalInvocationId) {
            divergent.insert(i.id(0).value);
        }
    }
    const auto isArithmetic = [](spv::Op op) {
        return op == spv::Op::OpLoad || op == spv::Op::OpAccessChain || op == spv::Op::OpInBoundsAccessChain ||
               op == spv::Op::OpCompositeExtract || op == spv::Op::OpCompositeConstruct ||
               op == spv::Op::OpVectorShuffle || op == spv::Op::OpCopyObject || op == spv::Op::OpBitcast ||
               (op >= spv::Op::OpConvertFToU && op <= spv::Op::OpBitcast) ||
               (op >= spv::Op::OpSNegate && op <= spv::Op::OpFwidth) || op == spv::Op::OpPhi;
    };
    // A variable that has been given such a value keeps it here; loops may bring it to the front.
    for (int pass = 0; pass < 2; pass++) {
        for (const Block& block : module.functions.at(0).blocks) {
            for (const Instruction& i : block.body) {
                bool uses = false;
                i.forEachUse([&](Id id) { uses |= isIn(divergent, id); });
                if (i.op == spv::Op::OpStore && isIn(divergent, i.id(1)) &&
                    module.storageOf(module.typeOf(i.id(0))) == spv::StorageClass::Function) {
                    divergent.insert(i.id(0).value);
                } else if (uses && i.result && isArithmetic(i.op)) {
                    const bool isMemory = i.op == spv::Op::OpAccessChain || i.op == spv::Op::OpInBoundsAccessChain ||
                                          i.op == spv::Op::OpLoad;
                    if (!isMemory || isIn(divergent, i.id(0))) {
                        divergent.insert(i.result.value);
                    }
                }
            }
        }
    }
    return divergent;
}

class Finder {
public:
    Finder(const Module& module, const std::vector<Declared>& declared, const std::vector<Payload>& payloads)
        : m_module(module), m_declared(declared), m_set(placeholderSet(module))
    {
        for (const Payload& payload : payloads) {
            if (!payload.isInput()) {
                m_outputs[payload.declared->number] = &payload;
                if (payload.block) {
                    m_numbers[payload.block.value] = payload.declared->number;
                }
            }
        }
    }

    std::string run()
    {
        if (!isOneInvocation()) {
            m_divergent = findDivergent(m_module);
        }
        followCode();
        findOwnName();
        std::string out;
        for (const std::string& warning : m_warnings) {
            out += warning + "\n";
        }
        return out;
    }

private:
    // Of a construct around the code: where it ends, and whether only some invocations are in it.
    struct Construct {
        Id merge;
        bool isDivergent = false;
    };

    void warn(const std::string& place, const std::string& reason)
    {
        const std::string text = place + ": warning: " + reason;
        if (!place.empty() && std::ranges::find(m_warnings, text) == m_warnings.end()) {
            m_warnings.push_back(text);
        }
    }

    bool isOneInvocation() const
    {
        for (const Instruction& i : m_module.section(Section::ExecutionModes)) {
            if (i.op == spv::Op::OpExecutionMode &&
                i.literal(1) == static_cast<uint32_t>(spv::ExecutionMode::LocalSize)) {
                return i.literal(2) == 1 && i.literal(3) == 1 && i.literal(4) == 1;
            }
        }
        return false;
    }

    // A constant that specialization cannot change.
    bool constant(Id id, uint32_t& value) const
    {
        return id && m_module.isConstant(id) && m_module.constantValue(id, value);
    }

    void followCode()
    {
        std::map<uint32_t, std::set<uint32_t>> enqueued;  // behind each block, by label
        std::map<uint32_t, std::vector<uint32_t>> before;
        for (const Block& block : m_module.functions.at(0).blocks) {
            while (!m_constructs.empty() && m_constructs.back().merge == block.label) {
                m_constructs.pop_back();
            }
            // What every way to here has enqueued; of loops only the way in is known yet.
            std::set<uint32_t> gone;
            bool isFirst = true;
            for (uint32_t predecessor : before[block.label.value]) {
                const std::set<uint32_t>& theirs = enqueued[predecessor];
                std::set<uint32_t> both;
                std::ranges::set_intersection(gone, theirs, std::inserter(both, both.end()));
                gone = isFirst ? theirs : both;
                isFirst = false;
            }
            m_gone = std::move(gone);
            for (const Instruction& i : block.body) {
                visit(i);
            }
            enqueued[block.label.value] = m_gone;
            leave(block, before);
        }
    }

    void visit(const Instruction& i)
    {
        if (i.op == spv::Op::OpLine) {
            const Instruction* file = m_module.findDefinition(i.id(0));
            m_place = file ? file->string(0) + ":" + std::to_string(i.literal(1)) : "";
        }
        uint32_t number = 0;
        if (i.op == spv::Op::OpExtInst && m_set && i.id(0) == m_set && i.operandCount() > 2 && i.isId(2) &&
            m_module.constantValue(i.id(2), number) && m_outputs.contains(number)) {
            const auto what = static_cast<Placeholder>(i.literal(1));
            if (what == Placeholder::Allocate) {
                m_gone.erase(number);
                visitAllocation(i, number);
            } else if (what == Placeholder::Enqueue) {
                m_gone.insert(number);
            }
            return;
        }
        i.forEachUse([&](Id id) {
            const auto found = m_numbers.find(id.value);
            if (found != m_numbers.end() && m_gone.contains(found->second)) {
                warn(m_place, "'" + nameOf(found->second) +
                                  "' is used behind its enqueue(), when its payloads are the receivers' already");
            }
        });
    }

    void visitAllocation(const Instruction& i, uint32_t number)
    {
        const Payload& output = *m_outputs.at(number);
        uint32_t count = 0;
        uint32_t most = 0;
        uint32_t scope = 0;
        uint32_t index = 0;
        if (constant(i.id(4), count) && constant(output.declared->value(Attribute::MaxPayloads), most) &&
            count > most) {
            warn(m_place, std::to_string(count) + " payloads are allocated, and '" + nameOf(number) + "' holds " +
                              std::to_string(most));
        }
        if (!constant(i.id(5), index) || index != 0) {
            m_isIndexed.insert(number);
        }
        const bool isDivergent =
            m_hasLeft || std::ranges::any_of(m_constructs, [](const Construct& c) { return c.isDivergent; });
        if (isDivergent && constant(i.id(3), scope) && scope == static_cast<uint32_t>(spv::Scope::Workgroup)) {
            warn(m_place, "only some invocations of the workgroup come here, and allocateWorkgroup('" + nameOf(number) +
                              "') is for all of them; allocateInvocation() is for one");
        }
    }

    // Ends of blocks: constructs that begin, invocations that leave, and where the code goes on.
    void leave(const Block& block, std::map<uint32_t, std::vector<uint32_t>>& before)
    {
        const Instruction& end = block.body.back();
        const Instruction* merge = nullptr;
        for (const Instruction& i : block.body) {
            if (i.op == spv::Op::OpSelectionMerge || i.op == spv::Op::OpLoopMerge) {
                merge = &i;
            }
        }
        const bool isChoice = end.op == spv::Op::OpBranchConditional || end.op == spv::Op::OpSwitch;
        const bool isDivergent = isChoice && isIn(m_divergent, end.id(0));
        for (size_t o = isChoice ? 1 : 0; o < end.operandCount(); o++) {
            if (end.isId(o)) {
                before[end.id(o).value].push_back(block.label.value);
                // A way out of a construct around this one.
                for (Construct& construct : m_constructs) {
                    construct.isDivergent |= isDivergent && !merge && construct.merge == end.id(o);
                }
            }
        }
        const bool isInside = std::ranges::any_of(m_constructs, [](const Construct& c) { return c.isDivergent; });
        m_hasLeft |= isInside && (end.op == spv::Op::OpReturn || end.op == spv::Op::OpKill);
        if (merge) {
            m_constructs.push_back({merge->id(0), isDivergent && merge->op == spv::Op::OpSelectionMerge});
        }
    }

    std::string nameOf(uint32_t number) const { return m_outputs.at(number)->declared->source->name; }

    void findOwnName()
    {
        std::string name = "main";
        for (const Declared& node : m_declared) {
            uint32_t value = 0;
            if (node.source->kind != DeclarationKind::Node) {
                continue;
            }
            const auto given = node.source->strings.find(Attribute::Name);
            name = given == node.source->strings.end() ? name : given->second;
            const bool isRecursive =
                node.has(Attribute::Recursion) && (!constant(node.value(Attribute::Recursion), value) || value > 0);
            if (isRecursive || node.has(Attribute::Index)) {
                return;
            }
        }
        for (const auto& [number, output] : m_outputs) {
            const Declared& declared = *output->declared;
            const auto given = declared.source->strings.find(Attribute::TargetNode);
            const std::string target = given == declared.source->strings.end() ? declared.source->name : given->second;
            const bool isArray = declared.has(Attribute::ArraySize) || declared.has(Attribute::Sparse) ||
                                 declared.has(Attribute::BaseIndex) || m_isIndexed.contains(number);
            if (target == name && !isArray) {
                warn(declared.source->file + ":" + std::to_string(declared.source->line),
                     "'" + nameOf(number) +
                         "' leads to the node itself, which declares no recursion, so that nothing " +
                         "arrives; the node's layout may say recursion = N");
            }
        }
    }

    const Module& m_module;
    const std::vector<Declared>& m_declared;
    const Id m_set;
    std::map<uint32_t, const Payload*> m_outputs;      // by number
    std::unordered_map<uint32_t, uint32_t> m_numbers;  // by block
    std::unordered_set<uint32_t> m_divergent;
    std::vector<Construct> m_constructs;  // around the code, the outermost first
    bool m_hasLeft = false;               // some invocations, not all
    std::set<uint32_t> m_gone;            // outputs that are enqueued
    std::set<uint32_t> m_isIndexed;       // that some allocation gives a node index other than 0
    std::string m_place;
    std::vector<std::string> m_warnings;
};

}  // namespace

std::string findWarnings(const Module& module, const std::vector<Declared>& declared,
                         const std::vector<Payload>& payloads)
{
    return Finder(module, declared, payloads).run();
}

}  // namespace millrace::glsl
