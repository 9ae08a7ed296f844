// SPDX-License-Identifier: Apache-2.0
// Nodes that are made one: a producer that sends to "item", and consumers.
#pragma once

#include <string>

#include "spirv/tools.h"

namespace millrace::nodes {

// {uint, uint} for both.
inline constexpr const char* kPair = "OpMemberDecorate %Item 0 Offset 0\nOpMemberDecorate %Item 1 Offset 4\n";

// A module with one node. `item`: what its payloads are.
struct NodeSource {
    std::string memoryModel = "OpMemoryModel Logical GLSL450";
    std::string capabilities;
    std::string modes;
    std::string interface;
    std::string itemDecorations = kPair;
    std::string item = "%Item = OpTypeStruct %uint %uint";
    std::string decorations;
    std::string globals;
    std::string body;
    std::string functions;

    std::string text(const std::string& payloads) const;
};

// The binary, which must assemble.
spirv::Words assembled(const std::string& text);
inline spirv::Words assembledProducer(const NodeSource& source)
{
    return assembled(source.text(""));
}
// With the variable %input.
inline spirv::Words assembledConsumer(const NodeSource& source)
{
    return assembled(source.text("%input = OpVariable %np_Items NodePayloadAMDX\n"));
}

// A static node of 8 invocations, and a coalescing one of one payload.
NodeSource producer(const std::string& body);
NodeSource consumer(const std::string& body);
// Each invocation allocates %sent; %lane is its number.
std::string sends(const std::string& count, const std::string& index, const std::string& fill);

// Sends two payloads to itself until no recursion is left, then adds to a word; without atomics; as many payloads as
// its own one says.
NodeSource recursive(const std::string& index = "%u0", const std::string& maximum = "%u3");
NodeSource regular(const std::string& maximum);
NodeSource uneven(const std::string& maximum);

inline constexpr const char* kFill = R"(
%first = OpAccessChain %np_uint %sent %u0 %u0
OpStore %first %lane
%second = OpAccessChain %np_uint %sent %u0 %u1
OpStore %second %u5
)";

inline constexpr const char* kWork = R"(
%key_at = OpAccessChain %np_uint %input %u0 %u1
%key = OpLoad %uint %key_at
%word_at = OpAccessChain %sb_uint %out %u0 %key
%old = OpAtomicIAdd %uint %word_at %u1 %u0 %u1
)";

}  // namespace millrace::nodes
