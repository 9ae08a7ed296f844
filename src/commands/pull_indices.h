// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "commands/layout.h"
#include "commands/variant.h"

namespace millrace::commands {

// True if the code reads VertexIndex, BaseVertex, InstanceIndex or BaseInstance.
bool readsIndex(const spirv::Module& module);

// For a vertex stage that is drawn without indices, by VkDrawIndexedIndirectCommand read as VkDrawIndirectCommand:
// VertexIndex, which counts from firstIndex on then, becomes the index at that place of the buffer that the record of
// Variant::sequence names, plus the command's vertexOffset, and BaseVertex becomes vertexOffset. InstanceIndex, which
// counts from vertexOffset on then, counts from firstInstance on, which BaseInstance becomes. Indices behind the end of
// the buffer are 0. Requires: layout.indexBuffer; declareArguments(); pullVertices() before, if there are attributes to
// fetch; code that sets Variant::sequence goes in front of what this puts at the start of the entry point. Errors: a
// pointer to such a built-in that is passed on.
Status pullIndices(Variant& variant, const Layout& layout);

}  // namespace millrace::commands
