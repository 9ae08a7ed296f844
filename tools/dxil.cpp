// SPDX-License-Identifier: Apache-2.0
// `millrace dxil`: a DXIL container to SPIR-V, one module for each entry point.
#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "dxil/container.h"
#include "dxil/translate.h"
#include "spirv/tools.h"
#include "tools/commands.h"
#include "tools/console.h"
#include "tools/files.h"
#include "tools/isolate.h"
#include "tools/progress.h"

namespace millrace::tools {

namespace {

struct Arguments {
    std::string input;
    std::string output;
    std::string entryPoint;
    std::vector<uint32_t> shifts;
    std::string rootSignature;
    bool noRootSignature = false;
    bool asJson = false;
    unsigned seconds = 10;
    bool inProcess = false;
    bool asText = false;
    bool verbose = false;
};

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
    if (in.size() - at < 4) {
        return false;
    }
    std::memcpy(&count, in.data() + at, 4);
    if (in.size() - at - 4 < count) {
        return false;
    }
    out = in.substr(at + 4, count);
    at += 4 + count;
    return true;
}

struct Made {
    std::string name;
    spirv::Words words;
    bool wasStructurized = false;
};

using Json = nlohmann::ordered_json;

Json describe(const dxil::NodeIo& io)
{
    Json out = {{"flags", io.flags}, {"recordBytes", io.recordBytes}};
    if (!io.id.name.empty()) {
        out["node"] = io.id.name;
        out["index"] = io.id.index;
    }
    if (io.maxRecords) {
        out["maxRecords"] = *io.maxRecords;
    }
    if (io.grid) {
        out["gridOffsetBytes"] = io.grid->offsetBytes;
    }
    if (io.arraySize) {
        out["arraySize"] = *io.arraySize;
    }
    return out;
}

Json describe(const dxil::Shader& shader)
{
    const dxil::EntryPoint& entry = shader.entry;
    Json out = {{"function", entry.name},
                {"kind", dxil::shaderKindText(entry.kind)},
                {"entryPoint", shader.entryPoint},
                {"threads", entry.threads}};
    if (entry.kind != dxil::ShaderKind::Node) {
        return out;
    }
    static constexpr std::array kLaunches = {"none", "broadcasting", "coalescing", "thread", "mesh"};
    out["node"] = {{"name", entry.node.id.name},
                   {"index", entry.node.id.index},
                   {"launch", kLaunches.at(static_cast<size_t>(entry.node.launch))},
                   {"programEntry", entry.node.isProgramEntry},
                   {"localArguments", entry.node.localArgumentsIndex},
                   {"inputs", Json::array()},
                   {"outputs", Json::array()}};
    for (const dxil::NodeIo& io : entry.node.inputs) {
        out["node"]["inputs"].push_back(describe(io));
    }
    for (const dxil::NodeIo& io : entry.node.outputs) {
        out["node"]["outputs"].push_back(describe(io));
    }
    return out;
}

Json describe(const dxil::Resource& resource, const dxil::Place& place)
{
    Json out = {{"name", resource.name},
                {"class", dxil::resourceClassText(resource.resourceClass)},
                {"register", resource.lowerBound},
                {"space", resource.space},
                {"count", resource.count == dxil::kUnbounded ? Json("unbounded") : Json(resource.count)}};
    if (place.kind == dxil::Place::Kind::Descriptor) {
        out["set"] = place.set;
        out["binding"] = place.binding;
    } else {
        out[place.kind == dxil::Place::Kind::PushAddress ? "addressOffset" : "pushConstantOffset"] = place.offsetBytes;
    }
    return out;
}

Json describe(const dxil::Translation& translation)
{
    Json out = {{"entryPoints", Json::array()},
                {"resources", Json::array()},
                {"pushConstantBytes", translation.bindings.pushConstantBytes}};
    for (const dxil::Shader& shader : translation.shaders) {
        out["entryPoints"].push_back(describe(shader));
    }
    for (const dxil::Resource& resource : translation.resources) {
        out["resources"].push_back(describe(resource, translation.bindings.place(resource)));
    }
    return out;
}

// In the child. The modules are validated here too, since they were made of untrusted input.
std::string translateAll(const std::string& content, const dxil::Options& options)
{
    const std::span<const uint8_t> bytes(reinterpret_cast<const uint8_t*>(content.data()), content.size());
    const auto translation = dxil::translate(bytes, options);
    if (!translation) {
        return kFailed + translation.error().text();
    }
    std::string out(1, kMade);
    const std::string description = describe(*translation).dump(2, ' ', false, Json::error_handler_t::replace);
    put(out, description.data(), description.size());
    for (const dxil::Shader& shader : translation->shaders) {
        if (const Status status = dxil::validate(shader); !status) {
            return kFailed + ("the module of \"" + shader.entry.name + "\" is not valid: " + status.error().text());
        }
        put(out, shader.entry.name.data(), shader.entry.name.size());
        put(out, shader.words.data(), shader.words.size() * 4);
        out.push_back(shader.wasStructurized ? '1' : '0');
    }
    return out;
}

bool takeAll(const std::string& bytes, std::string& description, std::vector<Made>& out)
{
    size_t at = 1;
    if (!take(bytes, at, description)) {
        return false;
    }
    while (at < bytes.size()) {
        Made made;
        std::string words;
        if (!take(bytes, at, made.name) || !take(bytes, at, words) || at == bytes.size()) {
            return false;
        }
        made.words.resize(words.size() / 4);
        std::memcpy(made.words.data(), words.data(), made.words.size() * 4);
        made.wasStructurized = bytes[at++] == '1';
        out.push_back(std::move(made));
    }
    return !out.empty();
}

int writeModule(const Arguments& arguments, const Made& made, const std::string& path)
{
    std::string content(reinterpret_cast<const char*>(made.words.data()), made.words.size() * 4);
    if (arguments.asText) {
        const auto text = spirv::disassemble(made.words);
        if (!text) {
            return fail(text.error().text());
        }
        content = *text;
    }
    return writeFile(path, content);
}

// A name that is safe in a folder: exported names may be mangled.
std::string fileName(const std::string& entry)
{
    std::string out = entry;
    std::ranges::replace_if(
        out, [](unsigned char c) { return !std::isalnum(c) && c != '_' && c != '-' && c != '.'; }, '_');
    return out;
}

int writeAll(const Arguments& arguments, const std::vector<Made>& made, bool isLibrary)
{
    const std::string suffix = arguments.asText ? ".spvasm" : ".spv";
    namespace fs = std::filesystem;
    std::string target = arguments.output;
    if (target.empty()) {
        const fs::path input(arguments.input);
        target = arguments.asText ? "-" : fs::path(input).replace_extension(isLibrary ? "" : suffix).string();
    }
    const bool asFolder = isLibrary && target != "-" && arguments.entryPoint.empty();
    if (asFolder) {
        std::error_code problem;
        fs::create_directories(target, problem);
        if (problem) {
            return fail("cannot make the folder " + target);
        }
    }
    for (const Made& module : made) {
        const std::string path = asFolder ? (fs::path(target) / (fileName(module.name) + suffix)).string() : target;
        if (arguments.verbose) {
            std::cerr << module.name << ": " << module.words.size() << " words"
                      << (module.wasStructurized ? ", control flow rebuilt" : "") << "\n";
        }
        if (const int status = writeModule(arguments, module, path); status != 0) {
            return status;
        }
    }
    return 0;
}

int translate(const Arguments& arguments)
{
    std::string content;
    if (!readFile(arguments.input, content)) {
        return fail("cannot read " + printable(arguments.input));
    }
    dxil::Options options;
    options.entryPoint = arguments.entryPoint;
    for (size_t s = 0; s < arguments.shifts.size(); s++) {
        options.bindings.shifts.at(s) = arguments.shifts[s];
    }
    options.useRootSignature = !arguments.noRootSignature;
    std::string signature;
    if (!arguments.rootSignature.empty() && !readFile(arguments.rootSignature, signature)) {
        return fail("cannot read " + printable(arguments.rootSignature));
    }
    options.rootSignature.assign(signature.begin(), signature.end());
    const auto work = [&] { return translateAll(content, options); };
    const auto bytes = [&] {
        const Progress progress("translating");
        return arguments.inProcess ? Result<std::string>(work()) : runIsolated(work, arguments.seconds);
    }();
    if (!bytes) {
        return fail(printable(arguments.input) + ": " + printable(bytes.error().text()));
    }
    if (bytes->empty() || bytes->front() == kFailed) {
        return fail(printable(arguments.input) + ": " + (bytes->empty() ? "no result" : printable(bytes->substr(1))));
    }
    std::vector<Made> made;
    std::string description;
    if (!takeAll(*bytes, description, made)) {
        return fail(printable(arguments.input) + ": no result");
    }
    if (arguments.asJson) {
        std::cout << description << "\n";
        return 0;
    }
    const auto container =
        dxil::readContainer(std::span<const uint8_t>(reinterpret_cast<const uint8_t*>(content.data()), content.size()));
    return writeAll(arguments, made, container && container->kind == dxil::ShaderKind::Library);
}

}  // namespace

