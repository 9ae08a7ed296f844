// SPDX-License-Identifier: Apache-2.0
// A function's code in the order of its blocks, with what is certain of each place: whether only some invocations of
// the workgroup come there, and what has been done on every way to it. For warnings, which are of what is certain.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <unordered_set>
#include <vector>

#include "spirv/module.h"

namespace millrace::spirv {

class CodeWalk {
public:
    // `oneInvocation`: a workgroup has one, so that all of it are everywhere. Both must outlive the walk.
    CodeWalk(const Module& module, const Function& function, bool oneInvocation);

    // Calls `visit` for each instruction of each block but OpLine. It may change marks.
    void run(const std::function<void(const Instruction&)>& visit);

    // Of the instruction that is visited.

    // "FILE:LINE" of the OpLine before it; empty: there is none.
    const std::string& place() const { return m_place; }
    // By a branch, or a return before, that depends on the invocation's number. What is read from memory counts as
    // equal.
    bool isDivergent() const;
    // Numbers that the caller has put in on every way to here; of loops only the way in is known.
    std::set<uint32_t>& marks() { return m_marks; }

private:
    // Of a construct around the code: where it ends, and whether only some invocations are in it.
    struct Construct {
        Id merge;
        bool isDivergent = false;
    };

    void enter(const Block& block);
    void leave(const Block& block);

    const Module& m_module;
    const Function& m_function;
    std::unordered_set<uint32_t> m_divergent;         // values
    std::vector<Construct> m_constructs;              // around the code, the outermost first
    bool m_hasLeft = false;                           // some invocations, not all
    std::map<uint32_t, std::set<uint32_t>> m_behind;  // marks behind each block, by label
    std::map<uint32_t, std::vector<uint32_t>> m_before;
    std::set<uint32_t> m_marks;
    std::string m_place;
};

// Whether LocalSize says that workgroups of the entry point, which the function is, have one invocation.
bool hasOneInvocation(const Module& module, Id entryFunction);

}  // namespace millrace::spirv
