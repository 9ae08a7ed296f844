// SPDX-License-Identifier: Apache-2.0
// Which devices the user means with --device.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace millrace::tools {

// Indices into `names`, at least one. A number of one or two digits is that device; any other text is part of a name,
// in any letter case; empty: all. Otherwise says what there is, and what was probably meant. `names` is not empty.
Result<std::vector<size_t>> chooseDevices(const std::vector<std::string>& names, const std::string& wanted);

// "there is device 0: NAME", or "there are devices 0: NAME, 1: NAME".
std::string deviceList(const std::vector<std::string>& names);

}  // namespace millrace::tools
