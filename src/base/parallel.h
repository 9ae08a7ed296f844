// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace millrace {

// Calls `work(i)` for all i below `count`, on as many threads as the host has and gives. Returns when all are done, and
// then throws the first thing that `work` threw.
template <typename Work>
void inParallel(size_t count, const Work& work)
{
    std::atomic<size_t> next{0};
    std::mutex mutex;
    std::exception_ptr thrown;
    const auto run = [&]() noexcept {
        for (size_t i = next++; i < count; i = next++) {
            try {
                work(i);
            } catch (...) {
                std::lock_guard lock(mutex);
                if (!thrown)
                    thrown = std::current_exception();
            }
        }
    };
    const size_t threads = std::min<size_t>(count, std::max(1u, std::thread::hardware_concurrency()));
    {
        std::vector<std::jthread> helpers;
        try {
            for (size_t i = 1; i < threads; ++i)
                helpers.emplace_back(run);
        } catch (...) {
            // Those that there are, and this one, do it all.
        }
        run();
    }
    if (thrown)
        std::rethrow_exception(thrown);
}

}  // namespace millrace
