// SPDX-License-Identifier: Apache-2.0
// The ids that a set of roots needs, closed over definitions, function bodies and decorations.
#pragma once

#include <functional>
#include <queue>
#include <unordered_map>
#include <utility>
#include <vector>

#include "spirv/id_map.h"
#include "spirv/id_set.h"
#include "spirv/module.h"

namespace millrace::spirv {

// What Reach asks of a module, looked up once for any number of sets. The module must outlive it and stay as it is.
// Thread-safe.
class ReachIndex {
public:
    explicit ReachIndex(const Module& module);

private:
    friend class Reach;

    void annotate(Id target, const Instruction* annotation);
    void findDescriptions(const InstructionList& list);
    std::vector<Id> describedBy(const Instruction& i) const;

    IdSet m_hasMore;                          // annotations or descriptions, which most have not
    IdMap<const Instruction*> m_definitions;  // outside of functions
    std::unordered_map<uint32_t, const Function*> m_functions;
    std::unordered_map<uint32_t, std::vector<const Instruction*>> m_annotations;  // by target
    std::vector<Id> m_workgroupSizes;
    // Non-semantic instructions outside of functions that say something of variables or functions, in order, and by
    // what they describe.
    std::vector<Id> m_descriptions;
    std::unordered_map<uint32_t, std::vector<uint32_t>> m_descriptionsOf;
};

class Reach {
public:
    // The index must outlive this object.
    explicit Reach(const ReachIndex& index) : m_index(index) {}

    void add(Id root);
    void addUses(const Instruction& i);
    // A constant that says how large workgroups are, which counts whether code uses it or not.
    void addWorkgroupSize();
    // Non-semantic instructions outside of functions that describe a variable or function in the set. Once, at the end.
    void addDescriptions();
    bool contains(Id id) const { return m_ids.contains(id); }
    // In no order.
    const std::vector<Id>& all() const { return m_all; }
    // The set is empty then.
    IdSet takeIds();

private:
    void push(Id id);
    void pushAll(const InstructionList& list);
    void pushUses(const Instruction& i);
    void visit(Id id);
    void visit(const Function& function);

    const ReachIndex& m_index;
    IdSet m_ids;
    std::vector<Id> m_all;
    std::vector<Id> m_pending;
    // Descriptions of what is in the set, the first in front.
    std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<>> m_descriptions;
};

// Removes functions, globals, names, decorations and execution modes of everything that `reached` does not have.
void removeUnreached(Module& module, const IdSet& reached);
// Of a group of decorations those targets that `reached` has.
void keepTargets(Instruction& group, const std::function<bool(Id)>& reached);

}  // namespace millrace::spirv
