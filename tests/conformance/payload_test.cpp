// SPDX-License-Identifier: Apache-2.0
// Section 4: how payloads are laid out, and what a node may do with its input.
#include <cstring>

#include "conformance/graph_test.h"

namespace millrace::conformance {

namespace {

class Payload : public GraphTest {};

// Sends one payload of `words`, word i with value 10 + i.
Stage wordSender(uint32_t words)
{
    return writeNode("from", [&](NodeWriter& node) {
        node.staticGrid(1);
        std::vector<Field> fields;
        for (uint32_t i = 0; i < words; ++i)
            fields.push_back(node.word(4 * i));
        const Id array = node.allocate(node.output("to", fields), node.c(1), node.c(0));
        for (uint32_t i = 0; i < words; ++i)
            node.writePayload(array, node.c(0), i, node.c(10 + i));
        node.enqueue(array);
    });
}

// Adds component i of the vector at `member` to out[first + i].
void addVector(NodeWriter& node, const Id& input, uint32_t member, uint32_t components, uint32_t first)
{
    const Id type = node.uintVector(components);
    const Id value = node.body().load(type, node.payloadPointer(type, input, node.c(0), node.c(member)));
    for (uint32_t i = 0; i < components; ++i)
        node.add(first + i, node.body().op(node.uintType(), "OpCompositeExtract", value + " " + std::to_string(i)));
}

TEST_F(Payload, IsReadByTheReceiversDeclaration)
{
    if (!hasIntegers({16}))
        GTEST_SKIP() << "the device has no integers of 16 bits";
    const Stage to = writeNode("to", [](NodeWriter& node) {
        node.staticGrid(1);
        const Id half = node.module().uintType(16);
        const Id input = node.inputArray({{node.module().vectorType(half, 2), 0, ""}, {node.uintVector(2), 4, ""}});
        const Id low = node.body().load(half, node.payloadPointer(half, input, node.c(0), node.c(0) + " " + node.c(0)));
        node.add(0, node.body().op(node.uintType(), "OpUConvert", low));
        addVector(node, input, 1, 2, 1);
    });
    const auto result = run({wordSender(3), to}, {launchWords("from", 0, 1, {})});
    EXPECT_EQ(first(result, 4), (std::vector<uint32_t>{10, 11, 12, 0}));
}

// A vector of three behind a number would begin at byte 16 in other layouts.
TEST_F(Payload, ScalarLayout_IsAllowed)
{
    const Stage to = writeNode("to", [](NodeWriter& node) {
        node.staticGrid(1);
        const Id input = node.inputArray({node.word(), {node.uintVector(3), 4, ""}});
        node.add(0, node.readPayload(input, node.c(0), 0));
        addVector(node, input, 1, 3, 1);
    });
    const auto result = run({wordSender(4), to}, {launchWords("from", 0, 1, {})});
    EXPECT_EQ(first(result, 4), (std::vector<uint32_t>{10, 11, 12, 13}));
}

TEST_F(Payload, Size_IsThatOfTheMembersWithoutPadding)
{
    const Stage to = writeNode("to", [](NodeWriter& node) {
        node.staticGrid(1);
        addVector(node, node.inputArray({{node.uintVector(3), 0, ""}}), 0, 3, 0);
    });
    // Twelve bytes match, also one after the other in the API's memory; sixteen do not.
    const auto result = run({to}, {launchWords("to", 0, 3, {1, 2, 3, 4, 5, 6, 7, 8, 9})});
    EXPECT_EQ(first(result, 3), (std::vector<uint32_t>{12, 15, 18}));
    EXPECT_EQ(run({wordSender(3), to}, {launchWords("from", 0, 1, {})})[2], 12u);
    expectRefused({wordSender(2), to}, "09139");
}

// A structure of 8, 16, 32 and 64 bit members.
std::vector<Field> allSizes(NodeWriter& node)
{
    ModuleText& module = node.module();
    return {{module.uintType(8), 0, ""},
            {module.uintType(8), 1, ""},
            {module.uintType(16), 2, ""},
            node.word(4),
            {module.uintType(64), 8, ""}};
}

TEST_F(Payload, MembersOfAllSizes)
{
    if (!hasIntegers({8, 16, 64}))
        GTEST_SKIP() << "the device lacks integers of 8, 16 or 64 bits";
    const uint32_t bits[] = {8, 8, 16, 32, 64};
    const Stage from = writeNode("from", [&](NodeWriter& node) {
        node.staticGrid(1);
        const Id array = node.allocate(node.output("to", allSizes(node)), node.c(1), node.c(0));
        for (uint32_t i = 0; i < 5; ++i) {
            const Id type = node.module().uintType(bits[i]);
            const Id one = node.builtIn("ShaderIndexAMDX");  // 0: not known when the shader is compiled
            Id value = node.plus(one, node.c(201 + i));
            if (bits[i] != 32)
                value = node.body().op(type, "OpUConvert", value);
            if (bits[i] == 64)
                value = node.body().op(type, "OpIMul", value + " " + node.module().longConstant(0x100000001ull));
            node.body().store(node.payloadPointer(type, array, node.c(0), node.c(i)), value);
        }
        node.enqueue(array);
    });
    const Stage to = writeNode("to", [&](NodeWriter& node) {
        node.staticGrid(1);
        const Id input = node.inputArray(allSizes(node));
        for (uint32_t i = 0; i < 5; ++i) {
            const Id type = node.module().uintType(bits[i]);
            Id value = node.body().load(type, node.payloadPointer(type, input, node.c(0), node.c(i)));
            if (bits[i] == 64) {
                const Id high = node.body().op(type, "OpShiftRightLogical", value + " " + node.c(32));
                node.add(5, node.body().op(node.uintType(), "OpUConvert", high));
            }
            node.add(i, bits[i] == 32 ? value : node.body().op(node.uintType(), "OpUConvert", value));
        }
    });
    const auto result = run({from, to}, {launchWords("from", 0, 1, {})});
    EXPECT_EQ(first(result, 6), (std::vector<uint32_t>{201, 202, 203, 204, 205, 205}));
}

TEST_F(Payload, Input_CanBeWrittenForTheWholeWorkgroup)
{
    const Stage to =
        writeNode("to",
                  [](NodeWriter& node) {
                      node.staticGrid(1);
                      const Id input = node.input();
                      const Id before = node.readPayload(input, node.c(0), 0);
                      node.body().controlBarrier();
                      node.onFirstLane([&] { node.writePayload(input, node.c(0), 0, node.plus(before, node.c(100))); });
                      node.body().controlBarrier();
                      node.add(node.lane(), node.readPayload(input, node.c(0), 0));
                  },
                  {8, 1, 1});
    const auto result = run({senderOf("from", "to", 2, 3), to}, {launchWords("from", 0, 1, {})});
    EXPECT_EQ(first(result, 9), (std::vector<uint32_t>{207, 207, 207, 207, 207, 207, 207, 207, 0}));
}

TEST_F(Payload, NoInput_StaticOrCoalescing_IsEmpty)
{
    const Stage grid = writeNode("static", [](NodeWriter& node) {
        node.staticGrid(3);
        node.add(0, node.c(1));
    });
    const Stage coalescing = writeNode("coalescing", [](NodeWriter& node) {
        node.coalescing();
        node.add(1, node.c(1));
    });
    const Stage from = writeNode("from", [](NodeWriter& node) {
        node.staticGrid(1);
        for (const char* name : {"static", "coalescing"}) {
            OutputOptions options;
            options.budget = 2;
            node.enqueue(node.allocate(node.output(name, {}, options), node.c(2), node.c(0)));
        }
    });
    EXPECT_EQ(run({grid}, {launchWords("static", 0, 2, {})})[0], 6u);
    EXPECT_EQ(run({coalescing}, {launchWords("coalescing", 0, 2, {})})[1], 2u);
    const auto result = run({from, grid, coalescing}, {launchWords("from", 0, 1, {})});
    EXPECT_EQ(result[0], 6u);
    EXPECT_EQ(result[1], 2u);
}

TEST_F(Payload, NoInput_Otherwise_IsTheGrid)
{
    const Stage to = writeNode("to", [](NodeWriter& node) { node.add(0, node.c(1)); });
    EXPECT_EQ(run({to}, {launchWords("to", 0, 2, {2, 3, 4, 5, 1, 1})})[0], 29u);
    EXPECT_EQ(run({wordSender(3), to}, {launchWords("from", 0, 1, {})})[0], 10u * 11 * 12);
}

TEST_F(Payload, Of32KibibytesArriveWhole)
{
    constexpr uint32_t kWords = 8192;
    const auto structure = [](NodeWriter& node) {
        return std::vector<Field>{{node.module().arrayType(node.uintType(), kWords, 4), 0, ""}};
    };
    const Stage from =
        writeNode("from",
                  [&](NodeWriter& node) {
                      node.staticGrid(1);
                      const Id array = node.allocate(node.output("to", structure(node)), node.c(1), node.c(0));
                      node.body().loop(node.lane(), node.c(kWords), node.c(64), [&](const Id& i) {
                          node.body().store(node.payloadPointer(node.uintType(), array, node.c(0), node.c(0) + " " + i),
                                            node.times(i, i));
                      });
                      node.enqueue(array);
                  },
                  {64, 1, 1});
    const Stage to = writeNode("to",
                               [&](NodeWriter& node) {
                                   node.staticGrid(1);
                                   const Id input = node.inputArray(structure(node));
                                   node.body().loop(node.lane(), node.c(kWords), node.c(64), [&](const Id& i) {
                                       const Id value = node.body().load(
                                           node.uintType(),
                                           node.payloadPointer(node.uintType(), input, node.c(0), node.c(0) + " " + i));
                                       node.add(node.body().u("OpBitwiseAnd", i, node.c(15)), value);
                                   });
                               },
                               {64, 1, 1});
    std::vector<uint32_t> wanted(16);
    for (uint32_t i = 0; i < kWords; ++i)
        wanted[i % 16] += i * i;
    const auto result = run({from, to}, {launchWords("from", 0, 1, {})});
    EXPECT_EQ(first(result, 16), wanted);
}

}  // namespace

}  // namespace millrace::conformance
