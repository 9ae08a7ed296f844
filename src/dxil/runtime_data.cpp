// SPDX-License-Identifier: Apache-2.0
#include "dxil/runtime_data.h"

#include <algorithm>

namespace millrace::dxil {

namespace {

// Bytes of rows in which all is there that is read.
constexpr uint32_t kResourceBytes = 32, kFunctionBytes = 44, kNodeFunctionBytes = 52, kNodeBytes = 20;

// Kinds of attributes of a node; the numbers are DXC's.
enum : uint32_t { kId = 1, kThreads = 2, kGrid = 4, kMaxGrid = 7 };

Diagnostic fail(const std::string& what)
{
    return Diagnostic{"dxil", "part RDAT", what};
}

// Missing components are 1.
std::optional<std::array<uint32_t, 3>> extentAt(const RuntimeTables& tables, uint32_t index)
{
    const auto found = tables.arrayAt(index);
    if (!found || found->size() > 3)
        return std::nullopt;
    std::array<uint32_t, 3> out = {1, 1, 1};
    std::ranges::copy(*found, out.begin());
    return out;
}

class Reader {
public:
    explicit Reader(RuntimeTables tables) : m_tables(std::move(tables)) {}
    Result<RuntimeData> read();

private:
    bool readAttribute(Bytes row, RuntimeNode& out) const;
    std::optional<RuntimeNode> readNode(uint32_t index) const;
    bool readFunction(Bytes row);
    bool readResource(Bytes row);