Command addDxil(CLI::App& app)
{
    const auto arguments = std::make_shared<Arguments>();
    CLI::App* command = app.add_subcommand("dxil", "Translate DXIL (docs/dxil.md) to SPIR-V");
    command->footer(
        "Each entry point becomes a module. What cannot be translated is named with its place.\n"
        "\n"
        "Examples:\n"
        "  millrace dxil shader.dxil -o shader.spv\n"
        "  millrace dxil graph.dxil -o graph\n"
        "  millrace dxil graph.dxil --entry fill --asm");
    command->add_option("input", arguments->input, "a DXIL container")->required()->type_name("FILE");
    command
        ->add_option("-o,--output", arguments->output,
                     "where to write: a file, of libraries a folder; - for standard output; default: beside the input")
        ->type_name("PATH");
    command->add_option("--entry", arguments->entryPoint, "only this entry point, to a file")->type_name("NAME");
    command->add_option("--shifts", arguments->shifts, "first bindings of t, u, b and s registers")
        ->type_name("N")
        ->expected(4);
    command->add_option("--root-signature", arguments->rootSignature, "a container with the root signature to use")
        ->type_name("FILE");
    command->add_flag("--no-root-signature", arguments->noRootSignature, "ignore the input's root signature");
    command->add_flag("--json", arguments->asJson, "write entry points, nodes and places of resources");
    command->add_option("--time-limit", arguments->seconds, "how long the reader may take")
        ->type_name("SECONDS")
        ->capture_default_str();
    command->add_flag("--in-process", arguments->inProcess, "for input that is trusted");
    command->add_flag("--asm", arguments->asText, "write text, to standard output unless -o says otherwise");
    command->add_flag("-v,--verbose", arguments->verbose, "say what was made");
    return [arguments] { return translate(*arguments); };
}

}  // namespace millrace::tools
