// SPDX-License-Identifier: Apache-2.0
// Mesh and task shaders from a file, whatever it is.
#pragma once

#include <string>

#include "base/result.h"
#include "spirv/tools.h"

namespace millrace::tools {

struct ShaderFile {
    spirv::Words words;
    bool isFromDxil = false;
};

// SPIR-V, binary or assembly text, or a DXIL container of a mesh or amplification shader. The diagnostic names the
// file.
Result<ShaderFile> readShaderFile(const std::string& path);

}  // namespace millrace::tools
