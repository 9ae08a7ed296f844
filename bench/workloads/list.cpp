// SPDX-License-Identifier: Apache-2.0
#include "bench/workloads/list.h"

namespace millrace::bench {

namespace {

void irregular(Bench& bench)
{
    breadthFirst(bench);
    sparseProduct(bench);
}

}  // namespace

const std::vector<Workload>& workloads()
{
    static const std::vector<Workload> all{
        {"raw", "raw costs of the device", raw},
        {"D1", "inputs that the device has, beside the host's", deviceInputs},
        {"M1", "a chain of levels", chain},
        {"M2", "nodes without work", idleNodes},
        {"M3", "payloads of many sizes to a single-invocation node", fanOut},
        {"M4", "payloads to many nodes", scatter},
        {"M5", "payloads that bring their grid", grids},
        {"M6", "how full workgroups of a coalescing node are", coalescing},
        {"M7", "node bodies with many registers or much workgroup memory", heavyBodies},
        {"P1", "creation of pipelines", pipelines},
        {"R1", "recording of dispatches, on the host", recording},
        {"S1", "recursion, 254 payloads from each input", recursion},
        {"S2", "two levels, 64 single invocations from each input", twoLevels},
        {"S3", "two levels, 8 workgroups from each input", twoLevelGrids},
        {"S4", "empty payloads to 14 nodes", emptyPayloads},
        {"S5", "recursion with additions to 14 words", hotAtomics},
        {"W1", "classification: 111 materials", classification},
        {"W2", "tiled deferred shading", deferred},
        {"W3", "rasterizer", raster},
        {"W4", "snowflake and sponge: recursion that grows", shapes},
        {"W5", "Mandelbrot set by subdivision", mandelbrot},
        {"W6", "all halvings of a picture", downsample},
        {"W7", "queries in a tree", traversal},
        {"W8", "breadth-first search; sparse matrix times vector", irregular},
        {"W9", "histogram by payloads of 1 KiB", histogram},
        {"W10", "rays to three materials", rays},
        {"W13", "more payloads than memory", overflow},
        {"T1", "a trace of a million records", tracing},
    };
    return all;
}

}  // namespace millrace::bench
