// SPDX-License-Identifier: Apache-2.0
// A system that has no memory or no threads for the layer. Works in programs that are linked with failing_host.cpp.
#pragma once

#include <cstddef>

namespace millrace::layertest {

// Finds the layer's library. Requires: an instance with the layer exists.
void findLayer();

// The allocation of the layer's with this number, from 1 on, fails: operator new throws. 0: none does.
void failAllocation(size_t number);
// Allocations of the layer's since then.
size_t allocations();

// From now on no thread begins that the layer wants to start.
void failThreads(bool fail);
// Threads that the layer has wanted to start.
size_t threads();

}  // namespace millrace::layertest
