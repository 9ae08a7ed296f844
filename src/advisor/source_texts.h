// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "advisor/place.h"
#include "spirv/module.h"

namespace millrace::advisor {

// By file, as far as the module has them: OpSource, or DebugSource of NonSemantic.Shader.DebugInfo.100.
using SourceTexts = std::map<std::string, std::string>;

SourceTexts readSourceTexts(const spirv::Module& module);

// The line at a place, without the white space around it; empty if there is none.
std::string lineAt(const SourceTexts& texts, const Place& place);

}  // namespace millrace::advisor
