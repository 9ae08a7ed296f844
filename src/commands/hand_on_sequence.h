// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "commands/layout.h"
#include "commands/variant.h"

namespace millrace::commands {

struct SequenceRoute {
    uint32_t location = 0;   // of the unsigned integer between stages
    bool isReceived = true;  // the stage sets Variant::sequence
    bool isSent = false;     // and hands it to the next stage
    bool hasTasks = false;   // mesh shaders get it from a task shader, with its payload
};

// Gives a graphics stage the number of its sequence at the start of its entry point: vertex and task stages, and mesh
// stages without those, by DrawIndex, or the entry that it leads to (hasDrawTable()), others from the stage in front of
// them. Geometry and mesh shaders send it with each vertex, task shaders with their payload, tessellation control
// shaders once for each patch. Requires: declareArguments(), fetchPushConstants() where the stage has some; no variable
// of the application has the built-in DrawIndex (lowerDrawIndex()). Errors: see addPayloadWord().
Status handOnSequence(Variant& variant, const SequenceRoute& route, const Layout& layout);

// True if code of such a stage reads DrawIndex.
bool readsDrawIndex(const spirv::Module& module);
// Makes it 0, as in a draw of its own. Errors: its pointer is passed on.
Status lowerDrawIndex(spirv::Module& module);
// Makes it what abi::DrawEntry says, where a sequence has several draws. Requires: declareArguments(). Errors likewise.
Status fetchDrawIndex(Variant& variant, const Layout& layout);

}  // namespace millrace::commands
