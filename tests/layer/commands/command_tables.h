// SPDX-License-Identifier: Apache-2.0
// Every command of Vulkan and every structure that one leads to, as tables. command_tables.py makes them from the
// registry, so that no list of ours can lack one.
#pragma once

#include <vulkan/vulkan.h>

#include <cstdint>
#include <span>

namespace millrace::layertest {

struct Struct;

enum class Kind : uint8_t {
    Bytes,  // a number, or whatever else has no meaning to anybody here
    Bool,
    Float,
    Double,
    Enum,  // or flags
    Type,  // sType
    Handle,
    Dispatchable,
    Text,
    Struct,
    Foreign,  // functions, and what other headers declare: always null
};

// A member of a structure but for pNext, or a parameter of a command.
struct Member {
    const char* name;
    const char* typeName;
    Kind kind;
    uint32_t offset;
    uint32_t bytes;         // in the structure
    uint32_t elementBytes;  // of one, in the structure or behind the pointer
    uint32_t pointers;      // 0 to 2
    bool isConst;           // what the pointer leads to is the application's; else the driver writes it
    bool isOptional;
    bool isTerminated;  // text ends with 0
    bool isCounted;
    uint32_t counted;                        // if this is the length of something: how long that should be
    uint64_t valid;                          // of an enumeration
    const Struct* type;                      // of Kind::Struct
    size_t (*count)(const void* structure);  // of elements behind the pointer; null: one
};

struct Struct {
    const char* name;
    uint32_t bytes;
    bool hasChain;    // begins with sType and pNext
    bool isReturned;  // only drivers fill it
    VkStructureType sType;
    std::span<const Member> members;
    std::span<const Struct* const> extensions;  // that may be in its chain
};

struct Command {
    Struct arguments;
    const char* promoted;  // its name in Vulkan 1.1 to 1.3, which the layer may call in its place; or null
    // Calls a function of this type with arguments that are laid out as in `arguments`. Returns what it does, or 0.
    uint64_t (*call)(PFN_vkVoidFunction function, const void* arguments);
    PFN_vkVoidFunction driver;  // gives the arguments to receive()
    bool isOfVulkan14;          // not of an extension as well
    bool returnsResult;
    bool setsState;
    bool insideRendering;
    bool outsideRendering;

    const char* name() const { return arguments.name; }
};

// What a driver does. Defined by who links the tables.
uint64_t receive(const Command& command, void* arguments);

std::span<const Command* const> commands();
std::span<const Struct* const> chainedStructs();

}  // namespace millrace::layertest
