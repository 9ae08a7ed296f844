// SPDX-License-Identifier: Apache-2.0
// Shaders of workloads, compiled when they are needed, so that a sketch of a change needs no build.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace millrace::bench {

using Definitions = std::vector<std::pair<std::string, std::string>>;

// Where shaders are: the option --shaders, else MILLRACE_BENCH_SHADERS, else the source folder of the build.
void setShaderFolder(const std::string& folder);
const std::string& shaderFolder();

// `file` is relative to the shader folder, without ".comp". Both throw HarnessError with the compiler's messages.
std::vector<uint32_t> compileNode(const std::string& file, const Definitions& definitions = {});
std::vector<uint32_t> compileKernel(const std::string& file, const Definitions& definitions = {});

}  // namespace millrace::bench
