// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "commands/layout.h"
#include "commands/variant.h"
#include "commands/vertex_input.h"

namespace millrace::commands {

// True if the vertex stage reads an attribute of a binding that each sequence has a buffer of its own for, or, with
// layout.indexBuffer, of any binding.
bool readsVertices(const spirv::Module& module, const Layout& layout, const VertexInput& input);

// Such inputs become Private variables with the values that the vertex's element has, from the buffer that the record
// of Variant::sequence names, or abi::BoundVertexBuffer: components that the format lacks are 0, 0, 0, 1, elements that
// reach behind the end of the buffer are zero. Requires: declareArguments(); code that sets Variant::sequence goes in
// front of what this puts at the start of the entry point. Errors: a format that is not mandatory; inputs of other than
// 32 bits; an input of several locations some of whose attributes are the sequence's and others not; an attribute whose
// binding `input` does not have.
Status pullVertices(Variant& variant, const Layout& layout, const VertexInput& input);

}  // namespace millrace::commands
