// SPDX-License-Identifier: Apache-2.0
// All workloads; each is in a file of its own.
#pragma once

#include "bench/workloads/common.h"

namespace millrace::bench {

void raw(Bench& bench);
void deviceInputs(Bench& bench);
void chain(Bench& bench);
void idleNodes(Bench& bench);
void fanOut(Bench& bench);
void scatter(Bench& bench);
void grids(Bench& bench);
void coalescing(Bench& bench);
void heavyBodies(Bench& bench);
void pipelines(Bench& bench);
void recording(Bench& bench);
void recursion(Bench& bench);
void twoLevels(Bench& bench);
void twoLevelGrids(Bench& bench);
void emptyPayloads(Bench& bench);
void hotAtomics(Bench& bench);
void classification(Bench& bench);
void deferred(Bench& bench);
void raster(Bench& bench);
void shapes(Bench& bench);
void mandelbrot(Bench& bench);
void downsample(Bench& bench);
void traversal(Bench& bench);
void breadthFirst(Bench& bench);
void sparseProduct(Bench& bench);
void histogram(Bench& bench);
void rays(Bench& bench);
void overflow(Bench& bench);
void tracing(Bench& bench);

}  // namespace millrace::bench
