// SPDX-License-Identifier: Apache-2.0
// Values of JSON as bytes of a data type, and back.
#pragma once

#include "tools/run/data_type.h"
#include "tools/run/document.h"

namespace millrace::tools::run {

// Where the address of a buffer belongs, once it is known.
struct Address {
    uint64_t offset = 0;
    Value buffer;  // its name
};

// Structures are objects by member name or arrays of all members; everything else with elements is an array of all of
// them, but a runtime array has as many as are given.
struct Encoding {
    // Members of structures may be left out.
    bool mayBePartial = false;
    // How far `bytes` may grow; also the end of runtime arrays.
    uint64_t mostBytes = UINT64_MAX;
    // If given: as long as `bytes` becomes, 1 for every byte that was given a value.
    Bytes* given = nullptr;
    // If given: {"address": NAME} may stand for 64 bits, in arrays of 32-bit words for two of them.
    std::vector<Address>* addresses = nullptr;
};

// Writes the value to `bytes` from `offset` on and makes them as long as that needs. Throws InputError.
void encodeJson(const Value& value, const DataType& type, uint64_t offset, Bytes& bytes, const Encoding& encoding);

// `available`: bytes from the start of the value to the end of its memory, which bounds runtime arrays.
Json decodeJson(const DataType& type, const uint8_t* bytes, uint64_t available);

}  // namespace millrace::tools::run
