// SPDX-License-Identifier: Apache-2.0
// The ids that a set of roots needs, closed over definitions, function bodies and decorations.
#pragma once

#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "spirv/module.h"

namespace millrace::spirv {

class Reach {
public:
    // The module must outlive this object and stay as it is.
    explicit Reach(const Module& module);

    void add(Id root);
    void addUses(const Instruction& i);
    // Non-semantic instructions outside of functions that describe a variable or function in the set.
    void addDescriptions();
    bool contains(Id id) const { return m_ids.contains(id.value); }
    std::unordered_set<uint32_t> takeIds() { return std::exchange(m_ids, {}); }  // empties the set

private:
    void push(Id id);
    void pushAll(const InstructionList& list);
    void pushUses(const Instruction& i);
    void visit(Id id);
    void visit(const Function& function);

    const Module& m_module;
    std::unordered_map<uint32_t, const Instruction*> m_definitions;  // outside of functions
    std::unordered_map<uint32_t, const Function*> m_functions;
    std::unordered_map<uint32_t, std::vector<const Instruction*>> m_annotations;  // by target
    std::unordered_set<uint32_t> m_ids;
    std::vector<Id> m_pending;
};

// Removes functions, globals, names, decorations and execution modes of everything that is not in `reached`.
void removeUnreached(Module& module, const std::unordered_set<uint32_t>& reached);

}  // namespace millrace::spirv
