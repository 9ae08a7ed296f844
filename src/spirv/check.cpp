// SPDX-License-Identifier: Apache-2.0
#include "spirv/check.h"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <unordered_set>

namespace millrace::spirv {

namespace {

std::string idText(Id id)
{
    return "id " + std::to_string(id.value);
}

class Checker {
public:
    explicit Checker(const Module& module) : m_module(module) {}

    Status run()
    {
        if (globals() && functions() && entryPoints() && noRecursion() && lines())
            return {};
        return m_error;
    }

private:
    bool fail(std::string message, std::string where = {})
    {
        m_error = {"spirv", std::move(where), std::move(message)};
        return false;
    }

    // Globals that are defined so far; while functions are checked, all of them.
    const Instruction* find(Id id) const
    {
        const auto found = m_globals.find(id.value);
        return found == m_globals.end() ? nullptr : found->second;
    }

    bool isTypeId(Id id) const { return m_types.contains(id.value); }

    bool isPointer(Id type) const
    {
        const Instruction* i = find(type);
        return i && (i->op == spv::Op::OpTypePointer || i->op == spv::Op::OpTypeUntypedPointerKHR);
    }

    bool globals()
    {
        std::unordered_map<uint32_t, uint32_t> forward;  // storage class of declared pointers
        for (const Instruction& i : m_module.section(Section::Globals)) {
            const std::string where = i.result ? idText(i.result) : opName(i.op);
            if (i.op == spv::Op::OpTypeForwardPointer) {
                if (find(i.id(0)) || !forward.emplace(i.id(0).value, i.literal(1)).second)
                    return fail("pointer declared forward too late or twice", where);
                continue;
            }
            // Non-semantic instructions may refer forward to anything; lines refer to strings.
            const bool free = isExtendedInstruction(i.op) || i.op == spv::Op::OpLine || i.op == spv::Op::OpNoLine;
            if (i.type && !isTypeId(i.type))
                return fail(opName(i.op) + " with a result type that is none", where);
            for (size_t o = 0; o < i.operandCount() && !free; ++o) {
                const bool mayBeForward = i.op == spv::Op::OpTypeStruct && i.isId(o) && forward.contains(i.id(o).value);
                if (i.isId(o) && !mayBeForward && !find(i.id(o))) {
                    return fail(opName(i.op) + " uses " + idText(i.id(o)) + ", which comes later or is no global",
                                where);
                }
            }
            if (!typeOperands(i, forward) || !composite(i))
                return fail(opName(i.op) + " does not fit its operands", where);
            if (i.op == spv::Op::OpVariable && !isPointer(i.type))
                return fail("OpVariable that is no pointer", where);
            if (i.result) {
                m_globals[i.result.value] = &i;
                if (isType(i.op))
                    m_types.insert(i.result.value);
            }
        }
        for (const auto& [pointer, storage] : forward) {
            const Instruction* i = find(Id{pointer});
            if (!i || i->op != spv::Op::OpTypePointer || i->literal(0) != storage)
                return fail("forward pointer that is no such pointer", idText(Id{pointer}));
        }
        return true;
    }

    bool typeOperands(const Instruction& i, const std::unordered_map<uint32_t, uint32_t>& forward) const
    {
        size_t first = 0;
        size_t end = 0;
        switch (i.op) {
            case spv::Op::OpTypeVector:
            case spv::Op::OpTypeMatrix:
            case spv::Op::OpTypeRuntimeArray:
            case spv::Op::OpTypeNodePayloadArrayAMDX:
                end = 1;
                break;
            case spv::Op::OpTypeArray: {
                const Instruction* length = find(i.id(1));
                const Instruction* type = length ? find(length->type) : nullptr;
                if (!type || type->op != spv::Op::OpTypeInt)
                    return false;
                end = 1;
                break;
            }
            case spv::Op::OpTypePointer:
                first = 1;
                end = 2;
                break;
            case spv::Op::OpTypeStruct:
            case spv::Op::OpTypeFunction:
                end = i.operandCount();
                break;
            default:
                return true;
        }
        for (size_t o = first; o < end; ++o)
            if (!isTypeId(i.id(o)) && !forward.contains(i.id(o).value))
                return false;
        return true;
    }

    // Member `index` of a composite type; none if there is no such member.
    Id memberType(const Instruction& type, size_t index) const
    {
        const bool isStruct = type.op == spv::Op::OpTypeStruct;
        return isStruct && index >= type.operandCount() ? Id{} : type.id(isStruct ? index : 0);
    }

