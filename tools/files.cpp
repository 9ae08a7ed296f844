// SPDX-License-Identifier: Apache-2.0
#include "tools/files.h"

#include <fstream>
#include <iostream>

#include "tools/console.h"

namespace millrace::tools {

int writeFile(const std::string& path, std::string_view content)
{
    if (path == "-") {
        std::cout << content << std::flush;
        return std::cout.good() ? 0 : fail("cannot write to standard output");
    }
    std::ofstream file(path, std::ios::binary);
    file << content;
    file.close();
    return file.good() ? 0 : fail("cannot write " + printable(path));
}

}  // namespace millrace::tools
