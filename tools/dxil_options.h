// SPDX-License-Identifier: Apache-2.0
// Options for DXIL as JSON (docs/dxil.md): bindings, root signatures, overrides of nodes, further libraries.
#pragma once

#include <string>
#include <vector>

#include "dxil/translate.h"
#include "tools/dxil_modules.h"
#include "tools/run/document.h"

namespace millrace::tools {

struct DxilOptions {
    std::vector<dxil::Export> exports;   // of the file that the options are for
    std::vector<DxilLibrary> libraries;  // behind it
    dxil::Options options;
};

// Adds what the object says; files are beside the document. Throws run::InputError.
void readDxilOptions(const run::Value& value, DxilOptions& out);

}  // namespace millrace::tools
