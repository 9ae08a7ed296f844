// SPDX-License-Identifier: Apache-2.0
// Who runs a graph: Millrace, or the peer.
#pragma once

#include <memory>
#include <string>

#include "bench/peer/graph.h"

namespace millrace::bench::peer {

// A graph of one side with its scratch memory.
class Program {
public:
    virtual ~Program() = default;
    // What is run from now on. Each run leaves its results in one of `slots` places. `work` outlives its runs.
    virtual void prepare(const Work& work, uint32_t slots) = 0;
    // Microseconds between timestamps in front of the dispatch and behind it. Resources are made ready in front.
    virtual double run(uint32_t slot) = 0;
    virtual Words result(size_t resource, uint32_t slot) = 0;
};

// All throw PeerError, HarnessError or another std::runtime_error where something cannot be.
class Side {
public:
    virtual ~Side() = default;
    virtual std::string device() const = 0;  // with its driver
    virtual std::unique_ptr<Program> create(const Graph& graph) = 0;
    // Keeps the device busy until its clocks are up, if this side can do that; for both.
    virtual void raiseClocks() {}
};

// The first device whose name contains `device`.
std::unique_ptr<Side> createMillrace(const std::string& device);

// Whether this program was built with the peer's headers (MILLRACE_PEER_INCLUDE, docs/bench.md).
bool canRunPeer();
// `library`: libvkd3d-proton-d3d12.so. Requires: canRunPeer().
std::unique_ptr<Side> createPeer(const std::string& library, const std::string& device);

}  // namespace millrace::bench::peer
