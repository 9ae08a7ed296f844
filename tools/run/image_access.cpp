// SPDX-License-Identifier: Apache-2.0
#include "tools/run/image_access.h"

#include <utility>
#include <vector>

namespace millrace::tools::run {

namespace {

using spirv::Id;
using spirv::Instruction;

class Finder {
public:
    explicit Finder(const spirv::Module& module) : m_module(module)
    {
        for (const spirv::Function& function : module.functions)
            for (const spirv::Block& block : function.blocks)
                for (const Instruction& i : block.body)
                    visit(i);
    }

    std::unordered_map<uint32_t, ImageAccess> run()
    {
        // What a function does with a parameter its callers do; functions do not call themselves.
        for (bool isChanged = true; isChanged;) {
            isChanged = false;
            for (const auto& [argument, parameter] : m_passed) {
                const ImageAccess before = m_accesses[argument];
                m_accesses[argument] |= ImageAccess(m_accesses[parameter]);
                isChanged |= m_accesses[argument] != before;
            }
        }
        return std::move(m_accesses);
    }

private:
    // The variable or parameter that a value was loaded from, or what it is itself.
    uint32_t origin(Id id) const
    {
        const auto found = m_origins.find(id.value);
        return found == m_origins.end() ? id.value : found->second;
    }

    void visit(const Instruction& i)
    {
        switch (i.op) {
            case spv::Op::OpLoad:
            case spv::Op::OpCopyObject:
                m_origins[i.result.value] = origin(i.id(0));
                break;
            case spv::Op::OpImageRead:
            case spv::Op::OpImageSparseRead:
                m_accesses[origin(i.id(0))].reads = true;
                break;
            case spv::Op::OpImageWrite:
                m_accesses[origin(i.id(0))].writes = true;
                break;
            case spv::Op::OpImageTexelPointer:
                m_accesses[origin(i.id(0))].isAtomic = true;
                break;
            case spv::Op::OpFunctionCall:
                if (const spirv::Function* callee = m_module.findFunction(i.id(0)))
                    for (size_t p = 0; p < callee->parameters.size(); ++p)
                        m_passed.emplace_back(origin(i.id(1 + p)), callee->parameters[p].result.value);
                break;
            default:
                break;
        }
    }

    const spirv::Module& m_module;
    std::unordered_map<uint32_t, uint32_t> m_origins;
    std::vector<std::pair<uint32_t, uint32_t>> m_passed;  // argument, parameter
    std::unordered_map<uint32_t, ImageAccess> m_accesses;
};

}  // namespace

ImageAccess& ImageAccess::operator|=(const ImageAccess& other)
{
    reads |= other.reads;
    writes |= other.writes;
    isAtomic |= other.isAtomic;
    return *this;
}

std::unordered_map<uint32_t, ImageAccess> findImageAccesses(const spirv::Module& module)
{
    return Finder(module).run();
}

}  // namespace millrace::tools::run
