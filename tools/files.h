// SPDX-License-Identifier: Apache-2.0
// Input of commands from a file or standard input, and output likewise.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace millrace::tools {

// As readInputFile(), or standard input for "-", which each call of the process gives from its beginning.
Status readInput(const std::string& path, std::string& content);

// How messages name an input.
std::string inputName(const std::string& path);

// Makes the folder that a file is to be in, if it is not there. Where that fails, writing the file says why.
void makeFolderOf(const std::string& path);

// A file with this content, in the place of one that there is; also its folder. The diagnostic says why not.
Status makeFile(const std::string& path, std::string_view content);

// As makeFile(), or to standard output for "-". Reports errors; returns the exit status.
int writeFile(const std::string& path, std::string_view content);

// What takes files of that ending, for a command that does not: "; 'millrace report' takes traces". Empty: the ending
// says nothing.
std::string whatTakes(const std::string& path);

}  // namespace millrace::tools
