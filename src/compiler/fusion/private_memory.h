// SPDX-License-Identifier: Apache-2.0
// What was in payloads or push constants, in variables of the invocation.
#pragma once

#include <unordered_map>
#include <unordered_set>

#include "compiler/diagnose.h"
#include "spirv/module.h"

namespace millrace::compiler {

// Types with a memory layout lose it here: Private variables must not have one (VUID-StandaloneSpirv-None-10684).
class PrivateMemory {
public:
    explicit PrivateMemory(spirv::Module& module) : m_module(module) {}

    // The type without its layout; itself if it has none.
    spirv::Id plain(spirv::Id type);
    // Of a type that has a layout or has none; an array of `count` of them if that is not 0.
    spirv::Id createVariable(spirv::Id type, uint32_t count = 0);

    // Says that a pointer, a variable of ours or an instruction of a function, leads into a variable of ours now.
    void add(spirv::Id pointer) { m_pointers.insert(pointer.value); }
    // Gives those pointers, all that are derived from them, and the accesses through them the right types. Fails where
    // one is used for more than loads and stores.
    bool finish(Failure& failure);

private:
    void findDerived();
    bool retype(spirv::Instruction& i, Failure& failure);
    void lowerAccess(const spirv::Instruction& i, spirv::Emitter& out);
    bool isOurs(spirv::Id pointer) const { return m_pointers.contains(pointer.value); }

    spirv::Module& m_module;
    std::unordered_map<uint32_t, spirv::Id> m_plain;  // by type
    std::unordered_set<uint32_t> m_pointers;
};

}  // namespace millrace::compiler
