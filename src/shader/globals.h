// SPDX-License-Identifier: Apache-2.0
// What passes ask of the global section, and keeping it in order after edits.
#pragma once

#include "spirv/edit.h"
#include "spirv/module.h"

namespace millrace::shader {

// The entry point's interface: all global variables that `entry` and what it calls mention, and the input payload where
// it is listed already.
void updateInterface(spirv::Module& module, spirv::Id entry);

// Likewise, but keeps what is listed already, used or not: what stages declare for each other must match.
void extendInterface(spirv::Module& module, spirv::Id entry);

// Of a type: images that code may write to.
bool isStorageImage(const spirv::Instruction& type);
// A module has some. To order them is not for free: W2, with three barriers for each workgroup, took an
// H200 84 us where they did, and 72 without.
bool hasStorageImages(const spirv::Module& module);

spirv::Id getNull(spirv::Module& module, spirv::Id type);

// What has a built-in's value: the first, of any type; none if there is none.
spirv::Id findBuiltIn(const spirv::Module& module, spv::BuiltIn builtIn);

// The Input variable of a built-in, unsigned; made if there is none.
spirv::Id getBuiltInVariable(spirv::Module& module, spv::BuiltIn builtIn, spirv::Id type);

// Removes names, decorations and interface entries of an id that is about to go.
void forget(spirv::Module& module, spirv::Id id);

}  // namespace millrace::shader
