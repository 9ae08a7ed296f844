// SPDX-License-Identifier: Apache-2.0
// What needs neither a device nor the peer: records, descriptions of samples, comparison, table, and the watching of
// workers.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "bench/peer/cases.h"
#include "bench/peer/measure.h"
#include "bench/peer/sample.h"
#include "bench/peer/table.h"
#include "bench/peer/worker.h"

namespace millrace::bench::peer {

namespace {

const Case& caseOf(const std::string& records, const std::string& title)
{
    static const std::vector<Case> all = allCases();
    for (const Case& each : all)
        if (each.records == records && each.title == title)
            return each;
    throw PeerError("no case " + records + ": " + title);
}

// The error that `what` throws.
std::string errorOf(const std::function<void()>& what)
{
    try {
        what();
    } catch (const PeerError& error) {
        return error.what();
    }
    return "";
}

TEST(PeerCases, TwoLevelsOfTests_WordsAreThoseOfFourRecords)
{
    const std::vector<Words> got = caseOf("tests", "two levels, thread").expected(4);
    ASSERT_EQ(got.size(), 2u);
    // From word 1 on 2 * 64 ones, from word 5 on 3 * 3 * 64 threes.
    EXPECT_EQ((Words{got[0][0], got[0][1], got[0][5], got[0][128], got[0][129], got[0][580], got[0][581]}),
              (Words{0, 1, 4, 4, 3, 3, 0}));
    // From word 3 on 2 * 64 twos, from word 4 on 3 * 64 fours.
    EXPECT_EQ((Words{got[1][2], got[1][3], got[1][4], got[1][130], got[1][131], got[1][195], got[1][196]}),
              (Words{0, 2, 6, 6, 4, 4, 0}));
}

TEST(PeerCases, CountIsNoMultipleOfTheRecords_TheFirstOccurOnceMore)
{
    const Case& broadcast = caseOf("tests", "broadcast, 1 level");
    EXPECT_EQ(broadcast.input(3), (Words{19, 800, 400, 90, 19, 800}));
    // Invocation (0, 0, 0) alone adds to word 0.
    EXPECT_EQ(broadcast.expected(3)[0][0], 2u * (19 ^ 800) + (400 ^ 90));
}

TEST(PeerCases, SpreadRecords_EachHasWordsOfItsOwn)
{
    const Case& coalescing = caseOf("spread", "coalescing, 1 level");
    EXPECT_EQ(coalescing.input(2), (Words{0, 1, 32, 1}));
    const Words words = coalescing.expected(2)[0];
    EXPECT_EQ(words.size(), 64u);
    EXPECT_EQ((Words{words[23], words[24], words[32], words[55], words[56]}), (Words{1, 0, 1, 1, 0}));
}

TEST(PeerCases, InputHasAsManyWordsAsRecords)
{
    for (const Case& each : allCases()) {
        const Work work = workOf(each, 1000, Form::Cpu);
        EXPECT_EQ(work.launches.front().words.size(), size_t{1000} * each.recordWords) << each.title;
        ASSERT_EQ(work.resources.size(), 2u) << each.title;
        for (const Resource& resource : work.resources)
            EXPECT_EQ(resource.expected->size() * sizeof(uint32_t), resource.bytes) << each.title;
    }
}

TEST(PeerCases, ManyRecordsOfAThreadLaunch_AreSplitAndOnTheDeviceToo)
{
    const Case& thread = caseOf("tests", "thread launch, 1 level");
    EXPECT_EQ(formsOf(thread, 32767), (std::vector<Form>{Form::Cpu}));
    EXPECT_EQ(formsOf(thread, 32768), (std::vector<Form>{Form::Cpu, Form::CpuSplit, Form::Gpu}));
    EXPECT_EQ(formsOf(caseOf("tests", "coalescing, 1 level"), 100000), (std::vector<Form>{Form::Cpu, Form::Gpu}));
}

TEST(PeerCases, MoreThanThePeersRing_IsNotRun)
{
    const Case& levels = caseOf("tests", "two levels, thread");
    EXPECT_EQ(obstacleOf(levels, 1000), "");
    EXPECT_NE(obstacleOf(levels, 100000).find("195 MiB"), std::string::npos) << obstacleOf(levels, 100000);
}

std::string sampleWith(const std::string& resource, const std::string& argument, const std::string& launch)
{
    return R"({"title": "t", "source": "s", "compile": "-T lib_6_8", "library": "l", "resources": [)" + resource +
           R"(], "arguments": [)" + argument + R"(], "launches": [)" + launch + "]}";
}

const char* const kBuffer = R"({"name": "out", "bytes": 16, "initial": [1], "expected": {"0": 7, "3": 9}})";
const char* const kUav = R"({"u": 2, "resource": "out"})";
const char* const kEntry = R"({"node": "entry", "records": [[1, 2], [3, 1.0]]})";

TEST(PeerSamples, Description_SaysResourcesArgumentsAndLaunches)
{
    const Sample sample = parseSample(sampleWith(kBuffer, kUav, kEntry));
    EXPECT_EQ(sample.work.resources[0].expected, (Words{7, 0, 0, 9}));
    EXPECT_EQ(sample.work.resources[0].initial, (Words{1}));
    EXPECT_EQ(sample.graph.arguments[0].shaderRegister, 2u);
    EXPECT_EQ(sample.work.launches[0].count, 2u);
    EXPECT_EQ(sample.work.launches[0].strideWords, 2u);
    EXPECT_EQ(sample.work.launches[0].words, (Words{1, 2, 3, 0x3f800000}));
}

TEST(PeerSamples, WhatIsWrong_IsNamed)
{
    const auto told = [](const std::string& resource, const std::string& argument, const std::string& launch) {
        return errorOf([&] { parseSample(sampleWith(resource, argument, launch)); });
    };
    EXPECT_EQ(told(kBuffer, R"({"u": 0, "resource": "in"})", kEntry), "there is no resource in");
    EXPECT_EQ(told(kBuffer, R"({"resource": "out"})", kEntry),
              "an argument needs a register: \"b\", \"u\", \"t\" or \"image\"");
    EXPECT_EQ(told(R"({"name": "out", "bytes": 4, "expected": {"1": 0}})", kUav, kEntry),
              "\"expected\" names a word outside of its resource");
    EXPECT_EQ(told(R"({"name": "out", "bits": 4})", kUav, kEntry), "a resource has no \"bits\"");
    EXPECT_EQ(told(R"({"name": "out", "width": 100, "height": 1})", kUav, kEntry),
              "\"width\" of an image must be a multiple of 64");
    EXPECT_EQ(told(kBuffer, kUav, R"({"node": "entry", "records": [[1], [1, 2]]})"),
              "records of a launch must have one size");
}

TEST(PeerSamples, ThoseOfTheRepository_CanBeRead)
{
    const std::vector<Sample> samples = readSamples(MILLRACE_PEER_SAMPLES);
    EXPECT_GE(samples.size(), 10u);
    for (const Sample& sample : samples)
        EXPECT_FALSE(sample.work.launches.empty()) << sample.title;
}

class PeerRows : public ::testing::Test {
protected:
    PeerRows()
    {
        std::filesystem::create_directories(m_folder);
        m_options.libraries = m_folder.string();
        m_options.samples = MILLRACE_PEER_SAMPLES;
        m_options.counts = {1};
        m_options.only = "repeat: thread";
    }
    ~PeerRows() override { std::filesystem::remove_all(m_folder); }
    void write(const std::string& content) const { std::ofstream(m_folder / "thread_custom_input.dxil") << content; }

