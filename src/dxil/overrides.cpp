// SPDX-License-Identifier: Apache-2.0
#include "dxil/overrides.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace millrace::dxil {

namespace {

Diagnostic fail(const std::string& entry, const std::string& message)
{
    return {"dxil", entry, message};
}

Status overrideOutput(const OutputOverride& change, EntryPoint& entry)
{
    std::vector<NodeIo>& outputs = entry.node.outputs;
    const auto isThere = [&](uint32_t output) { return output < outputs.size(); };
    if (!isThere(change.output) || !isThere(change.sharesBudgetWith.value_or(0))) {
        return fail(entry.name, "the node has " + std::to_string(outputs.size()) + " outputs, and an override names " +
                                    "output " +
                                    std::to_string(isThere(change.output) ? *change.sharesBudgetWith : change.output));
    }
    NodeIo& output = outputs[change.output];
    if (change.arraySize && (output.flags & kNodeArray) == 0)
        return fail(entry.name, "output " + std::to_string(change.output) + " is no array, which cannot be overridden");
    if (change.maxRecords && change.sharesBudgetWith)
        return fail(entry.name, "output " + std::to_string(change.output) + " has records of its own or shares them");
    output.id.name = change.name.value_or(output.id.name);
    output.id.index = change.index.value_or(output.id.index);
    output.arraySize = change.arraySize ? change.arraySize : output.arraySize;
    output.sparse = change.sparse.value_or(output.sparse);
    if (change.maxRecords) {
        output.maxRecords = change.maxRecords;
        output.sharesBudgetWith.reset();
    }
    if (change.sharesBudgetWith) {
        if (outputs[*change.sharesBudgetWith].sharesBudgetWith || *change.sharesBudgetWith == change.output) {
            return fail(entry.name, "output " + std::to_string(change.output) +
                                        " cannot share the records of an output that has none of its own");
        }
        output.sharesBudgetWith = change.sharesBudgetWith;
    }
    return {};
}

Status overrideGrid(const NodeOverride& change, EntryPoint& entry)
{
    if (!change.grid && !change.maxGrid)
        return {};
    if (change.grid && change.maxGrid)
        return fail(entry.name, "a node has a fixed grid or one in its records, not both");
    if (entry.node.launch != LaunchType::Broadcasting)
        return fail(entry.name, "only broadcasting nodes have a grid");
    const bool hasGridMember = !entry.node.inputs.empty() && entry.node.inputs[0].grid;
    if (change.maxGrid && !hasGridMember)
        return fail(entry.name, "the node's records have no SV_DispatchGrid, so its grid cannot come from them");
    entry.node.grid = change.grid;
    entry.node.maxGrid = change.maxGrid;
    return {};
}

Status overrideNode(const NodeOverride& change, EntryPoint& entry)
{
    if (entry.kind != ShaderKind::Node)
        return fail(entry.name, "an override of what is no node");
    if (Status status = overrideGrid(change, entry); !status)
        return status;
    Node& node = entry.node;
    node.id.name = change.name.value_or(node.id.name);
    node.id.index = change.index.value_or(node.id.index);
    node.isProgramEntry = change.isProgramEntry.value_or(node.isProgramEntry);
    node.localArgumentsIndex = change.localArgumentsIndex.value_or(node.localArgumentsIndex);
    if (change.sharesInputOf)
        node.sharesInputOf = change.sharesInputOf->name.empty() ? std::nullopt : change.sharesInputOf;
    for (const OutputOverride& output : change.outputs)
        if (Status status = overrideOutput(output, entry); !status)
            return status;
    return {};
}

// "'name'[0] is a thread node"
std::string describe(const Node& node)
{
    static constexpr std::array kLaunches = {"unknown", "broadcasting", "coalescing", "thread", "mesh"};
    return "'" + node.id.name + "'[" + std::to_string(node.id.index) + "] is a " +
           kLaunches.at(static_cast<size_t>(node.launch)) + " node";
}

using Key = std::pair<std::string, uint32_t>;

constexpr const char* kStaticSuffix = ".static";

// Ids of nodes with a fixed grid whose name has nodes of the other kind too.
std::set<Key> findSeparate(const std::vector<EntryPoint*>& entries)
{
    std::map<std::string, std::pair<bool, bool>> kinds;  // by name: has fixed, has others
    const auto isFixed = [](const Node& node) { return node.launch == LaunchType::Broadcasting && node.grid; };
    for (const EntryPoint* entry : entries) {
        auto& [hasFixed, hasOthers] = kinds[entry->node.id.name];
        (isFixed(entry->node) ? hasFixed : hasOthers) = true;
    }
    std::set<Key> out;
    for (const EntryPoint* entry : entries) {
        const auto& [hasFixed, hasOthers] = kinds[entry->node.id.name];
        if (entry->kind == ShaderKind::Node && hasFixed && hasOthers && isFixed(entry->node))
            out.emplace(entry->node.id.name, entry->node.id.index);
    }
    return out;
}

// An output of several nodes becomes two: whoever indexes it with a constant gets the right one.
void separateOutputs(const std::set<Key>& separate, Node& node)
{
    const size_t count = node.outputs.size();
    for (size_t o = 0; o < count; ++o) {
        NodeIo& output = node.outputs[o];
        if ((output.flags & kNodeArray) == 0) {
            output.id.name += separate.contains({output.id.name, output.id.index}) ? kStaticSuffix : "";
            continue;
        }
        for (const auto& [name, index] : separate) {
            const uint64_t end = output.arraySize == kUnbounded
                                     ? ~uint64_t{0}
                                     : uint64_t{output.id.index} + output.arraySize.value_or(1);
            if (name == output.id.name && index >= output.id.index && index < end)
                output.staticIndices.push_back(index - output.id.index);
        }
        if (output.staticIndices.empty())
            continue;
        output.sparse = true;
        NodeIo twin = output;
        twin.staticIndices.clear();
        twin.id.name += kStaticSuffix;
        twin.sharesBudgetWith = output.sharesBudgetWith.value_or(static_cast<uint32_t>(o));
        output.staticOutput = static_cast<uint32_t>(node.outputs.size());
        node.outputs.push_back(std::move(twin));
    }
}

}  // namespace

