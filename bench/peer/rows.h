// SPDX-License-Identifier: Apache-2.0
// The rows of the table: which graph gets which inputs in which form.
#pragma once

#include <functional>

#include "bench/peer/graph.h"

namespace millrace::bench::peer {

struct Row {
    std::string records;  // of a case, or "sample"
    std::string title;
    Form form = Form::Cpu;
    uint32_t count = 1;              // inputs
    std::string library;             // the file
    std::string obstacle;            // why the peer does not run it; empty: it does
    std::function<Graph()> graph{};  // reads the library
    std::function<Work()> work{};
};

struct RowOptions {
    std::string libraries;  // folder
    std::string samples;    // folder of their descriptions
    std::string only;       // rows with that in "records: title"
    std::vector<uint32_t> counts;
    // Samples whose library is not there are no error then, but a row less.
    bool skipsMissing = false;
};

// Throws PeerError if a library is missing.
std::vector<Row> planRows(const RowOptions& options);

}  // namespace millrace::bench::peer
