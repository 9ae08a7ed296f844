// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "spirv/entry_points.h"
#include "spirv/module.h"

namespace millrace::nodes {

// Fails for revision 1 of the extension, naming what is only there. Looks at words, because the grammar of revision 2
// cannot parse all of them.
Status rejectRevision1(std::span<const uint32_t> words);

// Fails for modules that the other passes need not understand: a memory or addressing model that is not for shaders,
// types of absurd size.
Status rejectUnsupported(const spirv::Module& module);
// Likewise where there is no entry point of the wanted name and model.
Status rejectOtherEntryPoint(const spirv::EntryPoints& entryPoints, const std::string& name, spv::ExecutionModel model);

// Fails for invalid modules.
// Must come early, because the other passes rely on valid modules. What real compilers emit and spirv-val rejects is
// let through: queries of a type, NonWritable on the input, atomics on payloads, payload pointers as parameters,
// OutputMemory in barriers.
Status rejectInvalid(const spirv::Module& module);

}  // namespace millrace::nodes
