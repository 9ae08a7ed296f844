// SPDX-License-Identifier: Apache-2.0
// What is done to a module as a whole.
#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "base/result.h"
#include "spirv/module.h"
#include "spirv/specialization.h"

namespace millrace::spirv {

// Specialization constants that no value names.
enum class Unnamed {
    GetDefaults,
    StayOpen,
};

// Gives specialization constants (by SpecId) these values. They become ordinary constants, strings included, and
// constant expressions are folded, except for floating-point numbers of 16 bits. Decoration groups are dissolved on the
// way.
Status specialize(Module& module, std::span<const SpecializationValue> values, Unnamed unnamed = Unnamed::GetDefaults);

// Keeps the entry point `name` of the model alone, with its whole interface but for input payloads that others read,
// and drops what it cannot reach; not what it declares without a use: its input payload and a constant that is the size
// of its workgroups. What is kept is not changed.
Status extractEntryPoint(Module& module, std::string_view name,
                         spv::ExecutionModel model = spv::ExecutionModel::GLCompute);

// In functions from number `first` on: what is computed of constants (32-bit integers and Booleans) becomes constant,
// branches that this decides go, with the blocks that nobody reaches then, and so does what is computed and not used.
// Calls of functions that turn out to return a constant become it. Requires: a valid module, and no debug information
// in these functions but names. What nothing else needs stays: removeUnused().
void decideBranches(Module& module, size_t first);

// Functions that are not wanted by the name that they are exported with are exported no longer, and what nothing needs
// then is dropped.
void keepExports(Module& module, const std::function<bool(std::string_view)>& isWanted);

// Drops functions, types, constants and variables that neither entry points nor exported functions need, with their
// names, and from interfaces what no code uses. What says something of an entry point without being used stays: its
// input payload, and a constant that is the size of its workgroups. Code is not changed.
void removeUnused(Module& module);

// Drops the capabilities for basic, ballot and arithmetic operations and shuffles of subgroups that no instruction and
// no built-in needs.
void removeUnusedSubgroupCapabilities(Module& module);

// Puts definitions in front of their uses, otherwise keeping the order, and merges types that must not be declared
// twice. Passes that add or edit types call it at their end.
void orderGlobals(Module& module);

// 64-bit integers become two words each, so that the module needs no Int64. Where they are in memory does not change,
// nor does what is computed, but for conversions to float, which are rounded twice. Addresses become pointers all the
// same. Requires: a valid module whose specialization constants have their values. Errors: vectors of them, atomics on
// them and other operations that nobody lowers.
Status splitLongIntegers(Module& module);

// As of words (tools.h): with SPIRV-Tools, which take words.
Result<Module> simplify(const Module& module);

// Of a mesh shader: ways through the entry point's function on which nobody executes OpSetMeshOutputsEXT execute it
// with no vertices and no primitives. SPIR-V does not say what they give out; HLSL says that it is nothing, and so does
// the layer, while NVIDIA's driver gives out something. These stay as they are: ways that only some invocations take,
// as they depend on an invocation's number; ways out of a loop in which others execute it; a module of which another
// function executes it.
void setForgottenOutputs(Module& module);

// Puts what OpDecorateId names in front of what it decorates, as spirv-val 2025.4 and later demand; nothing else
// changes its place.
void orderDecorationOperands(Module& module);

}  // namespace millrace::spirv
