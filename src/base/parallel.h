// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace millrace {

// Calls `work(i)` for all i below `count`, on as many threads as the host has. Returns when all are done. `work` must
// not throw.
template <typename Work>
void inParallel(size_t count, const Work& work)
{
    std::atomic<size_t> next{0};
    const auto run = [&] {
        for (size_t i = next++; i < count; i = next++)
            work(i);
    };
    const size_t threads = std::min<size_t>(count, std::max(1u, std::thread::hardware_concurrency()));
    std::vector<std::jthread> helpers;
    for (size_t i = 1; i < threads; ++i)
        helpers.emplace_back(run);
    run();
}

}  // namespace millrace
