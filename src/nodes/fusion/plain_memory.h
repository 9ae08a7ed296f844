// SPDX-License-Identifier: Apache-2.0
// What was in payloads or push constants, in variables of the invocation or of its workgroup.
#pragma once

#include <unordered_map>

#include "shader/diagnose.h"
#include "spirv/module.h"

namespace millrace::nodes {

// A load or store of workgroup memory that barriers make available and visible.
spirv::Instruction sharedAccess(spirv::Instruction access, bool vulkanMemoryModel);

// Types with a memory layout lose it here: Private and Workgroup variables must not have one
// (VUID-StandaloneSpirv-None-10684). Numbers that the module may have in buffers only have 32 bits there.
class PlainMemory {
public:
    explicit PlainMemory(spirv::Module& module);

    // The type without its layout; itself if it has none.
    spirv::Id plain(spirv::Id type);
    // Of a type that has a layout or has none; an array of `count` of them if that is not 0.
    spirv::Id createVariable(spirv::Id type, uint32_t count = 0,
                             spv::StorageClass storage = spv::StorageClass::Private);

    // Says that a pointer, a variable of ours or an instruction of a function, leads into a variable of ours now.
    void add(spirv::Id pointer, spv::StorageClass storage = spv::StorageClass::Private)
    {
        m_pointers.emplace(pointer.value, storage);
    }
    // Gives those pointers, all that are derived from them, and the accesses through them the right types. Fails where
    // one is used for more than loads and stores.
    bool finish(shader::Failure& failure);
    // What `pointer`, into a workgroup variable of ours, leads to, in code that is written behind finish().
    spirv::Id loadShared(spirv::Emitter& out, spirv::Id type, spirv::Id pointer) const;

private:
    void findDerived();
    bool retype(spirv::Instruction& i, shader::Failure& failure);
    bool isWidened(spirv::Id type) const;
    void lowerAccess(const spirv::Instruction& i, spirv::Emitter& out, shader::Failure& failure);
    spirv::Instruction ordered(spirv::Instruction access, spv::StorageClass storage) const
    {
        return storage == spv::StorageClass::Workgroup ? sharedAccess(std::move(access), m_vulkanMemoryModel) : access;
    }
    bool isOurs(spirv::Id pointer) const { return m_pointers.contains(pointer.value); }

    spirv::Module& m_module;
    std::unordered_map<uint32_t, spirv::Id> m_plain;  // by type
    std::unordered_map<uint32_t, spv::StorageClass> m_pointers;
    bool m_vulkanMemoryModel = false;
};

}  // namespace millrace::nodes