    const std::filesystem::path m_folder =
        std::filesystem::temp_directory_path() / ("bench_peer_rows_" + std::to_string(getpid()));
    RowOptions m_options;
};

TEST_F(PeerRows, LibraryIsMissing_ItIsNamedOrLeftOut)
{
    EXPECT_NE(errorOf([&] { planRows(m_options); }).find("thread_custom_input.dxil"), std::string::npos);
    m_options.skipsMissing = true;
    EXPECT_TRUE(planRows(m_options).empty());
}

TEST_F(PeerRows, LibraryIsNoContainer_TheRowSaysSo)
{
    write("nothing of the kind");
    const std::vector<Row> rows = planRows(m_options);
    ASSERT_EQ(rows.size(), 1u);
    EXPECT_NE(errorOf([&] { rows[0].graph(); }).find("is no DXIL container"), std::string::npos);
}

TEST_F(PeerRows, LibraryIsRead_WithTheArgumentsOfTheTests)
{
    write("DXBC and more");
    const Graph graph = planRows(m_options).at(0).graph();
    EXPECT_EQ(graph.container.size(), 13u);
    EXPECT_EQ(graph.arguments.size(), 2u);
}

TEST(PeerComparison, WordsDiffer_TheFirstIsNamedAndAllAreCounted)
{
    EXPECT_EQ(differenceOf({1, 2, 3}, {1, 2, 3}, ~0u, "u"), "");
    EXPECT_EQ(differenceOf({1, 9, 8}, {1, 2, 3}, ~0u, "u"), "u[1] is 9 instead of 2, 2 are wrong");
    EXPECT_EQ(differenceOf({0x100, 0x201}, {0x1ff, 0x2ff}, 0xff00, "u"), "");
    EXPECT_NE(differenceOf({1, 2}, {1, 2, 3}, ~0u, "u"), "");
}

// A side whose every run takes so long and writes these words; it keeps the order of runs.
class FakeSide : public Side {
public:
    FakeSide(char name, std::string& runs, double microseconds, Words words)
        : m_name(name), m_runs(runs), m_microseconds(microseconds), m_words(std::move(words))
    {
    }
    std::string device() const override { return "none"; }
    std::unique_ptr<Program> create(const Graph& /*graph*/) override
    {
        if (m_words.empty())
            throw PeerError("cannot");
        return std::make_unique<FakeProgram>(*this);
    }

private:
    struct FakeProgram : Program {
        explicit FakeProgram(FakeSide& owner) : side(owner) {}
        void prepare(const Work& /*work*/, uint32_t /*slots*/) override {}
        double run(uint32_t /*slot*/) override
        {
            if (side.m_runs.empty() || side.m_runs.back() != side.m_name)
                side.m_runs += side.m_name;
            return side.m_microseconds;
        }
        Words result(size_t /*resource*/, uint32_t /*slot*/) override { return side.m_words; }
        FakeSide& side;
    };

