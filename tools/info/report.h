// SPDX-License-Identifier: Apache-2.0
// What `millrace info` says: text for people, JSON for programs.
#pragma once

#include <iosfwd>

#include <nlohmann/json_fwd.hpp>

#include "tools/info/survey.h"

namespace millrace::tools {

// `allSettings`: also those that are as by default.
void printSurvey(std::ostream& out, const Survey& survey, bool allSettings);
nlohmann::ordered_json surveyJson(const Survey& survey);

std::string deviceKind(VkPhysicalDeviceType type);  // "discrete", "cpu"
std::string uuidText(const std::array<uint8_t, VK_UUID_SIZE>& uuid);

}  // namespace millrace::tools
