// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "spirv/edit.h"
#include "spirv/id_set.h"

namespace millrace::spirv {

namespace {

struct Sorter {
    const InstructionList& old;
    std::unordered_map<uint32_t, size_t> indexOf;
    std::unordered_set<uint32_t> forward;  // pointers that structures may mention before their definition
    std::vector<char> state;               // 0 new, 1 open, 2 done
    InstructionList out;

    explicit Sorter(const InstructionList& globals) : old(globals), state(globals.size(), 0)
    {
        for (size_t g = 0; g < old.size(); ++g) {
            if (old[g].op == spv::Op::OpTypeForwardPointer) {
                const bool isNew = forward.insert(old[g].id(0).value).second;
                state[g] = isNew ? 0 : 2;  // once is enough
            } else if (old[g].result) {
                indexOf[old[g].result.value] = g;
            }
        }
    }

    // Depth first without recursion; a cycle, which only a forward pointer can close, is cut where it is met again.
    void place(size_t first)
    {
        std::vector<size_t> stack = {first};
        while (!stack.empty()) {
            const size_t g = stack.back();
            if (state[g] == 2) {
                stack.pop_back();
                continue;
            }
            const bool isReady = state[g] == 1;
            state[g] = 1;
            bool pushed = false;
            if (!isReady && old[g].op != spv::Op::OpTypeForwardPointer) {
                old[g].forEachUse([&](Id use) {
                    const auto found = indexOf.find(use.value);
                    const bool skips = old[g].op == spv::Op::OpTypeStruct && forward.contains(use.value);
                    if (found != indexOf.end() && state[found->second] == 0 && !skips) {
                        stack.push_back(found->second);
                        pushed = true;
                    }
                });
            }
            if (!pushed) {
                stack.pop_back();
                state[g] = 2;
                out.push_back(old[g]);
            }
        }
    }
};

// Most passes leave them in order.
bool isSorted(const Module& module)
{
    IdSet isGlobal, isDefined, isAnnounced;
    const InstructionList& globals = module.section(Section::Globals);
    for (const Instruction& i : globals)
        isGlobal.insert(i.result);
    for (const Instruction& i : globals) {
        if (i.op == spv::Op::OpTypeForwardPointer) {
            if (isDefined.contains(i.id(0)) || !isAnnounced.insert(i.id(0)))
                return false;
            continue;
        }
        bool isInOrder = true;
        i.forEachUse([&](Id use) {
            const bool isKnown =
                isDefined.contains(use) || (i.op == spv::Op::OpTypeStruct && isAnnounced.contains(use));
            isInOrder = isInOrder && (isKnown || !isGlobal.contains(use));
        });
        if (!isInOrder)
            return false;
        isDefined.insert(i.result);
    }
    return true;
}

void sortGlobals(Module& module)
{
    if (isSorted(module))
        return;
    Sorter sorter(module.section(Section::Globals));
    // Forward declarations go first, so that nothing can precede them.
    for (const bool declarations : {true, false}) {
        for (size_t g = 0; g < sorter.old.size(); ++g)
            if ((sorter.old[g].op == spv::Op::OpTypeForwardPointer) == declarations)
                sorter.place(g);
    }
    module.section(Section::Globals) = std::move(sorter.out);
}

bool mergeTypesOnce(Module& module)
{
    IdSet kept;  // decorated, or declared before
    for (const Instruction& i : module.section(Section::Annotations))
        kept.insert(i.id(0));
    std::vector<const Instruction*> types;
    for (const Instruction& i : module.section(Section::Globals)) {
        if (i.op == spv::Op::OpTypeForwardPointer)
            kept.insert(i.id(0));
        if (isSharedType(i.op) && !kept.contains(i.result))
            types.push_back(&i);
    }
    // Equal ones side by side, in their order.
    std::ranges::sort(types, [](const Instruction* a, const Instruction* b) {
        return std::tie(a->op, a->words, a) < std::tie(b->op, b->words, b);
    });
    std::unordered_map<uint32_t, uint32_t> merged;
    for (size_t first = 0, t = 1; t < types.size(); ++t)
        if (types[t]->op == types[first]->op && types[t]->words == types[first]->words)
            merged[types[t]->result.value] = types[first]->result.value;
        else
            first = t;
    if (merged.empty())
        return false;
    std::erase_if(module.section(Section::DebugNames),
                  [&](const Instruction& i) { return merged.contains(i.id(0).value); });
    std::erase_if(module.section(Section::Globals),
                  [&](const Instruction& i) { return merged.contains(i.result.value); });
    module.replaceUses(merged);
    return true;
}

}  // namespace

void orderGlobals(Module& module)
{
    sortGlobals(module);
    // Types made of merged ones may have become equal.
    while (mergeTypesOnce(module)) {
    }
    sortGlobals(module);
}

}  // namespace millrace::spirv
