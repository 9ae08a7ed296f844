// SPDX-License-Identifier: Apache-2.0
#include "tools/run/report.h"

#include <algorithm>
#include <cstdio>

#include "tools/console.h"
#include "tools/run/json_data.h"

namespace millrace::tools::run {

namespace {

std::string milliseconds(double value)
{
    char text[32];
    std::snprintf(text, sizeof(text), value < 10 ? "%.3f ms" : "%.1f ms", value);
    return text;
}

// The first run takes what a driver does once, such as making the code of a pipeline; the others are measured apart.
std::vector<double> measured(const std::vector<double>& values)
{
    return {values.begin() + (values.size() > 1 ? 1 : 0), values.end()};
}

std::string times(const std::vector<double>& values)
{
    if (values.size() == 1)
        return milliseconds(values[0]);
    const std::vector<double> others = measured(values);
    return "first " + milliseconds(values[0]) + ", then median " + milliseconds(medianOf(others)) + ", min " +
           milliseconds(std::ranges::min(others));
}

Json timesJson(const std::vector<double>& values)
{
    if (values.empty())
        return nullptr;
    const std::vector<double> others = measured(values);
    return {{"first", values[0]}, {"median", medianOf(others)}, {"min", std::ranges::min(others)}, {"all", values}};
}

// Where a captured payload was.
std::string originText(const Json& payload)
{
    std::string text = printable(payload["node"].get<std::string>()) + "[" + payload["index"].dump() + "], level " +
                       payload["level"].dump();
    if (payload["dispatch"] != 0 || payload["run"] != 0)
        text += ", dispatch " + payload["dispatch"].dump() + ", run " + payload["run"].dump();
    return text;
}

Json contentOf(const Resource& resource)
{
    return decodeJson(*resource.type, resource.result.data(), resource.result.size());
}

}  // namespace

double medianOf(std::vector<double> values)
{
    std::ranges::sort(values);
    const size_t half = values.size() / 2;
    return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

void printReport(std::ostream& out, const Report& report, const Work& work)
{
    const Execution& execution = report.execution;
    out << "device:   " << printable(report.device) << ", " << printable(report.driver)
        << (report.isEmulated ? ", graphs by Millrace" : ", graphs by the driver") << "\n";
    out << "scratch:  " << bytesText(execution.scratchBytes) << " (from " << bytesText(execution.scratchLeast) << " to "
        << bytesText(execution.scratchMost) << ")\n";
    const size_t runs = execution.hostMilliseconds.size();
    out << "time:     " << (runs == 1 ? "1 run" : std::to_string(runs) + " runs");
    if (!execution.deviceMilliseconds.empty())
        out << ", device " << times(execution.deviceMilliseconds);
    out << ", host " << times(execution.hostMilliseconds) << "\n";
    for (const Resource& resource : work.resources)
        if (resource.description->print)
            out << "result:   " << printable(resource.name()) << " = " << contentOf(resource).dump() << "\n";
    for (const Json& payload : report.shown.value_or(Json::array()))
        out << "payload:  " << originText(payload) << ": " << printable(payload["payload"].dump()) << "\n";
    if (report.shown && report.shown->empty())
        out << "payload:  none\n";
    for (const OutputFile& file : report.files)
        out << "written:  " << printable(file.path) << "\n";
    if (report.checked > 0 && report.differences.empty())
        out << "check:    " << colour(Colour::Green, "as expected") << "\n";
}

Json messagesJson(const std::vector<Message>& messages)
{
    Json out = Json::array();
    for (const Message& message : messages) {
        out.push_back({{"severity", message.isError ? "error" : "warning"},
                       {"id", printable(message.id)},
                       {"text", printable(message.text)}});
    }
    return out;
}

Json reportJson(const Report& report, const Work& work)
{
    const Execution& execution = report.execution;
    Json out;
    out["device"] = {
        {"name", printable(report.device)}, {"driver", printable(report.driver)}, {"emulated", report.isEmulated}};
    out["scratch"] = {
        {"bytes", execution.scratchBytes}, {"min", execution.scratchLeast}, {"max", execution.scratchMost}};
    out["runs"] = execution.hostMilliseconds.size();
    out["device_ms"] = timesJson(execution.deviceMilliseconds);
    out["host_ms"] = timesJson(execution.hostMilliseconds);
    out["results"] = Json::object();
    for (const Resource& resource : work.resources)
        if (resource.description->print)
            out["results"][resource.name()] = contentOf(resource);
    if (report.shown)
        out["shown"] = *report.shown;
    out["files"] = Json::array();
    for (const OutputFile& file : report.files)
        out["files"].push_back({{"resource", file.resource}, {"path", printable(file.path)}});
    out["check"] = nullptr;
    if (report.checked > 0) {
        Json list = Json::array();
        for (const Difference& d : report.differences) {
            list.push_back({{"resource", d.resource},
                            {"path", d.path},
                            {"found", d.found},
                            {"expected", d.expected},
                            {"differing", d.differing},
                            {"compared", d.compared}});
        }
        out["check"] = {{"passed", report.differences.empty()}, {"differences", list}};
    }
    out["messages"] = messagesJson(report.messages);
    return out;
}

}  // namespace millrace::tools::run
