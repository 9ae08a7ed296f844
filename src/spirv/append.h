// SPDX-License-Identifier: Apache-2.0
// The code of several modules in one.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/result.h"
#include "spirv/module.h"

namespace millrace::spirv {

class Appender {
public:
    // The module gets what is appended. Nobody else changes it meanwhile.
    explicit Appender(Module& module);

    // All functions of another module and what they need, without its entry points and execution modes. Ensures: types,
    // constants, and variables that are not an invocation's or a workgroup's own are there once where they are declared
    // and decorated alike. `same`: ids of theirs, and what stands for them in the module. Requires: definitions in
    // front of their uses (orderGlobals()); no specialization constants, decoration groups or linkage. Errors: another
    // memory model, in which case nothing was done.
    Status append(const Module& theirs, std::span<const std::pair<Id, Id>> same);

    // What stands for an id of the module that was appended last; none if nothing does.
    Id find(Id theirs) const { return theirs.value < m_map.size() ? Id{m_map[theirs.value]} : Id{}; }

private:
    using Key = std::vector<uint32_t>;
    using Annotations = std::unordered_map<uint32_t, std::vector<const Instruction*>>;

    static Annotations annotationsOf(const Module& module);
    static bool isShared(const Instruction& i);
    static bool makeKey(const Instruction& i, const Annotations& annotations, Id target, Key& key);
    Id mapped(Id theirs);
    Instruction copied(Instruction i);
    InstructionList copied(const InstructionList& list);
    void appendRequirements(const Module& theirs);
    void appendImports(const Module& theirs);
    void appendGlobals(const Module& theirs);
    void appendFunctions(const Module& theirs);
    // Of what is new.
    void appendDescriptions(const Module& theirs, Section section, uint32_t firstNew);

    Module& m_ours;
    std::map<Key, Id> m_known;
    std::vector<uint32_t> m_map;  // by id of theirs; 0: not met yet
};

}  // namespace millrace::spirv
