// SPDX-License-Identifier: Apache-2.0
// A random graph, ready to run, with the result it must have.
#pragma once

#include "oracle/graph.h"
#include "random/graph_spec.h"

namespace millrace::random {

struct GeneratedModule {
    std::string text;
    std::vector<uint32_t> words;
    oracle::Specialization specialization;
    bool specifiedValidity = false;  // spirv-val up to 2025.1 rejects it
};

struct RandomGraph {
    GraphSpec spec;
    std::vector<GeneratedModule> modules;  // as spec.modules
    std::vector<uint32_t> moduleOfNode;
    std::vector<uint8_t> pushConstants;  // the address is still to be written to bytes 8 to 15
    std::vector<uint32_t> table;
    std::vector<std::vector<uint8_t>> payloads;  // as spec.launches
    std::string fragmentText;                    // of all mesh nodes, if there are any
    std::vector<uint32_t> fragment;
};

// Bounds on what a generated graph may do; a graph that does more is drawn again.
struct Effort {
    uint64_t maxWorkgroups = 300'000;
    uint64_t maxOperations = 250'000'000;
    MemberRules rules;
    bool withMesh = false;  // graphs have mesh nodes
};

// Deterministic. `expected` is the output buffer after the graph.
struct Expectation {
    std::vector<uint32_t> output;
    oracle::Statistics statistics;
};

RandomGraph buildGraph(uint64_t seed, uint32_t attempt, const MemberRules& rules = {}, bool withMesh = false);
Expectation runOnOracle(const RandomGraph& graph, const oracle::Options& options);

// Draws until the oracle can run the graph within its effort.
std::pair<RandomGraph, Expectation> makeGraph(uint64_t seed, const Effort& effort);

// Writes each module as SPIR-V assembly, and a description of the graph, to a folder.
void dumpGraph(const RandomGraph& graph, const std::string& folder);

}  // namespace millrace::random
