// SPDX-License-Identifier: Apache-2.0
// The declarations that the dialect adds to GLSL, and how they travel through glslang. The rewriter puts ordinary GLSL
// in their place; what that cannot say stays in a Declaration. completeModule() finds both together by `number`.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace millrace::glsl {

enum class DeclarationKind { Node, Input, Output };

// What can be said in layout(...), and the size of the array.
enum class Attribute : uint32_t {
    // node
    Name,
    Index,
    StaticGrid,
    MaxGrid,
    Coalescing,
    Recursion,
    SharesInputWith,
    SharesInputIndex,
    ApiEntry,
    // nodein, nodeout
    MaxPayloads,
    FinishTracking,
    // nodeout
    TargetNode,
    BaseIndex,
    ArraySize,
    Sparse,
    SharesBudgetWith,
};

struct Declaration {
    DeclarationKind kind = DeclarationKind::Node;
    std::string file;
    uint32_t line = 0;
    std::string name;  // of the payload variable
    bool isArray = false;
    bool isReadOnly = false;
    bool isEmpty = false;                      // nodeout void
    std::map<Attribute, std::string> strings;  // attributes whose value is a string
    std::map<Attribute, bool> flags;           // attributes without a value
    // What glslang's messages about a line of the declaration should add, since it does not know the dialect.
    std::multimap<uint32_t, std::string> hints;
};

using Declarations = std::vector<Declaration>;

inline std::string at(const std::string& file, uint32_t line)
{
    return file + ":" + std::to_string(line) + ": error: ";
}

// Names in the GLSL that the rewriter writes; users must not use the prefix.
inline constexpr std::string_view kReserved = "mr_";
inline constexpr std::string_view kDeclareFunction = "mr_declare_";  // + number
inline constexpr std::string_view kBlock = "mr_Payloads_";           // + number
inline constexpr std::string_view kOutputNumber = "mr_output_";      // + name

// Placeholders are extended instructions of this set, which no module has in the end.
inline constexpr std::string_view kPlaceholderSet = "NonSemantic.Millrace.Node";
enum class Placeholder : uint32_t {
    Attribute = 1,  // declaration number, Attribute, value...
    Allocate = 2,   // declaration number, scope, payload count, node index
    Enqueue = 3,    // declaration number
    IsValid = 4,    // declaration number, node index
    FinishWriting = 5,
    RemainingRecursion = 6,
    ShaderIndex = 7,
};

}  // namespace millrace::glsl
