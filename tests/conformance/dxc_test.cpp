// SPDX-License-Identifier: Apache-2.0
// Sections 6 and 8: the shapes of code that DXC makes of HLSL work graphs.
#include "conformance/graph_test.h"

namespace millrace::conformance {

namespace {

class Dxc : public GraphTest {};

// NodeLaunch("thread"): coalescing, one invocation, one payload.
Stage thread(const std::string& name, const std::function<void(NodeWriter&, const Id&)>& body)
{
    return writeNode(name, [&](NodeWriter& node) {
        node.coalescing();
        body(node, node.input());
    });
}

TEST_F(Dxc, ThreadLaunch_EveryPayloadIsAWorkgroupOfItsOwn)
{
    const Stage node = thread("node", [](NodeWriter& writer, const Id& input) {
        writer.add(0, writer.readPayload(input, writer.c(0), 0));
        writer.add(1, writer.length(input));
        writer.add(2, writer.lane());
        for (uint32_t i = 0; i < 3; ++i) {
            writer.add(3, writer.builtIn("LocalInvocationId", i));
            writer.add(4, writer.builtIn("WorkgroupId", i));
            writer.add(5, writer.builtIn("GlobalInvocationId", i));
        }
    });
    std::vector<uint32_t> values(200);
    for (uint32_t i = 0; i < 200; ++i)
        values[i] = i;
    const std::vector<uint32_t> wanted = {19900, 200, 0, 0, 0, 0};
    EXPECT_EQ(first(run({node}, {launchWords("node", 0, 200, values)}), 6), wanted);
    const auto result = run({senderOf("from", "node", 200, 0), node}, {launchWords("from", 0, 1, {})});
    EXPECT_EQ(first(result, 6), wanted);
}

TEST_F(Dxc, ThreadLaunch_GroupsharedIsPerPayload)
{
    const Stage node = thread("node", [](NodeWriter& writer, const Id& input) {
        const Id shared = writer.module().newId("shared");
        writer.module().global(shared + " = OpVariable " + writer.module().pointerType("Workgroup", writer.uintType()) +
                               " Workgroup");
        writer.module().addInterface(shared);
        writer.body().store(shared, writer.readPayload(input, writer.c(0), 0));
        writer.body().controlBarrier();
        const Id before = writer.body().load(writer.uintType(), shared);
        writer.body().store(shared, writer.times(before, writer.c(3)));
        writer.body().controlBarrier();
        writer.add(0, writer.body().load(writer.uintType(), shared));
    });
    EXPECT_EQ(run({senderOf("from", "node", 200), node}, {launchWords("from", 0, 1, {})})[0], 3u * 20100);
}

// Each leaves early or loops for another time than its neighbours, and sends different amounts.
TEST_F(Dxc, ThreadLaunch_DivergesFreely)
{
    const Stage node = thread("node", [](NodeWriter& writer, const Id& input) {
        const Id value = writer.readPayload(input, writer.c(0), 0);
        writer.add(2, writer.c(1));
        writer.body().returnIf(writer.body().test("OpULessThan", value, writer.c(10)));
        OutputOptions options;
        options.budget = 3;
        const Id count = writer.body().u("OpUMod", value, writer.c(4));
        const Id array = writer.allocate(writer.output("to", {writer.word()}, options), count, writer.c(0), false);
        writer.body().loop(writer.c(0), count, writer.c(1),
                           [&](const Id& i) { writer.writePayload(array, i, 0, value); });
        writer.enqueue(array);
    });
    uint32_t sum = 0;
    uint32_t count = 0;
    for (uint32_t value = 10; value < 200; ++value) {
        sum += value * (value % 4);
        count += value % 4;
    }
    const auto result = run({senderOf("from", "node", 200, 0), node, adder("to", 0)}, {launchWords("from", 0, 1, {})});
    EXPECT_EQ(first(result, 3), (std::vector<uint32_t>{sum, count, 200}));
}

// SV_DispatchGrid as an array of three, inside another structure, of 16 bits.
TEST_F(Dxc, DispatchGrid_ArrayOrNested)
{
    const Stage array = writeNode("array", [](NodeWriter& node) {
        const Id type = node.module().arrayType(node.uintType(), 3, 4);
        node.inputArray({node.word(), {type, 4, "PayloadDispatchIndirectAMDX"}});
        node.add(0, node.c(1));
    });
    const Stage nested = writeNode("nested", [](NodeWriter& node) {
        const Id inner = node.structure({node.word(), {node.uintVector(3), 4, "PayloadDispatchIndirectAMDX"}});
        node.inputArray({{inner, 0, ""}});
        node.add(1, node.c(1));
    });
    EXPECT_EQ(first(run({array, nested},
                        {launchWords("array", 0, 1, {9, 2, 3, 4}), launchWords("nested", 0, 1, {9, 5, 2, 3})}),
                    2),
              (std::vector<uint32_t>{24, 30}));
}

TEST_F(Dxc, DispatchGrid_NarrowArray)
{
    if (!hasIntegers({16}))
        GTEST_SKIP() << "the device has no integers of 16 bits";
    const Stage narrow = writeNode("narrow", [](NodeWriter& node) {
        const Id type = node.module().arrayType(node.module().uintType(16), 3, 2);
        node.inputArray({node.word(), {type, 4, "PayloadDispatchIndirectAMDX"}});
        node.add(2, node.c(1));
    });
    EXPECT_EQ(first(run({narrow}, {{"narrow", 0, 1, {9, 9, 9, 9, 7, 0, 2, 0, 3, 0}, 10}}), 3),
              (std::vector<uint32_t>{0, 0, 42}));
}

// EmptyNodeOutput: Thread- and GroupIncrementOutputCount allocate, nothing else; the result is not used.
TEST_F(Dxc, IncrementOutputCount_AllocatesAndForgets)
{
    const Stage from =
        writeNode("from",
                  [](NodeWriter& node) {
                      node.staticGrid(2);
                      OutputOptions options;
                      options.budget = 40;
                      const PayloadArrayType type = node.output("empty", {}, options);
                      node.allocate(type, node.body().u("OpBitwiseAnd", node.lane(), node.c(1)), node.c(0), false);
                      node.allocate(type, node.c(3), node.c(0));
                  },
                  {8, 1, 1});
    const Stage empty = writeNode("empty", [](NodeWriter& node) {
        node.coalescing();
        node.inputArray({});
        node.add(0, node.c(1));
    });
    EXPECT_EQ(run({from, empty}, {launchWords("from", 0, 1, {})})[0], 2u * (4 + 3));
}

// Every parameter has an array type of its own, also where the structures are equal.
TEST_F(Dxc, EqualStructures_DifferentOutputs)
{
    const Stage from = writeNode("from", [](NodeWriter& node) {
        node.staticGrid(1);
        const Id structure = node.structure({node.word()});
        node.send(node.outputOf("one", structure, {}), node.c(5), node.c(0));
        node.send(node.outputOf("two", structure, {}), node.c(6), node.c(0));
    });
    EXPECT_EQ(first(run({from, adder("one", 0), adder("two", 2)}, {launchWords("from", 0, 1, {})}), 4),
              (std::vector<uint32_t>{5, 1, 6, 1}));
}

// The array is loaded and stored by value into a Function variable, copied to another one, written and enqueued there.
TEST_F(Dxc, RecordsCopiedByValue_AreHandles)
{
    const Stage from = writeNode(
        "from",
        [](NodeWriter& node) {
            node.staticGrid(2);
            OutputOptions options;
            options.budget = 8;
            const PayloadArrayType type = node.output("to", {node.word(), node.word(4)}, options);
            const Id first = node.body().variable(type.array);
            const Id second = node.body().variable(type.array);
            const Id array = node.allocate(type, node.c(2), node.c(0), false);
            node.body().store(first, node.body().load(type.array, array));
            node.body().store(second, node.body().load(type.array, first));
            for (uint32_t i = 0; i < 2; ++i)
                for (uint32_t member = 0; member < 2; ++member)
                    node.body().store(
                        node.payloadPointer(node.uintType(), i ? first : second, node.c(i), node.c(member), "Function"),
                        node.plus(node.lane(), node.c(10 * i + 100 * member)));
            node.add(4, node.length(second));
            node.enqueue(first);
        },
        {4, 1, 1});
    const Stage receiver = writeNode("to", [](NodeWriter& node) {
        node.staticGrid(1);
        const Id input = node.inputArray({node.word(), node.word(4)});
        node.add(0, node.readPayload(input, node.c(0), 0));
        node.add(1, node.readPayload(input, node.c(0), 1));
        node.add(2, node.c(1));
    });
    EXPECT_EQ(first(run({from, receiver}, {launchWords("from", 0, 1, {})}), 5),
              (std::vector<uint32_t>{2 * (12 + 40), 2 * (12 + 40 + 800), 16, 0, 16}));
}

// At -Od, records are parameters: pointers to variables that hold them.
TEST_F(Dxc, RecordsAsParameters)
{
    const Stage from = writeNode("from", [](NodeWriter& node) {
        node.staticGrid(1);
        const PayloadArrayType type = node.output("to", {node.word()});
        ModuleText& module = node.module();
        const Id pointer = module.pointerType("Function", type.array);
        const Id function = module.newId("write");
        const Id record = module.newId("record");
        BodyText body(module);
        body.store(body.chain("Function", node.uintType(), record, node.c(0) + " " + node.c(0)), node.c(77));
        module.function(body.finish(function, module.voidType(), {{pointer, record}}));
        const Id variable = node.body().variable(type.array);
        const Id array = node.allocate(type, node.c(1), node.c(0));
        node.body().store(variable, node.body().load(type.array, array));
        node.body().op(module.voidType(), "OpFunctionCall", function + " " + variable);
        node.enqueue(variable);
    });
    EXPECT_EQ(run({from, adder("to", 0)}, {launchWords("from", 0, 1, {})})[0], 77u);
}

TEST_F(Dxc, InputCopiedByValue_IsStillTheInput)
{
    const Stage node = writeNode(
        "node",
        [](NodeWriter& writer) {
            writer.coalescing();
            const auto [array, input] = writer.inputWithType({writer.word()}, 6);
            const Id copy = writer.body().variable(array);
            writer.body().store(copy, writer.body().load(array, input));
            writer.onFirstLane([&] {
                writer.body().loop(writer.c(0), writer.length(copy), writer.c(1), [&](const Id& i) {
                    const Id pointer = writer.payloadPointer(writer.uintType(), copy, i, writer.c(0), "Function");
                    writer.add(0, writer.body().load(writer.uintType(), pointer));
                });
            });
        },
        {2, 1, 1});
    EXPECT_EQ(run({senderOf("from", "node", 20), node}, {launchWords("from", 0, 1, {})})[0], 210u);
}

// IsValid() in the written form, with the type's id; NodeWriter::isValid() has the form that DXC emits.
TEST_F(Dxc, IsValid_OfATypeOrAVariable)
{
    const Stage from = writeNode("from", [](NodeWriter& node) {
        node.staticGrid(1);
        OutputOptions options;
        options.sparse = true;
        const PayloadArrayType type = node.output("to", {node.word()}, options);
        for (uint32_t i = 0; i < 4; ++i) {
            const Id byType =
                node.body().op(node.module().boolType(), "OpIsNodePayloadValidAMDX", type.array + " " + node.c(i));
            node.body().ifThen(byType, [&] { node.add(0, node.c(1u << i)); });
            node.body().ifThen(node.isValid(type, node.c(i)), [&] { node.add(1, node.c(1u << i)); });
        }
    });
    EXPECT_EQ(first(run({from, adder("to", 4, 1), adder("to", 4, 3)}, {launchWords("from", 0, 1, {})}), 2),
              (std::vector<uint32_t>{0b1010, 0b1010}));
}

// InterlockedAdd() on a record: all workgroups of a payload count in it, the last one reads the sum.
TEST_F(Dxc, AtomicsOnRecords)
{
    const std::vector<uint32_t> grids = {1, 5, 40};
    const Stage from = writeNode("from", [&](NodeWriter& node) {
        node.staticGrid(1);
        OutputOptions options;
        options.budget = 3;
        const Id structure = node.structure({node.word(), node.word(4)}, true);
        const Id array = node.allocate(node.outputOf("work", structure, options), node.c(3), node.c(0));
        for (uint32_t i = 0; i < 3; ++i) {
            node.writePayload(array, node.c(i), 0, node.c(grids[i]));
            node.writePayload(array, node.c(i), 1, node.c(100));
        }
        node.enqueue(array);
    });
    const Stage work = writeNode(
        "work",
        [](NodeWriter& node) {
            const Id input = node.inputArray({node.word(0, "PayloadDispatchIndirectAMDX"), node.word(4)}, 1, true);
            const Id counter = node.payloadPointer(node.uintType(), input, node.c(0), node.c(1));
            const auto atomicAdd = [&](uint32_t value) {
                return node.body().op(node.uintType(), "OpAtomicIAdd",
                                      counter + " " + node.c(1) + " " + node.c(0) + " " + node.c(value));
            };
            atomicAdd(3);
            node.body().controlBarrier();
            const Id last = node.body().op(node.module().boolType(), "OpFinishWritingNodePayloadAMDX", input);
            node.body().controlBarrier();
            const Id report = node.body().op(node.module().boolType(), "OpLogicalAnd",
                                             last + " " + node.body().test("OpIEqual", node.lane(), node.c(0)));
            node.body().ifThen(report, [&] { node.add(0, atomicAdd(0)); });
        },
        {4, 1, 1});
    EXPECT_EQ(run({from, work}, {launchWords("from", 0, 1, {})})[0], 300u + 12 * (1 + 5 + 40));
}

}  // namespace

}  // namespace millrace::conformance
