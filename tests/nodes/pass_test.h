// SPDX-License-Identifier: Apache-2.0
// Tests of passes: a module as text, one pass, the function bodies as text.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "nodes/compile.h"
#include "nodes/node_shader.h"
#include "nodes/pass.h"
#include "spirv/same_code.h"

namespace millrace::nodes {

using spirv::isSameCode;

// A node shader in assembly. Every module has the same types, so that a test shows only what it is about:
//   %Rec {uint, uint}, %Grid {uint3 grid, uint}; %InArr array of %Rec, the input %input, at most 4 payloads;
//   %ToArr array of %Grid for node "target", budget 8; %ToRec array of %Rec for node "other", budget 16;
//   %out a storage buffer of uint; the built-ins %wgid, %gid, %lid, %lidx; constants %u0 to %u8.
// Pointer types are called %np_X (NodePayloadAMDX), %fn_X (Function), %sb_X (StorageBuffer), %in_X (Input).
struct ModuleText {
    uint32_t version = 0x00010600;
    std::string capabilities;
    std::string extensions;
    std::string memoryModel = "OpMemoryModel Logical GLSL450";
    std::string interface = "%input %out %wgid %gid %lid %lidx";
    std::string modes =
        "OpExecutionMode %main LocalSize 8 1 1\n"
        "OpExecutionModeId %main StaticNumWorkgroupsAMDX %u4 %u1 %u1";
    std::string names;
    std::string annotations;
    std::string globals;
    std::string body;       // of main, between its label and OpReturn
    std::string functions;  // behind main

    std::string text() const;
    spirv::Words words() const;
};

// A body with a loop that does nothing.
inline constexpr const char* kLoop = R"(
    OpBranch %again
    %again = OpLabel
    OpLoopMerge %done %next None
    OpBranch %inside
    %inside = OpLabel
    %lane = OpLoad %uint %lidx
    %more = OpULessThan %bool %lane %u0
    OpBranchConditional %more %next %done
    %next = OpLabel
    OpBranch %again
    %done = OpLabel)";

class PassTest : public testing::Test {
protected:
    // Loads a module, which must be valid.
    void load(const ModuleText& module);
    // Runs a pass, which must succeed and leave a valid module.
    void run(const PassFunction& pass);
    void runAll(std::initializer_list<PassFunction> passes);
    // Runs a pass, which must fail, and gives its diagnostic.
    std::string runAndFail(const PassFunction& pass);

    std::string text() const;               // the whole module
    std::string functions() const;          // functions with bodies
    bool has(std::string_view line) const;  // of text(), without regard to spacing in front

    NodeShader shader;
    Options options;
};

}  // namespace millrace::nodes
