// SPDX-License-Identifier: Apache-2.0
#include "bench/peer/measure.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>

namespace millrace::bench::peer {

namespace {

constexpr uint32_t kTurns = 2;
constexpr uint32_t kLeastRuns = 3;  // of a turn
// Results of as many runs are kept and looked at behind them: while the host looks at megabytes, clocks fall.
constexpr uint64_t kKeptBytes = 64u << 20;

// A run that takes longer is load enough.
constexpr double kLongMicroseconds = 10000;

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point begin)
{
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

uint32_t slotsFor(const Work& work, uint32_t runs)
{
    uint64_t bytes = 1;
    for (const Resource& resource : work.resources)
        bytes += resource.size();
    return static_cast<uint32_t>(std::clamp<uint64_t>(kKeptBytes / bytes, 1, runs));
}

void writeWords(const std::string& file, const Words& words)
{
    std::ofstream out(file, std::ios::binary);
    out.write(reinterpret_cast<const char*>(words.data()),
              static_cast<std::streamsize>(words.size() * sizeof words[0]));
    if (!out.flush())
        throw PeerError("cannot write " + file);
}

bool isExpected(const Work& work)
{
    return std::ranges::any_of(work.resources, [](const Resource& each) { return each.expected.has_value(); });
}

}  // namespace

double Outcome::median() const
{
    std::vector<double> sorted = microseconds;
    std::ranges::sort(sorted);
    return (sorted[(sorted.size() - 1) / 2] + sorted[sorted.size() / 2]) / 2;
}

double Outcome::least() const
{
    return std::ranges::min(microseconds);
}

std::string differenceOf(const Words& got, const Words& wanted, uint32_t mask, const std::string& name)
{
    size_t first = 0, count = got.size() == wanted.size() ? 0 : 1;
    for (size_t i = std::min(got.size(), wanted.size()); i > 0; --i) {
        if (((got[i - 1] ^ wanted[i - 1]) & mask) == 0)
            continue;
        first = i - 1;
        ++count;
    }
    if (count == 0)
        return "";
    return name + "[" + std::to_string(first) + "] is " + std::to_string(got[first]) + " instead of " +
           std::to_string(wanted[first]) + ", " + std::to_string(count) + " are wrong";
}

// The runs of one side of a row.
class Measurement::Turns {
public:
    // `raiser` raises clocks.
    Turns(Program& program, Side& raiser, const Work& work, const MeasureOptions& options, Outcome& outcome)
        : m_program(program),
          m_raiser(raiser),
          m_work(work),
          m_options(options),
          m_outcome(outcome),
          m_slots(slotsFor(work, options.runs))
    {
        m_program.prepare(work, m_slots);
    }

    void take()
    {
        const Clock::time_point warm = Clock::now();
        do
            m_program.run(0);
        while (secondsSince(warm) < m_options.warmSeconds);
        look(1);
        const uint32_t wanted = (m_options.runs + kTurns - 1) / kTurns;
        const Clock::time_point begin = Clock::now();
        uint32_t run = 0;
        for (; run < wanted && (run < kLeastRuns || secondsSince(begin) < m_options.mostSeconds); ++run)
            m_outcome.microseconds.push_back(timeOne(run % m_slots));
        look(std::min(run, m_slots));
    }

    Words result(size_t resource) const { return m_program.result(resource, 0); }
    // As LIBRARY.SIDE.RESOURCE.bin.
    void keep(const Row& row, const std::string& side) const
    {
        const std::string name = std::filesystem::path(row.library).stem().string() + "." + side + ".";
        for (size_t i = 0; i < m_work.resources.size(); ++i)
            writeWords(m_options.keep + "/" + name + std::to_string(i) + ".bin", result(i));
    }

private:
    // Behind the load comes a run that does not count, because the load took the device's caches.
    double timeOne(uint32_t slot)
    {
        if (m_last < kLongMicroseconds) {
            m_raiser.raiseClocks();
            m_program.run(slot);
        }
        m_last = m_program.run(slot);
        return m_last;
    }

    void look(uint32_t slots)
    {
        for (size_t i = 0; i < m_work.resources.size(); ++i) {
            const Resource& resource = m_work.resources[i];
            if (!resource.expected)
                continue;
            for (uint32_t slot = 0; slot < slots && m_outcome.wrong.empty(); ++slot)
                m_outcome.wrong = differenceOf(m_program.result(i, slot), *resource.expected, resource.mask,
                                               "resource " + std::to_string(i));
        }
    }

    Program& m_program;
    Side& m_raiser;
    const Work& m_work;
    const MeasureOptions& m_options;
    Outcome& m_outcome;
    const uint32_t m_slots;
    double m_last = 0;
};

Measurement::Measurement(Side& millrace, Side* peer, const MeasureOptions& options, OnSide onSide)
    : m_millrace(millrace), m_peer(peer), m_options(options), m_onSide(std::move(onSide))
{
}

void Measurement::attempt(const char* side, Outcome& outcome, const std::function<void()>& what) const
{
    if (m_onSide)
        m_onSide(side);
    try {
        what();
    } catch (const std::exception& error) {
        outcome.error = error.what();
    }
}

std::unique_ptr<Measurement::Turns> Measurement::prepare(Side& side, Programs& programs, const Row& row,
                                                         const Work& work, Outcome& outcome)
{
    std::unique_ptr<Turns> turns;
    attempt(&side == m_peer ? kPeerName : kMillraceName, outcome, [&] {
        std::unique_ptr<Program>& program = programs[row.records == "sample" ? row.title : row.library];
        if (!program)
            program = side.create(row.graph());
        turns = std::make_unique<Turns>(*program, m_millrace, work, m_options, outcome);
    });
    return turns;
}

void Measurement::keepResults(const Row& row, const Turns* peer, const Turns* millrace) const
{
    if (m_options.keep.empty() || row.records != "sample")
        return;
    if (peer)
        peer->keep(row, "peer");
    if (millrace)
        millrace->keep(row, "millrace");
}

RowResult Measurement::measure(const Row& row)
{
    RowResult result;
    const Work work = row.work();
    std::unique_ptr<Turns> peer, millrace;
    result.peer.notRun = !m_peer ? "there is none" : row.obstacle;
    if (result.peer.notRun.empty())
        peer = prepare(*m_peer, m_peerPrograms, row, work, result.peer);
    millrace = prepare(m_millrace, m_millracePrograms, row, work, result.millrace);
    const auto take = [this](const char* side, const std::unique_ptr<Turns>& turns, Outcome& outcome) {
        if (turns && outcome.error.empty())
            attempt(side, outcome, [&] { turns->take(); });
    };
    for (uint32_t turn = 0; turn < kTurns; ++turn) {
        take(kPeerName, peer, result.peer);
        take(kMillraceName, millrace, result.millrace);
    }
    const bool hasBoth = !result.peer.microseconds.empty() && !result.millrace.microseconds.empty() &&
                         result.peer.error.empty() && result.millrace.error.empty();
    keepResults(row, result.peer.error.empty() ? peer.get() : nullptr,
                result.millrace.error.empty() ? millrace.get() : nullptr);
    if (!hasBoth || isExpected(work))
        return result;
    for (size_t i = 0; i < work.resources.size() && result.difference.empty(); ++i)
        result.difference =
            differenceOf(millrace->result(i), peer->result(i), work.resources[i].mask, "resource " + std::to_string(i));
    return result;
}

}  // namespace millrace::bench::peer
