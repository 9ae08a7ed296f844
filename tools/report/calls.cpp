// SPDX-License-Identifier: Apache-2.0
#include "tools/report/calls.h"

#include <cstdio>

#include "tools/console.h"

namespace millrace::tools::report {

namespace {

std::string count(uint64_t number, const char* one, const char* several)
{
    return std::to_string(number) + " " + (number == 1 ? one : several);
}

std::string percent(uint64_t part, uint64_t whole)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.0f %%", ratio(part, whole) * 100);
    return text;
}

std::string sequencesText(const CallSummary& call)
{
    const std::string most = "at most " + std::to_string(call.shape.maxSequences);
    if (!call.isKnown())
        return "how many sequences of " + most + " each is unknown: " + call.shape.unknown;
    return count(call.sequences, "sequence", "sequences") + " of " + most + " each";
}

void printPipelines(std::ostream& out, const CallSummary& call)
{
    Table table({"pipeline", "sequences", "share"});
    const auto add = [&](const std::string& name, uint64_t sequences) {
        table.add({name, std::to_string(sequences), percent(sequences, call.sequences)});
    };
    for (size_t i = 0; i < call.byPipeline.size(); ++i)
        if (call.byPipeline[i] > 0)
            add(printable(call.shape.pipelines[i]), call.byPipeline[i]);
    if (call.leftOut > 0)
        add("none, left out", call.leftOut);
    if (table.rowCount() > 0)
        table.print(out, "    ");
}

void printCall(std::ostream& out, const CallSummary& call)
{
    std::string tokens;
    for (const std::string& token : call.shape.tokens)
        tokens += (tokens.empty() ? "" : ", ") + token;
    out << "  " << printable(call.shape.name) << "\n    " << printable(tokens) << ": " << printable(wayText(call.shape))
        << "\n    " << count(call.executions, "execution", "executions") << ", " << printable(sequencesText(call))
        << "\n";
    printPipelines(out, call);
}

}  // namespace

std::string wayText(const trace::GeneratedCall& call)
{
    return call.way + (call.combined ? ", all pipelines as one" : "") +
           (call.gathered ? ", gathered from several streams" : "") + (call.preprocessed ? ", preprocessed" : "");
}

void printCalls(std::ostream& out, const TraceSummary& trace)
{
    if (!trace.calls.empty())
        out << "\n" << colour(Colour::Bold, "generated commands") << "\n";
    for (const CallSummary& call : trace.calls)
        printCall(out, call);
}

std::vector<Finding> findInCalls(const TraceSummary& trace)
{
    std::vector<Finding> out;
    for (uint32_t c = 0; c < trace.calls.size(); ++c) {
        const CallSummary& call = trace.calls[c];
        if (call.leftOut == 0)
            continue;
        Finding finding;
        finding.kind = Finding::Kind::Problem;
        finding.call = c;
        finding.text = call.shape.name + ": " + std::to_string(call.leftOut) + " of " +
                       count(call.sequences, "sequence means", "sequences mean") +
                       " no pipeline of the set, and were left out";
        finding.advice = "the setting validate names them (docs/generated-commands.md)";
        out.push_back(finding);
    }
    return out;
}

}  // namespace millrace::tools::report
