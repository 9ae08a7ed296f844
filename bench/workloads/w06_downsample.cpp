// SPDX-License-Identifier: Apache-2.0
// W6: all halvings of a picture at once. One input for thousands of workgroups, of which the last one goes on.
#include "bench/workloads/list.h"

namespace millrace::bench {

namespace {

struct Values {
    VkDeviceAddress picture, counter;
    uint32_t level;
    uint32_t padding = 0;
};

uint32_t average(uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    uint32_t result = 0;
    for (uint32_t shift = 0; shift < 32; shift += 8) {
        const uint32_t sum = (a >> shift & 255) + (b >> shift & 255) + (c >> shift & 255) + (d >> shift & 255);
        result |= ((sum + 2) >> 2) << shift;
    }
    return result;
}

// The picture and all that is made of it.
std::vector<uint32_t> pictures(uint32_t size)
{
    std::vector<uint32_t> all;
    for (uint32_t i = 0; i < size * size; ++i)
        all.push_back(mix32(i));
    size_t from = 0;
    for (uint32_t side = size / 2; side > 0; side /= 2) {
        const size_t next = all.size();
        for (uint32_t y = 0; y < side; ++y)
            for (uint32_t x = 0; x < side; ++x) {
                const size_t at = from + size_t{4} * y * side + 2 * x;
                all.push_back(average(all[at], all[at + 1], all[at + 2 * side], all[at + 2 * side + 1]));
            }
        from = next;
    }
    return all;
}

}  // namespace

void downsample(Bench& bench)
{
    const uint32_t size = bench.pick(4096u, 1024u, 256u);
    harness::Device& device = bench.device();
    const std::vector<uint32_t> all = pictures(size);
    Output picture(device, all);
    const Memory source(device, {all.begin(), all.begin() + size * size});
    const Memory counter(device, std::vector<uint32_t>{0});
    const Definitions definitions{{"SIZE", text(size)}};
    Graph graph(device, {{"w06/image", "image", definitions}, {"w06/downsample", "downsample", definitions}}, 8);
    graph.setArguments(argumentsOf(picture.address()));
    graph.setLaunches({harness::launchWords("image", 0, 1, {})});
    const Kernel once(device, "w06/by_hand", sizeof(Values), definitions);
    const Kernel level(device, "w06/by_hand", sizeof(Values), {{"SIZE", text(size)}, {"LEVEL", ""}});
    Values values{picture.address(), counter.address(), 0};
    Case todo;
    todo.name = text(size) + " x " + text(size) + " pixels";
    todo.scratchBytes = graph.scratchBytes();
    todo.prepare = [&](VkCommandBuffer cmd) {
        picture.clear(cmd);
        const VkBufferCopy region{0, 0, source.size()};
        vkCmdCopyBuffer(cmd, source.handle(), picture.handle(), 1, &region);
        harness::Device::memoryBarrier(cmd, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
    };
    todo.check = [&] { return picture.difference(); };
    todo.versions = {
        {Role::Graph, "graph", [&](VkCommandBuffer cmd) { graph.record(cmd); }},
        {Role::Hand, "one dispatch, last workgroup goes on",
         [&](VkCommandBuffer cmd) { once.dispatch(cmd, argumentsOf(values), size / 64, size / 64); }},
        {Role::Hand, "a dispatch for each size",
         [&](VkCommandBuffer cmd) {
             for (uint32_t i = 1; size >> i; ++i) {
                 values.level = i;
                 level.dispatch(cmd, argumentsOf(values), groupsFor(size >> i, 16), groupsFor(size >> i, 16));
                 computeBarrier(cmd);
             }
         }},
    };
    bench.measure(todo);
}

}  // namespace millrace::bench
