// SPDX-License-Identifier: Apache-2.0
// What tests of fusion share: a producer, its consumer, and whether they are fused.
#pragma once

#include "conformance/graph_test.h"

namespace millrace::conformance {

inline constexpr uint32_t kGroups = 3, kLanes = 8;

inline std::vector<Field> words(NodeWriter& node, uint32_t count)
{
    std::vector<Field> fields;
    for (uint32_t w = 0; w < count; ++w)
        fields.push_back(node.word(4 * w));
    return fields;
}

class Fusion : public GraphTest {
protected:
    static DeviceOptions without()
    {
        DeviceOptions options;
        options.words["fusion"] = "off";
        return options;
    }

    static VkDeviceSize leastScratch(const std::vector<Stage>& stages, const DeviceOptions& on,
                                     VkPipelineCreateFlags2 flags)
    {
        Runner runner(device(on), RunnerOptions{});
        GraphOptions options;
        options.flags = flags;
        const auto size = runner.scratchSize(runner.createGraph(stages, options));
        EXPECT_LE(size.minSize, size.maxSize);
        return size.minSize;
    }

    void runGridsOfProducers(const std::vector<uint32_t>& widths);

    // Payloads that nobody stores take no memory. (The most that a graph asks for is what suits the device, nearly.)
    static bool fuses(const std::vector<Stage>& stages, const DeviceOptions& on = {}, VkPipelineCreateFlags2 flags = 0)
    {
        const VkDeviceSize fused = leastScratch(stages, on, flags);
        const VkDeviceSize all = leastScratch(stages, without(), 0);
        EXPECT_LE(fused, all);
        return fused < all;
    }

    // out[word] += payload, out[word + 1] += 1
    static Stage single(uint32_t word, uint32_t index = 0, bool isEntry = true)
    {
        Stage stage = writeNode("single", [=](NodeWriter& node) {
            node.coalescing();
            if (!isEntry)
                node.noEntry();
            const Id input = node.input();
            node.add(word, node.readPayload(input, node.c(0), 0));
            node.add(word + 1, node.c(1));
        });
        stage.index = index;
        return stage;
    }

    // Each invocation sends its number to "single".
    static Stage from(const std::function<Id(NodeWriter&)>& nodeIndex = {}, uint32_t arraySize = 1)
    {
        return writeNode("from",
                         [&](NodeWriter& node) {
                             node.staticGrid(kGroups);
                             OutputOptions options;
                             options.budget = kLanes;
                             options.arraySize = arraySize;
                             options.sparse = arraySize > 1;
                             const PayloadArrayType type = node.output("single", {node.word()}, options);
                             const Id number =
                                 node.plus(node.times(node.builtIn("WorkgroupId", 0), node.c(kLanes)), node.lane());
                             node.send(type, number, nodeIndex ? nodeIndex(node) : node.c(0), false);
                         },
                         {kLanes, 1, 1});
    }

    static constexpr uint32_t kCount = kGroups * kLanes;
    static constexpr uint32_t kSum = kCount * (kCount - 1) / 2;
};

}  // namespace millrace::conformance
