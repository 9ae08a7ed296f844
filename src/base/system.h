// SPDX-License-Identifier: Apache-2.0
// What each system says or does in its own way; a file for each has all of it.
#pragma once

#include <cstddef>
#include <string>

namespace millrace {

// Whether the process may do more than whoever started it, who has chosen its environment: a set-uid program, and the
// like. Thread-safe, as all here.
bool hasMorePrivileges();

// The environment: "NAME=value" for each variable, and a null pointer behind the last. Belongs to the C library. Nobody
// may change the environment meanwhile.
char** environment();

// A descriptor of the C library for a file that is made, or emptied, and that child processes do not get; -1 and errno
// where that is impossible.
int openForWriting(const std::string& path);

// As many bytes from `from` on as can be read, up to `bytes`, whatever is mapped there. Returns how many: all, or those
// in front of the next page, or none, also where the system does not tell.
size_t copyReadable(void* to, const void* from, size_t bytes);

}  // namespace millrace
