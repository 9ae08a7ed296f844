// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <nlohmann/json.hpp>

#include "advisor/advise.h"

namespace millrace::tools {

// A list of shaders. docs/advisor.md has the members.
nlohmann::ordered_json adviceJson(const std::vector<advisor::Advice>& shaders);

// "mesh shader" or "task shader"; in what waves the shader's stage runs by default is the driver's choice.
const char* stageText(advisor::Stage stage);
// "triangles", "lines" or "points".
const char* topologyText(const advisor::Facts& facts);
const char* kindText(advisor::OutputKind kind);

}  // namespace millrace::tools
