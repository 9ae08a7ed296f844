// SPDX-License-Identifier: Apache-2.0
// Code as text, compared with what is expected.
#pragma once

#include <gtest/gtest.h>

#include <string>

namespace millrace::spirv {

// True if `actual`, as the disassembler writes it, is `expected` but for the numbers of unnamed ids and the spacing.
testing::AssertionResult isSameCode(const std::string& actual, const std::string& expected);

}  // namespace millrace::spirv
