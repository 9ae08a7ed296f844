// SPDX-License-Identifier: Apache-2.0
// Which handles a value of a function may be, also where it was loaded from a variable.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "nodes/node_shader.h"
#include "shader/control_flow.h"

namespace millrace::nodes {

// What a value may be.
struct HandleOrigins {
    std::vector<spirv::Id> allocations;  // each once
    spirv::Id variable;                  // that it was loaded from, if it was
    bool isLatest = false;               // of only one, when that ran last, or of an unset variable
    bool mayBeUnset = false;             // nothing has been stored to the variable on some path

    bool isSure() const { return isLatest && !mayBeUnset; }
};

// Of one function behind lowerPayloads. The function must not change between the constructor and the questions. A
// question takes bounded time: of values with many origins, or far from them, nothing is known.
class HandleValues {
public:
    HandleValues(const NodeShader& shader, const spirv::Function& function, const shader::ControlFlow& flow);

    // None: it may be anything.
    std::optional<HandleOrigins> originsOf(spirv::Id value) const;

    // True if the allocation, which is instruction `position` of a block, is stored to the variable behind it there.
    bool isStoredBehind(spirv::Id variable, size_t block, size_t position, spirv::Id allocation) const;

private:
    struct Place {
        size_t block;
        size_t position;
    };
    struct Store {
        size_t position;  // in its block
        spirv::Id value;
    };

    void findVariables(const spirv::Function& function);
    void findAccesses(const spirv::Function& function);
    // Of values that lead to each other `steps` counts down.
    std::optional<HandleOrigins> originsOf(spirv::Id value, uint32_t& steps) const;
    std::optional<HandleOrigins> originsOfLoad(spirv::Id variable, Place load, uint32_t& steps) const;
    std::optional<HandleOrigins> originsOfChoice(const spirv::Instruction& choice, uint32_t& steps) const;
    const std::vector<Store>& storesOf(spirv::Id variable, size_t block) const;

    const NodeShader& m_shader;
    std::unordered_map<uint32_t, bool> m_variables;             // true: nothing but loads and stores use it
    std::unordered_map<uint64_t, std::vector<Store>> m_stores;  // to such a variable in a block, see keyOf()
    std::unordered_map<uint32_t, Place> m_loads;                // from such variables, by result
    std::vector<std::vector<size_t>> m_predecessors;
};

}  // namespace millrace::nodes
