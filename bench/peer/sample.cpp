// SPDX-License-Identifier: Apache-2.0
#include "bench/peer/sample.h"

#include <algorithm>
#include <bit>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

namespace millrace::bench::peer {

namespace {

using Json = nlohmann::json;

void allow(const Json& object, const std::string& what, const std::set<std::string>& members)
{
    for (const auto& [name, value] : object.items())
        if (!members.contains(name))
            throw PeerError(what + " has no \"" + name + "\"");
}

// Whole numbers are words, others floats.
uint32_t wordOf(const Json& number)
{
    if (number.is_number_float())
        return std::bit_cast<uint32_t>(number.get<float>());
    return static_cast<uint32_t>(number.get<int64_t>());
}

Words wordsOf(const Json& list)
{
    Words out;
    for (const Json& number : list)
        out.push_back(wordOf(number));
    return out;
}

// {"0": 7, "3": 1}, all others being zero.
Words sparseWords(const Json& object, uint64_t count)
{
    Words out(count);
    for (const auto& [at, number] : object.items())
        out.at(std::stoull(at)) = wordOf(number);
    return out;
}

Resource resourceOf(const Json& json)
{
    allow(json, "a resource", {"name", "bytes", "width", "height", "initial", "expected", "mask"});
    Resource out;
    out.bytes = json.value("bytes", uint64_t{0});
    out.width = json.value("width", 0u);
    out.height = json.value("height", 0u);
    out.initial = wordsOf(json.value("initial", Json::array()));
    out.mask = json.value("mask", ~0u);
    if (out.size() == 0 || out.size() % 4 != 0 || out.initial.size() * 4 > out.bytes)
        throw PeerError("a resource needs \"bytes\", a multiple of 4, or \"width\" and \"height\"");
    if (out.width % 64 != 0)
        throw PeerError("\"width\" of an image must be a multiple of 64");
    if (json.contains("expected"))
        out.expected = sparseWords(json["expected"], out.size() / 4);
    return out;
}

Argument argumentOf(const Json& json, const std::map<std::string, size_t>& resources)
{
    allow(json, "an argument", {"b", "u", "t", "image", "constants", "resource"});
    Argument out;
    const std::pair<const char*, Argument::Kind> kinds[] = {{"b", Argument::Kind::Constants},
                                                            {"u", Argument::Kind::Uav},
                                                            {"t", Argument::Kind::Srv},
                                                            {"image", Argument::Kind::Image}};
    const auto* const kind = std::ranges::find_if(kinds, [&](const auto& each) { return json.contains(each.first); });
    if (kind == std::end(kinds))
        throw PeerError("an argument needs a register: \"b\", \"u\", \"t\" or \"image\"");
    out.kind = kind->second;
    out.shaderRegister = json[kind->first].get<uint32_t>();
    if (out.kind == Argument::Kind::Constants)
        out.constants = wordsOf(json.at("constants"));
    else if (const auto found = resources.find(json.at("resource").get<std::string>()); found != resources.end())
        out.resource = found->second;
    else
        throw PeerError("there is no resource " + json["resource"].get<std::string>());
    return out;
}

LocalArguments localOf(const Json& json)
{
    allow(json, "an element of \"local\"", {"function", "constants"});
    return {json.at("function"), wordsOf(json.at("constants"))};
}

Launch launchOf(const Json& json)
{
    allow(json, "a launch", {"node", "count", "records"});
    Launch out;
    out.node = json.at("node");
    const Json records = json.value("records", Json::array());
    out.count = records.empty() ? json.value("count", 1u) : static_cast<uint32_t>(records.size());
    for (const Json& record : records) {
        const Words words = wordsOf(record);
        if (out.strideWords != 0 && words.size() != out.strideWords)
            throw PeerError("records of a launch must have one size");
        out.strideWords = static_cast<uint32_t>(words.size());
        out.words.insert(out.words.end(), words.begin(), words.end());
    }
    return out;
}

Form formOf(const std::string& name)
{
    for (const Form form : {Form::Cpu, Form::CpuSplit, Form::Gpu})
        if (name == nameOf(form))
            return form;
    throw PeerError("there is no form " + name);
}

Sample sampleOf(const Json& json)
{
    allow(json, "a sample",
          {"title", "source", "compile", "library", "not_run_by_peer", "form", "resources", "arguments", "local",
           "launches"});
    Sample out{json.at("title"),
               json.at("source"),
               json.at("compile"),
               json.at("library"),
               json.value("not_run_by_peer", ""),
               {},
               {}};
    out.work.form = formOf(json.value("form", "cpu"));
    std::map<std::string, size_t> resources;
    for (const Json& resource : json.at("resources")) {
        resources.emplace(resource.at("name"), out.work.resources.size());
        out.work.resources.push_back(resourceOf(resource));
    }
    for (const Json& argument : json.at("arguments"))
        out.graph.arguments.push_back(argumentOf(argument, resources));
    for (const Json& local : json.value("local", Json::array()))
        out.graph.local.push_back(localOf(local));
    for (const Json& launch : json.at("launches"))
        out.work.launches.push_back(launchOf(launch));
    return out;
}

}  // namespace

Sample parseSample(const std::string& json)
{
    try {
        return sampleOf(Json::parse(json));
    } catch (const Json::exception& error) {
        throw PeerError(error.what());
    } catch (const std::out_of_range&) {
        throw PeerError("\"expected\" names a word outside of its resource");
    }
}

std::vector<Sample> readSamples(const std::string& folder)
{
    std::set<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
        if (entry.path().extension() == ".json")
            files.insert(entry.path());
    std::vector<Sample> out;
    for (const std::filesystem::path& file : files) {
        std::stringstream text;
        text << std::ifstream(file).rdbuf();
        try {
            out.push_back(parseSample(text.str()));
        } catch (const PeerError& error) {
            throw PeerError(file.string() + ": " + error.what());
        }
    }
    return out;
}

}  // namespace millrace::bench::peer
