// SPDX-License-Identifier: Apache-2.0
// Buffers and images: their sizes, types and initial contents.
#pragma once

#include "tools/run/json_data.h"
#include "tools/run/work.h"

namespace millrace::tools::run {

// `use` is what the shaders say of the descriptor; null if none uses it. Throw InputError.
Resource prepareBuffer(const ResourceDescription& description, const BindingUse* use, std::vector<Address>& addresses);
Resource prepareImage(const ResourceDescription& description, const BindingUse* use);

// What contents and payloads may take: the memory of this machine that is free now. More would be killed, not refused.
uint64_t mostBytes();

// The path of a file that a document names, which is beside the document unless it is absolute.
std::string pathOf(const Value& file);
// Its whole content as bytes.
Bytes readBytes(const Value& file);

}  // namespace millrace::tools::run
