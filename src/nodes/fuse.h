// SPDX-License-Identifier: Apache-2.0
// Consumers that run inside their producer, without payloads in memory.
#pragma once

#include <span>
#include <vector>

#include "nodes/compile.h"

namespace millrace::spirv {
class Module;
}  // namespace millrace::spirv

namespace millrace::nodes {

// One code that receives payloads, as nodes of these indices (base index included) of the output's node array.
struct FusedConsumer {
    std::span<const uint32_t> words;
    Options options;
    std::vector<uint32_t> indices;  // ascending
    // It is the producer, further down its recursion: it may send, with its budgets as often as it is run.
    bool isNextLevel = false;
    bool isShared = false;                                 // other nodes send to it as well, so its code is copied
    std::shared_ptr<const NodeShader> prepared = nullptr;  // of the words with the options, if there is that already
};

struct FusedOutput {
    uint32_t output = 0;                   // into graph::NodeDeclaration::outputs
    std::vector<FusedConsumer> consumers;  // what goes to other nodes is lost, as without fusion; all if there are none
    bool byWorkgroup = false;              // all invocations of the producer's workgroup run a consumer together
    // levels > 0: the producer, which always sends `fanOut` payloads to itself and has no effects, runs so many times,
    // and then its one consumer, each time for the payload that is the invocation's (fusion/descent.h).
    struct {
        uint32_t levels = 0;
        uint32_t fanOut = 0;
    } descent;
};

// The producer with its consumers in it: a module of the extension still, with the same entry point, all
// specialization applied. An invocation, or a workgroup, keeps the payloads that it allocates to itself, and runs their
// consumers when its own code has ended, one after the other.
// Requires: what graph::planFusion() looked at, of modules that prepare() took or this function made. Errors say why
// code cannot be fused.
Result<spirv::Words> fuse(std::span<const uint32_t> words, const Options& options,
                          std::span<const FusedOutput> outputs);
Result<spirv::Module> fuse(const NodeShader& producer, std::span<const FusedOutput> outputs);  // which prepare() left

}  // namespace millrace::nodes
