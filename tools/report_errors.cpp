// SPDX-License-Identifier: Apache-2.0
#include "tools/report_errors.h"

#include <algorithm>
#include <cctype>
#include <iostream>
#include <sstream>

#include "tools/console.h"

namespace millrace::tools {

namespace {

using Json = nlohmann::ordered_json;

Json errorJson(const Diagnostic& error)
{
    return {{"source", printable(error.component)},
            {"where", printable(error.where)},
            {"message", printable(error.message)}};
}

// Takes ":NUMBER" off the end of what stands in front of a message; 0: there is none.
size_t takeNumber(std::string& place)
{
    const size_t colon = place.rfind(':');
    const std::string number = colon == std::string::npos ? "" : place.substr(colon + 1);
    if (number.empty() || number.size() > 9 || !std::ranges::all_of(number, isdigit))
        return 0;
    place.resize(colon);
    return std::stoul(number);
}

}  // namespace

void ErrorList::add(const Diagnostic& error)
{
    m_texts.push_back({printable(error.text())});
    m_errors.push_back(errorJson(error));
}

void ErrorList::add(const run::InputError& error)
{
    m_texts.push_back({printableLines(error.text())});
    m_errors.push_back(errorJson(error));
}

void ErrorList::addOfCompiler(const std::string& text)
{
    m_texts.push_back({text, true});
    for (const Json& error : compilerMessagesJson(text, "error"))
        m_errors.push_back(error);
}

int ErrorList::report(bool asJson) const
{
    if (asJson)
        std::cout << Json{{"errors", m_errors}}.dump(2) << "\n";
    for (const Text& text : m_texts)
        if (text.isOfCompiler)
            std::cerr << text.text << "\n";
        else
            (void)fail(text.text);
    return 1;
}

nlohmann::ordered_json compilerMessagesJson(const std::string& lines, const std::string& severity)
{
    Json list = Json::array();
    std::istringstream stream(lines);
    for (std::string line; std::getline(stream, line);) {
        if (line.starts_with("    "))  // of the source
            continue;
        const std::string mark = ": " + severity + ": ";
        const size_t end = line.find(mark);
        if (end == std::string::npos) {
            list.push_back({{"source", "compile"}, {"where", ""}, {"message", printable(line)}});
            continue;
        }
        std::string place = line.substr(0, end);
        const size_t last = takeNumber(place);
        const size_t before = takeNumber(place);
        const size_t number = before > 0 ? before : last;
        list.push_back({{"source", printable(place)},
                        {"where", number > 0 ? "line " + std::to_string(number) : ""},
                        {"message", printable(line.substr(end + mark.size()))}});
        if (number > 0)
            list.back()["line"] = number;
        if (before > 0)
            list.back()["column"] = last;
    }
    return list;
}

nlohmann::ordered_json errorJson(const run::InputError& error)
{
    const run::Position& position = error.position();
    const bool hasPlace = position.line > 0;
    Json out{{"source", printable(error.file())},
             {"where", hasPlace ? std::to_string(position.line) + ":" + std::to_string(position.column) : ""},
             {"message", printableLines(error.what())}};
    if (hasPlace) {
        out["line"] = position.line;
        out["column"] = position.column;
        out["pointer"] = printable(error.pointer());
    }
    return out;
}

nlohmann::ordered_json errorsJson(const std::vector<Diagnostic>& errors)
{
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const Diagnostic& error : errors)
        list.push_back(errorJson(error));
    return list;
}

int reportErrors(const std::vector<Diagnostic>& errors, bool asJson)
{
    return reportErrors(errors, asJson, nlohmann::ordered_json::object());
}

int reportErrors(const std::vector<Diagnostic>& errors, bool asJson, nlohmann::ordered_json document)
{
    if (asJson) {
        document["errors"] = errorsJson(errors);
        std::cout << document.dump(2) << "\n";
    }
    for (const Diagnostic& error : errors)
        (void)fail(printable(error.text()));
    return 1;
}

}  // namespace millrace::tools
