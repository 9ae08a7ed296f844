// SPDX-License-Identifier: Apache-2.0
// What fusion says of variables to those who work on what it has made: decorations, which go with the module's words.
#pragma once

#include <vector>

#include "spirv/module.h"

namespace millrace::compiler {

enum class Mark {
    Kept,     // a Workgroup variable of payloads that the workgroup keeps
    Phase,    // a Private unsigned integer, a WaitingPhase: when payloads are run that wait for it; there is one
    Waiting,  // a Private unsigned integer: how many payloads of an output wait, which begins with 0
};

// Of a node that is run for several payloads, whose consumers may wait until they are many: in a subgroup, most of
// whose invocations have sent nothing to them, they take as long as if all had (W7 on an H200: 171 us, 165 if they
// wait). The entry point begins with AtOnce, which it never changes; whoever runs it for one payload after the other
// may.
enum class WaitingPhase : uint32_t {
    AtOnce,    // all consumers run behind the node
    WhenFull,  // those of an output do only if it has no room for what the node may send once more
    Alone,     // the node does not run, all its consumers do
};

void mark(spirv::Module& module, spirv::Id variable, Mark mark);
std::vector<spirv::Id> marked(const spirv::Module& module, Mark mark);
// Takes all marks away, of which no driver has to know.
void unmark(spirv::Module& module);

}  // namespace millrace::compiler
