// SPDX-License-Identifier: Apache-2.0
// Results against a file that says what they should be.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/run/document.h"
#include "tools/run/work.h"

namespace millrace::tools::run {

struct Difference {
    std::string resource;
    std::string path;  // of the first value that differs
    std::string found;
    std::string expected;
    uint64_t differing = 0;
    uint64_t compared = 0;

    std::string text() const;
};

// What the file expects of one resource.
struct Expectation {
    size_t resource = 0;  // into Work::resources
    Bytes bytes;
    Bytes given;  // 1 for bytes that are compared
    double tolerance = 0;
    bool isUnordered = false;
};

// Throws InputError, before anything runs.
std::vector<Expectation> readExpectations(const Document& document, const Work& work);

// Nothing if the result is as expected.
std::optional<Difference> compare(const Expectation& expectation, const Resource& resource);

}  // namespace millrace::tools::run