Status applyExports(const std::vector<Export>& exports, std::vector<EntryPoint>& entries)
{
    if (exports.empty())
        return {};
    std::vector<EntryPoint> out;
    for (const Export& exported : exports) {
        const std::string& original = exported.original.empty() ? exported.name : exported.original;
        const auto found = std::ranges::find(entries, original, &EntryPoint::name);
        if (found == entries.end())
            return fail("exports", "the library has no entry point \"" + original + "\"");
        if (std::ranges::find(out, exported.name, &EntryPoint::name) != out.end())
            return fail("exports", "\"" + exported.name + "\" is exported twice");
        out.push_back(*found);
        out.back().name = exported.name;
    }
    entries = std::move(out);
    return {};
}

Status applyOverrides(const std::vector<NodeOverride>& nodes, bool onlyListed, std::vector<EntryPoint>& entries)
{
    std::vector<EntryPoint> out;
    for (const EntryPoint& entry : entries) {
        bool isListed = false;
        for (const NodeOverride& change : nodes) {
            if (change.entry != entry.name)
                continue;
            isListed = true;
            out.push_back(entry);
            if (Status status = overrideNode(change, out.back()); !status)
                return status;
        }
        if (!isListed && !onlyListed)
            out.push_back(entry);
    }
    for (const NodeOverride& change : nodes)
        if (std::ranges::find(entries, change.entry, &EntryPoint::name) == entries.end())
            return fail("overrides", "there is no entry point \"" + change.entry + "\"");
    entries = std::move(out);
    return {};
}

Status checkNodeIds(const std::vector<EntryPoint*>& entries)
{
    std::map<std::string, const EntryPoint*> first;
    for (const EntryPoint* entry : entries) {
        const Node& node = entry->node;
        if (entry->kind != ShaderKind::Node)
            continue;
        if (node.id.name.empty())
            return fail(entry->name, "the node has an empty name; give it one by NodeID");
        for (size_t o = 0; o < node.outputs.size(); ++o) {
            if (node.outputs[o].id.name.empty()) {
                return fail(entry->name, "output " + std::to_string(o) +
                                             " leads to a node with an empty name; give it one by NodeID");
            }
        }
        const auto [found, isNew] = first.try_emplace(node.id.name, entry);
        if (const Node& other = found->second->node; other.launch != node.launch) {
            return fail(entry->name,
                        "nodes of one name have one launch mode, but " + describe(other) + " and " + describe(node));
        }
    }
    return {};
}

void separateGrids(std::vector<EntryPoint*>& entries)
{
    const std::set<Key> separate = findSeparate(entries);
    if (separate.empty())
        return;
    for (EntryPoint* entry : entries) {
        Node& node = entry->node;
        separateOutputs(separate, node);
        if (node.sharesInputOf && separate.contains({node.sharesInputOf->name, node.sharesInputOf->index}))
            node.sharesInputOf->name += kStaticSuffix;
        node.id.name += separate.contains({node.id.name, node.id.index}) ? kStaticSuffix : "";
    }
}

}  // namespace millrace::dxil
