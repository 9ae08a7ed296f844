// SPDX-License-Identifier: Apache-2.0
// Work graphs by Millrace and by vkd3d-proton's emulation: the same libraries, records and device, in turn, in one
// process. docs/bench.md says where the libraries and the peer are from.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <optional>

#include "bench/peer/measure.h"
#include "bench/peer/table.h"
#include "bench/peer/worker.h"

namespace millrace::bench::peer {

namespace {

struct Options {
    RowOptions rows;
    MeasureOptions measure;
    std::string peer;  // its library
    std::string device;
    std::string json;
    double silentSeconds = 60;
    bool list = false;
    std::optional<size_t> worker;  // the row that it begins with
};

int runWorker(const Options& options, const std::vector<Row>& rows)
{
    const std::unique_ptr<Side> peer = options.peer.empty() ? nullptr : createPeer(options.peer, options.device);
    const std::unique_ptr<Side> millrace = createMillrace(options.device);
    tell({{"millrace", millrace->device()}, {"peer", peer ? peer->device() : "not run"}});
    Measurement measurement(*millrace, peer.get(), options.measure, [](const std::string& side) {
        tell({{"side", side}});
    });
    for (size_t i = *options.worker; i < rows.size(); ++i) {
        tellBegin(i);
        tellResult(i, toJson(measurement.measure(rows[i])));
    }
    return 0;
}

// The same program once more, told to be a worker.
std::vector<std::string> workerCommand(int argc, char** argv)
{
    std::vector<std::string> command(argv, argv + argc);
    command[0] = "/proc/self/exe";
    command.emplace_back("--worker");
    return command;
}

class Report {
public:
    // `json`: a file for the result so far, after each row; empty: none.
    Report(const std::vector<Row>& rows, const std::string& json) : m_rows(rows), m_json(json) {}

    void add(size_t row, const RowResult& result)
    {
        const Row& which = m_rows[row];
        m_finished.push_back({which.records, which.title, nameOf(which.form), which.count, result});
        std::fputs(tableRow(m_finished.back()).c_str(), stdout);
        std::fflush(stdout);
        if (!m_json.empty())
            write();
    }
    // The side that ran took the process with it.
    void addLost(size_t row, const std::string& reason)
    {
        RowResult result;
        const bool wasPeer = m_side == kPeerName;
        (wasPeer ? result.peer : result.millrace).error = reason;
        (wasPeer ? result.millrace : result.peer).notRun = "the process was " + m_side + "'s, too";
        add(row, result);
    }
    void setSide(const std::string& side) { m_side = side; }
    void setDevices(const nlohmann::json& devices)
    {
        if (m_devices.is_null())
            std::printf(
                "Millrace: %s\nvkd3d-proton: %s\nmicroseconds of the device for the dispatch, median (least)\n\n%s",
                devices.at("millrace").get<std::string>().c_str(), devices.at("peer").get<std::string>().c_str(),
                tableHead().c_str());
        m_devices = devices;
    }
    int finish() const
    {
        std::printf("\n%s", summaryOf(m_finished).c_str());
        return isMillraceRight(m_finished) ? 0 : 1;
    }

private:
    void write() const
    {
        nlohmann::json rows = nlohmann::json::array();
        for (const FinishedRow& row : m_finished)
            rows.push_back(toJson(row));
        std::ofstream out(m_json);
        out << nlohmann::json{{"devices", m_devices}, {"rows", rows}}.dump(1) << "\n";
        if (!out.flush())
            throw PeerError("cannot write " + m_json);
    }

    const std::vector<Row>& m_rows;
    const std::string m_json;
    std::vector<FinishedRow> m_finished;
    nlohmann::json m_devices;
    std::string m_side;  // that runs
};

int runWatcher(const Options& options, const std::vector<Row>& rows, const std::vector<std::string>& command)
{
    Report report(rows, options.json);
    Watcher watcher;
    watcher.onResult = [&](size_t row, const nlohmann::json& result) { report.add(row, resultFromJson(result)); };
    watcher.onLost = [&](size_t row, const std::string& reason) { report.addLost(row, reason); };
    watcher.onMessage = [&](const nlohmann::json& message) {
        if (message.contains("side"))
            report.setSide(message["side"]);
        else
            report.setDevices(message);
    };
    watchWorkers(command, rows.size(), options.silentSeconds, watcher);
    return report.finish();
}

int run(const Options& options, const std::vector<std::string>& command)
{
    if (!options.peer.empty() && !canRunPeer())
        throw PeerError("--peer: this program was built without the peer's headers (MILLRACE_PEER_INCLUDE)");
    if (!options.peer.empty() && access(options.peer.c_str(), R_OK) != 0)
        throw PeerError("--peer: there is no " + options.peer);
    const std::vector<Row> rows = planRows(options.rows);
    if (rows.empty())
        throw PeerError("there are no such rows");
    if (options.worker)
        return runWorker(options, rows);
    if (!options.list)
        return runWatcher(options, rows, command);
    for (const Row& row : rows)
        std::printf("%s: %s, %s, %u\n", row.records.c_str(), row.title.c_str(), nameOf(row.form), row.count);
    return 0;
}

void addOptions(CLI::App& app, Options& options)
{
    options.rows.counts = {1, 1000, 100000};
    options.rows.samples = MILLRACE_PEER_SAMPLES;
    const char* const device = std::getenv("MILLRACE_TEST_DEVICE");
    options.device = device ? device : "";
    app.add_option("--libraries", options.rows.libraries, "the folder of DXIL libraries")->required();
    app.add_option("--peer", options.peer, "libvkd3d-proton-d3d12.so; without it Millrace runs alone");
    app.add_option("--samples", options.rows.samples, "the folder of samples' descriptions");
    app.add_option("--only", options.rows.only, "rows with that in \"records: graph\"");
    app.add_option("--counts", options.rows.counts, "numbers of inputs, separated by commas")->delimiter(',');
    app.add_flag("--skip-missing", options.rows.skipsMissing, "no rows of libraries that are not there");
    app.add_option("--runs", options.measure.runs, "of each side and row")->check(CLI::PositiveNumber);
    app.add_option("--warm", options.measure.warmSeconds, "seconds of runs in front of those that count");
    app.add_option("--most", options.measure.mostSeconds, "seconds after which a side's turn has no further run");
    app.add_option("--silent", options.silentSeconds, "seconds after which a row is given up");
    app.add_option("--device", options.device, "part of its name (MILLRACE_TEST_DEVICE)");
    app.add_option("--json", options.json, "a file for the result");
    app.add_option("--keep", options.measure.keep, "a folder for what both sides write in samples");
    app.add_flag("--list", options.list, "only name the rows");
    app.add_option("--worker", options.worker)->group("");
}

}  // namespace

}  // namespace millrace::bench::peer

int main(int argc, char** argv)
{
    using namespace millrace::bench::peer;
    Options options;
    CLI::App app("Times work graphs beside vkd3d-proton's emulation. docs/bench.md explains it.");
    addOptions(app, options);
    CLI11_PARSE(app, argc, argv);
    try {
        return run(options, workerCommand(argc, argv));
    } catch (const std::exception& error) {
        std::fprintf(stderr, "bench_peer: %s\n", error.what());
        return 2;
    }
}
