// SPDX-License-Identifier: Apache-2.0
#include "tools/run/description.h"

#include <algorithm>
#include <array>
#include <bit>
#include <filesystem>
#include <iterator>
#include <numeric>
#include <span>
#include <type_traits>

#include "graph/graph.h"

namespace millrace::tools::run {

namespace {

// A count that Vulkan holds in 32 bits, of which all bits set often mean something else.
uint32_t smallCount(const Value& value)
{
    return static_cast<uint32_t>(value.count(0, UINT32_MAX - 1));
}

std::string besides(const Value& value, const std::string& name)
{
    if (name.empty())
        value.fail("a file name is expected");
    return (std::filesystem::path(value.file()).parent_path() / name).lexically_normal().string();
}

// "count": 3 is 0, 1, 2. One at most of "index", "count" and "indices" is there.
std::vector<uint32_t> readIndices(const Value& value)
{
    const char* first = value.has("index") ? "index" : value.has("count") ? "count" : "";
    for (const char* key : {"count", "indices"})
        if (value.has(key) && *first != '\0' && std::string_view(first) != key)
            value.get(key).fail("\"" + std::string(first) + "\" already says which indices");
    std::vector<uint32_t> indices;
    if (const auto count = value.find("count")) {
        indices.resize(count->count(1, graph::kMaxNodeIndex + 1));
        std::iota(indices.begin(), indices.end(), 0u);
    }
    if (const auto list = value.find("indices")) {
        for (const Value& item : list->items()) {
            indices.push_back(static_cast<uint32_t>(item.count(0, graph::kMaxNodeIndex)));
            if (std::ranges::count(indices, indices.back()) > 1)
                item.fail("the index " + std::to_string(indices.back()) + " is here twice");
        }
        if (indices.empty())
            list->fail("at least one is needed");
    }
    return indices;
}

ShaderDescription readShader(const Value& value)
{
    ShaderDescription shader{value};
    shader.file = besides(value.get("file"), value.get("file").string());
    if (const auto entry = value.find("entry"))
        shader.entryPoint = entry->string();
    if (const auto specialization = value.find("specialization"))
        shader.specialization = specialization->members();
    if (const auto definitions = value.find("define"))
        for (const auto& [name, text] : definitions->members())
            shader.definitions.emplace_back(name, text.json().is_string() ? text.string() : text.json().dump());
    if (const auto include = value.find("include"))
        for (const Value& folder : include->items())
            shader.includeFolders.push_back(besides(folder, folder.string()));
    return shader;
}

// What a mesh node alone has.
constexpr std::array<const char*, 4> kDrawKeys = {"cull", "blend", "depth_test", "depth_write"};

std::optional<DrawDescription> readDraw(const Value& value)
{
    const auto fragment = value.find("fragment");
    if (!fragment) {
        for (const char* key : kDrawKeys)
            if (const auto state = value.find(key))
                state->fail("\"" + std::string(key) + "\" is for mesh nodes, which have a \"fragment\" shader");
        return std::nullopt;
    }
    fragment->allowKeys({"file", "entry", "specialization", "define", "include"});
    DrawDescription draw{readShader(*fragment)};
    const auto choose = [&](const char* key, std::span<const std::string_view> names, auto& out) {
        if (const auto state = value.find(key))
            out = static_cast<std::remove_reference_t<decltype(out)>>(state->choice(names));
    };
    choose("cull", kCullNames, draw.cull);
    choose("blend", kBlendNames, draw.blend);
    choose("depth_test", kCompareNames, draw.depthTest);
    draw.depthWrite = !value.has("depth_write") || value.get("depth_write").boolean();
    return draw;
}

NodeDescription readNode(const Value& value)
{
    value.allowKeys({"file", "entry", "name", "index", "count", "indices", "specialization", "define", "include",
                     "dxil", "fragment", "cull", "blend", "depth_test", "depth_write"});
    NodeDescription node{readShader(value)};
    if (const auto name = value.find("name"))
        node.name = name->string();
    if (const auto index = value.find("index"))
        node.index = smallCount(*index);
    node.indices = readIndices(value);
    node.draw = readDraw(value);
    return node;
}

void readContents(const Value& value, ResourceDescription& resource)
{
    resource.name = value.get("name").string();
    resource.fill = value.find("fill");
    resource.print = value.has("print") && value.get("print").boolean();
    const auto output = value.find("output");
    if (output && output->json().is_array())
        resource.outputs = output->items();
    else if (output)
        resource.outputs = {*output};
    for (const Value& each : resource.outputs)
        (void)each.string();
}

void readDescriptor(const Value& value, ResourceDescription& resource)
{
    resource.set = value.has("set") ? smallCount(value.get("set")) : 0;
    resource.binding = smallCount(value.get("binding"));
    resource.data = value.find("data");
    resource.file = value.find("file");
    if (resource.data && resource.file)
        resource.file->fail("\"data\" already gives the initial contents");
}

void readImageSize(const Value& value, ResourceDescription& resource)
{
    resource.isImage = true;
    resource.format = value.find("format");
    resource.width = value.find("width");
    resource.height = value.find("height");
}

ResourceDescription readBuffer(const Value& value)
{
    value.allowKeys({"name", "set", "binding", "format", "size", "length", "data", "file", "fill", "output", "print"});
    ResourceDescription resource{value};
    readContents(value, resource);
    readDescriptor(value, resource);
    resource.format = value.find("format");
    resource.size = value.find("size");
    resource.length = value.find("length");
    if (resource.size && resource.length)
        resource.length->fail("\"size\" already says how large the buffer is");
    return resource;
}

ResourceDescription readImage(const Value& value)
{
    value.allowKeys({"name", "set", "binding", "format", "width", "height", "data", "file", "fill", "output", "print"});
    ResourceDescription resource{value};
    readContents(value, resource);
    readDescriptor(value, resource);
    readImageSize(value, resource);
    return resource;
}

// Adds the image to the resources.
TargetDescription readTarget(const Value& value, std::vector<ResourceDescription>& resources)
{
    value.allowKeys({"name", "format", "width", "height", "fill", "depth", "samples", "output", "print"});
    ResourceDescription resource{value};
    readContents(value, resource);
    readImageSize(value, resource);
    resource.isTarget = true;
    TargetDescription target{value, resources.size()};
    if (const auto depth = value.find("depth")) {
        target.depth = static_cast<float>(depth->number());
        if (!(*target.depth >= 0 && *target.depth <= 1))
            depth->fail("a number from 0 to 1 is expected");
    }
    if (const auto samples = value.find("samples")) {
        target.samples = static_cast<uint32_t>(samples->count(1, VK_SAMPLE_COUNT_64_BIT));
        if (!std::has_single_bit(target.samples))
            samples->fail("a power of two is expected");
    }
    resources.push_back(std::move(resource));
    return target;
}

// Names are keys of results; descriptors can be taken once.
void checkDistinct(const std::vector<ResourceDescription>& resources)
{
    for (size_t r = 0; r < resources.size(); ++r) {
        for (size_t before = 0; before < r; ++before) {
            const ResourceDescription& a = resources[before];
            const ResourceDescription& b = resources[r];
            if (a.name == b.name)
                b.place.get("name").fail("two resources are called \"" + b.name + "\"");
            if (!b.isTarget && a.isAt(b.set, b.binding)) {
                b.place.get("binding").fail("\"" + a.name + "\" is already at set " + std::to_string(a.set) +
                                            ", binding " + std::to_string(a.binding));
            }
        }
    }
}

LaunchDescription readLaunch(const Value& value)
{
    LaunchDescription launch{value};
    launch.node = value.get("node").string();
    launch.index = value.has("index") ? smallCount(value.get("index")) : 0;
    launch.payloads = value.find("payloads");
    launch.count = value.find("count");
    return launch;
}

DispatchDescription readDispatch(const Value& value)
{
    DispatchDescription dispatch{value};
    if (value.has("launches")) {
        value.allowKeys({"launches", "form", "push_constants"});
        for (const Value& launch : value.get("launches").items()) {
            launch.allowKeys({"node", "index", "payloads", "count"});
            dispatch.launches.push_back(readLaunch(launch));
        }
    } else {
        value.allowKeys({"node", "index", "payloads", "count", "form", "push_constants", "launches"});
        dispatch.launches.push_back(readLaunch(value));
    }
    if (const auto form = value.find("form"))
        dispatch.form = static_cast<DispatchForm>(form->choice(kFormNames));
    dispatch.pushConstants = value.find("push_constants");
    return dispatch;
}

// The items of a member, which must have some if it is needed.
std::vector<Value> list(const Value& root, const char* key, bool isNeeded)
{
    if (!isNeeded && !root.has(key))
        return {};
    std::vector<Value> items = root.get(key).items();
    if (isNeeded && items.empty())
        root.get(key).fail("at least one is needed");
    return items;
}

}  // namespace

std::optional<DispatchForm> parseForm(std::string_view text)
{
    const auto* const found = std::ranges::find(kFormNames, text);
    return found == kFormNames.end() ? std::nullopt
                                     : std::optional(static_cast<DispatchForm>(found - kFormNames.begin()));
}

const char* nameOf(DispatchForm form)
{
    return kFormNames[static_cast<size_t>(form)].data();
}

GraphDescription readDescription(const Document& document)
{
    const Value root = document.root();
    root.allowKeys({"$schema", "description", "nodes", "buffers", "images", "target", "push_constants", "dispatches",
                    "scratch", "device"});
    GraphDescription out;
    for (const Value& node : list(root, "nodes", true))
        out.nodes.push_back(readNode(node));
    for (const Value& buffer : list(root, "buffers", false))
        out.resources.push_back(readBuffer(buffer));
    for (const Value& image : list(root, "images", false))
        out.resources.push_back(readImage(image));
    if (const auto target = root.find("target"))
        out.target = readTarget(*target, out.resources);
    checkDistinct(out.resources);
    for (const Value& dispatch : list(root, "dispatches", true))
        out.dispatches.push_back(readDispatch(dispatch));
    out.pushConstants = root.find("push_constants");
    out.scratch = root.find("scratch");
    if (out.scratch && !out.scratch->json().is_number())
        (void)out.scratch->choice({"min", "max"});
    else if (out.scratch)
        (void)out.scratch->count(1);
    out.device = root.has("device") ? root.get("device").string() : "";
    return out;
}

}  // namespace millrace::tools::run