    const RuntimeTables m_tables;
    std::vector<Bytes> m_nodes, m_attributes, m_ids;
    RuntimeData m_out;
};

bool Reader::readAttribute(Bytes row, RuntimeNode& out) const
{
    const auto kind = numberAt<uint32_t>(row, 0);
    const auto value = numberAt<uint32_t>(row, 4);
    if (!kind || !value)
        return false;
    if (*kind == kId) {
        const auto id = *value < m_ids.size() ? m_ids[*value] : Bytes();
        const auto name = m_tables.stringAt(numberAt<uint32_t>(id, 0));
        const auto index = numberAt<uint32_t>(id, 4);
        if (name && index)
            out.id = NodeId{*name, *index};
        return name && index;
    }
    if (*kind == kThreads || *kind == kGrid || *kind == kMaxGrid) {
        auto& target = *kind == kThreads ? out.threads : *kind == kGrid ? out.grid : out.maxGrid;
        target = extentAt(m_tables, *value);
        return target.has_value();
    }
    return true;
}

std::optional<RuntimeNode> Reader::readNode(uint32_t index) const
{
    if (index >= m_nodes.size() || m_nodes[index].size() < kNodeBytes)
        return std::nullopt;
    const Bytes row = m_nodes[index];
    const uint32_t launch = *numberAt<uint32_t>(row, 0);
    const auto attributes = m_tables.arrayAt(numberAt<uint32_t>(row, 8));
    const auto outputs = m_tables.arrayAt(numberAt<uint32_t>(row, 12));
    const auto inputs = m_tables.arrayAt(numberAt<uint32_t>(row, 16));
    if (launch > static_cast<uint32_t>(LaunchType::Mesh) || !attributes || !outputs || !inputs)
        return std::nullopt;
    RuntimeNode out;
    out.launch = static_cast<LaunchType>(launch);
    out.inputs = inputs->size();
    out.outputs = outputs->size();
    for (const uint32_t attribute : *attributes)
        if (attribute >= m_attributes.size() || !readAttribute(m_attributes[attribute], out))
            return std::nullopt;
    return out;
}

bool Reader::readFunction(Bytes row)
{
    auto name = m_tables.stringAt(numberAt<uint32_t>(row, 0));
    const auto kind = numberAt<uint32_t>(row, 16);
    if (row.size() < kFunctionBytes || !name || *kind > static_cast<uint32_t>(ShaderKind::Node))
        return false;
    RuntimeFunction& out = m_out.functions.emplace_back();
    out.name = std::move(*name);
    out.kind = static_cast<ShaderKind>(*kind);
    // Behind its lanes and flags.
    if (out.kind == ShaderKind::Node && row.size() >= kNodeFunctionBytes) {
        out.node = readNode(*numberAt<uint32_t>(row, 48));
        return out.node.has_value();
    }
    return true;
}

bool Reader::readResource(Bytes row)
{
    if (row.size() < kResourceBytes || *numberAt<uint32_t>(row, 0) > static_cast<uint32_t>(ResourceClass::Sampler) ||
        *numberAt<uint32_t>(row, 4) > static_cast<uint32_t>(ResourceKind::FeedbackTexture2DArray))
        return false;
    m_out.resources.push_back({static_cast<ResourceClass>(*numberAt<uint32_t>(row, 0)),
                               static_cast<ResourceKind>(*numberAt<uint32_t>(row, 4)), *numberAt<uint32_t>(row, 12),
                               *numberAt<uint32_t>(row, 16), *numberAt<uint32_t>(row, 20)});
    return true;
}

Result<RuntimeData> Reader::read()
{
    const auto functions = m_tables.rows(RuntimeTables::Functions);
    const auto resources = m_tables.rows(RuntimeTables::Resources);
    const auto nodes = m_tables.rows(RuntimeTables::Nodes);
    const auto attributes = m_tables.rows(RuntimeTables::NodeAttributes);
    const auto ids = m_tables.rows(RuntimeTables::NodeIds);
    if (!functions || !resources || !nodes || !attributes || !ids)
        return fail("a table of functions, nodes or resources is cut off");
    m_nodes = *nodes;
    m_attributes = *attributes;
    m_ids = *ids;
    for (size_t f = 0; f < functions->size(); ++f)
        if (!readFunction((*functions)[f]))
            return fail("function " + std::to_string(f) + " is malformed");
    for (size_t r = 0; r < resources->size(); ++r)
        if (!readResource((*resources)[r]))
            return fail("resource " + std::to_string(r) + " is malformed");
    return std::move(m_out);
}

std::string text(const std::array<uint32_t, 3>& extent)
{
    return std::to_string(extent[0]) + " x " + std::to_string(extent[1]) + " x " + std::to_string(extent[2]);
}

std::string text(const std::optional<std::array<uint32_t, 3>>& extent)
{
    return extent ? text(*extent) : "nothing";
}

std::string text(const NodeId& id)
{
    return "\"" + id.name + "\"[" + std::to_string(id.index) + "]";
}

std::string text(LaunchType launch)
{
    constexpr const char* kNames[] = {"no launch", "broadcasting", "coalescing", "thread", "mesh"};
    return kNames[static_cast<size_t>(launch)];
}

std::string text(const RuntimeResource& resource)
{
    return resourceClassText(resource.resourceClass) + std::to_string(resource.lowerBound) + " to " +
           (resource.upperBound == ~0u ? "any" : std::to_string(resource.upperBound)) + ", space" +
           std::to_string(resource.space) + ", kind " + std::to_string(static_cast<uint32_t>(resource.kind));
}

Status checkNode(const RuntimeNode& here, const EntryPoint& entry)
{
    const Node& there = entry.node;
    const auto compare = [&](const char* what, const std::string& a, const std::string& b) {
        return a == b
                   ? Status()
                   : Status(fail("it says " + a + " of the " + what + " of node " + entry.name + ", the program " + b));
    };
    const std::pair<const char*, std::array<std::string, 2>> facts[] = {
        {"launch mode", {text(here.launch), text(there.launch)}},
        {"ID", {text(here.id.value_or(there.id)), text(there.id)}},
        {"size of a group", {text(here.threads.value_or(entry.threads)), text(entry.threads)}},
        {"grid", {text(here.grid), text(there.grid)}},
        {"largest grid", {text(here.maxGrid), text(there.maxGrid)}},
        {"number of inputs", {std::to_string(here.inputs), std::to_string(there.inputs.size())}},
        {"number of outputs", {std::to_string(here.outputs), std::to_string(there.outputs.size())}},
    };
    for (const auto& [what, said] : facts)
        if (Status status = compare(what, said[0], said[1]); !status)
            return status;
    return {};
}

Status checkFunctions(const RuntimeData& data, const ProgramInfo& info)
{
    for (const EntryPoint& entry : info.entryPoints) {
        const auto found = std::ranges::find(data.functions, entry.function->name, &RuntimeFunction::name);
        if (found == data.functions.end())
            return fail("it does not name the function " + entry.function->name + " of the program");
        if (found->kind != entry.kind) {
            return fail(std::string("it says ") + shaderKindText(found->kind) + " of the kind of function " +
                        entry.function->name + ", the program " + shaderKindText(entry.kind));
        }
        if (Status status = found->node ? checkNode(*found->node, entry) : Status(); !status)
            return status;
    }
    for (const RuntimeFunction& function : data.functions) {
        const bool isKnown = std::ranges::any_of(
            info.entryPoints, [&](const EntryPoint& entry) { return entry.function->name == function.name; });
        if (function.kind != ShaderKind::Library && !isKnown) {
            return fail(std::string("it says ") + shaderKindText(function.kind) + " of the kind of function " +
                        function.name + ", which is no entry point of the program");
        }
    }
    return {};
}

}  // namespace

std::optional<std::vector<Bytes>> RuntimeTables::rows(Kind kind) const
{
    const Bytes table = content[kind];
    if (table.empty())
        return std::vector<Bytes>();
    const auto count = numberAt<uint32_t>(table, 0);
    const auto stride = numberAt<uint32_t>(table, 4);
    if (!count || !stride || *count > kMaxRuntimeRows)
        return std::nullopt;
    std::vector<Bytes> out;
    for (uint32_t r = 0; r < *count; ++r) {
        const auto row = slice(table, 8 + uint64_t{*stride} * r, *stride);
        if (!row)
            return std::nullopt;
        out.push_back(*row);
    }
    return out;
}

std::optional<std::string> RuntimeTables::stringAt(std::optional<uint32_t> offset) const
{
    const Bytes strings = content[Strings];
    if (!offset || *offset >= strings.size())
        return std::nullopt;
    const auto begin = strings.begin() + *offset;
    const auto end = std::find(begin, strings.end(), uint8_t{0});
    return end == strings.end() ? std::nullopt : std::optional(std::string(begin, end));
}

std::optional<std::vector<uint32_t>> RuntimeTables::arrayAt(std::optional<uint32_t> index) const
{
    // No array at all.
    if (index == ~0u)
        return std::vector<uint32_t>();
    const Bytes numbers = content[IndexArrays];
    const auto count = index ? numberAt<uint32_t>(numbers, uint64_t{4} * *index) : std::nullopt;
    if (!count || *count > kMaxRuntimeRows)
        return std::nullopt;
    std::vector<uint32_t> out;
    for (uint32_t n = 0; n < *count; ++n) {
        const auto number = numberAt<uint32_t>(numbers, uint64_t{4} * (uint64_t{*index} + 1 + n));
        if (!number)
            return std::nullopt;
        out.push_back(*number);
    }
    return out;
}

Result<RuntimeTables> readRuntimeTables(Bytes rdat)
{
    // A table that is not there is empty, and inside of the part all the same.
    RuntimeTables out;
    out.content.fill(rdat.first(0));
    const auto count = numberAt<uint32_t>(rdat, 4);
    if (!count || *count > kMaxRuntimeRows)
        return fail("a table lies outside of the part");
    for (uint32_t t = 0; t < *count; ++t) {
        const auto offset = numberAt<uint32_t>(rdat, 8 + uint64_t{4} * t);
        const auto kind = offset ? numberAt<uint32_t>(rdat, *offset) : std::nullopt;
        const auto size = offset ? numberAt<uint32_t>(rdat, uint64_t{*offset} + 4) : std::nullopt;
        const auto content = size ? slice(rdat, uint64_t{*offset} + 8, *size) : std::nullopt;
        if (!kind || !content)
            return fail("a table lies outside of the part");
        if (*kind < RuntimeTables::Count)
            out.content[*kind] = *content;
    }
    return out;
}

Result<RuntimeData> readRuntimeData(Bytes rdat)
{
    auto tables = readRuntimeTables(rdat);
    return tables ? Reader(std::move(*tables)).read() : tables.error();
}

Status checkRuntimeData(const RuntimeData& data, const ProgramInfo& info)
{
    if (Status status = checkFunctions(data, info); !status)
        return status;
    std::vector<RuntimeResource> here = data.resources;
    std::vector<RuntimeResource> there;
    for (const Resource& r : info.resources) {
        const uint32_t last = r.count == kUnbounded ? ~0u : r.lowerBound + r.count - 1;
        there.push_back({r.resourceClass, r.kind, r.space, r.lowerBound, last});
    }
    std::ranges::sort(here);
    std::ranges::sort(there);
    const auto [a, b] = std::ranges::mismatch(here, there);
    if (a != here.end() && (b == there.end() || *a < *b))
        return fail("it names the resource " + text(*a) + ", which the program does not");
    if (b != there.end())
        return fail("it does not name the resource " + text(*b) + " of the program");
    return {};
}

}  // namespace millrace::dxil
