// SPDX-License-Identifier: Apache-2.0
// Consumers whose workgroups run inside workgroups of their producer (docs/fusion.md).
#include "conformance/fusion_test.h"

namespace millrace::conformance {

namespace {

// A workgroup variable of a word for each lane.
Id sharedWords(NodeWriter& node)
{
    ModuleText& module = node.module();
    const Id array = module.arrayType(node.uintType(), kLanes, 0);
    const Id words = module.newId("shared");
    module.global(words + " = OpVariable " + module.pointerType("Workgroup", array) + " Workgroup");
    module.addInterface(words);
    return words;
}

// out[8 index + lane] += the sum of payload and number of the neighbour, by way of workgroup memory, in each of two
// workgroups.
Stage mates(uint32_t index)
{
    Stage stage = writeNode("mates",
                            [](NodeWriter& node) {
                                node.staticGrid(1, 2);
                                node.noEntry();
                                const Id words = sharedWords(node);
                                const Id payload = node.readPayload(node.input(), node.c(0), 0);
                                const Id own = node.plus(payload, node.builtIn("WorkgroupId", 1));
                                BodyText& body = node.body();
                                const auto place = [&](const Id& lane) {
                                    return body.chain("Workgroup", node.uintType(), words, lane);
                                };
                                body.store(place(node.lane()), node.plus(own, node.lane()), node.module().shared());
                                body.controlBarrier();
                                const Id next = body.u("OpUMod", node.plus(node.lane(), node.c(1)), node.c(kLanes));
                                const Id sum = body.load(node.uintType(), place(next), node.module().shared());
                                const Id row = node.times(node.builtIn("ShaderIndexAMDX"), node.c(8));
                                node.add(node.plus(row, node.lane()), sum);
                            },
                            {kLanes, 1, 1});
    stage.index = index;
    return stage;
}

}  // namespace

TEST_F(Fusion, WorkgroupsOfOneShape)
{
    for (const bool together : {true, false}) {
        // Together three payloads to node 1; or lanes 0, 3 and 6 one each, to nodes 0, 1 and 2.
        const Stage from = writeNode(
            "from",
            [&](NodeWriter& node) {
                node.staticGrid(kGroups);
                OutputOptions options;
                options.budget = 3;
                options.arraySize = 3;
                const PayloadArrayType type = node.output("mates", {node.word()}, options);
                BodyText& body = node.body();
                const Id hundreds = node.times(node.builtIn("WorkgroupId", 0), node.c(100));
                const Id third = body.u("OpUDiv", node.lane(), node.c(3));
                const Id sends = body.test("OpIEqual", body.u("OpUMod", node.lane(), node.c(3)), node.c(0));
                const Id array = together ? node.allocate(type, node.c(3), node.c(1))
                                          : node.allocate(type, body.select(sends, node.c(1), node.c(0)), third, false);
                const Id writes = together ? body.test("OpULessThan", node.lane(), node.c(3)) : sends;
                body.ifThen(writes, [&] {
                    const Id own = together ? node.lane() : third;
                    node.writePayload(array, together ? own : node.c(0), 0,
                                      node.plus(hundreds, node.times(own, node.c(10))));
                });
                node.enqueue(array);
            },
            {kLanes, 1, 1});
        const std::vector<Stage> stages = {from, mates(0), mates(1), mates(2)};
        ASSERT_TRUE(fuses(stages));
        const std::vector<uint32_t> result = run(stages, {launchWords("from", 0, 1, {})});
        for (uint32_t lane = 0; lane < kLanes; ++lane) {
            const uint32_t next = (lane + 1) % kLanes;
            for (uint32_t index = 0; index < 3; ++index) {
                // Of payloads 0, 10 and 20, and 100 or 200 more.
                const uint32_t alone = 2 * (300 + kGroups * (10 * index + next)) + kGroups;
                const uint32_t all = 2 * (900 + kGroups * (30 + 3 * next)) + 3 * kGroups;
                EXPECT_EQ(result[8 * index + lane], !together ? alone : index == 1 ? all : 0u) << index << lane;
            }
        }
    }
}

TEST_F(Fusion, WorkgroupsSeeWhatTheirProducerWrote)
{
    const Stage writer = writeNode("from",
                                   [](NodeWriter& node) {
                                       node.staticGrid(1);
                                       const PayloadArrayType type = node.output("reader", {node.word()});
                                       node.add(node.plus(node.lane(), node.c(16)), node.lane());
                                       node.send(type, node.c(16), node.c(0));
                                   },
                                   {kLanes, 1, 1});
    const Stage reader = writeNode("reader",
                                   [](NodeWriter& node) {
                                       node.staticGrid(1);
                                       const Id first = node.readPayload(node.input(), node.c(0), 0);
                                       const Id next = node.body().u("OpBitwiseXor", node.lane(), node.c(1));
                                       const Id word = node.plus(first, next);
                                       const Id at =
                                           node.body().chain("StorageBuffer", node.uintType(),
                                                             node.module().outputBuffer(), node.c(0) + " " + word);
                                       node.add(node.lane(), node.body().load(node.uintType(), at));
                                   },
                                   {kLanes, 1, 1});
    ASSERT_TRUE(fuses({writer, reader}));
    EXPECT_EQ(first(run({writer, reader}, {launchWords("from", 0, 1, {})}), kLanes),
              (std::vector<uint32_t>{1, 0, 3, 2, 5, 4, 7, 6}));
}

// Payloads of 24 words: 0 to 23 more than the first.
TEST_F(Fusion, WorkgroupsKeepPayloadsInScratchMemory)
{
    constexpr uint32_t kWords = 24, kMany = 100;
    const Stage from = writeNode("from",
                                 [](NodeWriter& node) {
                                     node.staticGrid(kMany);
                                     OutputOptions options;
                                     options.budget = 3;
                                     const PayloadArrayType type = node.output("sum", words(node, kWords), options);
                                     BodyText& body = node.body();
                                     const Id group = node.builtIn("WorkgroupId", 0);
                                     const Id mine = body.u("OpUMod", node.lane(), node.c(3));
                                     const Id sends = body.test("OpIEqual", mine, node.c(0));
                                     const Id count = body.select(sends, node.c(1), node.c(0));
                                     const Id array = node.allocate(type, count, node.c(0), false);
                                     body.ifThen(sends, [&] {
                                         const Id first = node.plus(group, node.lane());
                                         for (uint32_t w = 0; w < kWords; ++w)
                                             node.writePayload(array, node.c(0), w, node.plus(first, node.c(w)));
                                     });
                                     node.enqueue(array);
                                 },
                                 {kLanes, 1, 1});
    const Stage to = writeNode("sum",
                               [](NodeWriter& node) {
                                   node.staticGrid(1);
                                   node.noEntry();
                                   const Id input = node.inputArray(words(node, kWords));
                                   Id sum = node.lane();
                                   for (uint32_t w = 0; w < kWords; ++w)
                                       sum = node.plus(sum, node.readPayload(input, node.c(0), w));
                                   node.add(node.lane(), sum);
                               },
                               {kLanes, 1, 1});
    std::vector<uint32_t> wanted;
    for (uint32_t lane = 0; lane < kLanes; ++lane)
        wanted.push_back(3 * kMany * lane + 3 * kMany * (kWords * (kWords - 1) / 2) +
                         kWords * (3 * (kMany * (kMany - 1) / 2) + kMany * (0 + 3 + 6)));
    DeviceOptions moved;
    moved.traits["kept_bytes"] = 1;
    moved.words["validate_spirv"] = "true";
    for (const DeviceOptions& options : {moved, DeviceOptions()}) {
        for (const harness::Scratch scratch : {harness::Scratch::Maximum, harness::Scratch::Minimum}) {
            Runner runner(device(options), RunnerOptions{});
            RunOptions run;
            run.scratch = scratch;
            runner.run(runner.createGraph({from, to}), {launchWords("from", 0, 1, {})}, run);
            EXPECT_EQ(first(runner.outputWords(), kLanes), wanted);
        }
    }
}

// out[remaining] += path, by one invocation of each workgroup, which sends two payloads together.
TEST_F(Fusion, RecursionOfWorkgroups)
{
    constexpr uint32_t kLevels = 6;
    DeviceOptions all;
    all.words["fusion"] = "all";
    const Stage stage = writeNode(
        "tree",
        [](NodeWriter& node) {
            node.staticGrid(1);
            node.mode("MaxNodeRecursionAMDX " + node.c(kLevels));
            OutputOptions options;
            options.budget = 2;
            const PayloadArrayType own = node.output("tree", {node.word()}, options);
            BodyText& body = node.body();
            const Id path = node.readPayload(node.input(), node.c(0), 0);
            const Id remaining = node.builtIn("RemainingRecursionLevelsAMDX");
            body.ifThen(body.test("OpIEqual", node.lane(), node.c(5)), [&] { node.add(remaining, path); });
            body.ifThen(body.test("OpUGreaterThan", remaining, node.c(0)), [&] {
                const Id array = node.allocate(own, node.c(2), node.c(0));
                body.ifThen(body.test("OpULessThan", node.lane(), node.c(2)), [&] {
                    node.writePayload(array, node.lane(), 0, node.plus(node.times(path, node.c(2)), node.lane()));
                });
                node.enqueue(array);
            });
        },
        {kLanes, 1, 1});
    std::vector<uint32_t> wanted(kLevels + 1);
    for (uint32_t level = 0, count = 2; level <= kLevels; ++level, count *= 2)
        wanted[kLevels - level] = count * (count - 1) / 2;
    EXPECT_NE(leastScratch({stage}, all, 0), leastScratch({stage}, without(), 0));
    for (const DeviceOptions& options : {all, DeviceOptions(), without()}) {
        Runner runner(device(options), RunnerOptions{});
        runner.run(runner.createGraph({stage}), {launchWords("tree", 0, 2, {0, 1})});
        EXPECT_EQ(first(runner.outputWords(), kLevels + 1), wanted);
    }
}

}  // namespace millrace::conformance
