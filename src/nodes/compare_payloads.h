// SPDX-License-Identifier: Apache-2.0
// Whether a sender and a receiver mean the same by the bytes of a payload.
#pragma once

#include <string>

#include "data/data_type.h"

namespace millrace::nodes {

// The first scalar of the receiver that the sender does not have at its place in its width, or has as a float where the
// receiver has an integer or the other way around: "byte 4 is 'float weight' there and 'uint next' here". Empty: there
// is none. Signs do not count, nor does what only the sender has; nor floats where a member has no name, since
// compilers that leave out names (DXC) also leave out what an integer stands for.
std::string differenceOf(const data::DataType& sent, const data::DataType& received);

}  // namespace millrace::nodes
