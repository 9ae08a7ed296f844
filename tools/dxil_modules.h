// SPDX-License-Identifier: Apache-2.0
// DXIL to modules, in a process of its own.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "dxil/translate.h"
#include "dxil/validate.h"
#include "spirv/tools.h"

namespace millrace::tools {

// A file, and what of it is used.
struct DxilLibrary {
    std::string content;
    std::vector<dxil::Export> exports;
};

struct DxilModule {
    std::string name;        // unique: of the function, with the node's where that is not enough
    std::string entryPoint;  // of the module
    spirv::Words words;
    std::vector<uint32_t> waveSizes;  // one; or minimum, maximum, preferred; as the program says, unchecked
    bool wasStructurized = false;
};

struct DxilProgram {
    std::string description;  // JSON
    std::vector<DxilModule> modules;
};

// All modules are valid. With 0 seconds in this process.
Result<DxilProgram> translateDxil(const std::vector<DxilLibrary>& libraries, const dxil::Options& options,
                                  unsigned seconds = 10);

// What the program does that the rules for native vectors forbid. With 0 seconds in this process.
Result<std::vector<dxil::Violation>> findDxilViolations(const std::string& content, unsigned seconds = 10);

}  // namespace millrace::tools
