// SPDX-License-Identifier: Apache-2.0
// The data types of the library, for everything in this folder.
#pragma once

#include "data/data_type.h"

namespace millrace::tools::run {

using namespace millrace::data;

}  // namespace millrace::tools::run
