// SPDX-License-Identifier: Apache-2.0
#include "bench/workloads/list.h"

namespace millrace::bench {

const std::vector<Workload>& workloads()
{
    static const std::vector<Workload> all{
        {"raw", "raw costs of the device", raw},
        {"M1", "a chain of levels", chain},
        {"M2", "nodes without work", idleNodes},
        {"M3", "payloads of many sizes to a single-invocation node", fanOut},
        {"M5", "payloads that bring their grid", grids},
        {"S1", "recursion, 254 payloads from each input", recursion},
        {"W1", "classification: 111 materials", classification},
        {"W4", "snowflake and sponge: recursion that grows", shapes},
        {"W5", "Mandelbrot set by subdivision", mandelbrot},
    };
    return all;
}

}  // namespace millrace::bench