    bool composite(const Instruction& i) const
    {
        if (i.op != spv::Op::OpConstantComposite && i.op != spv::Op::OpSpecConstantComposite)
            return true;
        const Instruction* type = find(i.type);
        size_t count = i.operandCount();
        switch (type->op) {
            case spv::Op::OpTypeVector:
            case spv::Op::OpTypeMatrix:
                count = type->literal(1);
                break;
            case spv::Op::OpTypeArray: {
                const Instruction* length = find(type->id(1));
                count = length->op == spv::Op::OpConstant ? length->words[0] : count;
                break;
            }
            case spv::Op::OpTypeStruct:
                count = type->operandCount();
                break;
            default:
                // Cooperative matrices and the like.
                return true;
        }
        for (size_t o = 0; o < i.operandCount(); ++o) {
            const Instruction* constituent = find(i.id(o));
            if (!constituent || constituent->type != memberType(*type, o))
                return false;
        }
        return count == i.operandCount();
    }

    bool functions()
    {
        for (const Function& function : m_module.functions)
            m_functions[function.id().value] = &function;
        return std::ranges::all_of(m_module.functions, [this](const Function& f) { return this->function(f); });
    }

    bool function(const Function& function)
    {
        const std::string where = "function " + idText(function.id());
        const Instruction* type = find(function.definition.id(1));
        if (!type || type->op != spv::Op::OpTypeFunction || type->id(0) != function.definition.type ||
            type->operandCount() != function.parameters.size() + 1)
            return fail("function does not fit its type", where);
        for (size_t p = 0; p < function.parameters.size(); ++p)
            if (function.parameters[p].type != type->id(p + 1))
                return fail("parameter does not fit the function's type", where);
        std::unordered_map<uint32_t, std::set<Id>> predecessors;  // by label
        for (const Block& block : function.blocks)
            predecessors[block.label.value];
        for (const Block& block : function.blocks) {
            for (const Id target : successors(block.body.back())) {
                const auto found = predecessors.find(target.value);
                if (found == predecessors.end() || target == function.blocks[0].label)
                    return fail("branch to what is no block, or is the first one", where);
                found->second.insert(block.label);
            }
        }
        for (const Block& block : function.blocks) {
            if (!body(function, block, predecessors)) {
                m_error.where = where + ", block " + std::to_string(block.label.value);
                return false;
            }
        }
        return true;
    }

    static std::vector<Id> successors(const Instruction& terminator)
    {
        std::vector<Id> out;
        const size_t first = terminator.op == spv::Op::OpBranch ? 0 : 1;
        const bool branches = terminator.op == spv::Op::OpBranch || terminator.op == spv::Op::OpBranchConditional ||
                              terminator.op == spv::Op::OpSwitch;
        for (size_t o = first; o < terminator.operandCount() && branches; ++o)
            if (terminator.isId(o))
                out.push_back(terminator.id(o));
        return out;
    }

    bool body(const Function& function, const Block& block,
              const std::unordered_map<uint32_t, std::set<Id>>& predecessors)
    {
        bool phisMayFollow = true;
        for (size_t n = 0; n < block.body.size(); ++n) {
            const Instruction& i = block.body[n];
            if (i.type && !isTypeId(i.type))
                return fail(opName(i.op) + " with a result type that is none");
            const bool isPhi = i.op == spv::Op::OpPhi;
            const bool isLine = i.op == spv::Op::OpLine || i.op == spv::Op::OpNoLine;
            if (isPhi && (!phisMayFollow || !phi(i, predecessors.at(block.label.value))))
                return fail("OpPhi that does not fit the predecessors");
            phisMayFollow = phisMayFollow && (isPhi || isLine);
            const bool isMerge = i.op == spv::Op::OpSelectionMerge || i.op == spv::Op::OpLoopMerge;
            if (isMerge && !merge(i, n + 2 == block.body.size(), function, predecessors))
                return fail("merge instruction that does not fit the branch");
            if (i.op == spv::Op::OpFunctionCall && !call(i))
                return fail("call that does not fit the function");
            if (i.op == spv::Op::OpVariable && !isPointer(i.type))
                return fail("OpVariable that is no pointer");
        }
        return returns(block.body.back(), function);
    }

    static bool phi(const Instruction& i, const std::set<Id>& predecessors)
    {
        std::set<Id> parents;
        for (size_t o = 1; o < i.operandCount(); o += 2)
            parents.insert(i.id(o));
        return i.operandCount() % 2 == 0 && parents == predecessors && parents.size() * 2 == i.operandCount();
    }

