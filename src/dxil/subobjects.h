// SPDX-License-Identifier: Apache-2.0
// Subobjects that a library declares in HLSL (part RDAT): root signatures, and which exports have which.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "dxil/bytes.h"

namespace millrace::dxil {

struct DeclaredSignature {
    std::string name;
    bool isLocal = false;
    Bytes bytes;  // as in a part RTS0
};

struct Association {
    std::string subobject;
    std::vector<std::string> exports;  // none: all
};

struct Subobjects {
    std::vector<DeclaredSignature> signatures;
    std::vector<Association> associations;

    // What `entry` has: what is associated with it, else what is associated with nothing or with all. Null: none.
    const DeclaredSignature* findSignature(bool isLocal, const std::string& entry) const;
};

// Errors: whatever lies outside of the part.
Result<Subobjects> readSubobjects(Bytes rdat);

}  // namespace millrace::dxil