    const char m_name;
    std::string& m_runs;
    const double m_microseconds;
    const Words m_words;
};

Row rowExpecting(std::optional<Words> expected)
{
    Row row{"sample", "fake", Form::Cpu, 1, "fake.dxil", "", [] { return Graph{}; }, {}};
    row.work = [expected] {
        Work work;
        work.resources.push_back({8, 0, 0, {}, expected});
        return work;
    };
    return row;
}

RowResult measured(const Row& row, const Words& peerWords, const Words& millraceWords, std::string* order = nullptr)
{
    std::string runs;
    FakeSide peer('p', runs, 10, peerWords), millrace('m', runs, 4, millraceWords);
    Measurement measurement(millrace, &peer, {6, 0, 10, ""});
    RowResult result = measurement.measure(row);
    if (order)
        *order = runs;
    return result;
}

TEST(PeerMeasurement, BothAreRight_TheyRanInTurn)
{
    std::string order;
    const RowResult result = measured(rowExpecting(Words{1, 2}), {1, 2}, {1, 2}, &order);
    EXPECT_EQ(order, "pmpm");
    EXPECT_TRUE(result.peer.isRight() && result.millrace.isRight());
    EXPECT_EQ(result.peer.microseconds.size(), 6u);
    EXPECT_EQ(result.millrace.median(), 4);
}

TEST(PeerMeasurement, WhoeverRuns_IsNamedBefore)
{
    std::string runs, told;
    FakeSide peer('p', runs, 10, {1, 2}), millrace('m', runs, 4, {1, 2});
    Measurement measurement(millrace, &peer, {2, 0, 10, ""}, [&](const std::string& side) { told += side[0]; });
    measurement.measure(rowExpecting(Words{1, 2}));
    // Both create the graph, then take two turns.
    EXPECT_EQ(told, "vMvMvM");
}

TEST(PeerMeasurement, OneIsWrong_ItAloneIsToldSo)
{
    const RowResult result = measured(rowExpecting(Words{1, 2}), {1, 3}, {1, 2});
    EXPECT_EQ(result.peer.wrong, "resource 0[1] is 3 instead of 2, 1 are wrong");
    EXPECT_TRUE(result.millrace.isRight());
}

TEST(PeerMeasurement, NothingIsExpected_SidesAreCompared)
{
    EXPECT_EQ(measured(rowExpecting(std::nullopt), {1, 2}, {1, 2}).difference, "");
    EXPECT_EQ(measured(rowExpecting(std::nullopt), {1, 2}, {1, 3}).difference,
              "resource 0[1] is 3 instead of 2, 1 are wrong");
}

TEST(PeerMeasurement, OneCannotCreateTheGraph_TheOtherIsMeasured)
{
    const RowResult result = measured(rowExpecting(Words{1, 2}), {}, {1, 2});
    EXPECT_EQ(result.peer.error, "cannot");
    EXPECT_TRUE(result.millrace.isRight());
}

FinishedRow finished(const std::string& form, Outcome peer, Outcome millrace, const std::string& difference = "")
{
    return {"tests", "g", form, 7, {std::move(peer), std::move(millrace), difference}};
}

TEST(PeerTable, Rows_HaveMedianLeastAndRatio)
{
    EXPECT_EQ(tableRow(finished("cpu", {{30, 10, 20}, "", "", ""}, {{4, 6}, "", "", ""})),
              "| tests | g | cpu | 7 | 20.0 (10.0) | 5.0 (4.0) | 0.25 |\n");
    EXPECT_EQ(tableRow(finished("cpu", {{20}, "x", "", ""}, {{5}, "", "", ""})),
              "| tests | g | cpu | 7 | 20.0 (20.0) WRONG | 5.0 (5.0) |  |\n");
    EXPECT_EQ(tableRow(finished("cpu", {{}, "", "", "no room"}, {{}, "", "lost", ""})),
              "| tests | g | cpu | 7 | not run | ERROR |  |\n");
    EXPECT_EQ(tableRow(finished("cpu", {{20}, "", "", ""}, {{5}, "", "", ""}, "u[0]")),
              "| tests | g | cpu | 7 | 20.0 (20.0) | 5.0 (5.0) | DIFFERENT |\n");
}

TEST(PeerTable, Summary_CountsRowsInWhichBothAreRight)
{
    const std::vector<FinishedRow> rows = {finished("cpu", {{10}, "", "", ""}, {{1}, "", "", ""}),
                                           finished("gpu", {{10}, "", "", ""}, {{40}, "", "", ""}),
                                           finished("gpu", {{10}, "bad word", "", ""}, {{90}, "", "", ""}),
                                           finished("gpu", {{10}, "", "", ""}, {{90}, "", "", ""}, "differs")};
    const std::string text = summaryOf(rows);
    // sqrt(0.1 * 4)
    EXPECT_NE(text.find("Millrace / vkd3d-proton: 0.63 in the geometric mean of 2 rows, 4.00 at most"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("- form gpu: 4.00 in the geometric mean of 1 rows"), std::string::npos) << text;
    EXPECT_NE(text.find("vkd3d-proton, tests: g, gpu, 7: bad word"), std::string::npos) << text;
    EXPECT_TRUE(isMillraceRight(rows));
    EXPECT_FALSE(isMillraceRight({finished("cpu", {}, {{1}, "bad", "", ""})}));
}

TEST(PeerTable, ResultOfAWorker_IsReadAsItWasWritten)
{
    const RowResult result{{{1, 2}, "w", "", ""}, {{}, "", "e", "n"}, "d"};
    const RowResult read = resultFromJson(toJson(result));
    EXPECT_EQ(read.peer.microseconds, result.peer.microseconds);
    EXPECT_EQ(read.peer.wrong, "w");
    EXPECT_EQ(read.millrace.error, "e");
    EXPECT_EQ(read.millrace.notRun, "n");
    EXPECT_EQ(read.difference, "d");
}

// A worker in the words of a shell, which has the first row as $0.
std::vector<std::string> watched(const std::string& script, size_t rows, double silentSeconds = 20)
{
    std::vector<std::string> told;
    Watcher watcher;
    watcher.onResult = [&](size_t row, const nlohmann::json& result) {
        told.push_back(std::to_string(row) + " " + result.get<std::string>());
    };
    watcher.onLost = [&](size_t row, const std::string& reason) { told.push_back(std::to_string(row) + " " + reason); };
    watcher.onMessage = [&](const nlohmann::json& message) { told.push_back(message.get<std::string>()); };
    watchWorkers({"sh", "-c", script}, rows, silentSeconds, watcher);
    return told;
}

const std::string kRowsOf = R"(
say() { echo "$1" >&3; }
for row in $(seq $0 2); do
  say "{\"begin\": $row}"
  test $row != 1 || )";
const std::string kDone = R"(
  say "{\"row\": $row, \"result\": \"done\"}"
done)";

TEST(PeerWorker, EndsInARow_AnotherGoesOnBehindIt)
{
    EXPECT_EQ(
        watched(kRowsOf + "kill -SEGV $$" + kDone, 3),
        (std::vector<std::string>{"0 done", "1 the process was ended by a signal: Segmentation fault", "2 done"}));
    EXPECT_EQ(watched(kRowsOf + "exit 5" + kDone, 3),
              (std::vector<std::string>{"0 done", "1 the process ended with 5", "2 done"}));
}

TEST(PeerWorker, SaysNothing_IsEnded)
{
    EXPECT_EQ(watched(kRowsOf + "exec sleep 100" + kDone, 3, 0.5),
              (std::vector<std::string>{"0 done", "1 no answer in time", "2 done"}));
}

TEST(PeerWorker, EndsWithoutARow_IsAnError)
{
    EXPECT_EQ(errorOf([] { watched("echo '\"hello\"' >&3; exit 4", 3); }), "the process ended with 4");
}

TEST(PeerWorker, Messages_ArePassedOn)
{
    EXPECT_EQ(watched("echo '\"device\"' >&3" + kRowsOf + "true" + kDone, 1).front(), "device");
}

}  // namespace

}  // namespace millrace::bench::peer
