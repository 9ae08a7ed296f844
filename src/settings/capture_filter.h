// SPDX-License-Identifier: Apache-2.0
// Which payloads to capture, in words (docs/capture.md): "classify[3] level 2 first 10 where depth > 3; other".
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "runtime/capture_recorder.h"

namespace millrace::settings {

Result<std::vector<runtime::CaptureFilter>> parseCaptureFilters(const std::string& text);

}  // namespace millrace::settings
