// SPDX-License-Identifier: Apache-2.0
// W8, second part: a sparse matrix times a vector, with rows of very different lengths.
#include <algorithm>
#include <array>
#include <cmath>

#include "bench/workloads/list.h"

namespace millrace::bench {

namespace {

constexpr uint32_t kMedium = 2048;

struct Matrix {
    std::vector<uint32_t> offsets{0};
    std::vector<uint32_t> entries;  // column, value
    std::vector<uint32_t> vector;
    std::vector<uint32_t> product;
    uint32_t longest = 0;

    explicit Matrix(uint32_t rows)
    {
        Random random(88);
        for (uint32_t i = 0; i < rows; ++i)
            vector.push_back(random.word());
        for (uint32_t i = 0; i < rows; ++i) {
            const double radius = std::sqrt(-2 * std::log(random.unit() + 1e-12));
            const double normal = radius * std::cos(6.283185307179586 * random.unit());
            const auto count = static_cast<uint32_t>(std::min(200'000.0, 5 * std::exp(1.6 * normal)));
            uint32_t sum = 0;
            for (uint32_t j = 0; j < count; ++j) {
                const uint32_t column = random.below(rows), value = random.word();
                entries.insert(entries.end(), {column, value});
                sum += value * vector[column];
            }
            product.push_back(sum);
            longest = std::max(longest, count);
            offsets.push_back(static_cast<uint32_t>(entries.size() / 2));
        }
    }
};

struct GraphValues {
    VkDeviceAddress results, offsets, entries, vector;
};
struct Values {
    GraphValues matrix;
    VkDeviceAddress list, counters, nextCounters;
    uint32_t room;
    uint32_t padding = 0;
};

}  // namespace

void sparseProduct(Bench& bench)
{
    const uint32_t rows = bench.pick(1u << 20, 1u << 15, 1u << 10);
    const Matrix matrix(rows);
    harness::Device& device = bench.device();
    Output results(device, matrix.product);
    const Memory offsets(device, matrix.offsets), entries(device, matrix.entries), vector(device, matrix.vector);
    const auto count = static_cast<uint32_t>(matrix.entries.size() / 2);
    const Memory list(device, VkDeviceSize{16} * (rows + count / kMedium));
    const Memory counters[2] = {{device, std::vector<uint32_t>(64)}, {device, std::vector<uint32_t>(64)}};
    Definitions definitions{{"ROWS", text(rows)}, {"MOST_GROUPS", text(groupsFor(matrix.longest, kMedium))}};
    const GraphValues values{results.address(), offsets.address(), entries.address(), vector.address()};
    Graph graph(device,
                {{"w08s/rows", "rows", definitions},
                 {"w08s/medium", "medium", definitions},
                 {"w08s/long", "long", definitions}},
                sizeof values);
    graph.setArguments(argumentsOf(values));
    graph.setLaunches({harness::launchWords("rows", 0, 1, {})});
    const auto kernel = [&](const char* pass) {
        Definitions all = definitions;
        all.emplace_back("PASS", pass);
        return Kernel(device, "w08s/by_hand", sizeof(Values), all);
    };
    const Kernel classify = kernel("0"), medium = kernel("1"), longer = kernel("2");
    uint32_t run = 0;
    Case todo;
    todo.name = "product, " + text(rows) + " rows, " + text(count) + " entries";
    todo.scratchBytes = graph.scratchBytes();
    todo.prepare = [&](VkCommandBuffer cmd) { results.clear(cmd, 0); };
    todo.check = [&] { return results.difference(); };
    todo.versions = {
        {Role::Graph, "graph", [&](VkCommandBuffer cmd) { graph.record(cmd); }},
        {Role::Hand, "two lists",
         [&](VkCommandBuffer cmd) {
             const Arguments arguments = argumentsOf(Values{values, list.address(), counters[run % 2].address(),
                                                            counters[(run + 1) % 2].address(), rows + count / kMedium});
             ++run;
             classify.dispatch(cmd, arguments, groupsFor(rows, 256));
             computeBarrier(cmd);
             medium.dispatch(cmd, arguments, 4 * bench.fullGrid());
             longer.dispatch(cmd, arguments, bench.fullGrid());
         }},
    };
    const CaseResult result = bench.measure(todo);
    for (const Times& times : result.versions)
        bench.figure("entries read, product, " + times.name, 8.0 * count / times.median() * 1e-3, "GB/s");
}

}  // namespace millrace::bench
