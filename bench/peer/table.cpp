// SPDX-License-Identifier: Apache-2.0
#include "bench/peer/table.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>

namespace millrace::bench::peer {

namespace {

std::string number(double value, const char* format)
{
    char text[32];
    std::snprintf(text, sizeof text, format, value);
    return text;
}

std::string cellOf(const Outcome& outcome)
{
    if (!outcome.notRun.empty())
        return "not run";
    if (!outcome.error.empty())
        return "ERROR";
    return number(outcome.median(), "%.1f") + " (" + number(outcome.least(), "%.1f") + ")" +
           (outcome.wrong.empty() ? "" : " WRONG");
}

// Of rows that count.
std::optional<double> ratioOf(const RowResult& result)
{
    if (!result.peer.isRight() || !result.millrace.isRight() || !result.difference.empty())
        return std::nullopt;
    return result.millrace.median() / result.peer.median();
}

struct Mean {
    double logs = 0;
    double most = 0;
    uint32_t count = 0;

    void add(double ratio)
    {
        logs += std::log(ratio);
        most = std::max(most, ratio);
        ++count;
    }
    std::string text(const std::string& name) const
    {
        return name + ": " + number(std::exp(logs / count), "%.2f") + " in the geometric mean of " +
               std::to_string(count) + " rows, " + number(most, "%.2f") + " at most\n";
    }
};

std::string problemsOf(const FinishedRow& row)
{
    const std::string place = row.records + ": " + row.title + ", " + row.form + ", " + std::to_string(row.count);
    std::string out;
    for (const auto& [name, outcome] :
         {std::pair{kPeerName, &row.result.peer}, std::pair{kMillraceName, &row.result.millrace}})
        for (const std::string* text : {&outcome->wrong, &outcome->error, &outcome->notRun})
            if (!text->empty() && *text != "there is none")
                out += std::string(name) + ", " + place + ": " + *text + "\n";
    if (!row.result.difference.empty())
        out += place + ": Millrace's " + row.result.difference + " by vkd3d-proton's result\n";
    return out;
}

nlohmann::json toJson(const Outcome& outcome)
{
    nlohmann::json out{{"us", outcome.microseconds}};
    for (const auto& [name, text] :
         {std::pair{"wrong", &outcome.wrong}, std::pair{"error", &outcome.error}, std::pair{"notRun", &outcome.notRun}})
        if (!text->empty())
            out[name] = *text;
    return out;
}

Outcome outcomeFromJson(const nlohmann::json& json)
{
    return {json.at("us"), json.value("wrong", ""), json.value("error", ""), json.value("notRun", "")};
}

}  // namespace

std::string tableHead()
{
    return "| records | graph | form | inputs | vkd3d-proton | Millrace | ratio |\n|---|---|---|---|---|---|---|\n";
}

std::string tableRow(const FinishedRow& row)
{
    const std::optional<double> ratio = ratioOf(row.result);
    return "| " + row.records + " | " + row.title + " | " + row.form + " | " + std::to_string(row.count) + " | " +
           cellOf(row.result.peer) + " | " + cellOf(row.result.millrace) + " | " +
           (!row.result.difference.empty() ? "DIFFERENT"
            : ratio                        ? number(*ratio, "%.2f")
                                           : "") +
           " |\n";
}

std::string summaryOf(const std::vector<FinishedRow>& rows)
{
    Mean all;
    std::map<std::string, Mean> forms;
    std::string problems;
    for (const FinishedRow& row : rows) {
        if (const std::optional<double> ratio = ratioOf(row.result)) {
            all.add(*ratio);
            forms[row.form].add(*ratio);
        }
        problems += problemsOf(row);
    }
    std::string out;
    if (all.count != 0)
        out += all.text("Millrace / vkd3d-proton");
    for (const auto& [form, mean] : forms)
        out += mean.text("- form " + form);
    return out + problems;
}

bool isMillraceRight(const std::vector<FinishedRow>& rows)
{
    return std::ranges::all_of(rows, [](const FinishedRow& row) { return row.result.millrace.isRight(); });
}

nlohmann::json toJson(const RowResult& result)
{
    return {{"peer", toJson(result.peer)}, {"millrace", toJson(result.millrace)}, {"difference", result.difference}};
}

RowResult resultFromJson(const nlohmann::json& json)
{
    return {outcomeFromJson(json.at("peer")), outcomeFromJson(json.at("millrace")), json.at("difference")};
}

nlohmann::json toJson(const FinishedRow& row)
{
    nlohmann::json out = toJson(row.result);
    out["records"] = row.records;
    out["graph"] = row.title;
    out["form"] = row.form;
    out["inputs"] = row.count;
    return out;
}

}  // namespace millrace::bench::peer
