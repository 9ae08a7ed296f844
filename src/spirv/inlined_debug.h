// SPDX-License-Identifier: Apache-2.0
// Debug information of code that is copied from a function into its callers.
#pragma once

#include <optional>
#include <unordered_map>

#include "spirv/module.h"

namespace millrace::spirv {

// What applies where a function's code is being copied.
struct InlinedScope {
    bool isInlined = false;
    Id inlinedAt;                              // DebugInlinedAt of the call; none where nobody knows
    std::optional<Instruction> scope;          // DebugScope, as it was copied
    std::optional<Instruction> line;           // OpLine or DebugLine
    std::unordered_map<uint32_t, Id> chained;  // DebugInlinedAt of the function's own, each with this call added
};

// NonSemantic.Shader.DebugInfo.100: scopes say where the code was called. Of OpenCL.DebugInfo.100, whose instructions
// have the same numbers, copies have nothing but lines.
class InlinedDebug {
public:
    explicit InlinedDebug(Module& module);

    // Of a function that is called here.
    InlinedScope enter(const InlinedScope& caller);
    // Scopes and lines end with their block.
    static void beginBlock(InlinedScope& scope);
    // What to copy in place of `i`, or nothing at all.
    std::optional<Instruction> copied(InlinedScope& scope, const Instruction& i);
    // After a call: what applies again, as it was copied.
    template <typename Emit>
    static void resume(const InlinedScope& scope, const Emit& emit)
    {
        if (scope.scope)
            emit(*scope.scope);
        if (scope.line)
            emit(*scope.line);
    }

private:
    Instruction inlinedAt(Id line, Id scope, Id outer);
    Id add(Instruction i);
    Id lineOf(const InlinedScope& scope);
    Id chain(InlinedScope& scope, Id inlinedAt);
    std::optional<Instruction> copiedScope(InlinedScope& scope, const Instruction& i);

    Module& m_module;
    Id m_set;       // NonSemantic.Shader.DebugInfo.100
    Id m_otherSet;  // OpenCL.DebugInfo.100
    Id m_void;
    std::unordered_map<uint32_t, Id> m_lines;  // constants; to look for one takes as long as there are globals
};

}  // namespace millrace::spirv
