// SPDX-License-Identifier: Apache-2.0
#include <unordered_map>
#include <unordered_set>

#include "spirv/edit.h"

namespace millrace::spirv {

namespace {

class Placer {
public:
    explicit Placer(Module& module) : m_globals(module.section(Section::Globals)), m_old(std::move(m_globals))
    {
        m_globals.clear();
        for (size_t g = 0; g < m_old.size(); ++g)
            if (m_old[g].op == spv::Op::OpTypeForwardPointer)
                m_announced.insert(m_old[g].id(0).value);
            else if (m_old[g].result)
                m_places[m_old[g].result.value] = g;
        m_isPlaced.resize(m_old.size());
    }

    void add(const Instruction& decoration)
    {
        for (size_t o = 2; o < decoration.operandCount(); ++o)
            if (decoration.isId(o))
                m_operands[decoration.id(0).value].push_back(decoration.id(o));
    }

    void run()
    {
        for (size_t g = 0; g < m_old.size(); ++g)
            place(g, false);
    }

private:
    // What is moved may use what has not come yet.
    void place(size_t g, bool isMoved)
    {
        if (m_isPlaced[g])
            return;
        m_isPlaced[g] = true;
        if (isMoved)
            m_old[g].forEachUse([&](Id use) { move(use); });
        if (const auto found = m_operands.find(m_old[g].result.value); found != m_operands.end())
            for (const Id operand : found->second)
                move(operand);
        m_globals.push_back(std::move(m_old[g]));
    }

    void move(Id id)
    {
        const auto found = m_places.find(id.value);
        if (found != m_places.end() && !m_announced.contains(id.value))
            place(found->second, true);
    }

    InstructionList& m_globals;
    InstructionList m_old;
    std::unordered_map<uint32_t, size_t> m_places;             // by result
    std::unordered_map<uint32_t, std::vector<Id>> m_operands;  // by target
    std::unordered_set<uint32_t> m_announced;                  // by OpTypeForwardPointer
    std::vector<bool> m_isPlaced;
};

}  // namespace

void orderDecorationOperands(Module& module)
{
    Placer placer(module);
    for (const Instruction& i : module.section(Section::Annotations))
        if (i.op == spv::Op::OpDecorateId)
            placer.add(i);
    placer.run();
}

}  // namespace millrace::spirv
