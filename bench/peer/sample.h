// SPDX-License-Identifier: Apache-2.0
// A whole work graph of somebody's sample: what it has to be given, as a file of ours says (bench/peer/samples). The
// library itself is compiled by hand from the sample's HLSL.
#pragma once

#include <string>
#include <vector>

#include "bench/peer/graph.h"

namespace millrace::bench::peer {

struct Sample {
    std::string title;
    std::string source;        // repository, revision and file
    std::string compile;       // the compiler's options
    std::string library;       // file without ".dxil"
    std::string notRunByPeer;  // why; empty: it is
    Graph graph;               // without container
    Work work;
};

// Throws PeerError that names what is wrong.
Sample parseSample(const std::string& json);
// All of a folder, by file name.
std::vector<Sample> readSamples(const std::string& folder);

}  // namespace millrace::bench::peer
