// SPDX-License-Identifier: Apache-2.0
// Another entry point for a node that stays a module of the extension.
#pragma once

#include "nodes/node_shader.h"
#include "shader/function_writer.h"

namespace millrace::nodes {

// Gives all that is said of the entry point to a function that was made for it, and drops what is not used any more.
void replaceEntry(NodeShader& shader, spirv::Id created);

// Says under which name others find a function or a variable, or it is found with them.
void announce(spirv::Module& module, spirv::Id id, std::string_view name, spv::LinkageType type);

// Says how many payloads of a payload array type a workgroup allocates at most (NodeMaxPayloadsAMDX).
void setBudget(spirv::Module& module, spirv::Id array, uint32_t payloads);

// Where all invocations of a workgroup are. Orders buffers and images as well as workgroup memory, since a consumer
// sees what its producer wrote.
void addBarrier(shader::FunctionWriter& writer, const NodeShader& shader);

// Takes the initializers of Private or Workgroup variables away, for code that runs more than once in an invocation.
// Returns the variables and their values.
std::vector<std::pair<spirv::Id, spirv::Id>> takeInitializers(spirv::Module& module, spv::StorageClass storage);

}  // namespace millrace::nodes
