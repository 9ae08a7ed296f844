// SPDX-License-Identifier: Apache-2.0
// Names of files that settings ask for.
#pragma once

#include <string>

namespace millrace::layer {

// "%p" becomes the process. Who asks for the same name again gets one with "-2", "-3" and so on in front of the suffix:
// each device of a process writes files of its own. What is there and no file, such as a pipe, all share. Any thread.
std::string outputPath(std::string pattern);

}  // namespace millrace::layer
