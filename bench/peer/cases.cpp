// SPDX-License-Identifier: Apache-2.0
#include "bench/peer/cases.h"

#include <algorithm>

namespace millrace::bench::peer {

namespace {

constexpr size_t kOutputWords = 1024;  // of the peer's tests
constexpr uint64_t kRingBytes = 127u << 20;
// From here on the peer leaves out records of an entry node of launch type thread.
constexpr uint32_t kSplitFrom = 32768;

using Records = std::vector<Words>;
using Input = std::function<Words(uint32_t)>;
using Expected = std::function<std::vector<Words>(uint32_t)>;

// The records in order, again and again.
Input cycle(const Records& records)
{
    return [records](uint32_t count) {
        Words out;
        for (uint32_t i = 0; i < count; ++i)
            out.insert(out.end(), records[i % records.size()].begin(), records[i % records.size()].end());
        return out;
    };
}

// How often record `i` of a cycle occurs.
uint32_t timesOf(size_t i, size_t cycleLength, uint32_t count)
{
    return count / static_cast<uint32_t>(cycleLength) + (i < count % cycleLength ? 1 : 0);
}

// Each record adds to a UAV of the size that the tests have.
Expected sumOf(const Records& records, const std::function<void(const Words&, uint32_t times, Words&)>& add)
{
    return [=](uint32_t count) {
        Words out(kOutputWords);
        for (size_t i = 0; i < records.size(); ++i)
            add(records[i], timesOf(i, records.size(), count), out);
        return std::vector<Words>{out};
    };
}

// {a, b}: a grid of 3 x 3 x 2 workgroups of 2 x 3 x 4, each invocation of which adds a ^ b.
void addGrid(const Words& record, uint32_t times, Words& out)
{
    for (uint32_t z = 0; z < 2 * 4; ++z)
        for (uint32_t y = 0; y < 3 * 3; ++y)
            for (uint32_t x = 0; x < 3 * 2; ++x)
                out[x + 10 * y + 100 * z] += (record[0] ^ record[1]) * times;
}

// {at, value}
void addOne(const Words& record, uint32_t times, Words& out)
{
    out[record[0]] += record[1] * times;
}

// {at, value}: 24 words from there on.
void addRun(const Words& record, uint32_t times, Words& out)
{
    for (uint32_t i = 0; i < 24; ++i)
        out[record[0] + i] += record[1] * times;
}

// {grid, which UAV, size, offset, increment}
Expected twoLevels(const Records& records)
{
    return [records](uint32_t count) {
        std::vector<Words> out(2, Words(kOutputWords));
        for (size_t i = 0; i < records.size(); ++i) {
            const Words& record = records[i];
            const uint32_t end = record[3] + record[2] * record[0] * 64;
            for (uint32_t at = record[3]; at < end; ++at)
                out[record[1]][at] += record[4] * timesOf(i, records.size(), count);
        }
        return out;
    };
}

// What one input writes, so many times.
Expected multipleOf(const Words& once)
{
    return [once](uint32_t count) {
        Words out(kOutputWords);
        std::ranges::transform(once, out.begin(), [&](uint32_t value) { return value * count; });
        return std::vector<Words>{out};
    };
}

// The sums of nodes of which the first 64 words have one value and the next 64 another.
Words halves(uint32_t first, uint32_t second)
{
    Words out(64, first);
    out.resize(128, second);
    return out;
}

Records pairs(uint32_t count, const std::function<Words(uint32_t)>& make)
{
    Records out;
    for (uint32_t i = 0; i < count; ++i)
        out.push_back(make(i));
    return out;
}

// What the peer's own tests dispatch.
void addTests(std::vector<Case>& out)
{
    const Records grids = {{19, 800}, {400, 90}};
    const Records threads = pairs(256, [](uint32_t i) { return Words{(i ^ 7) * 3, i ^ 0xabcd}; });
    const Records runs = {{100, 50}, {150, 40}, {200, 79}, {300, 40}, {400, 30}, {490, 20}, {530, 10}, {32, 32}};
    const Records entries = {{2, 0, 1, 1, 1}, {2, 1, 1, 3, 2}, {3, 0, 3, 5, 3}, {1, 1, 3, 4, 4}};
    out.push_back({"tests", "broadcast, 1 level", "broadcast_custom_input", "BroadcastNode", false, 2, cycle(grids),
                   sumOf(grids, addGrid)});
    out.push_back({"tests", "thread launch, 1 level", "thread_custom_input", "ThreadNode", true, 2, cycle(threads),
                   sumOf(threads, addOne)});
    out.push_back({"tests", "coalescing, 1 level", "coalesce_custom_input", "CoalesceNode", false, 2, cycle(runs),
                   sumOf(runs, addRun)});
    out.push_back({"tests", "two levels, thread", "two_level_thread", "EntryNode", false, 5, cycle(entries),
                   twoLevels(entries), 256 * 8});
    out.push_back({"tests", "two levels, broadcast", "two_level_broadcast", "EntryNode", false, 5, cycle(entries),
                   twoLevels(entries), 16 * 12});
    // These have no record.
    out.push_back({"tests",
                   "two levels, 15 nodes, 72 empty records",
                   "two_level_empty_node",
                   "EntryNode",
                   true,
                   0,
                   {},
                   multipleOf({5, 5, 4, 6, 4, 6, 3, 2, 3, 2, 9, 7, 9, 7})});
    out.push_back({"tests",
                   "recursion, 8 levels, 254 records",
                   "basic_recursion",
                   "EntryNode",
                   true,
                   0,
                   {},
                   multipleOf({0, 7, 13, 17, 25, 34, 46, 59, 71, 76, 68, 47, 23, 7, 1}),
                   128 * 4});
    out.push_back({"tests",
                   "cross-group sharing, 768 groups",
                   "cross_group_sharing",
                   "EntryNode",
                   true,
                   0,
                   {},
                   multipleOf(halves(512 * 64 + 9, 256 * 64 + 11)),
                   32});
    out.push_back({"tests",
                   "shared inputs, 768 groups",
                   "shared_inputs",
                   "EntryNode",
                   true,
                   0,
                   {},
                   multipleOf(halves(512 * 9, 256 * 9)),
                   16});
}

// One record, or a few, again and again: few words are hit.
void addRepeated(std::vector<Case>& out)
{
    const Records grid = {{19, 800}};
    const Records threads = pairs(256, [](uint32_t i) { return Words{i, i + 1}; });
    const Records runs = pairs(8, [](uint32_t i) { return Words{32 * i, i + 1}; });
    const Records entry = {{1, 0, 1, 1, 1}};
    out.push_back({"repeat", "broadcast, 1 level", "broadcast_custom_input", "BroadcastNode", false, 2, cycle(grid),
                   sumOf(grid, addGrid)});
    out.push_back({"repeat", "thread launch, 1 level", "thread_custom_input", "ThreadNode", true, 2, cycle(threads),
                   sumOf(threads, addOne)});
    out.push_back({"repeat", "coalescing, 1 level", "coalesce_custom_input", "CoalesceNode", false, 2, cycle(runs),
                   sumOf(runs, addRun)});
    out.push_back({"repeat", "two levels, thread, 64 children", "two_level_thread", "EntryNode", false, 5, cycle(entry),
                   twoLevels(entry), 64 * 8});
    out.push_back({"repeat", "two levels, broadcast, 8 children", "two_level_broadcast", "EntryNode", false, 5,
                   cycle(entry), twoLevels(entry), 8 * 12});
}

Input spreadPairs(uint32_t step)
{
    return [step](uint32_t count) {
        Words out;
        for (uint32_t i = 0; i < count; ++i)
            out.insert(out.end(), {i * step, 1});
        return out;
    };
}

// Every record has words of its own in the output.
void addSpread(std::vector<Case>& out)
{
    out.push_back({"spread", "thread launch, 1 level", "thread_custom_input", "ThreadNode", true, 2, spreadPairs(1),
                   [](uint32_t count) { return std::vector<Words>{Words(count, 1)}; }});
    out.push_back({"spread", "coalescing, 1 level", "coalesce_custom_input", "CoalesceNode", false, 2, spreadPairs(32),
                   [](uint32_t count) {
                       Words words(size_t{32} * count);
                       for (size_t i = 0; i < words.size(); ++i)
                           words[i] = i % 32 < 24;
                       return std::vector<Words>{words};
                   }});
    const Input entries = [](uint32_t count) {
        Words words;
        for (uint32_t i = 0; i < count; ++i)
            words.insert(words.end(), {1, 0, 1, 64 * i, 1});
        return words;
    };
    const Expected ones = [](uint32_t count) {
        return std::vector<Words>{Words(size_t{64} * count, 1), Words(kOutputWords)};
    };
    out.push_back({"spread", "two levels, thread, 64 children", "two_level_thread", "EntryNode", false, 5, entries,
                   ones, 64 * 8});
    out.push_back({"spread", "two levels, broadcast, 8 children", "two_level_broadcast", "EntryNode", false, 5, entries,
                   ones, 8 * 12});
}

}  // namespace

const char* nameOf(Form form)
{
    return form == Form::Cpu ? "cpu" : form == Form::CpuSplit ? "cpu-split" : "gpu";
}

std::vector<Case> allCases()
{
    std::vector<Case> out;
    addTests(out);
    addRepeated(out);
    addSpread(out);
    return out;
}

Work workOf(const Case& which, uint32_t count, Form form)
{
    Work work;
    work.form = form;
    for (Words& expected : which.expected(count)) {
        Resource& resource = work.resources.emplace_back();
        resource.bytes = expected.size() * sizeof(uint32_t);
        resource.expected = std::move(expected);
    }
    if (work.resources.size() == 1)
        work.resources.push_back({kOutputWords * sizeof(uint32_t), 0, 0, {}, Words(kOutputWords)});
    work.launches.push_back({which.node, count, which.recordWords, which.input ? which.input(count) : Words{}});
    return work;
}

std::vector<Argument> argumentsOfTests()
{
    return {{Argument::Kind::Uav, 0, 0}, {Argument::Kind::Uav, 1, 1}};
}

std::string obstacleOf(const Case& which, uint32_t count)
{
    const uint64_t bytes = uint64_t{count} * which.peerBytes;
    if (bytes <= kRingBytes)
        return "";
    return "would need " + std::to_string(bytes >> 20) + " MiB of a ring of 128 MiB, which it does not check";
}

std::vector<Form> formsOf(const Case& which, uint32_t count)
{
    if (count < kSplitFrom)
        return {Form::Cpu};
    if (which.isThreadLaunch)
        return {Form::Cpu, Form::CpuSplit, Form::Gpu};
    return {Form::Cpu, Form::Gpu};
}

}  // namespace millrace::bench::peer
