// SPDX-License-Identifier: Apache-2.0
#include "tools/report/findings.h"

#include <algorithm>
#include <cstdio>
#include <set>

#include "tools/console.h"
#include "tools/report/calls.h"
#include "tools/report/meshes.h"

namespace millrace::tools::report {

namespace {

// Below these, nothing is said: what costs little is not worth reading about.
constexpr double kWorthwhileShare = 0.02;
constexpr double kIdleLanes = 0.25;
constexpr double kPoorFill = 0.5;
constexpr double kUnusedBudget = 0.1;
constexpr double kSkewed = 4;
constexpr double kEmptyTime = 0.05;
constexpr uint64_t kManyBytes = 1 << 20;
constexpr size_t kMostOfAKind = 5;

std::string percent(double share)
{
    char text[16];
    std::snprintf(text, sizeof(text), "%.*f %%", share < 0.1 ? 1 : 0, share * 100);
    return text;
}

std::string count(uint64_t value, const char* one, const char* many)
{
    return std::to_string(value) + " " + (value == 1 ? one : many);
}

double share(uint64_t part, uint64_t whole)
{
    return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

class Finder {
public:
    Finder(const TraceSummary& trace, uint32_t graph) : m_trace(trace), m_index(graph), m_graph(trace.graphs[graph])
    {
        for (const NodeSummary& node : m_graph.nodes)
            m_lanes += node.lanesHeld;
    }

    std::vector<Finding> run()
    {
        errors();
        continuations();
        slowStart();
        idleLanes();
        poorFill();
        skew();
        unusedBudgets();
        emptyLevels();
        fusion();
        neverRan();
        return std::move(m_out);
    }

private:
    void say(Finding::Kind kind, std::optional<uint32_t> node, const std::string& text, const std::string& advice)
    {
        m_out.push_back({kind, m_index, node, {}, text, advice});
    }
    void hint(uint32_t node, const std::string& text, const std::string& advice)
    {
        say(Finding::Kind::Hint, node, text, advice);
    }
    const trace::Node& shape(uint32_t node) const { return m_graph.shape.nodes[node]; }
    std::string name(uint32_t node) const { return "'" + nameOf(shape(node)) + "'"; }
    double weight(uint32_t node) const { return share(m_graph.nodes[node].lanesHeld, m_lanes); }

    // The nodes for which `measure` is above 0, the largest first, not too many.
    template <typename Measure>
    std::vector<uint32_t> worst(Measure measure) const
    {
        std::vector<std::pair<double, uint32_t>> found;
        for (uint32_t n = 0; n < m_graph.nodes.size(); ++n) {
            const double value = m_graph.nodes[n].workgroups > 0 ? measure(n) : 0;
            if (value > 0)
                found.emplace_back(-value, n);
        }
        std::ranges::sort(found);
        found.resize(std::min(found.size(), kMostOfAKind));
        std::vector<uint32_t> out;
        for (const auto& [value, node] : found)
            out.push_back(node);
        return out;
    }

    void errors()
    {
        if (m_graph.error != 0) {
            say(Finding::Kind::Problem, std::nullopt,
                count(m_graph.dropped, "payload was", "payloads were") + " dropped because a limit was broken",
                "the layer's message says which; setting validate checks more");
        }
    }

    void continuations()
    {
        const uint64_t more = m_graph.sweeps - std::min(m_graph.runs, m_graph.sweeps);
        if (more > 0) {
            say(Finding::Kind::Problem, std::nullopt,
                count(m_graph.runs, "run", "runs") + " needed " + count(more, "continuation", "continuations") +
                    " for want of memory (scratch memory of " + bytesText(m_graph.scratchBytes) + ")",
                "give it more, up to maxSize; lower NodeMaxPayloadsAMDX where it is not needed, so that more "
                "workgroups fit into the same memory");
        }
    }

    void slowStart()
    {
        if (m_trace.timed && m_graph.startsSlowly()) {
            say(Finding::Kind::Hint, std::nullopt,
                "the first run took " + timeText(m_graph.runNanoseconds[0]) + ", the others " +
                    timeText(m_graph.laterRunNanoseconds()) + " in the median",
                "drivers compile code when it is first used; --skip-runs 1 leaves the first run of a graph out of all "
                "numbers");
        }
    }

    void idleLanes()
    {
        for (uint32_t n : worst([&](uint32_t i) {
                 const double idle = 1 - m_graph.nodes[i].lanes();
                 return idle >= kIdleLanes && weight(i) > kWorthwhileShare ? idle * weight(i) : 0;
             })) {
            const trace::Node& node = shape(n);
            hint(n,
                 name(n) + " uses " + percent(m_graph.nodes[n].lanes()) +
                     " of the lanes that it holds: workgroups of " + std::to_string(node.invocations) +
                     " on subgroups of " + std::to_string(m_trace.device.subgroupSize),
                 node.invocations == 1
                     ? "a coalescing node that takes one payload (D3D12: thread launch) shares subgroups with others"
                     : "let LocalSize be a multiple of the subgroup size");
        }
    }

    void poorFill()
    {
        auto fill = [&](uint32_t i) {
            return share(m_graph.nodes[i].records, m_graph.nodes[i].workgroups * shape(i).maxInput);
        };
        for (uint32_t n : worst([&](uint32_t i) {
                 const bool counts = shape(i).launch == trace::Launch::Coalescing && shape(i).maxInput > 1;
                 return counts && fill(i) < kPoorFill && weight(i) > kWorthwhileShare ? weight(i) : 0;
             })) {
            hint(n,
                 name(n) + " coalesces " + percent(fill(n)) + " of the " + std::to_string(shape(n).maxInput) +
                     " payloads that a workgroup may take",
                 "let it take fewer, with a smaller LocalSize; few payloads in many levels or sweeps cannot be joined");
        }
    }

    // Members of an array, and steps of a node.
    void skew()
    {
        std::map<std::string, std::vector<uint32_t>> arrays;
        for (uint32_t n = 0; n < m_graph.nodes.size(); ++n)
            arrays[shape(n).name].push_back(n);
        for (const auto& [array, nodes] : arrays) {
            uint64_t all = 0;
            uint32_t largest = nodes.front();
            for (uint32_t n : nodes) {
                all += m_graph.nodes[n].workgroups;
                largest = m_graph.nodes[n].workgroups > m_graph.nodes[largest].workgroups ? n : largest;
            }
            const double mean = static_cast<double>(all) / static_cast<double>(nodes.size());
            const uint64_t most = m_graph.nodes[largest].workgroups;
            if (nodes.size() > 1 && static_cast<double>(most) > kSkewed * mean && weight(largest) > kWorthwhileShare) {
                hint(largest,
                     name(largest) + " gets " + percent(share(most, all)) + " of the workgroups of its array of " +
                         std::to_string(nodes.size()),
                     "nodes of an array run together and balance each other, but a level takes as long as its largest "
                     "node; spread its work over more members or payloads");
            }
        }
        for (uint32_t n : worst([&](uint32_t i) {
                 const NodeSummary& node = m_graph.nodes[i];
                 const bool isSkewed =
                     node.activeLevels >= 4 && static_cast<double>(node.most) * static_cast<double>(node.activeLevels) >
                                                   kSkewed * static_cast<double>(node.workgroups);
                 return isSkewed && weight(i) > kWorthwhileShare ? weight(i) : 0;
             })) {
            hint(n,
                 name(n) + " has " + percent(share(m_graph.nodes[n].most, m_graph.nodes[n].workgroups)) +
                     " of its workgroups in one of " + std::to_string(m_graph.nodes[n].activeLevels) + " steps",
                 "most of its steps are small beside the largest: fewer, larger levels cost fewer barriers");
        }
    }

    void unusedBudgets()
    {
        for (uint32_t n : worst([&](uint32_t i) {
                 const NodeSummary& node = m_graph.nodes[i];
                 const auto written = node.bytesWritten.get();
                 const bool counts = written && node.budgetBytes > kManyBytes;
                 return counts && share(*written, node.budgetBytes) < kUnusedBudget
                            ? static_cast<double>(node.budgetBytes - *written)
                            : 0;
             })) {
            const NodeSummary& node = m_graph.nodes[n];
            hint(n,
                 name(n) + " sent " + percent(share(*node.bytesWritten.get(), node.budgetBytes)) +
                     " of what it reserved memory for (" + bytesText(node.budgetBytes) + ")",
                 "lower NodeMaxPayloadsAMDX, or let types share their limits, if workgroups never send so much");
        }
    }

    void emptyLevels()
    {
        const double time = share(m_graph.emptyNanoseconds, m_graph.nanoseconds);
        const bool costly = m_trace.timed ? time > kEmptyTime : m_graph.emptySteps * 4 > m_graph.steps;
        if (costly && m_graph.emptySteps > 0) {
            say(Finding::Kind::Hint, std::nullopt,
                count(m_graph.emptySteps, "level", "levels") + " ran without work" +
                    (m_trace.timed ? ", which took " + percent(time) + " of the time" : ""),
                "lower MaxNodeRecursionAMDX to what is needed, and leave out entries and outputs that are never used: "
                "every level that may have work costs a barrier");
        }
    }

    // Who gets everything from one node, one record for each of its workgroups.
    void fusion()
    {
        size_t said = 0;
        for (const Flow& flow : m_graph.flows) {
            if (!flow.from || !flow.exact || *flow.from == flow.to || said == kMostOfAKind)
                continue;
            const bool isOnlyTarget = std::ranges::count(m_graph.flows, flow.from, &Flow::from) == 1;
            const bool isOnlySource = std::ranges::count(m_graph.flows, flow.to, &Flow::to) == 1;
            const NodeSummary& from = m_graph.nodes[*flow.from];
            const NodeSummary& to = m_graph.nodes[flow.to];
            const bool oneToOne = to.workgroups == from.workgroups && to.records == from.workgroups;
            if (isOnlyTarget && isOnlySource && oneToOne && shape(flow.to).sharesInputWith == trace::kNone) {
                hint(flow.to,
                     name(flow.to) + " runs once for each workgroup of " + name(*flow.from) + " and for nobody else",
                     "fused into one node they need neither payloads nor the barrier between them");
                ++said;
            }
        }
    }

    void neverRan()
    {
        struct Kind {
            std::string names;
            size_t count = 0;
        };
        Kind idle, unlinked;
        for (uint32_t n = 0; n < m_graph.nodes.size(); ++n) {
            if (m_graph.nodes[n].workgroups > 0)
                continue;
            Kind& kind = isCounted(m_graph, n) ? idle : unlinked;
            if (++kind.count <= kMostOfAKind)
                kind.names += (kind.names.empty() ? "" : ", ") + name(n);
        }
        const auto hintAt = [&](Kind& kind, const char* what, const char* advice) {
            kind.names += kind.count > kMostOfAKind ? " and more" : "";
            if (kind.count > 0 && m_graph.sweeps > 0)
                say(Finding::Kind::Hint, std::nullopt, count(kind.count, "node", "nodes") + what + kind.names, advice);
        };
        hintAt(idle, " never had work: ", "nothing was sent to them in this trace");
        hintAt(unlinked, " did not run by itself: ",
               "the API did not start them; what runs inside its producer (docs/fusion.md) is not counted, unless "
               "trace_detail = nodes lets each run by itself");
    }

    const TraceSummary& m_trace;
    uint32_t m_index;
    const GraphSummary& m_graph;
    uint64_t m_lanes = 0;
    std::vector<Finding> m_out;
};

}  // namespace

std::vector<Finding> findIn(const TraceSummary& trace)
{
    std::vector<Finding> out;
    if (trace.lostSweeps > 0) {
        out.push_back({Finding::Kind::Problem, 0, std::nullopt, std::nullopt,
                       count(trace.lostSweeps, "sweep is", "sweeps are") + " missing in this trace",
                       "the application submitted more than the trace holds before it waited for any of them"});
    }
    for (uint32_t g = 0; g < trace.graphs.size(); ++g)
        for (Finding& finding : Finder(trace, g).run())
            out.push_back(std::move(finding));
    for (Finding& finding : findInMeshes(trace))
        out.push_back(std::move(finding));
    for (Finding& finding : findInCalls(trace))
        out.push_back(std::move(finding));
    std::ranges::stable_partition(out, [](const Finding& f) { return f.kind == Finding::Kind::Problem; });
    return out;
}

}  // namespace millrace::tools::report
