// SPDX-License-Identifier: Apache-2.0
// Keeps the device's clocks up. They fall while the host is at work, an H200's from 1980 to 345 MHz, and rise only
// under load.
#pragma once

#include "bench/suite/memory.h"
#include "bench/suite/programs.h"

namespace millrace::bench {

class Bench;

class Clocks {
public:
    explicit Clocks(Bench& bench);
    // Keeps the device busy until it is as fast as it has been seen before, or a second has passed.
    void raise();

private:
    Bench& m_bench;
    Memory m_result;
    Kernel m_spin;
    double m_least = 0;  // microseconds
};

}  // namespace millrace::bench
