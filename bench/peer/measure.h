// SPDX-License-Identifier: Apache-2.0
// Runs rows on both sides in turn, and looks at what came out.
#pragma once

#include <map>
#include <memory>

#include "bench/peer/rows.h"
#include "bench/peer/side.h"

namespace millrace::bench::peer {

inline constexpr char kPeerName[] = "vkd3d-proton";
inline constexpr char kMillraceName[] = "Millrace";

// What became of a row on one side.
struct Outcome {
    std::vector<double> microseconds{};  // of each run that counts
    std::string wrong{};                 // the first word that is not as it should be
    std::string error{};                 // it did not run
    std::string notRun{};                // nobody tried

    bool isRight() const { return !microseconds.empty() && wrong.empty() && error.empty(); }
    double median() const;
    double least() const;
};

struct RowResult {
    Outcome peer;
    Outcome millrace;
    // Of a row without an expectation of its own: how the sides' results differ.
    std::string difference{};
};

struct MeasureOptions {
    uint32_t runs = 51;        // of each side
    double warmSeconds = 0.1;  // in front of those of a turn: clocks rise under load alone
    double mostSeconds = 1.5;  // of the runs of a turn, if it has three
    std::string keep;          // a folder for what samples write; empty: it is not kept
};

// Empty if all bits of `mask` are equal.
std::string differenceOf(const Words& got, const Words& wanted, uint32_t mask, const std::string& name);

class Measurement {
public:
    // Told in front of whatever a side does in a row.
    using OnSide = std::function<void(const std::string& side)>;
    // `peer` may be null: it is not run then.
    Measurement(Side& millrace, Side* peer, const MeasureOptions& options, OnSide onSide = {});
    RowResult measure(const Row& row);

private:
    class Turns;
    // A graph is created once for all of its rows: by library, of samples by title.
    using Programs = std::map<std::string, std::unique_ptr<Program>>;
    // Null, and the outcome says why, if the side cannot.
    std::unique_ptr<Turns> prepare(Side& side, Programs& programs, const Row& row, const Work& work, Outcome& outcome);
    void attempt(const char* side, Outcome& outcome, const std::function<void()>& what) const;
    void keepResults(const Row& row, const Turns* peer, const Turns* millrace) const;

    Side& m_millrace;
    Side* m_peer;
    const MeasureOptions m_options;
    const OnSide m_onSide;
    Programs m_millracePrograms;
    Programs m_peerPrograms;
};

}  // namespace millrace::bench::peer
