// SPDX-License-Identifier: Apache-2.0
// Payload types in SPIR-V, and the code that fills and reads payloads.
#pragma once

#include "random/module_text.h"

namespace millrace::random {

// A structure type for one use of a layout.
struct PayloadType {
    const Layout* layout = nullptr;
    Id structure;
    std::vector<Id> members;  // types; of nested members the inner one
};

PayloadType declarePayload(ModuleText& module, const Layout& layout, bool decorateGrid, bool readOnly);

// Where a payload is: `indices` lead from `base` to its structure and may be empty.
struct PayloadPlace {
    std::string storage;
    Id base;
    std::string indices;
};

Id loadKey(BodyText& body, const PayloadType& type, const PayloadPlace& place);
void storeKey(BodyText& body, const PayloadType& type, const PayloadPlace& place, const Id& key);

// A hash of what the payload holds besides its key, of the members that `node` reads. Elements of arrays from `first`
// on, every `step`.
Id hashPayload(BodyText& body, const PayloadType& type, const PayloadPlace& place, const NodeSpec& node,
               const Id& first, const Id& step);

// Writes a payload that follows from its key: the elements of its arrays from `first` on, every `step`, and the rest.
void fillArrays(BodyText& body, const PayloadType& type, const PayloadPlace& place, const Id& key, const Id& first,
                const Id& step);
void fillScalars(BodyText& body, const PayloadType& type, const PayloadPlace& place, const Id& key);

// A component of the grid that a key asks for, 1 where the grid has none.
Id gridSide(BodyText& body, const Layout& layout, const Id& key, uint32_t component);

}  // namespace millrace::random
