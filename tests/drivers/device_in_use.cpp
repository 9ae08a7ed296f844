// SPDX-License-Identifier: Apache-2.0
#include "drivers/device_in_use.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace millrace::drivers {

const DeviceFile& deviceInUse()
{
    static const DeviceFile file = [] {
        const char* name = std::getenv("MILLRACE_TEST_DEVICE_FILE");
        std::ifstream in(name ? name : "");
        std::ostringstream text;
        text << in.rdbuf();
        Result<DeviceFile> read = parseDevice(text.str());
        if (!in || !read) {
            std::fprintf(stderr, "%s: %s\n", name ? name : "MILLRACE_TEST_DEVICE_FILE",
                         read ? "cannot be read" : read.error().text().c_str());
            std::abort();
        }
        return *read;
    }();
    return file;
}

}  // namespace millrace::drivers
