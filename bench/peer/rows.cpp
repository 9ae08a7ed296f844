// SPDX-License-Identifier: Apache-2.0
#include "bench/peer/rows.h"

#include <filesystem>
#include <fstream>
#include <iterator>

#include "bench/peer/cases.h"
#include "bench/peer/sample.h"

namespace millrace::bench::peer {

namespace {

std::vector<uint8_t> readLibrary(const std::string& file)
{
    std::ifstream in(file, std::ios::binary);
    std::vector<uint8_t> bytes{std::istreambuf_iterator<char>(in), {}};
    if (!in || bytes.size() < 4 || std::string(bytes.begin(), bytes.begin() + 4) != "DXBC")
        throw PeerError(file + " is no DXIL container");
    return bytes;
}

Graph withLibrary(Graph graph, const std::string& file)
{
    graph.container = readLibrary(file);
    return graph;
}

class Planner {
public:
    explicit Planner(const RowOptions& options) : m_options(options) {}

    void add(Row row)
    {
        if ((row.records + ": " + row.title).find(m_options.only) == std::string::npos)
            return;
        row.library = m_options.libraries + "/" + row.library + ".dxil";
        if (!std::filesystem::exists(row.library)) {
            if (m_options.skipsMissing)
                return;
            throw PeerError("there is no " + row.library + " (docs/bench.md says where libraries are from)");
        }
        row.graph = [graph = std::move(row.graph), file = row.library] { return withLibrary(graph(), file); };
        m_rows.push_back(std::move(row));
    }
    void add(const Case& which)
    {
        for (const uint32_t count : m_options.counts)
            for (const Form form : formsOf(which, count))
                add({which.records, which.title, form, count, which.library, obstacleOf(which, count),
                     [] {
                         return Graph{{}, argumentsOfTests(), {}};
                     },
                     [which, count, form] { return workOf(which, count, form); }});
    }
    void add(const Sample& sample)
    {
        uint32_t count = 0;
        for (const Launch& launch : sample.work.launches)
            count += launch.count;
        add({"sample", sample.title, sample.work.form, count, sample.library, sample.notRunByPeer,
             [sample] { return sample.graph; }, [sample] { return sample.work; }});
    }
    std::vector<Row> take() { return std::move(m_rows); }

private:
    const RowOptions& m_options;
    std::vector<Row> m_rows;
};

}  // namespace

std::vector<Row> planRows(const RowOptions& options)
{
    Planner planner(options);
    for (const Case& each : allCases())
        planner.add(each);
    for (const Sample& each : readSamples(options.samples))
        planner.add(each);
    return planner.take();
}

}  // namespace millrace::bench::peer
