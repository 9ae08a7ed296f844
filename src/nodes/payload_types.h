// SPDX-License-Identifier: Apache-2.0
// How types relate to payloads.
#pragma once

#include <cstddef>
#include <optional>

#include "spirv/module.h"

namespace millrace::nodes {

// OpTypeNodePayloadArrayAMDX.
bool isPayloadArray(const spirv::Module& module, spirv::Id type);

// A payload array by value or by NodePayloadAMDX pointer. Real compilers copy arrays by value through Function
// variables, so both stand for the same thing: a handle.
bool isHandle(const spirv::Module& module, spirv::Id type);

// A NodePayloadAMDX pointer to one payload or to a part of it.
bool isPayloadPointer(const spirv::Module& module, spirv::Id type);

// The payload array type that `type` is or points to, in any storage class; none if neither.
spirv::Id payloadArrayOf(const spirv::Module& module, spirv::Id type);

// The payload array type that an OpIsNodePayloadValidAMDX asks about. Its operand is a type by the specification and a
// value or variable in what DXC emits; none if it is neither.
spirv::Id queriedPayloadArray(const spirv::Module& module, const spirv::Instruction& query);

// True if values of `type` are or contain handles.
bool holdsHandles(const spirv::Module& module, spirv::Id type);

// The operand of an access chain that selects a payload of a payload array, if it goes through one.
std::optional<size_t> payloadIndexOperand(const spirv::Module& module, const spirv::Instruction& chain);

}  // namespace millrace::nodes
