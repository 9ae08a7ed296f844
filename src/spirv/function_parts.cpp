// SPDX-License-Identifier: Apache-2.0
#include "spirv/function_parts.h"

#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <vector>

#include "spirv/function_structure.h"

namespace millrace::spirv {

namespace {

class Joiner {
public:
    explicit Joiner(Function& function) : m_function(function) {}

    void run()
    {
        count();
        std::unordered_map<uint32_t, uint32_t> partOf;  // labels
        std::vector<bool> isGone(m_function.blocks.size(), false);
        for (size_t b = 0; b < m_function.blocks.size(); ++b) {
            InstructionList& body = m_function.blocks[b].body;
            for (size_t next = nextOf(b); !isGone[b] && next != kNoBlock; next = nextOf(b)) {
                Block& other = m_function.blocks[next];
                body.pop_back();
                std::ranges::move(other.body, std::back_inserter(body));
                other.body.assign(1, instruction(spv::Op::OpUnreachable));
                partOf.emplace(other.label.value, m_function.blocks[b].label.value);
                isGone[next] = true;
            }
        }
        if (partOf.empty())
            return;
        size_t number = 0;
        std::erase_if(m_function.blocks, [&](const Block&) { return isGone[number++]; });
        for (Block& block : m_function.blocks) {
            for (Instruction& i : block.body) {
                for (size_t o = 1; i.op == spv::Op::OpPhi && o < i.operandCount(); o += 2)
                    if (const auto found = partOf.find(i.id(o).value); found != partOf.end())
                        i.setId(o, Id{found->second});
            }
        }
    }

private:
    void count()
    {
        for (size_t b = 0; b < m_function.blocks.size(); ++b)
            m_placeOf.emplace(m_function.blocks[b].label.value, b);
        for (const Block& block : m_function.blocks) {
            for (const Instruction& i : block.body) {
                const bool isEnd = &i == &block.body.back();
                for (size_t o = 0; (isEnd || isMerge(i)) && o < i.operandCount(); ++o) {
                    // Named by a header, a block must stay one, as if others came there.
                    if (i.isId(o) && m_placeOf.contains(i.id(o).value))
                        m_comers[i.id(o).value] += isEnd ? 1 : 2;
                }
            }
        }
    }

    size_t nextOf(size_t block) const
    {
        const InstructionList& body = m_function.blocks[block].body;
        if (body.back().op != spv::Op::OpBranch || findMerge(body) < body.size())
            return kNoBlock;
        const uint32_t label = body.back().id(0).value;
        const size_t next = m_placeOf.at(label);
        const Block& other = m_function.blocks[next];
        const bool isFree =
            m_comers.at(label) == 1 && next != block && other.before.empty() && other.body.front().op != spv::Op::OpPhi;
        return isFree ? next : kNoBlock;
    }

    Function& m_function;
    std::unordered_map<uint32_t, size_t> m_placeOf;   // by label
    std::unordered_map<uint32_t, uint32_t> m_comers;  // by label
};

}  // namespace

void joinBlocks(Function& function)
{
    Joiner(function).run();
}

bool dropUnused(Function& function, const std::function<bool(const Instruction&)>& mayGo)
{
    std::unordered_map<uint32_t, const Instruction*> unused;  // by result
    std::vector<const Instruction*> pending;
    for (const Block& block : function.blocks) {
        for (const Instruction& i : block.body)
            if (mayGo(i))
                unused.emplace(i.result.value, &i);
            else
                pending.push_back(&i);
    }
    while (!pending.empty()) {
        const Instruction* i = pending.back();
        pending.pop_back();
        i->forEachUse([&](Id id) {
            if (const auto found = unused.find(id.value); found != unused.end()) {
                pending.push_back(found->second);
                unused.erase(found);
            }
        });
    }
    for (Block& block : function.blocks)
        std::erase_if(block.body, [&](const Instruction& i) { return i.result && unused.contains(i.result.value); });
    return !unused.empty();
}

}  // namespace millrace::spirv
