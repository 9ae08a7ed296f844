// SPDX-License-Identifier: Apache-2.0
#include "tools/dxil_options.h"

#include <algorithm>
#include <filesystem>

#include "base/input_file.h"

namespace millrace::tools {

namespace {

using run::Value;

constexpr uint64_t kMostBytes = 65536;  // of root arguments, and of records of local ones

uint32_t number(const Value& value)
{
    return static_cast<uint32_t>(value.count(0, UINT32_MAX - 1));
}

uint32_t numberOr(const Value& object, std::string_view key, uint32_t fallback)
{
    const auto found = object.find(key);
    return found ? number(*found) : fallback;
}

// A number, or "unbounded".
uint32_t countOr(const Value& object, std::string_view key, uint32_t fallback)
{
    const auto found = object.find(key);
    if (found && found->json().is_string()) {
        (void)found->choice({"unbounded"});
        return dxil::kUnbounded;
    }
    return found ? static_cast<uint32_t>(found->count(1, UINT32_MAX - 1)) : fallback;
}

std::string readBeside(const Value& file)
{
    const auto path = (std::filesystem::path(file.file()).parent_path() / file.string()).lexically_normal().string();
    std::string out;
    if (const Status read = readInputFile(path, out); !read)
        file.fail(withReason("cannot read " + path, read));
    return out;
}

dxil::ResourceClass readClass(const Value& object)
{
    return static_cast<dxil::ResourceClass>(object.get("class").choice({"t", "u", "b", "s"}));
}

// Root signatures

dxil::DescriptorRange readRange(const Value& value)
{
    value.allowKeys({"class", "register", "space", "count", "offset"});
    dxil::DescriptorRange out;
    out.resourceClass = readClass(value);
    out.firstRegister = number(value.get("register"));
    out.space = numberOr(value, "space", 0);
    out.count = countOr(value, "count", 1);
    out.tableOffset = numberOr(value, "offset", dxil::kAppended);
    return out;
}

dxil::RootParameter readParameter(const Value& value)
{
    using Kind = dxil::RootParameter::Kind;
    dxil::RootParameter out;
    if (const auto table = value.find("table")) {
        value.allowKeys({"table"});
        for (const Value& range : table->items())
            out.ranges.push_back(readRange(range));
        return out;
    }
    value.allowKeys({"class", "register", "space", "constants"});
    out.shaderRegister = number(value.get("register"));
    out.space = numberOr(value, "space", 0);
    const dxil::ResourceClass resourceClass = readClass(value);
    if (resourceClass == dxil::ResourceClass::Sampler)
        value.fail("a sampler is no root parameter");
    out.kind = resourceClass == dxil::ResourceClass::Srv   ? Kind::Srv
               : resourceClass == dxil::ResourceClass::Uav ? Kind::Uav
                                                           : Kind::Cbv;
    if (const auto constants = value.find("constants")) {
        if (resourceClass != dxil::ResourceClass::Cbv)
            constants->fail("constants are seen through a register of class b");
        out.kind = Kind::Constants;
        out.constants = static_cast<uint32_t>(constants->count(1, 4096));
    }
    return out;
}

// A file, or the signature itself.
dxil::RootSignature readSignature(const Value& value)
{
    if (value.json().is_string()) {
        const std::string content = readBeside(value);
        const auto found = dxil::readSignatureOf(
            std::span<const uint8_t>(reinterpret_cast<const uint8_t*>(content.data()), content.size()));
        if (!found)
            value.fail(found.error().text());
        return *found;
    }
    value.allowKeys({"parameters", "staticSamplers"});
    dxil::RootSignature out;
    if (const auto parameters = value.find("parameters"))
        for (const Value& parameter : parameters->items())
            out.parameters.push_back(readParameter(parameter));
    if (const auto samplers = value.find("staticSamplers")) {
        for (const Value& sampler : samplers->items()) {
            sampler.allowKeys({"register", "space"});
            out.staticSamplers.push_back({number(sampler.get("register")), numberOr(sampler, "space", 0)});
        }
    }
    return out;
}

dxil::LocalSignature readLocal(const Value& value)
{
    value.allowKeys({"entries", "signature"});
    dxil::LocalSignature out;
    if (const auto entries = value.find("entries"))
        for (const Value& entry : entries->items())
            out.entries.push_back(entry.string());
    out.signature = readSignature(value.get("signature"));
    return out;
}

// Bindings

struct PlaceKey {
    const char* key;
    dxil::Place::Kind kind;
    bool isLocal;
};
constexpr PlaceKey kPlaceKeys[] = {
    {"pushConstantOffset", dxil::Place::Kind::Constants, false},
    {"addressOffset", dxil::Place::Kind::Address, false},
    {"localConstantOffset", dxil::Place::Kind::Constants, true},
    {"localAddressOffset", dxil::Place::Kind::Address, true},
};

dxil::Place readPlace(const Value& value)
{
    dxil::Place out;
    for (const auto& [key, kind, isLocal] : kPlaceKeys) {
        const auto offset = value.find(key);
        if (!offset)
            continue;
        out.kind = kind;
        out.isLocal = isLocal;
        out.offsetBytes = static_cast<uint32_t>(offset->count(0, kMostBytes));
        const uint32_t alignment = kind == dxil::Place::Kind::Address ? 8 : 4;
        if (out.offsetBytes % alignment != 0)
            offset->fail("must be a multiple of " + std::to_string(alignment));
        out.sizeBytes =
            kind == dxil::Place::Kind::Constants ? static_cast<uint32_t>(value.get("bytes").count(4, kMostBytes)) : 0;
        return out;
    }
    out.set = number(value.get("set"));
    out.binding = number(value.get("binding"));
    out.counterBinding = numberOr(value, "counterBinding", dxil::kUnbounded);
    return out;
}

dxil::BindingOverride readRegister(const Value& value)
{
    // "name" is there so that what --json writes can be given back.
    value.allowKeys({"name", "class", "register", "space", "count", "array", "set", "binding", "counterBinding",
                     "bytes", "pushConstantOffset", "addressOffset", "localConstantOffset", "localAddressOffset"});
    dxil::BindingOverride out;
    out.resourceClass = readClass(value);
    out.firstRegister = number(value.get("register"));
    out.space = numberOr(value, "space", 0);
    out.count = countOr(value, "count", 1);
    out.place = readPlace(value);
    const auto array = value.find("array");
    out.isArray = array ? array->boolean() : out.count != 1 && out.place.kind == dxil::Place::Kind::Descriptor;
    return out;
}

// Push constants must reach as far as what lies in them, though no root signature says so.
void reserve(const dxil::Place& place, dxil::Bindings& out)
{
    if (place.isLocal || place.kind == dxil::Place::Kind::Descriptor)
        return;
    const uint32_t bytes = place.kind == dxil::Place::Kind::Address ? 8 : place.sizeBytes;
    out.pushConstantBytes = std::max(out.pushConstantBytes, place.offsetBytes + bytes);
}

void readBindings(const Value& value, dxil::Bindings& out)
{
    value.allowKeys({"shifts", "resourceHeapSet", "samplerHeapSet", "localSamplerSet", "local", "registers"});
    if (const auto shifts = value.find("shifts")) {
        shifts->allowKeys({"t", "u", "b", "s", "counters"});
        constexpr const char* kClasses[] = {"t", "u", "b", "s"};
        for (size_t c = 0; c < out.shifts.size(); ++c)
            out.shifts[c] = numberOr(*shifts, kClasses[c], out.shifts[c]);
        out.counterShift = numberOr(*shifts, "counters", out.counterShift);
    }
    out.resourceHeapSet = numberOr(value, "resourceHeapSet", out.resourceHeapSet);
    out.samplerHeapSet = numberOr(value, "samplerHeapSet", out.samplerHeapSet);
    out.localSamplerSet = numberOr(value, "localSamplerSet", out.localSamplerSet);
    if (const auto local = value.find("local")) {
        local->allowKeys({"set", "binding", "stride"});
        out.local.set = numberOr(*local, "set", out.local.set);
        out.local.binding = numberOr(*local, "binding", out.local.binding);
        out.local.strideBytes = numberOr(*local, "stride", out.local.strideBytes);
    }
    if (const auto registers = value.find("registers")) {
        for (const Value& each : registers->items()) {
            out.overrides.push_back(readRegister(each));
            reserve(out.overrides.back().place, out);
        }
    }
}

// Nodes

std::optional<uint32_t> maybeNumber(const Value& object, std::string_view key)
{
    const auto found = object.find(key);
    return found ? std::optional(number(*found)) : std::nullopt;
}

std::optional<std::string> maybeString(const Value& object, std::string_view key)
{
    const auto found = object.find(key);
    return found ? std::optional(found->string()) : std::nullopt;
}

std::optional<bool> maybeBoolean(const Value& object, std::string_view key)
{
    const auto found = object.find(key);
    return found ? std::optional(found->boolean()) : std::nullopt;
}

std::optional<std::array<uint32_t, 3>> maybeGrid(const Value& object, std::string_view key)
{
    const auto found = object.find(key);
    if (!found)
        return std::nullopt;
    const std::vector<Value> items = found->items();
    if (items.size() != 3)
        found->fail("three numbers are expected");
    std::array<uint32_t, 3> out{};
    for (size_t i = 0; i < 3; ++i)
        out[i] = static_cast<uint32_t>(items[i].count(1, 65535));
    return out;
}

dxil::OutputOverride readOutput(const Value& value)
{
    value.allowKeys({"output", "name", "index", "arraySize", "sparse", "maxRecords", "sharesBudgetWith"});
    dxil::OutputOverride out;
    out.output = number(value.get("output"));
    out.name = maybeString(value, "name");
    out.index = maybeNumber(value, "index");
    if (value.has("arraySize"))
        out.arraySize = countOr(value, "arraySize", 1);
    out.sparse = maybeBoolean(value, "sparse");
    out.maxRecords = maybeNumber(value, "maxRecords");
    out.sharesBudgetWith = maybeNumber(value, "sharesBudgetWith");
    return out;
}

dxil::NodeOverride readNode(const Value& value)
{
    value.allowKeys(
        {"entry", "name", "index", "programEntry", "localTableIndex", "grid", "maxGrid", "sharesInputOf", "outputs"});
    dxil::NodeOverride out;
    out.entry = value.get("entry").string();
    out.name = maybeString(value, "name");
    out.index = maybeNumber(value, "index");
    out.isProgramEntry = maybeBoolean(value, "programEntry");
    if (const auto index = value.find("localTableIndex"))
        out.localArgumentsIndex = static_cast<int32_t>(index->count(0, kMostBytes));
    out.grid = maybeGrid(value, "grid");
    out.maxGrid = maybeGrid(value, "maxGrid");
    if (const auto shared = value.find("sharesInputOf")) {
        out.sharesInputOf = dxil::NodeId();
        if (!shared->json().is_null()) {
            shared->allowKeys({"name", "index"});
            out.sharesInputOf = dxil::NodeId{shared->get("name").string(), numberOr(*shared, "index", 0)};
        }
    }
    if (const auto outputs = value.find("outputs"))
        for (const Value& output : outputs->items())
            out.outputs.push_back(readOutput(output));
    return out;
}

std::vector<dxil::Export> readExports(const Value& value)
{
    std::vector<dxil::Export> out;
    for (const Value& each : value.items()) {
        if (each.json().is_string()) {
            out.push_back({each.string(), ""});
            continue;
        }
        each.allowKeys({"name", "of"});
        out.push_back({each.get("name").string(), each.get("of").string()});
    }
    return out;
}

DxilLibrary readLibrary(const Value& value)
{
    if (value.json().is_string())
        return {readBeside(value), {}};
    value.allowKeys({"file", "exports"});
    const auto exports = value.find("exports");
    return {readBeside(value.get("file")), exports ? readExports(*exports) : std::vector<dxil::Export>()};
}

}  // namespace

void readDxilOptions(const Value& value, DxilOptions& out)
{
    value.allowKeys(
        {"$schema", "libraries", "exports", "rootSignature", "localRootSignatures", "bindings", "nodes", "onlyListed"});
    if (const auto libraries = value.find("libraries"))
        for (const Value& library : libraries->items())
            out.libraries.push_back(readLibrary(library));
    if (const auto exports = value.find("exports"))
        out.exports = readExports(*exports);
    if (const auto signature = value.find("rootSignature")) {
        if (signature->json().is_boolean())
            out.options.useRootSignature = signature->boolean();
        else
            out.options.rootSignature = readSignature(*signature);
    }
    if (const auto locals = value.find("localRootSignatures"))
        for (const Value& local : locals->items())
            out.options.localSignatures.push_back(readLocal(local));
    if (const auto bindings = value.find("bindings"))
        readBindings(*bindings, out.options.bindings);
    if (const auto nodes = value.find("nodes"))
        for (const Value& node : nodes->items())
            out.options.nodes.push_back(readNode(node));
    out.options.onlyListed = maybeBoolean(value, "onlyListed").value_or(out.options.onlyListed);
}

}  // namespace millrace::tools
