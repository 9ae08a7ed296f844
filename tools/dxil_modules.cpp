// SPDX-License-Identifier: Apache-2.0
#include "tools/dxil_modules.h"

#include <array>
#include <cstring>
#include <functional>

#include <nlohmann/json.hpp>

#include "tools/isolate.h"

namespace millrace::tools {

namespace {

// What comes out of the child: a mark, then either the reason why there is nothing, or name and words of each shader.
constexpr char kMade = '+';
constexpr char kFailed = '-';

void put(std::string& out, const void* bytes, size_t size)
{
    const auto count = static_cast<uint32_t>(size);
    out.append(reinterpret_cast<const char*>(&count), 4);
    out.append(static_cast<const char*>(bytes), size);
}

bool take(const std::string& in, size_t& at, std::string& out)
{
    uint32_t count = 0;
    if (in.size() - at < 4)
        return false;
    std::memcpy(&count, in.data() + at, 4);
    if (in.size() - at - 4 < count)
        return false;
    out = in.substr(at + 4, count);
    at += 4 + count;
    return true;
}

using Json = nlohmann::ordered_json;

Json countOf(uint32_t count)
{
    return count == dxil::kUnbounded ? Json("unbounded") : Json(count);
}

Json describe(const dxil::NodeIo& io)
{
    Json out = {{"flags", io.flags}, {"recordBytes", io.recordBytes}};
    if (!io.id.name.empty()) {
        out["node"] = io.id.name;
        out["index"] = io.id.index;
    }
    if (io.maxRecords)
        out["maxRecords"] = *io.maxRecords;
    if (io.grid) {
        out["gridOffsetBytes"] = io.grid->offsetBytes;
        out["gridComponents"] = io.grid->components;
        out["gridComponentBytes"] = io.grid->componentBytes;
    }
    if (io.arraySize)
        out["arraySize"] = countOf(*io.arraySize);
    if ((io.flags & dxil::kNodeOutput) != 0)
        out["sparse"] = io.sparse;
    if (io.sharesBudgetWith)
        out["sharesBudgetWith"] = *io.sharesBudgetWith;
    return out;
}

Json describe(const dxil::Resource& resource, const dxil::Place& place)
{
    Json out = {{"name", resource.name},
                {"class", dxil::resourceClassText(resource.resourceClass)},
                {"register", resource.lowerBound},
                {"space", resource.space},
                {"count", countOf(resource.count)}};
    using Kind = dxil::Place::Kind;
    switch (place.kind) {
        case Kind::Descriptor:
            out["set"] = place.set;
            out["binding"] = place.binding;
            if (resource.hasCounter && place.counterBinding != dxil::kUnbounded)
                out["counterBinding"] = place.counterBinding;
            break;
        case Kind::Constants:
            out[place.isLocal ? "localConstantOffset" : "pushConstantOffset"] = place.offsetBytes;
            out["bytes"] = place.sizeBytes;
            break;
        case Kind::Address:
            out[place.isLocal ? "localAddressOffset" : "addressOffset"] = place.offsetBytes;
            break;
        case Kind::HeapTable:
            out["localTableOffset"] = place.offsetBytes;
            out["descriptor"] = place.heapOffset + resource.lowerBound - place.firstRegister;
            break;
    }
    return out;
}

Json describe(const dxil::Node& node)
{
    static constexpr std::array kLaunches = {"none", "broadcasting", "coalescing", "thread", "mesh"};
    Json out = {{"name", node.id.name},
                {"index", node.id.index},
                {"launch", kLaunches.at(static_cast<size_t>(node.launch))},
                {"programEntry", node.isProgramEntry}};
    if (node.grid)
        out["grid"] = *node.grid;
    if (node.maxGrid)
        out["maxGrid"] = *node.maxGrid;
    if (node.maxRecursion > 0)
        out["maxRecursion"] = node.maxRecursion;
    if (node.sharesInputOf)
        out["sharesInputOf"] = {{"name", node.sharesInputOf->name}, {"index", node.sharesInputOf->index}};
    for (const char* key : {"inputs", "outputs"}) {
        out[key] = Json::array();
        for (const dxil::NodeIo& io : key[0] == 'i' ? node.inputs : node.outputs)
            out[key].push_back(describe(io));
    }
    return out;
}

// The record of its local root arguments, and what lies in it.
Json describeLocal(const dxil::Shader& shader)
{
    const dxil::LocalTable& table = shader.bindings.local;
    Json out = {{"index", shader.entry.node.localArgumentsIndex},
                {"bytes", shader.entry.localBytes},
                {"set", table.set},
                {"binding", table.binding},
                {"stride", table.strideBytes},
                {"resources", Json::array()}};
    for (const dxil::Resource& resource : shader.resources) {
        const dxil::Place place = shader.bindings.place(resource);
        if (place.isLocal)
            out["resources"].push_back(describe(resource, place));
    }
    return out;
}

Json describe(const dxil::Shader& shader)
{
    const dxil::EntryPoint& entry = shader.entry;
    Json out = {{"function", entry.name},
                {"kind", dxil::shaderKindText(entry.kind)},
                {"module", shader.label},
                {"entryPoint", shader.entryPoint},
                {"threads", entry.threads}};
    if (!entry.waveSizes.empty())
        out["waveSizes"] = entry.waveSizes;
    if (entry.kind == dxil::ShaderKind::Node)
        out["node"] = describe(entry.node);
    if (entry.localBytes > 0)
        out["localRoot"] = describeLocal(shader);
    return out;
}

// The part PSV0.
Json describe(const dxil::PipelineState& state)
{
    Json out = Json::object();
    if (state.kind)
        out["kind"] = dxil::shaderKindText(*state.kind);
    if (state.entry)
        out["function"] = *state.entry;
    if (state.threads)
        out["threads"] = *state.threads;
    if (state.groupSharedBytes)
        out["groupSharedBytes"] = *state.groupSharedBytes;
    // Lanes that a program leaves to the device are not told.
    if (state.minWaveLanes != 0 || state.maxWaveLanes != ~0u)
        out["waveLanes"] = {state.minWaveLanes, state.maxWaveLanes};
    out["usesViewId"] = state.usesViewId;
    out["resources"] = Json::array();
    for (const dxil::PipelineResource& r : state.resources) {
        out["resources"].push_back(
            {{"class", dxil::resourceClassText(r.resourceClass)},
             {"register", r.lowerBound},
             {"space", r.space},
             {"count", countOf(r.upperBound == ~0u ? dxil::kUnbounded : r.upperBound - r.lowerBound + 1)}});
    }
    return out;
}

Json describe(const dxil::Translation& translation)
{
    Json out = {{"entryPoints", Json::array()},
                {"resources", Json::array()},
                {"pushConstantBytes", translation.bindings.pushConstantBytes}};
    for (const dxil::Shader& shader : translation.shaders)
        out["entryPoints"].push_back(describe(shader));
    for (const dxil::Resource& resource : translation.resources)
        out["resources"].push_back(describe(resource, translation.bindings.place(resource)));
    if (translation.pipelineState)
        out["pipelineState"] = describe(*translation.pipelineState);
    out["errors"] = Json::array();
    return out;
}

// In the child. The modules are validated here too, since they were made of untrusted input.
std::string translateAll(const std::vector<DxilLibrary>& files, const dxil::Options& options)
{
    std::vector<dxil::Library> libraries;
    for (const DxilLibrary& file : files) {
        const std::span<const uint8_t> bytes(reinterpret_cast<const uint8_t*>(file.content.data()),
                                             file.content.size());
        libraries.push_back({bytes, file.exports});
    }
    const auto translation = dxil::translate(libraries, options);
    if (!translation)
        return kFailed + translation.error().text();
    std::string out(1, kMade);
    const std::string description = describe(*translation).dump(2, ' ', false, Json::error_handler_t::replace);
    put(out, description.data(), description.size());
    for (const dxil::Shader& shader : translation->shaders) {
        if (const Status status = dxil::validate(shader); !status)
            return kFailed + ("the module of \"" + shader.entry.name + "\" is not valid: " + status.error().text());
        put(out, shader.label.data(), shader.label.size());
        put(out, shader.entryPoint.data(), shader.entryPoint.size());
        put(out, shader.words.data(), shader.words.size() * 4);
        put(out, shader.entry.waveSizes.data(), shader.entry.waveSizes.size() * 4);
        out.push_back(shader.wasStructurized ? '1' : '0');
    }
    return out;
}

void copyWords(const std::string& bytes, std::vector<uint32_t>& out)
{
    out.resize(bytes.size() / 4);
    if (!out.empty())
        std::memcpy(out.data(), bytes.data(), out.size() * 4);
}

bool takeAll(const std::string& bytes, std::string& description, std::vector<DxilModule>& out)
{
    size_t at = 1;
    if (!take(bytes, at, description))
        return false;
    while (at < bytes.size()) {
        DxilModule made;
        std::string words, waveSizes;
        if (!take(bytes, at, made.name) || !take(bytes, at, made.entryPoint) || !take(bytes, at, words) ||
            !take(bytes, at, waveSizes) || at == bytes.size())
            return false;
        copyWords(words, made.words);
        copyWords(waveSizes, made.waveSizes);
        made.wasStructurized = bytes[at++] == '1';
        out.push_back(std::move(made));
    }
    return !out.empty();
}

std::string findAll(const std::string& content)
{
    const std::span<const uint8_t> bytes(reinterpret_cast<const uint8_t*>(content.data()), content.size());
    const auto found = dxil::findViolations(bytes);
    if (!found)
        return kFailed + found.error().text();
    std::string out(1, kMade);
    for (const dxil::Violation& violation : *found)
        for (const std::string& text : {violation.rule, violation.message, violation.place})
            put(out, text.data(), text.size());
    return out;
}

// In a child process, unless it is given no time. Errors: also what the child says.
Result<std::string> runOnUntrusted(const std::function<std::string()>& work, unsigned seconds)
{
    auto bytes = seconds == 0 ? Result<std::string>(work()) : runIsolated(work, seconds);
    if (bytes && (bytes->empty() || bytes->front() == kFailed))
        return Diagnostic{"", "", bytes->empty() ? "no result" : bytes->substr(1)};
    return bytes;
}

}  // namespace

Result<DxilProgram> translateDxil(const std::vector<DxilLibrary>& libraries, const dxil::Options& options,
                                  unsigned seconds)
{
    const auto bytes = runOnUntrusted([&] { return translateAll(libraries, options); }, seconds);
    if (!bytes)
        return bytes.error();
    DxilProgram out;
    if (!takeAll(*bytes, out.description, out.modules))
        return Diagnostic{"", "", "no result"};
    return out;
}

Result<std::vector<dxil::Violation>> findDxilViolations(const std::string& content, unsigned seconds)
{
    const auto bytes = runOnUntrusted([&] { return findAll(content); }, seconds);
    if (!bytes)
        return bytes.error();
    std::vector<dxil::Violation> out;
    size_t at = 1;
    while (at < bytes->size()) {
        dxil::Violation& violation = out.emplace_back();
        if (!take(*bytes, at, violation.rule) || !take(*bytes, at, violation.message) ||
            !take(*bytes, at, violation.place))
            return Diagnostic{"", "", "no result"};
    }
    return out;
}

}  // namespace millrace::tools