    static bool merge(const Instruction& i, bool isSecondToLast, const Function& function,
                      const std::unordered_map<uint32_t, std::set<Id>>& predecessors)
    {
        const auto isBlock = [&](Id id) { return predecessors.contains(id.value) && id != function.blocks[0].label; };
        const bool isLoop = i.op == spv::Op::OpLoopMerge;
        return isSecondToLast && isBlock(i.id(0)) && (!isLoop || (predecessors.contains(i.id(1).value)));
    }

    bool call(const Instruction& i) const
    {
        const auto callee = m_functions.find(i.id(0).value);
        if (callee == m_functions.end() || callee->second->definition.type != i.type)
            return false;
        return i.operandCount() == callee->second->parameters.size() + 1;
    }

    bool returns(const Instruction& terminator, const Function& function)
    {
        const Instruction* type = find(function.definition.type);
        const bool isVoid = type && type->op == spv::Op::OpTypeVoid;
        const bool fits = terminator.op == spv::Op::OpReturn        ? isVoid
                          : terminator.op == spv::Op::OpReturnValue ? !isVoid
                                                                    : true;
        return fits || fail("return that does not fit the function's type");
    }

    bool entryPoints()
    {
        for (const Instruction& i : m_module.section(Section::EntryPoints)) {
            const auto function = m_functions.find(i.id(1).value);
            if (function == m_functions.end() || !function->second->parameters.empty() ||
                function->second->blocks.empty())
                return fail("entry point that is no function without parameters", i.string(2));
        }
        return true;
    }

    bool noRecursion()
    {
        // Callees are taken away from callers until nothing without callees is left; iterative, because call chains
        // may be as long as the module.
        std::unordered_map<uint32_t, std::vector<uint32_t>> callers;
        std::unordered_map<uint32_t, size_t> open;  // distinct calls not yet taken away
        for (const Function& function : m_module.functions) {
            std::set<uint32_t> callees;
            for (const Block& block : function.blocks) {
                for (const Instruction& i : block.body)
                    if (i.op == spv::Op::OpFunctionCall)
                        callees.insert(i.id(0).value);
            }
            for (const uint32_t callee : callees)
                callers[callee].push_back(function.id().value);
            open[function.id().value] = callees.size();
        }
        std::vector<uint32_t> leaves;
        for (const auto& [id, count] : open)
            if (count == 0)
                leaves.push_back(id);
        size_t taken = 0;
        for (; !leaves.empty(); ++taken) {
            const uint32_t leaf = leaves.back();
            leaves.pop_back();
            for (const uint32_t caller : callers[leaf])
                if (--open[caller] == 0)
                    leaves.push_back(caller);
        }
        return taken == m_module.functions.size() || fail("recursion");
    }

    // The optimizer keeps lines and scopes beside the instructions that they describe, and frees them with those.
    bool lines()
    {
        constexpr uint32_t kDebugScope = 23;
        constexpr uint32_t kDebugLine = 103;
        std::unordered_set<uint32_t> strings;
        for (const Instruction& i : m_module.section(Section::DebugStrings))
            strings.insert(i.result.value);
        std::unordered_set<uint32_t> sets;
        for (const Instruction& i : m_module.section(Section::ExtInstImports)) {
            const std::string name = i.string(0);
            if (name == "NonSemantic.Shader.DebugInfo.100" || name == "OpenCL.DebugInfo.100")
                sets.insert(i.result.value);
        }
        bool ok = true;
        m_module.forEachInstruction([&](const Instruction& i) {
            if (i.op == spv::Op::OpLine)
                ok = ok && strings.contains(i.id(0).value);
            const bool isDebug = isExtendedInstruction(i.op) && sets.contains(i.id(0).value);
            if (!isDebug || (i.literal(1) != kDebugScope && i.literal(1) != kDebugLine))
                return;
            for (size_t o = 2; o < i.operandCount(); ++o)
                ok = ok && (!i.isId(o) || find(i.id(o)));
        });
        return ok || fail("line or scope that refers to something in a function");
    }

    const Module& m_module;
    std::unordered_map<uint32_t, const Instruction*> m_globals;
    std::unordered_set<uint32_t> m_types;
    std::unordered_map<uint32_t, const Function*> m_functions;
    Diagnostic m_error;
};

}  // namespace

Status checkStructure(const Module& module)
{
    return Checker(module).run();
}

}  // namespace millrace::spirv
