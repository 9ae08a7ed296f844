// SPDX-License-Identifier: Apache-2.0
// What a command is called with as text, which is equal if everything is that pointers lead to.
#pragma once

#include <string>

#include "layer/commands/command_tables.h"

namespace millrace::layertest {

// Null for structures that the registry does not have.
const Struct* findStruct(VkStructureType type);

// The parameters of a command, but for the command buffer that records: that is another one behind a split.
Struct comparable(const Command& command);

// What the driver can read. Of memory that it writes, the lengths and the types of the structures alone.
std::string textOfInputs(const Struct& type, const void* structure);
// What is in the memory that the driver writes.
std::string textOfOutputs(const Struct& type, const void* structure);

// As it is in those.
std::string textOfBytes(const void* data, size_t bytes);
template <typename Handle>
std::string textOfHandle(Handle handle)
{
    return textOfBytes(&handle, sizeof handle);
}

}  // namespace millrace::layertest
