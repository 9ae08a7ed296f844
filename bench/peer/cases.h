// SPDX-License-Identifier: Apache-2.0
// Records for the work graphs of vkd3d-proton's tests, and what these must write, worked out on the CPU.
#pragma once

#include <functional>

#include "bench/peer/graph.h"

namespace millrace::bench::peer {

struct Case {
    std::string records;  // "tests": those of the peer's tests; "repeat": one again and again; "spread": nothing is hot
    std::string title;
    std::string library;  // file without ".dxil"
    std::string node;
    bool isThreadLaunch = false;  // of the entry node
    uint32_t recordWords = 0;     // 0: empty records
    std::function<Words(uint32_t count)> input{};
    std::function<std::vector<Words>(uint32_t count)> expected{};  // u0 and, where it is used, u1
    // What an input takes of each of the peer's payload rings of 128 MiB, which it does not check for overflow.
    uint32_t peerBytes = 0;
};

std::vector<Case> allCases();

// The dispatch of so many inputs. Both UAVs are there in any case.
Work workOf(const Case& which, uint32_t count, Form form);
// The root signature of the peer's tests: two UAVs.
std::vector<Argument> argumentsOfTests();
// Why the peer cannot run this; empty if it can.
std::string obstacleOf(const Case& which, uint32_t count);
// Those that make a row. With as many records as the peer leaves some of, it gets them split, too.
std::vector<Form> formsOf(const Case& which, uint32_t count);

}  // namespace millrace::bench::peer
