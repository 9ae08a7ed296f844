// SPDX-License-Identifier: Apache-2.0
// Section 3: the extension's numbers, its forms, and modules of revision 1.
#include <set>

#include "conformance/graph_test.h"
#include "oracle/assembler.h"

namespace millrace::conformance {

namespace {

class Spirv : public GraphTest {};

// One node with everything that has a number of its own, except what excludes each other.
void writeEverything(NodeWriter& node)
{
    node.mode("MaxNumWorkgroupsAMDX " + node.c(4) + " " + node.c(1) + " " + node.c(1));
    node.mode("IsApiEntryAMDX " + node.module().boolConstant(true));
    node.mode("MaxNodeRecursionAMDX " + node.c(1));
    node.mode("ShaderIndexAMDX " + node.c(2));
    const Id input = node.inputArray({node.word(0, "PayloadDispatchIndirectAMDX"), node.word(4)}, 1, true);
    OutputOptions options;
    options.budget = 1;
    options.baseIndex = 1;
    options.arraySize = 4;
    options.sparse = true;
    const PayloadArrayType self = node.outputOf("node", node.structure({node.word(), node.word(4)}, true), options);
    OutputOptions guest;
    guest.sharesWith = self.array;
    const PayloadArrayType sink = node.output("sink", {node.word()}, guest);
    node.add(0, node.builtIn("ShaderIndexAMDX"));
    node.add(1, node.length(input));
    const Id valid = node.isValid(self, node.c(1));
    const Id remaining = node.builtIn("RemainingRecursionLevelsAMDX");
    node.body().ifElse(
        valid,
        [&] {
            const Id array = node.allocate(self, node.c(1), node.c(1));
            node.writePayload(array, node.c(0), 0, node.c(3));
            node.writePayload(array, node.c(0), 1, node.c(1));
            node.enqueue(array);
        },
        [&] { node.send(sink, node.plus(remaining, node.c(1)), node.c(0)); });
    // Payloads of the API have no end of writing.
    node.body().ifThen(node.body().test("OpIEqual", node.readPayload(input, node.c(0), 1), node.c(1)), [&] {
        const Id last = node.body().op(node.module().boolType(), "OpFinishWritingNodePayloadAMDX", input);
        node.body().ifThen(last, [&] { node.add(2, node.c(1)); });
    });
}

std::vector<Stage> everything()
{
    const Stage twin = writeNode("twin", [](NodeWriter& node) {
        node.coalescing();
        node.noEntry();
        node.mode("SharesInputWithAMDX " + node.module().stringConstant("node") + " " + node.c(2));
        node.inputArray({node.word(), node.word(4)}, 1, true);
        node.add(3, node.c(1));
    });
    return {writeNode("node", writeEverything), twin, adder("sink", 4)};
}

TEST_F(Spirv, EveryModeDecorationBuiltInAndInstruction)
{
    // The first call sends a grid of three to itself; those three send 1 each to the sink.
    EXPECT_EQ(first(run(everything(), {launchWords("node", 2, 1, {1, 0})}), 6),
              (std::vector<uint32_t>{8, 4, 1, 2, 3, 3}));
}

// The assembler's names stand for the numbers that the extension gives.
TEST_F(Spirv, Numbers_AreThoseOfTheExtension)
{
    std::set<uint32_t> opcodes, modes, decorations, builtIns, capabilities, storageClasses;
    for (const Stage& stage : everything()) {
        const std::vector<uint32_t>& words = stage.words;
        for (size_t at = 5; at < words.size(); at += words[at] >> 16) {
            const uint32_t opcode = words[at] & 0xffff;
            const auto note = [](std::set<uint32_t>& in, uint32_t value) {
                if (value >= 5000 && value < 5200)
                    in.insert(value);
            };
            note(opcodes, opcode);
            if (opcode == 17)  // OpCapability
                note(capabilities, words[at + 1]);
            if (opcode == 16 || opcode == 331)  // OpExecutionMode, OpExecutionModeId
                note(modes, words[at + 2]);
            if (opcode == 71 || opcode == 332)  // OpDecorate, OpDecorateId
                note(decorations, words[at + 2]);
            if (opcode == 72)  // OpMemberDecorate
                note(decorations, words[at + 3]);
            if (opcode == 71 && words[at + 2] == 11)  // BuiltIn
                note(builtIns, words[at + 3]);
            if (opcode == 32)  // OpTypePointer
                note(storageClasses, words[at + 2]);
        }
    }
    EXPECT_EQ(opcodes, (std::set<uint32_t>{5074, 5075, 5076, 5078, 5090, 5101, 5103}));
    EXPECT_EQ(modes, (std::set<uint32_t>{5069, 5070, 5071, 5072, 5073, 5077, 5102}));
    EXPECT_EQ(decorations, (std::set<uint32_t>{5019, 5020, 5078, 5091, 5098, 5099, 5100, 5105}));
    EXPECT_EQ(builtIns, (std::set<uint32_t>{5021, 5073}));
    EXPECT_EQ(capabilities, (std::set<uint32_t>{5067}));
    EXPECT_EQ(storageClasses, (std::set<uint32_t>{5068}));
}

TEST_F(Spirv, SpecConstantString_IsAConstant)
{
    NodeWriter node("from");
    node.staticGrid(1);
    const PayloadArrayType type = node.output("to", {node.word()});
    node.send(type, node.c(9), node.c(0));
    std::string text = node.text();
    const std::string constant = "OpConstantStringAMDX";
    text.replace(text.find(constant), constant.size(), "OpSpecConstantStringAMDX");
    Stage stage = node.stage();
    stage.words = oracle::assemble(text);
    EXPECT_EQ(run({stage, adder("to", 0)}, {launchWords("from", 0, 1, {})})[0], 9u);
}

// Numbers of revision 1 that revision 2 gave another meaning, or none.
TEST_F(Spirv, Revision1_IsRefusedByName)
{
    Stage stage = senderOf("from", "to", 1);
    for (size_t at = 5; at < stage.words.size(); at += stage.words[at] >> 16) {
        // OpVariable and OpTypePointer in the storage class NodeOutputPayloadAMDX.
        if ((stage.words[at] & 0xffff) == 32 && stage.words[at + 2] == 5068)
            stage.words[at + 2] = 5076;
    }
    expectRefused({stage, adder("to", 0)}, "revision 1");
}

}  // namespace

}  // namespace millrace::conformance
