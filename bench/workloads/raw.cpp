// SPDX-License-Identifier: Apache-2.0
// Raw costs of the device, to which all other figures of the run can be compared.
#include <algorithm>

#include "bench/workloads/list.h"

namespace millrace::bench {

namespace {

using Record = std::function<void(VkCommandBuffer)>;

class Raw {
public:
    explicit Raw(Bench& bench)
        : m_bench(bench), m_counter(bench.device(), 1 << 20), m_sizes(bench.device(), {0, 1, 1, 1})
    {
    }

    double median(const Record& record)
    {
        std::vector<double> times;
        for (uint32_t i = 0; i <= m_bench.options().runs; ++i) {
            m_bench.submit([&](VkCommandBuffer cmd) { m_counter.fill(cmd, 0); });
            m_bench.raiseClocks();
            const double took = m_bench.time(record);
            if (i > 0)
                times.push_back(took);
        }
        std::sort(times.begin(), times.end());
        return times[times.size() / 2];
    }
    void expect(const char* what, uint64_t sum, uint32_t words)
    {
        uint64_t found = 0;
        const std::vector<uint32_t> all = m_counter.download(words * 4);
        for (uint32_t word : all)
            found += word;
        if (found != sum)
            throw harness::HarnessError(std::string(what) + ": counted " + text(found) + ", not " + text(sum));
    }

    void levels();
    void launches();
    void copies();
    void atomics();
    void residents();

private:
    Bench& m_bench;
    Memory m_counter;
    Memory m_sizes;  // at byte 0 the grid (0, 1, 1), at byte 4 (1, 1, 1)
};

void Raw::levels()
{
    struct {
        VkDeviceAddress counter;
    } const values{m_counter.address()};
    const Arguments arguments = argumentsOf(values);
    const Kernel tick(m_bench.device(), "raw/tick", sizeof values);
    const uint32_t count = m_bench.pick(500u, 100u, 20u);
    const auto chain = [&](const char* name, bool counts, const Record& step) {
        const double took = median([&](VkCommandBuffer cmd) {
            tick.bind(cmd, arguments);
            for (uint32_t i = 0; i < count; ++i)
                step(cmd);
        });
        if (counts)
            expect(name, count, 1);
        m_bench.figure(name, took / count, "us");
    };
    for (uint32_t groups : {1u, 528u})
        chain(groups == 1 ? "dispatch(1), compute barrier" : "dispatch(528), compute barrier", true,
              [&](VkCommandBuffer cmd) {
                  vkCmdDispatch(cmd, groups, 1, 1);
                  computeBarrier(cmd);
              });
    chain("indirect dispatch(1), indirect barrier", true, [&](VkCommandBuffer cmd) {
        vkCmdDispatchIndirect(cmd, m_sizes.handle(), 4);
        indirectBarrier(cmd);
    });
    chain("indirect dispatch(0), indirect barrier", false, [&](VkCommandBuffer cmd) {
        vkCmdDispatchIndirect(cmd, m_sizes.handle(), 0);
        indirectBarrier(cmd);
    });
    chain("indirect dispatch(0), no barrier", false,
          [&](VkCommandBuffer cmd) { vkCmdDispatchIndirect(cmd, m_sizes.handle(), 0); });
}

void Raw::launches()
{
    struct {
        VkDeviceAddress counter;
    } const values{m_counter.address()};
    const Kernel tick(m_bench.device(), "raw/tick", sizeof values);
    const uint32_t groups = m_bench.pick(1u << 20, 1u << 14, 1u << 10);
    const double took =
        median([&](VkCommandBuffer cmd) { tick.dispatch(cmd, argumentsOf(values), groups / 64, 8, 8); });
    m_bench.figure("workgroups of 64 started", groups / took * 1e-3, "G/s");
}

void Raw::copies()
{
    const VkDeviceSize bytes = m_bench.pick(VkDeviceSize{1} << 30, VkDeviceSize{64} << 20, VkDeviceSize{1} << 20);
    const Memory from(m_bench.device(), bytes);
    const Memory to(m_bench.device(), bytes);
    struct {
        VkDeviceAddress from, to;
        uint32_t count;
        uint32_t padding = 0;
    } const values{from.address(), to.address(), static_cast<uint32_t>(bytes / 16)};
    const Kernel kernel(m_bench.device(), "raw/copy", sizeof values);
    m_bench.submit([&](VkCommandBuffer cmd) { from.fill(cmd, 0x01020304); });
    const double took = median(
        [&](VkCommandBuffer cmd) { kernel.dispatch(cmd, argumentsOf(values), m_bench.isSmall() ? 256 : 132 * 64); });
    for (uint32_t word : to.download(1 << 20))
        if (word != 0x01020304)
            throw harness::HarnessError("the copy is wrong");
    m_bench.figure("copy, read and written", 2.0 * static_cast<double>(bytes) / took * 1e-3, "GB/s");
}

void Raw::atomics()
{
    struct Values {
        VkDeviceAddress counters;
        uint32_t addresses, each;
    };
    const Kernel kernel(m_bench.device(), "raw/atomics", sizeof(Values));
    const uint32_t groups = m_bench.pick(4096u, 256u, 16u);
    for (uint32_t addresses : {1u, 8u, 4096u}) {
        const Values values{m_counter.address(), addresses, 16};
        const double took = median([&](VkCommandBuffer cmd) { kernel.dispatch(cmd, argumentsOf(values), groups); });
        const uint64_t adds = uint64_t{groups} * 8 * values.each;
        expect("atomics", adds, addresses * 32);
        m_bench.figure("atomic additions, addresses: " + text(addresses), static_cast<double>(adds) / took * 1e-3,
                       "G/s");
    }
}

// What workgroup memory leaves of the workgroups that could be there at once.
void Raw::residents()
{
    struct Values {
        VkDeviceAddress counters;
        uint32_t rounds;
    };
    const Values values{m_counter.address(), m_bench.pick(2000u, 100u, 10u)};
    const uint32_t groups = m_bench.pick(16384u, 256u, 16u);
    for (uint32_t bytes : {256u, 2048u, 4096u, 8192u}) {
        const Kernel kernel(m_bench.device(), "raw/resident", sizeof values, Definitions{{"WORDS", text(bytes / 4)}});
        m_bench.submit([&](VkCommandBuffer cmd) { m_counter.fill(cmd, 0); });
        m_bench.submit([&](VkCommandBuffer cmd) { kernel.dispatch(cmd, argumentsOf(values), groups); });
        expect("workgroups that are still there", 0, 1);
        const uint32_t most = m_counter.download(8)[1];
        m_bench.figure("workgroups of 32 at once, sharing " + text(bytes) + " bytes each", most, "");
    }
}

}  // namespace

void raw(Bench& bench)
{
    Raw probes(bench);
    probes.levels();
    probes.launches();
    probes.copies();
    probes.atomics();
    probes.residents();
}

}  // namespace millrace::bench
