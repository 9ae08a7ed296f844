// SPDX-License-Identifier: Apache-2.0
// Section 4: OpFinishWritingNodePayloadAMDX.
#include "conformance/graph_test.h"

namespace millrace::conformance {

namespace {

class FinishWriting : public GraphTest {};

// Sends payloads {grid, number} for grids 1, 4, 9 and 16; room for 16 more words behind.
Stage sender()
{
    return writeNode("from", [](NodeWriter& node) {
        node.staticGrid(1);
        OutputOptions options;
        options.budget = 4;
        const Id words = node.module().arrayType(node.uintType(), 16, 4);
        const Id structure = node.structure({node.word(), node.word(4), {words, 8, ""}}, true);
        const Id array = node.allocate(node.outputOf("work", structure, options), node.c(4), node.c(0));
        for (uint32_t i = 0; i < 4; ++i) {
            node.writePayload(array, node.c(i), 0, node.c((i + 1) * (i + 1)));
            node.writePayload(array, node.c(i), 1, node.c(i));
        }
        node.enqueue(array);
    });
}

Id inputOf(NodeWriter& node)
{
    const Id words = node.module().arrayType(node.uintType(), 16, 4);
    return node.inputArray({node.word(0, "PayloadDispatchIndirectAMDX"), node.word(4), {words, 8, ""}}, 1, true);
}

Id finish(NodeWriter& node, const Id& input)
{
    return node.body().op(node.module().boolType(), "OpFinishWritingNodePayloadAMDX", input);
}

// Counts the invocations of payload i that see the end in out[first + i], all workgroups in out[first + 4 + i].
Stage counter(const std::string& name, uint32_t lanes, uint32_t first, const std::string& base = "")
{
    return writeNode(name,
                     [&](NodeWriter& node) {
                         if (!base.empty()) {
                             node.noEntry();
                             node.mode("SharesInputWithAMDX " + node.module().stringConstant(base) + " " + node.c(0));
                         }
                         const Id input = inputOf(node);
                         const Id number = node.readPayload(input, node.c(0), 1);
                         const Id last = finish(node, input);
                         node.body().ifThen(last, [&] { node.add(node.plus(number, node.c(first)), node.c(1)); });
                         node.onFirstLane([&] { node.add(node.plus(number, node.c(first + 4)), node.c(1)); });
                     },
                     {lanes, 1, 1});
}

TEST_F(FinishWriting, TrueInTheLastWorkgroupOfEachPayload)
{
    EXPECT_EQ(first(run({sender(), counter("work", 1, 0)}, {launchWords("from", 0, 1, {})}), 8),
              (std::vector<uint32_t>{1, 1, 1, 1, 1, 4, 9, 16}));
}

TEST_F(FinishWriting, ResultIsUniformInTheWorkgroup)
{
    EXPECT_EQ(first(run({sender(), counter("work", 32, 0)}, {launchWords("from", 0, 1, {})}), 8),
              (std::vector<uint32_t>{32, 32, 32, 32, 1, 4, 9, 16}));
}

TEST_F(FinishWriting, SharingNodes_CountOnTheirOwn)
{
    const auto result =
        run({sender(), counter("work", 1, 0), counter("twin", 8, 8, "work")}, {launchWords("from", 0, 1, {})});
    EXPECT_EQ(first(result, 16), (std::vector<uint32_t>{1, 1, 1, 1, 1, 4, 9, 16, 8, 8, 8, 8, 1, 4, 9, 16}));
}

TEST_F(FinishWriting, TheLastSeesWhatAllOthersWrote)
{
    const Stage work = writeNode("work", [](NodeWriter& node) {
        const Id input = inputOf(node);
        const Id group = node.builtIn("WorkgroupId", 0);
        const auto slot = [&](const Id& i) {
            return node.payloadPointer(node.uintType(), input, node.c(0), node.c(2) + " " + i);
        };
        node.body().store(slot(group), node.plus(group, node.c(1)));
        // Release what this workgroup wrote, acquire what the others did.
        const auto barrier = [&] { node.body().line("OpMemoryBarrier " + node.c(1) + " " + node.c(0x48)); };
        barrier();
        const Id last = finish(node, input);
        barrier();
        node.body().ifThen(last, [&] {
            const Id number = node.readPayload(input, node.c(0), 1);
            node.body().loop(node.c(0), node.readPayload(input, node.c(0), 0), node.c(1),
                             [&](const Id& i) { node.add(number, node.body().load(node.uintType(), slot(i))); });
        });
    });
    EXPECT_EQ(first(run({sender(), work}, {launchWords("from", 0, 1, {})}), 4),
              (std::vector<uint32_t>{1, 10, 45, 136}));
}

// The last workgroup of payload i alone sends i + 1 payloads, and then one more to itself while recursion remains.
TEST_F(FinishWriting, TheLastSends)
{
    const Stage work = writeNode("work", [](NodeWriter& node) {
        node.mode("MaxNodeRecursionAMDX " + node.c(2));
        const Id input = inputOf(node);
        const Id number = node.readPayload(input, node.c(0), 1);
        OutputOptions options;
        options.budget = 4;
        const PayloadArrayType leaves = node.outputOf("leaf", node.structure({node.word()}), options);
        options.budget = 1;
        const Id words = node.module().arrayType(node.uintType(), 16, 4);
        const PayloadArrayType again =
            node.outputOf("work", node.structure({node.word(), node.word(4), {words, 8, ""}}, true), options);
        const Id last = finish(node, input);
        node.body().ifThen(last, [&] {
            const Id count = node.plus(number, node.c(1));
            const Id array = node.allocate(leaves, count, node.c(0));
            node.body().loop(node.c(0), count, node.c(1), [&](const Id& i) { node.writePayload(array, i, 0, number); });
            node.enqueue(array);
            const Id remaining = node.builtIn("RemainingRecursionLevelsAMDX");
            node.body().ifThen(node.body().test("OpUGreaterThan", remaining, node.c(0)), [&] {
                const Id next = node.allocate(again, node.c(1), node.c(0));
                node.writePayload(next, node.c(0), 0, node.plus(number, node.c(2)));
                node.writePayload(next, node.c(0), 1, number);
                node.enqueue(next);
            });
        });
    });
    const Stage leaf = writeNode("leaf", [](NodeWriter& node) {
        node.staticGrid(1);
        node.noEntry();
        const Id input = node.inputArray({node.word()}, 1);
        node.onFirstLane([&] { node.add(node.readPayload(input, node.c(0), 0), node.c(1)); });
    });
    EXPECT_EQ(first(run({sender(), work, leaf}, {launchWords("from", 0, 3, {})}), 4),
              (std::vector<uint32_t>{3 * 3 * 1, 3 * 3 * 2, 3 * 3 * 3, 3 * 3 * 4}));
}

}  // namespace

}  // namespace millrace::conformance
