// SPDX-License-Identifier: Apache-2.0
#include "dxil/called_functions.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace millrace::dxil {

namespace {

class Walk {
public:
    explicit Walk(std::vector<Function*>& out) : m_out(out), m_known(out.begin(), out.end()) {}

    // How deep calls go below the function, each of which is looked at once.
    Result<uint32_t> height(Function& function, uint32_t depth);

private:
    static constexpr uint32_t kMaxDepth = 64;
    static constexpr uint32_t kUnknown = ~0u;  // since it is being looked at

    static Diagnostic tooDeep(const Function& function)
    {
        return {"dxil", function.name, "functions call each other too deeply, or without end"};
    }

    std::vector<Function*>& m_out;
    std::unordered_set<const Function*> m_known;
    std::unordered_map<const Function*, uint32_t> m_heights;
};

Result<uint32_t> Walk::height(Function& function, uint32_t depth)
{
    const auto [known, isNew] = m_heights.emplace(&function, kUnknown);
    if (!isNew) {
        const uint32_t height = known->second;
        return height > kMaxDepth || depth + height > kMaxDepth ? Result<uint32_t>(tooDeep(function)) : height;
    }
    if (depth > kMaxDepth)
        return tooDeep(function);
    if (m_known.insert(&function).second)
        m_out.push_back(&function);
    uint32_t height = 0;
    for (const Block* block : function.blocks) {
        for (const Value* i : block->instructions) {
            if (i->op == Op::Call && i->function && !i->function->blocks.empty()) {
                const Result<uint32_t> below = this->height(*i->function, depth + 1);
                if (!below)
                    return below;
                height = std::max(height, *below + 1);
            }
        }
    }
    return m_heights[&function] = height;
}

}  // namespace

Status addCalledFunctions(Function& function, std::vector<Function*>& out)
{
    const Result<uint32_t> height = Walk(out).height(function, 0);
    return height ? Status() : Status(height.error());
}

}  // namespace millrace::dxil
