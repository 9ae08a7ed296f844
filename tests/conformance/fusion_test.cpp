// SPDX-License-Identifier: Apache-2.0
// Consumers that run inside their producer (docs/fusion.md): nothing but time and memory may tell.
#include "conformance/fusion_test.h"
#include "harness/temporary_folder.h"

namespace millrace::conformance {

namespace {

TEST_F(Fusion, ConsumersStayNodesForTheApi)
{
    const std::vector<Stage> stages = {from(), single(0)};
    ASSERT_TRUE(fuses(stages));
    const auto result = run(stages, {launchWords("from", 0, 1, {}), launchWords("single", 0, 3, {100, 200, 300})});
    EXPECT_EQ(first(result, 2), (std::vector<uint32_t>{kSum + 600, kCount + 3}));
}

TEST_F(Fusion, WithoutEntry_TheNodeIsFoundStill)
{
    const std::vector<Stage> stages = {from(), single(0, 0, false)};
    ASSERT_TRUE(fuses(stages));
    EXPECT_EQ(first(run(stages, {launchWords("from", 0, 1, {})}), 2), (std::vector<uint32_t>{kSum, kCount}));
    Runner runner(device(), RunnerOptions{});
    const VkPipeline graph = runner.createGraph(stages);
    EXPECT_NE(runner.nodeIndex(graph, "single", 0), runner.nodeIndex(graph, "from", 0));
}

TEST_F(Fusion, ArraysWithGaps)
{
    // 1, 2 and 5 in turn.
    const auto lane = [](NodeWriter& node) {
        const Id turn = node.body().u("OpUMod", node.lane(), node.c(3));
        const Id gap = node.times(node.body().u("OpUDiv", turn, node.c(2)), node.c(2));
        return node.plus(node.plus(turn, node.c(1)), gap);
    };
    const std::vector<Stage> stages = {from(lane, kLanes), single(0, 1), single(0, 2), single(8, 5)};
    ASSERT_TRUE(fuses(stages));
    const auto result = run(stages, {launchWords("from", 0, 1, {}), launchWords("single", 5, 1, {1000})});
    EXPECT_EQ(first(result, 2), (std::vector<uint32_t>{99 + 108, 18}));
    EXPECT_EQ(result[8], 69u + 1000);
    EXPECT_EQ(result[9], 7u);
}

TEST_F(Fusion, SeveralProducers)
{
    const Stage other = writeNode("other",
                                  [](NodeWriter& node) {
                                      node.staticGrid(1);
                                      OutputOptions options;
                                      options.budget = kLanes;
                                      const PayloadArrayType type = node.output("single", {node.word()}, options);
                                      node.send(type, node.c(50), node.c(0), false);
                                  },
                                  {kLanes, 1, 1});
    const std::vector<Stage> stages = {from(), other, single(0)};
    ASSERT_TRUE(fuses(stages));
    const auto result = run(stages, {launchWords("from", 0, 1, {}), launchWords("other", 0, 1, {})});
    EXPECT_EQ(first(result, 2), (std::vector<uint32_t>{kSum + 50 * kLanes, kCount + kLanes}));
}

// out[first] += number of each invocation, out[first + 1] += 1, by one invocation of "item" for each.
void sendItem(NodeWriter& node, uint32_t first)
{
    OutputOptions options;
    options.budget = 4;
    const PayloadArrayType type = node.output("item", {node.word(), node.word(4)}, options);
    Id number = node.lane();
    for (uint32_t i = 0, weight = 10; i < 3; ++i, weight *= 10)
        number = node.plus(number, node.times(node.builtIn("WorkgroupId", i), node.c(weight)));
    const Id array = node.allocate(type, node.c(1), node.c(0), false);
    node.writePayload(array, node.c(0), 0, node.c(first));
    node.writePayload(array, node.c(0), 1, number);
    node.enqueue(array);
}

Stage item()
{
    return writeNode("item", [](NodeWriter& node) {
        node.coalescing();
        const Id input = node.inputArray({node.word(), node.word(4)});
        const Id word = node.readPayload(input, node.c(0), 0);
        node.add(word, node.readPayload(input, node.c(0), 1));
        node.add(node.plus(word, node.c(1)), node.c(1));
    });
}

// What becomes of a grid of workgroups of four that send their items.
std::vector<uint32_t> itemsOf(const std::array<uint32_t, 3>& grid)
{
    std::vector<uint32_t> out(2);
    for (uint32_t z = 0; z < grid[2]; ++z)
        for (uint32_t y = 0; y < grid[1]; ++y)
            for (uint32_t x = 0; x < grid[0]; ++x)
                for (uint32_t lane = 0; lane < 4; ++lane, ++out[1])
                    out[0] += lane + 10 * x + 100 * y + 1000 * z;
    return out;
}

}  // namespace

// The producer takes its grid from its payload and reads nothing else of it: numbers, vectors of two and of three, of
// integers of so many bits, behind other members.
void Fusion::runGridsOfProducers(const std::vector<uint32_t>& widths)
{
    std::vector<Stage> stages = {item()};
    std::vector<Launch> launches;
    std::vector<uint32_t> wanted;
    for (const uint32_t bits : widths) {
        for (uint32_t count = 1; count <= 3; ++count) {
            const std::string name = "grid" + std::to_string(bits) + "x" + std::to_string(count);
            const uint32_t offset = 4 + bits / 8, bytes = offset + bits / 8 * count;
            stages.push_back(
                writeNode(name,
                          [&](NodeWriter& node) {
                              const Id number = node.module().uintType(bits);
                              const Id type = count == 1 ? number : node.module().vectorType(number, count);
                              node.inputArray({node.word(), {type, offset, "PayloadDispatchIndirectAMDX"}});
                              sendItem(node, static_cast<uint32_t>(wanted.size()));
                          },
                          {4, 1, 1}));
            std::vector<uint8_t> payload(bytes, 1);
            std::array<uint32_t, 3> grid = {1, 1, 1};
            for (uint32_t i = 0; i < count; ++i) {
                std::fill_n(payload.begin() + offset + bits / 8 * i, bits / 8, uint8_t{0});
                payload[offset + bits / 8 * i] = static_cast<uint8_t>(grid[i] = 2 + i);
            }
            launches.push_back({name, 0, 1, payload, (bytes + 3) / 4 * 4});
            const auto part = itemsOf(grid);
            wanted.insert(wanted.end(), part.begin(), part.end());
        }
    }
    ASSERT_TRUE(fuses(stages));
    EXPECT_EQ(first(run(stages, launches), wanted.size()), wanted);
}

namespace {

TEST_F(Fusion, GridsOfProducersThatReadNothing)
{
    runGridsOfProducers({32});
}

TEST_F(Fusion, SmallGridsOfProducersThatReadNothing)
{
    if (!hasIntegers({8, 16}))
        GTEST_SKIP() << "the device has no integers of 8 and 16 bits";
    runGridsOfProducers({8, 16, 32});
}

// Payloads that other nodes send, which must have the size that is declared.
TEST_F(Fusion, PayloadsOfProducersThatReadNothing)
{
    const auto receiver = [](const std::string& name, uint32_t first, const std::function<void(NodeWriter&)>& modes) {
        return writeNode(name,
                         [&](NodeWriter& node) {
                             modes(node);
                             node.inputArray({node.word(), {node.uintVector(2), 4, "PayloadDispatchIndirectAMDX"}});
                             sendItem(node, first);
                         },
                         {4, 1, 1});
    };
    const Stage top = writeNode("top", [](NodeWriter& node) {
        node.staticGrid(1);
        for (const char* name : {"dynamic", "fixed", "coalescing"}) {
            const PayloadArrayType type = node.output(name, {node.word(), node.word(4), node.word(8)});
            const Id array = node.allocate(type, node.c(1), node.c(0));
            for (uint32_t i = 0; i < 3; ++i)
                node.writePayload(array, node.c(0), i, node.c(i == 1 ? 3 : 2));
            node.enqueue(array);
        }
    });
    const std::vector<Stage> stages = {item(), top, receiver("dynamic", 0, [](NodeWriter&) {}),
                                       receiver("fixed", 2, [](NodeWriter& node) { node.staticGrid(2, 2); }),
                                       receiver("coalescing", 4, [](NodeWriter& node) { node.coalescing(); })};
    ASSERT_TRUE(fuses(stages));
    std::vector<uint32_t> wanted;
    for (const auto& part : {itemsOf({3, 2, 1}), itemsOf({2, 2, 1}), itemsOf({1, 1, 1})})
        wanted.insert(wanted.end(), part.begin(), part.end());
    EXPECT_EQ(first(run(stages, {launchWords("top", 0, 1, {})}), 6), wanted);
}

// Workgroups that the size of their producer's constant gives them, not its execution mode.
TEST_F(Fusion, SizeOfWorkgroupsByAConstantThatNothingReads)
{
    const Stage from = writeNode("from", [](NodeWriter& node) {
        node.staticGrid(2);
        const Id size = node.module().newId("size");
        node.module().decorate("OpDecorate " + size + " BuiltIn WorkgroupSize");
        node.module().global(size + " = OpConstantComposite " + node.uintVector(3) + " " + node.c(4) + " " + node.c(1) +
                             " " + node.c(1));
        sendItem(node, 0);
    });
    ASSERT_TRUE(fuses({from, item()}));
    EXPECT_EQ(first(run({from, item()}, {launchWords("from", 0, 1, {})}), 2), itemsOf({2, 1, 1}));
}

// A loop, and another allocation behind it, through handles in one variable.
TEST_F(Fusion, SeveralAllocations)
{
    constexpr uint32_t kFew = 4;
    const Stage many =
        writeNode("from",
                  [](NodeWriter& node) {
                      node.staticGrid(kGroups);
                      OutputOptions options;
                      options.budget = 3 * kFew;
                      options.arraySize = 2;
                      const PayloadArrayType type = node.output("single", {node.word()}, options);
                      const Id odd = node.body().u("OpBitwiseAnd", node.lane(), node.c(1));
                      node.body().loop(node.c(0), node.c(2), node.c(1), [&](const Id& turn) {
                          node.send(type, node.plus(node.times(turn, node.c(100)), node.lane()), odd, false);
                      });
                      node.send(type, node.c(1000), node.c(0), false);
                  },
                  {kFew, 1, 1});
    const std::vector<Stage> stages = {many, single(0, 0), single(8, 1)};
    ASSERT_TRUE(fuses(stages));
    const auto result = run(stages, {launchWords("from", 0, 1, {})});
    // Lanes 0 and 2 twice in each workgroup, and all lanes once.
    EXPECT_EQ(first(result, 2), (std::vector<uint32_t>{kGroups * (2 * 2 + 200 + 4000), kGroups * 8}));
    EXPECT_EQ(result[8], kGroups * (2 * 4 + 200));
    EXPECT_EQ(result[9], kGroups * 4);
}

TEST_F(Fusion, RecursiveProducers)
{
    const Stage recursive =
        writeNode("again",
                  [](NodeWriter& node) {
                      node.staticGrid(1);
                      node.mode("MaxNodeRecursionAMDX " + node.c(4));
                      const PayloadArrayType own = node.output("again", {node.word()});
                      OutputOptions options;
                      options.budget = 4;
                      const PayloadArrayType type = node.output("single", {node.word()}, options);
                      const Id depth = node.readPayload(node.input(), node.c(0), 0);
                      const Id levels = node.builtIn("RemainingRecursionLevelsAMDX");
                      node.body().ifThen(node.body().test("OpUGreaterThan", levels, node.c(0)),
                                         [&] { node.send(own, node.plus(depth, node.c(1)), node.c(0)); });
                      node.send(type, node.plus(depth, node.lane()), node.c(0), false);
                  },
                  {4, 1, 1});
    const std::vector<Stage> stages = {recursive, single(0)};
    ASSERT_TRUE(fuses(stages));
    const auto result = run(stages, {launchWords("again", 0, 2, {0, 100})});
    EXPECT_EQ(first(result, 2), (std::vector<uint32_t>{2 * (4 * 10 + 5 * 6) + 5 * 400, 40}));
}

// out[remaining] += 1, out[word of `levels` + 1 + remaining] += path; sends its level to "single" and `fan` payloads to
// itself. `always`: it allocates where no recursion is left as well, but nothing.
Stage tree(uint32_t levels, uint32_t fan, bool always)
{
    Stage stage = writeNode("tree", [=](NodeWriter& node) {
        node.coalescing();
        node.mode("MaxNodeRecursionAMDX " + node.c(levels));
        const Id input = node.input();
        OutputOptions options;
        options.budget = fan;
        const PayloadArrayType own = node.output("tree", {node.word()}, options);
        const PayloadArrayType other = node.output("single", {node.word()});
        const Id path = node.readPayload(input, node.c(0), 0);
        const Id remaining = node.builtIn("RemainingRecursionLevelsAMDX");
        node.add(remaining, node.c(1));
        node.add(node.plus(remaining, node.c(levels + 1)), path);
        const Id sends = node.body().test("OpUGreaterThan", remaining, node.c(0));
        Id array;
        if (always)
            array = node.allocate(own, node.body().select(sends, node.c(fan), node.c(0)), node.c(3), false);
        node.body().ifThen(sends, [&] {
            node.send(other, remaining, node.c(0), false);
            if (!always)
                array = node.allocate(own, node.c(fan), node.c(3), false);
            for (uint32_t i = 0; i < fan; ++i)
                node.writePayload(array, node.c(i), 0, node.plus(node.times(path, node.c(fan)), node.c(i)));
            if (!always)
                node.enqueue(array);
        });
        if (always)
            node.enqueue(array);
    });
    stage.index = 3;
    return stage;
}

TEST_F(Fusion, LevelsInOne)
{
    DeviceOptions all;
    all.words["fusion"] = "all";
    for (const auto& [levels, fan] :
         std::vector<std::pair<uint32_t, uint32_t>>{{7, 2}, {4, 2}, {9, 1}, {4, 4}, {1, 3}}) {
        SCOPED_TRACE(std::to_string(levels) + " levels of " + std::to_string(fan));
        // Inputs 0 and 1, so that paths of a level are the numbers below twice as many.
        std::vector<uint32_t> wanted(2 * (levels + 1) + 2);
        for (uint32_t level = 0, count = 2; level <= levels; ++level, count *= fan) {
            const uint32_t remaining = levels - level;
            wanted[remaining] = count;
            wanted[levels + 1 + remaining] = count * (count - 1) / 2;
            wanted[2 * (levels + 1)] += count * remaining;
            wanted[2 * (levels + 1) + 1] += remaining > 0 ? count : 0;
        }
        const std::vector<Stage> stages = {tree(levels, fan, fan % 2 == 0), single(2 * (levels + 1), 0, false)};
        EXPECT_NE(leastScratch(stages, all, 0), leastScratch(stages, without(), 0));
        for (const DeviceOptions& options : {all, DeviceOptions(), without()}) {
            Runner runner(device(options), RunnerOptions{});
            runner.run(runner.createGraph(stages), {launchWords("tree", 3, 2, {0, 1})});
            EXPECT_EQ(first(runner.outputWords(), static_cast<uint32_t>(wanted.size())), wanted);
        }
    }
}

// The last level alone reads what was sent to it; or none does. Where each sends as many payloads, levels are in one,
// else they run depth first.
TEST_F(Fusion, LevelsThatDoNotReadWhatTheyReceive)
{
    constexpr uint32_t kLevels = 5;
    for (const bool isEven : {true, false}) {
        for (const bool lastReads : {true, false}) {
            SCOPED_TRACE(std::string(isEven ? "even" : "uneven") + (lastReads ? ", the last reads" : ", none reads"));
            const Stage node = writeNode("tree", [&](NodeWriter& writer) {
                writer.coalescing();
                writer.mode("MaxNodeRecursionAMDX " + writer.c(kLevels));
                const Id input = writer.inputArray({writer.word(), writer.word(4)});
                OutputOptions options;
                options.budget = 2;
                const PayloadArrayType own = writer.output("tree", {writer.word(), writer.word(4)}, options);
                const Id remaining = writer.builtIn("RemainingRecursionLevelsAMDX");
                BodyText& body = writer.body();
                body.ifElse(
                    body.test("OpIEqual", remaining, writer.c(0)),
                    [&] {
                        writer.add(0, lastReads ? writer.readPayload(input, writer.c(0), 1) : writer.c(1));
                        writer.add(1, writer.c(1));
                    },
                    [&] {
                        const Id odd = body.u("OpBitwiseAnd", remaining, writer.c(1));
                        const Id count = isEven ? writer.c(2) : writer.plus(odd, writer.c(1));
                        const Id array = writer.allocate(own, count, writer.c(0), false);
                        body.loop(writer.c(0), count, writer.c(1), [&](const Id& i) {
                            writer.writePayload(array, i, 0, writer.c(1000));
                            writer.writePayload(array, i, 1, writer.plus(writer.times(remaining, writer.c(10)), i));
                        });
                        writer.enqueue(array);
                    });
            });
            // Of three payloads; the uneven one sends two where 5, 3 and 1 levels remain.
            const uint32_t above = 3 * (isEven ? 16 : 4), leaves = 2 * above;
            const auto result = run({node}, {launchWords("tree", 0, 3, {1, 2, 3, 4, 5, 6})});
            EXPECT_EQ(first(result, 2), (std::vector<uint32_t>{lastReads ? above * (10 + 11) : leaves, leaves}));
        }
    }
}

// A tree of which each leaf writes what came down to it to a word of its own, or sends it to who writes it, and no
// other node does anything. What came down depends on each level on its way.
Stage quietTree(uint32_t levels, uint32_t fan, bool sends = false)
{
    return writeNode("tree", [=](NodeWriter& node) {
        node.coalescing();
        node.mode("MaxNodeRecursionAMDX " + node.c(levels));
        const std::vector<Field> fields = words(node, 2);
        const Id input = node.inputArray(fields);
        OutputOptions options;
        options.budget = fan;
        const PayloadArrayType own = node.output("tree", fields, options);
        BodyText& body = node.body();
        const Id path = node.readPayload(input, node.c(0), 0);
        const Id remaining = node.builtIn("RemainingRecursionLevelsAMDX");
        const Id here = node.plus(node.times(remaining, path), node.builtIn("WorkgroupId", 0));
        const Id sum = node.plus(node.times(node.readPayload(input, node.c(0), 1), node.c(5)), here);
        PayloadArrayType other;
        if (sends)
            other = node.output("writer", fields);
        body.ifElse(
            body.test("OpIEqual", remaining, node.c(0)),
            [&] {
                if (sends) {
                    const Id array = node.allocate(other, node.c(1), node.c(0), false);
                    node.writePayload(array, node.c(0), 0, path);
                    node.writePayload(array, node.c(0), 1, sum);
                    node.enqueue(array);
                    return;
                }
                const Id out = node.module().outputBuffer();
                body.store(body.chain("StorageBuffer", node.uintType(), out, node.c(0) + " " + path), sum);
            },
            [&] {
                const Id array = node.allocate(own, node.c(fan), node.c(0), false);
                for (uint32_t i = 0; i < fan; ++i) {
                    const Id child = node.plus(node.times(path, node.c(fan)), node.c(i));
                    node.writePayload(array, node.c(i), 0, child);
                    node.writePayload(array, node.c(i), 1, node.plus(sum, node.c(i)));
                }
                node.enqueue(array);
            });
    });
}

// Each invocation runs one payload of each level but the last, however many levels that are (fusion/descent.h); 12 of
// two payloads are 1,024 invocations for the first one, those of three and of seven no power of two.
TEST_F(Fusion, LevelsInOne_AWayDownForEachInvocation)
{
    for (const auto& [levels, fan] :
         std::vector<std::pair<uint32_t, uint32_t>>{{11, 2}, {6, 3}, {5, 4}, {4, 3}, {3, 7}, {2, 12}, {1, 5}}) {
        SCOPED_TRACE(std::to_string(levels) + " levels of " + std::to_string(fan));
        Options options;
        options.words = 2;
        for (uint32_t level = 0; level < levels; ++level)
            options.words *= fan;
        const Stage from = writeNode("from", [](NodeWriter& node) {
            node.staticGrid(1);
            OutputOptions two;
            two.budget = 2;
            const Id array = node.allocate(node.output("tree", words(node, 2), two), node.c(2), node.c(0));
            for (uint32_t i = 0; i < 2; ++i) {
                node.writePayload(array, node.c(i), 0, node.c(i));
                node.writePayload(array, node.c(i), 1, node.c(7 + i));
            }
            node.enqueue(array);
        });
        const auto fromHost = run({quietTree(levels, fan)}, {launchWords("tree", 0, 2, {0, 7, 1, 8})}, options);
        EXPECT_NE(fromHost.front(), 0u);
        EXPECT_NE(fromHost.back(), 0u);
        EXPECT_EQ(run({from, quietTree(levels, fan)}, {launchWords("from", 0, 1, {})}, options), fromHost);
        // Of several invocations, so that it does not run inside the tree.
        const Stage writer =
            writeNode("writer",
                      [](NodeWriter& node) {
                          node.staticGrid(1);
                          node.noEntry();
                          const Id input = node.inputArray(words(node, 2));
                          const Id path = node.readPayload(input, node.c(0), 0);
                          node.body().ifThen(node.body().test("OpIEqual", node.lane(), node.c(3)),
                                             [&] { node.add(path, node.readPayload(input, node.c(0), 1)); });
                      },
                      {kLanes, 1, 1});
        if (options.words <= 200 && levels > 1) {
            EXPECT_EQ(run({quietTree(levels, fan, true), writer}, {launchWords("tree", 0, 2, {0, 7, 1, 8})}, options),
                      fromHost);
        }
    }
}

// out[remaining] += 1, out[8 + remaining] += path; sends two or three payloads to itself, which its path says, and now
// and then none. `words` in each payload, of which all but the first are copied.
Stage thicket(uint32_t levels, uint32_t words)
{
    return writeNode("thicket", [=](NodeWriter& node) {
        node.coalescing();
        node.mode("MaxNodeRecursionAMDX " + node.c(levels));
        std::vector<Field> fields;
        for (uint32_t word = 0; word < words; ++word)
            fields.push_back(node.word(4 * word));
        const Id input = node.inputArray(fields);
        OutputOptions options;
        options.budget = 3;
        const PayloadArrayType own = node.output("thicket", fields, options);
        const Id path = node.readPayload(input, node.c(0), 0);
        const Id remaining = node.builtIn("RemainingRecursionLevelsAMDX");
        node.add(remaining, node.c(1));
        node.add(node.plus(remaining, node.c(8)), path);
        if (words > 1)
            node.add(node.c(16), node.readPayload(input, node.c(0), words - 1));
        const Id isBare = node.body().test("OpIEqual", node.body().u("OpUMod", path, node.c(13)), node.c(5));
        const Id some = node.plus(node.c(2), node.body().u("OpBitwiseAnd", path, node.c(1)));
        const Id count = node.body().select(isBare, node.c(0), some);
        node.body().ifThen(node.body().test("OpUGreaterThan", remaining, node.c(0)), [&] {
            const Id array = node.allocate(own, count, node.c(0), false);
            for (uint32_t i = 0; i < 3; ++i)
                node.body().ifThen(node.body().test("OpULessThan", node.c(i), count), [&] {
                    node.writePayload(array, node.c(i), 0, node.plus(node.times(path, node.c(3)), node.c(i + 1)));
                    for (uint32_t word = 1; word < words; ++word)
                        node.writePayload(array, node.c(i), word, node.readPayload(input, node.c(0), word));
                });
            node.enqueue(array);
        });
    });
}

// One input at first keeps few invocations busy, so most of what it sends is left to others or run by neighbours; of
// many, some run so long that they leave the rest.
TEST_F(Fusion, RecursionDepthFirst)
{
    struct Forest {
        uint32_t inputs, levels, words;
    };
    for (const auto& [inputs, levels, words] :
         {Forest{1, 6, 1}, Forest{3, 6, 3}, Forest{70, 5, 3}, Forest{66, 7, 1}, Forest{5, 1, 1}}) {
        SCOPED_TRACE(std::to_string(inputs) + " inputs of " + std::to_string(words) + " words");
        std::vector<uint32_t> payloads;
        for (uint32_t i = 0; i < inputs; ++i)
            for (uint32_t word = 0; word < words; ++word)
                payloads.push_back(word == 0 ? i + 1 : 1000 * word + i);
        const auto result = run({thicket(levels, words)}, {launchWords("thicket", 0, inputs, payloads)});
        EXPECT_EQ(result[levels], inputs);
        EXPECT_GT(result[0], inputs << (levels - 1));
    }
}

TEST_F(Fusion, RecursionDepthFirst_FromAnotherNode)
{
    const Stage from = writeNode("from",
                                 [](NodeWriter& node) {
                                     node.staticGrid(kGroups);
                                     OutputOptions options;
                                     options.budget = kLanes;
                                     const PayloadArrayType type = node.output("thicket", {node.word()}, options);
                                     node.send(type, node.plus(node.lane(), node.c(1)), node.c(0), false);
                                 },
                                 {kLanes, 1, 1});
    const auto result =
        run({from, thicket(5, 1)}, {launchWords("from", 0, 2, {}), launchWords("thicket", 0, 2, {20, 21})});
    EXPECT_EQ(result[5], 2 * kCount + 2);
}

TEST_F(Fusion, Chains)
{
    const Stage middle = writeNode("single", [](NodeWriter& node) {
        node.coalescing();
        OutputOptions options;
        options.budget = 2;
        const PayloadArrayType type = node.output("last", {node.word()}, options);
        const Id value = node.readPayload(node.input(), node.c(0), 0);
        const Id sent = node.allocate(type, node.c(2), node.c(0), false);
        node.writePayload(sent, node.c(0), 0, value);
        node.writePayload(sent, node.c(1), 0, node.c(1000));
        node.enqueue(sent);
        node.add(4, node.c(1));
    });
    const Stage last = writeNode("last", [](NodeWriter& node) {
        node.coalescing();
        node.add(0, node.readPayload(node.input(), node.c(0), 0));
        node.add(1, node.c(1));
    });
    const std::vector<Stage> stages = {from(), middle, last};
    ASSERT_TRUE(fuses(stages));
    const auto result = run(
        stages, {launchWords("from", 0, 1, {}), launchWords("single", 0, 2, {7, 8}), launchWords("last", 0, 1, {5})});
    EXPECT_EQ(first(result, 2), (std::vector<uint32_t>{kSum + (kCount + 2) * 1000 + 20, (kCount + 2) * 2 + 1}));
    EXPECT_EQ(result[4], kCount + 2);
}

// Both have a variable for the buffer.
TEST_F(Fusion, ConsumersSeeWhatTheirInvocationWrote)
{
    const Stage writer = writeNode("from",
                                   [](NodeWriter& node) {
                                       node.staticGrid(1);
                                       OutputOptions options;
                                       options.budget = kLanes;
                                       const PayloadArrayType type = node.output("reader", {node.word()}, options);
                                       const Id own = node.plus(node.lane(), node.c(16));
                                       node.send(type, own, node.c(0), false);
                                       node.add(own, node.c(7));
                                   },
                                   {kLanes, 1, 1});
    const Stage reader = writeNode("reader", [](NodeWriter& node) {
        node.coalescing();
        const Id own = node.readPayload(node.input(), node.c(0), 0);
        const Id at =
            node.body().chain("StorageBuffer", node.uintType(), node.module().outputBuffer(), node.c(0) + " " + own);
        node.add(0, node.body().load(node.uintType(), at));
    });
    ASSERT_TRUE(fuses({writer, reader}));
    EXPECT_EQ(run({writer, reader}, {launchWords("from", 0, 1, {})})[0], 7 * kLanes);
}

TEST_F(Fusion, SwitchedOff)
{
    const std::vector<Stage> stages = {from(), single(0)};
    EXPECT_FALSE(fuses(stages, without()));
    EXPECT_FALSE(fuses(stages, {}, VK_PIPELINE_CREATE_2_DISABLE_OPTIMIZATION_BIT_KHR));
    for (const auto& [on, flags] : {std::pair<DeviceOptions, VkPipelineCreateFlags2>(without(), 0),
                                    {{}, VK_PIPELINE_CREATE_2_DISABLE_OPTIMIZATION_BIT_KHR}}) {
        Runner runner(device(on), RunnerOptions{});
        GraphOptions options;
        options.flags = flags;
        runner.run(runner.createGraph(stages, options), {launchWords("from", 0, 1, {})});
        EXPECT_EQ(first(runner.outputWords(), 2), (std::vector<uint32_t>{kSum, kCount}));
    }
}

TEST_F(Fusion, OffWherePayloadsAreCaptured)
{
    const TemporaryFolder folder;
    DeviceOptions capturing;
    capturing.words = {{"capture", "single"}, {"capture_file", folder.file("a.json")}};
    EXPECT_FALSE(fuses({from(), single(0)}, capturing));
}

TEST_F(Fusion, LibrariesStayAsTheyAre)
{
    Runner runner(device(), RunnerOptions{});
    GraphOptions consumer, producer;
    consumer.libraries = {runner.createComputeLibrary(single(0))};
    producer.libraries = {runner.createComputeLibrary(from())};
    const VkDeviceSize all = leastScratch({from(), single(0)}, without(), 0);
    const VkPipeline graphs[] = {runner.createGraph({from()}, consumer), runner.createGraph({single(0)}, producer)};
    for (const VkPipeline graph : graphs) {
        EXPECT_GE(runner.scratchSize(graph).maxSize, all);
        runner.clearOutput();
        runner.run(graph, {launchWords("from", 0, 1, {}), launchWords("single", 0, 1, {5})});
        EXPECT_EQ(first(runner.outputWords(), 2), (std::vector<uint32_t>{kSum + 5, kCount + 1}));
    }
}

}  // namespace

}  // namespace millrace::conformance
