// SPDX-License-Identifier: Apache-2.0
// Moving variables to another storage class.
#pragma once

#include <unordered_map>

#include "shader/diagnose.h"
#include "spirv/module.h"

namespace millrace::shader {

// Follows pointers through access chains, copies, phis and selections and gives each that is derived from a key the
// pointer type of the storage class beside it. The keys themselves are not touched. Fails where such a pointer is
// passed to a function or stored in memory.
bool changeDerivedPointers(spirv::Module& module, const std::unordered_map<uint32_t, spv::StorageClass>& roots,
                           Failure& failure);

// Sets storage class and type of a global variable, and of all pointers derived from it.
bool changeStorage(spirv::Module& module, spirv::Id variable, spv::StorageClass storage, Failure& failure);

// Adds the capabilities for small scalars in PhysicalStorageBuffer memory, if any pointer there leads to such.
void addPhysicalStorageCapabilities(spirv::Module& module);

// Gives variables and parameters that hold PhysicalStorageBuffer pointers the decoration on aliasing that
// the specification asks for.
void decoratePhysicalPointers(spirv::Module& module);

}  // namespace millrace::shader
