// SPDX-License-Identifier: Apache-2.0
#include "bench/suite/scratch.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "abi/graph_memory.h"

namespace millrace::bench {

namespace {

struct Usage {
    bool isOneSweep = false;
    VkDeviceSize regions = 0;
};

class Search {
public:
    Search(harness::Device& device, Graph& graph, const std::function<void()>& run)
        : m_device(device), m_graph(graph), m_run(run)
    {
    }

    Usage tryWith(uint64_t steps)
    {
        m_graph.useScratch(steps);
        m_run();
        return usage();
    }

private:
    // What the dispatch left in the scratch memory. Where the first sweep was proven to be enough nobody counts sweeps.
    Usage usage() const
    {
        const auto header = read<abi::GraphHeader>(0, 1).front();
        if (header.magic != abi::kGraphMagic)
            throw harness::HarnessError("scratch memory is measured with the layer of this project only");
        Usage usage;
        const abi::GraphStatus& status = header.status;
        usage.isOneSweep = status.sweeps == 0 || (status.sweeps == 1 && status.remaining == 0);
        VkDeviceSize granules = status.highWaterGranules;
        if (status.sweeps == 0)
            for (const auto& level :
                 read<abi::LevelState>(header.levelStates - m_graph.scratchAddress(), header.levelCount))
                granules += level.size;
        usage.regions = granules * abi::kGranuleBytes;
        return usage;
    }
    template <typename Item>
    std::vector<Item> read(VkDeviceSize at, size_t count) const
    {
        std::vector<Item> items(count);
        const VkDeviceSize bytes = count * sizeof(Item);
        const harness::Buffer staging = m_device.createReadback(bytes);
        m_graph.readScratch(staging, at, bytes);
        std::memcpy(items.data(), staging.mapped, bytes);
        m_device.destroyBuffer(staging);
        return items;
    }

    harness::Device& m_device;
    Graph& m_graph;
    const std::function<void()>& m_run;
};

}  // namespace

ScratchNeed findScratchNeed(harness::Device& device, Graph& graph, VkDeviceSize live, const std::function<void()>& run)
{
    ScratchNeed need;
    need.least = graph.leastScratchBytes();
    need.live = live;
    Search search(device, graph, run);
    // In steps above the least. With much less than is needed there are thousands of sweeps, so not from below.
    const uint64_t most = graph.scratchSteps();
    uint64_t enough = live > need.least ? std::min((live - need.least) / graph.scratchStep(), most) : 0;
    std::optional<uint64_t> tooLittle;
    Usage usage = search.tryWith(enough);
    while (!usage.isOneSweep && enough < most) {
        tooLittle = enough;
        enough = std::clamp<uint64_t>(2 * enough, 1, most);
        usage = search.tryWith(enough);
    }
    if (!usage.isOneSweep)
        return need;  // with all that the graph has
    while (enough > 0 && (!tooLittle || enough - *tooLittle > std::max<uint64_t>(enough / 100, 1))) {
        const uint64_t middle = tooLittle ? *tooLittle + (enough - *tooLittle) / 2 : enough / 2;
        const Usage there = search.tryWith(middle);
        if (there.isOneSweep) {
            enough = middle;
            usage = there;
        } else {
            tooLittle = middle;
        }
    }
    graph.useScratch(most);
    need.oneSweep = need.least + enough * graph.scratchStep();
    need.regions = usage.regions;
    return need;
}

}  // namespace millrace::bench
