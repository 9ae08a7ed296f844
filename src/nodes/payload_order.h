// SPDX-License-Identifier: Apache-2.0
// In which order invocations take the payloads that others have sent.
#pragma once

#include "nodes/compile.h"

namespace millrace::nodes {

// Of payloads that an invocation sent at a time, how many neighbours of ours take one after the other
// (device/locate.glsl); 1 if they lie side by side anyway. Several senders' lie side by side then, and what neighbours
// read is whole lines of the cache: with 32 and 64 bytes an H200 took 347 and 206 us for M3's 64 payloads of 16 bytes
// an invocation, with 128 183, and as long with all three for W4, which has 4 and 8 payloads of 16 and 20 bytes.
uint32_t payloadsBeside(const graph::CodeTraits& traits, const Target& target);

}  // namespace millrace::nodes
