// SPDX-License-Identifier: Apache-2.0
// An entry point translated to operations on register slots, which machine.h runs.
#pragma once

#include <optional>
#include <set>

#include "oracle/arithmetic.h"

namespace millrace::oracle {

enum class Code : uint8_t {
    Apply,           // function
    Copy,            // count slots from a to destination
    ExtractDynamic,  // destination = slots[a + value of b]; count components
    InsertDynamic,   // destination = vector a with value of b at index value of c
    Jump,            // to target
    JumpIfNot,       // a is false: to target
    Switch,          // a; immediate: index of the table
    Call,            // to target
    Return,
    Unreachable,
    Offset,       // pointer destination = pointer a + immediate
    Index,        // pointer destination = pointer a + value of b * immediate; c: elements, 0 if unknown
    Element,      // pointer destination = payload number b of the payload array a
    Load,         // count numbers of `width` bits at pointer a + immediate
    Store,        // count numbers of `width` bits from b to pointer a + immediate
    LoadAddress,  // device addresses: 64 bits in memory
    StoreAddress,
    RuntimeLength,  // elements of a runtime array at pointer a + immediate; b: stride
    PayloadLength,  // of payload array a
    Atomic,         // target: instruction; a: pointer, b: value, c: comparator
    Valid,          // target: payload array type; a: node index
    // Collective: all invocations of the workgroup arrive together.
    Barrier,
    Allocate,  // target: payload array type; a: count, b: node index, width: scope
    Enqueue,   // payload array a
    Finish,
    SetMeshOutputs,  // a: vertices, b: primitives
};

struct Operation {
    Code code = Code::Unreachable;
    uint8_t width = 0;
    uint32_t target = 0;
    ArithmeticOperands where;
    ArithmeticFunction function = nullptr;
    uint64_t immediate = 0;
};

struct SwitchTable {
    std::vector<std::pair<uint64_t, uint32_t>> cases;
    uint32_t otherwise = 0;
};

// Slots that hold the same for the whole run of a workgroup.
struct Preset {
    enum class Kind {
        Constant,       // value
        LaneMemory,     // pointer, offset in value
        GroupMemory,    // pointer, offset in value
        Buffer,         // pointer to the buffer (set << 32 | binding in value)
        PushConstants,  // pointer
        InputArray,     // payload array
        InputPayload,   // pointer to the only payload
    };
    Kind kind;
    uint32_t slot;
    uint64_t value;
};

struct BuiltInVariable {
    spv::BuiltIn builtIn;
    uint64_t offset;  // in lane memory
    uint32_t components;
};

// An output of each vertex or primitive of a mesh shader, or a member of one.
struct MeshVariable {
    std::optional<spv::BuiltIn> builtIn;
    std::optional<uint32_t> location;
    uint64_t offset = 0;  // of the first, in group memory
    uint64_t stride = 0;  // to the next
    uint64_t bytes = 0;
    uint32_t count = 0;
};

struct Program {
    std::vector<Operation> operations;
    std::vector<SwitchTable> tables;
    std::vector<Preset> presets;
    std::vector<BuiltInVariable> builtIns;
    std::vector<MeshVariable> meshVariables;                     // that the shader uses
    std::vector<std::pair<uint64_t, uint64_t>> zeroGroupMemory;  // offset and size
    std::vector<std::pair<uint64_t, uint64_t>> zeroLaneMemory;   // variables that hold pointers or payload arrays
    uint32_t entry = 0;
    uint32_t slots = 0;
    uint64_t laneBytes = 0;
    uint64_t groupBytes = 0;
    std::set<uint32_t> outputTypes;  // payload array types that the entry point allocates or asks for
    uint32_t inputVariable = 0;      // 0 if the node declares no payload
};

Program translate(const Module& module, const EntryPoint& entry);

}  // namespace millrace::oracle
