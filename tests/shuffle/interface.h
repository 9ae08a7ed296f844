// SPDX-License-Identifier: Apache-2.0
// What the only entry point of a module declares that it uses.
#pragma once

#include "spirv/module.h"

namespace millrace::shuffle {

// `variable` is neither Input nor Output. Before SPIR-V 1.4 such variables are not declared.
inline void addToInterface(spirv::Module& module, spirv::Id variable)
{
    constexpr uint32_t kVersionOfWholeInterfaces = 0x00010400;
    if (module.version >= kVersionOfWholeInterfaces)
        module.section(spirv::Section::EntryPoints)[0].add(variable);
}

}  // namespace millrace::shuffle
