// SPDX-License-Identifier: Apache-2.0
// Which handles and payload pointers may mean the input payload, and which pointers lead into payload memory although
// their storage class does not say so.
#pragma once

#include <unordered_map>
#include <vector>

#include "spirv/id_map.h"
#include "spirv/id_set.h"
#include "spirv/module.h"

namespace millrace::nodes {

// A flow-insensitive analysis of the extension's instructions, before they are lowered. The module must not change
// meanwhile, except by instructions with new ids.
class PayloadOrigins {
public:
    // `input` may be none.
    PayloadOrigins(const spirv::Module& module, spirv::Id input);

    // Of a handle or a payload pointer.
    bool mayBeInput(spirv::Id id) const { return (maskOf(id) & kInput) != 0; }
    bool mayBeOutput(spirv::Id id) const { return (maskOf(id) & kOutput) != 0; }
    // What an access chain through a payload array reaches, or what an instruction on a handle means, is the input for
    // certain. `base` is a handle or a pointer to variables that hold some.
    bool isInputOnly(spirv::Id base) const;
    // Likewise, what the shader has allocated.
    bool isOutputOnly(spirv::Id base) const;

    // A pointer to a payload or a part of one: by its type, or because it was made by an access chain through a
    // payload array in a variable.
    bool isPayloadMemory(spirv::Id pointer) const;

    // How often it looked at an instruction.
    uint32_t visits() const { return m_visits; }

private:
    using Mask = uint8_t;
    static constexpr Mask kInput = 1;
    static constexpr Mask kOutput = 2;

    Mask maskOf(spirv::Id id) const;
    Mask contentOf(spirv::Id pointer) const;
    uint32_t rootOf(uint32_t pointer) const;
    std::vector<spirv::Id>& aliasesOf(spirv::Id root);
    void unite(spirv::Id a, spirv::Id b);
    void addMask(spirv::Id id, Mask mask);
    void addContent(spirv::Id pointer, Mask mask);
    void addPayloadMemory(spirv::Id pointer);
    bool holdsHandles(spirv::Id type) const { return m_handleTypes.contains(type); }
    bool pointsToHandles(spirv::Id pointer) const;
    Mask handleMask(spirv::Id base) const;

    struct Use {
        const spirv::Function* function;
        const spirv::Instruction* instruction;
    };

    void visitAll();
    std::unordered_map<uint32_t, std::vector<Use>> findUses() const;
    void followChanges();
    // changed: the only operand of which something new is known; none: of all.
    void visit(const Use& use, spirv::Id changed = {});
    void visitChain(const spirv::Instruction& i);
    void visitCall(const spirv::Instruction& i);
    void visitOther(const spirv::Instruction& i, spirv::Id changed);
    void passOn(const spirv::Instruction& i, spirv::Id operand);

    const spirv::Module& m_module;
    uint32_t m_visits = 0;
    std::vector<spirv::Id> m_changed;                  // of which more is known than their users were told
    spirv::IdSet m_handleTypes;                        // that are handles or hold some
    spirv::IdMap<Mask> m_masks;                        // of handles, payload pointers, what functions return
    std::unordered_map<uint32_t, Mask> m_contents;     // of variables that hold handles, by root
    std::unordered_map<uint32_t, uint32_t> m_parents;  // pointers that may alias, as a forest
    std::unordered_map<uint32_t, std::vector<spirv::Id>> m_aliases;  // that have a root, itself too
    spirv::IdSet m_payloadMemory;                                    // pointers of another storage class
};

}  // namespace millrace::nodes
