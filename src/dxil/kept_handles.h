// SPDX-License-Identifier: Apache-2.0
// Variables that hold handles of descriptors: of a heap, which are numbers, or of anything else, which have none.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "dxil/ir.h"

namespace millrace::dxil {

// "dx.types.Handle" and its like, which no memory can hold as they are.
bool isHandleType(const Type& type);

// Which heap handles come from, through variables, phis and selects.
class KeptHandles {
public:
    // Collects all stores of a function: wanted of all functions first.
    void add(const Function& function);

    enum class Source : uint8_t { None, ResourceHeap, SamplerHeap, Other };
    // Of what is stored in a variable, an alloca or a pointer to a global; None: no handles. The time is linear in what
    // is stored there and in variables and phis that it comes from; what is asked again is known.
    Source sourceOfVariable(const Value& variable);
    // Of a handle.
    Source sourceOf(const Value& handle);

private:
    std::unordered_map<const void*, std::vector<const Value*>> m_stored;
    std::unordered_map<const void*, Source> m_known;
};

// The variable that an address leads into, through steps and casts.
const Value& variableOf(const Value& address);

}  // namespace millrace::dxil
