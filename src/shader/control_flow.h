// SPDX-License-Identifier: Apache-2.0
// What can follow what in a function, and how often a function can run.
#pragma once

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "spirv/module.h"

namespace millrace::shader {

// Blocks of one function by index. The function must not change meanwhile.
class ControlFlow {
public:
    explicit ControlFlow(const spirv::Function& function);

    // Without duplicates; none for a block that leaves the function.
    const std::vector<size_t>& successors(size_t block) const { return m_successors[block]; }
    // True if the block can run again after itself.
    bool isOnCycle(size_t block) const { return m_onCycle[block]; }

private:
    void findCycles();

    std::vector<std::vector<size_t>> m_successors;
    std::vector<bool> m_onCycle;
};

// Functions that may run more than once for each run of `entry`: called from several places, from a cycle, or from
// such a function.
std::unordered_set<uint32_t> findRepeatedFunctions(const spirv::Module& module, spirv::Id entry);

}  // namespace millrace::shader
