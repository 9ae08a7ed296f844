// SPDX-License-Identifier: Apache-2.0
#include "nodes/payload_origins.h"

#include "nodes/pass_test.h"

namespace millrace::nodes {

namespace {

// What is known of a pointer or a handle comes to the first of so many in as many rounds of a loop: by phis, each of
// the next, or by variables.
spirv::Words rotations(uint32_t count, bool inVariables)
{
    ModuleText module;
    module.capabilities = "OpCapability VariablePointers";
    std::string phis, copies;
    for (uint32_t i = 0; i < count; ++i) {
        const std::string n = std::to_string(i);
        const std::string next = i + 1 < count ? "%x" + std::to_string(i + 1) : "%last";
        phis += "%x" + n + " = OpPhi %np_uint %first %entry " + next + " %next\n";
        module.body += inVariables ? "%v" + n + " = OpVariable %fn_ToRec Function\n" : "";
        if (i + 1 < count)
            copies += "%l" + n + " = OpLoad %ToRec %v" + std::to_string(i + 1) + "\nOpStore %v" + n + " %l" + n + "\n";
    }
    const std::string end = std::to_string(count - 1);
    module.body += "%to = OpAllocateNodePayloadsAMDX %np_ToRec %u2 %u1 %u0\n";
    module.body += inVariables ? "%l" + end + " = OpLoad %ToRec %to\nOpStore %v" + end + " %l" + end + "\n"
                               : "%first = OpAccessChain %np_uint %input %u0 %u1\n"
                                 "%last = OpAccessChain %np_uint %to %u0 %u1\n";
    module.body += "OpBranch %again\n%again = OpLabel\n" + (inVariables ? std::string() : phis) +
                   "OpLoopMerge %done %next None\nOpBranch %inside\n%inside = OpLabel\n" +
                   (inVariables ? copies : "OpStore %x0 %u7\n") +
                   "OpBranchConditional %true %next %done\n%next = OpLabel\nOpBranch %again\n%done = OpLabel\n";
    module.body += inVariables ? "OpEnqueueNodePayloadsAMDX %v0\n" : "OpEnqueueNodePayloadsAMDX %to\n";
    return module.words();
}

uint32_t visitsOf(uint32_t count, bool inVariables)
{
    const auto module = spirv::read(rotations(count, inVariables));
    EXPECT_TRUE(module) << module.error().text();
    spirv::Id input;
    for (const spirv::Instruction& i : module->section(spirv::Section::DebugNames))
        if (i.op == spv::Op::OpName && i.string(1) == "input")
            input = i.id(0);
    const PayloadOrigins origins(*module, input);
    // What it is for: it has come round.
    bool isSeen = false;
    for (const spirv::Block& block : module->functions.at(0).blocks) {
        for (const spirv::Instruction& i : block.body) {
            if (i.op == spv::Op::OpPhi)
                EXPECT_TRUE(origins.mayBeInput(i.result) && origins.mayBeOutput(i.result));
            if (i.op == spv::Op::OpLoad)
                EXPECT_TRUE(origins.isOutputOnly(i.result));
            isSeen |= i.op == spv::Op::OpPhi || i.op == spv::Op::OpLoad;
        }
    }
    EXPECT_TRUE(isSeen);
    return origins.visits();
}

TEST(PayloadOrigins, RotationInALoop_IsFollowedInVisitsAsItsNumber)
{
    for (const bool inVariables : {false, true}) {
        const uint32_t least = visitsOf(500, inVariables);
        EXPECT_LT(visitsOf(2000, inVariables), 5 * least) << inVariables;
        EXPECT_LT(visitsOf(8000, inVariables), 20 * least) << inVariables;
    }
}

}  // namespace

}  // namespace millrace::nodes
