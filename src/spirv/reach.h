// SPDX-License-Identifier: Apache-2.0
// The ids that a set of roots needs, closed over definitions, function bodies and decorations.
#pragma once

#include <unordered_map>
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
    // A constant that says how large workgroups are, which counts whether code uses it or not.
    void addWorkgroupSize();
    // Non-semantic instructions outside of functions that describe a variable or function in the set.
    void addDescriptions();
    bool contains(Id id) const { return m_ids[id.value]; }
    // By id. The set is empty then.
    std::vector<bool> takeIds() { return std::exchange(m_ids, std::vector<bool>(m_ids.size())); }

private:
    void annotate(Id target, const Instruction* annotation);
    void push(Id id);
    void pushAll(const InstructionList& list);
    void pushUses(const Instruction& i);
    void visit(Id id);
    void visit(const Function& function);

    const Module& m_module;
    std::vector<const Instruction*> m_definitions;  // by id, outside of functions
    std::unordered_map<uint32_t, const Function*> m_functions;
    std::vector<bool> m_isAnnotated;                                              // by id; most are not
    std::unordered_map<uint32_t, std::vector<const Instruction*>> m_annotations;  // by target
    std::vector<bool> m_ids;
    std::vector<Id> m_pending;
};

// Removes functions, globals, names, decorations and execution modes of everything that `reached`, by id, does not
// have.
void removeUnreached(Module& module, const std::vector<bool>& reached);

}  // namespace millrace::spirv
