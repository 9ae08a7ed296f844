// SPDX-License-Identifier: Apache-2.0
#include "base/log.h"

#include <cstdio>
#include <mutex>

namespace millrace {

void log(Severity severity, std::string_view message)
{
    static std::mutex mutex;
    static constexpr const char* kNames[] = {"info", "warning", "error"};
    std::lock_guard lock(mutex);
    std::fprintf(stderr, "millrace: %s: %.*s\n", kNames[static_cast<int>(severity)], static_cast<int>(message.size()),
                 message.data());
}

}  // namespace millrace
