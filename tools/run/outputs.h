// SPDX-License-Identifier: Apache-2.0
// Results as files.
#pragma once

#include <string>
#include <vector>

#include "tools/run/work.h"

namespace millrace::tools::run {

struct OutputFile {
    std::string resource;
    std::string path;
};

// Checks before anything runs that every output can be written as what its name says. Throws InputError.
void checkOutputs(const Work& work);

// Throws InputError for files that cannot be written.
std::vector<OutputFile> writeOutputs(const Work& work, const std::string& folder);

}  // namespace millrace::tools::run
