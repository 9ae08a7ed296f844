// SPDX-License-Identifier: Apache-2.0
#include "tools/run/payloads.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "base/near_word.h"
#include "graph/diagnose.h"
#include "tools/run/csv.h"
#include "tools/run/resources.h"

namespace millrace::tools::run {

namespace {

size_t findNode(const LaunchDescription& description, const Program& program)
{
    const graph::NodeId wanted{description.node, description.index};
    const auto found =
        std::ranges::find_if(program.nodes, [&](const ProgramNode& node) { return node.declared.id == wanted; });
    if (found == program.nodes.end()) {
        std::vector<std::string> names;
        std::string indices;
        for (const ProgramNode& node : program.nodes) {
            names.push_back(node.declared.id.name);
            if (node.declared.id.name == wanted.name)
                indices += (indices.empty() ? "" : ", ") + std::to_string(node.declared.id.index);
        }
        if (!indices.empty()) {
            description.place.fail("node \"" + wanted.name + "\" has no index " + std::to_string(wanted.index) +
                                   "; there is " + indices);
        }
        description.place.get("node").fail("there is no node \"" + wanted.name + "\"" + suggestion(wanted.name, names));
    }
    if (!found->declared.apiEntry) {
        description.place.get("node").fail("node " + graph::nameOf(found->declared.id) +
                                           " is no entry: only other nodes may send to it");
    }
    return static_cast<size_t>(found - program.nodes.begin());
}

uint64_t strideOf(const ProgramNode& node)
{
    const uint64_t alignment = std::max<uint64_t>(node.declared.payloadAlignment, 4);
    return node.payload ? (node.payload->bytes + alignment - 1) / alignment * alignment : 0;
}

void encodeList(const Value& list, const DataType& type, uint64_t stride, Bytes& bytes)
{
    for (const Value& item : list.items()) {
        const size_t base = bytes.size();
        encodeJson(item, type, base, bytes, {});
        bytes.resize(base + stride);
    }
}

Bytes readPayloads(const Value& value, const ProgramNode& node)
{
    Bytes bytes;
    const uint64_t stride = strideOf(node);
    if (!value.json().is_string()) {
        encodeList(value, *node.payload, stride, bytes);
        return bytes;
    }
    const std::string ending = endingOf(value.string());
    if (ending == ".csv") {
        readCsv(pathOf(value), node.payload, stride, bytes);
        return bytes;
    }
    if (ending == ".json") {
        const Document document = Document::read(pathOf(value));
        encodeList(document.root(), *node.payload, stride, bytes);
        return bytes;
    }
    if (ending != ".bin")
        value.fail("files of payloads end in .json, .csv or .bin");
    bytes = readBytes(value);
    if (bytes.size() % stride != 0) {
        value.fail(pathOf(value) + " has " + std::to_string(bytes.size()) + " bytes, which are no multiple of the " +
                   std::to_string(stride) + " bytes of a payload");
    }
    return bytes;
}

}  // namespace

Launch prepareLaunch(const LaunchDescription& description, const Program& program)
{
    Launch launch;
    launch.description = &description;
    launch.node = findNode(description, program);
    const ProgramNode& node = program.nodes[launch.node];
    const uint64_t most = UINT32_MAX;
    launch.stride = strideOf(node);
    if (!node.payload) {
        if (description.payloads) {
            description.payloads->fail("payloads of node " + graph::nameOf(node.declared.id) +
                                       " are empty; give \"count\" alone");
        }
        launch.count = description.count ? static_cast<uint32_t>(description.count->count(0, most)) : 1;
        return launch;
    }
    if (!description.payloads) {
        description.place.fail("\"payloads\" is missing: node " + graph::nameOf(node.declared.id) + " takes " +
                               nameOf(*node.payload));
    }
    launch.payloads = readPayloads(*description.payloads, node);
    const uint64_t given = launch.payloads.size() / launch.stride;
    const uint64_t count = description.count ? description.count->count(0, most) : given;
    if (given == 0 && count > 0)
        description.payloads->fail("at least one payload is needed");
    launch.payloads.resize(std::min(count, given) * launch.stride);
    launch.count = static_cast<uint32_t>(count);
    return launch;
}

void repeatPayloads(Launch& launch)
{
    const uint64_t size = launch.count * launch.stride;
    uint64_t filled = launch.payloads.size();
    if (filled == 0 || filled == size)
        return;
    if (size > mostBytes())
        launch.description->count->fail("so many payloads do not fit into memory");
    launch.payloads.resize(size);
    // What is there is copied behind itself, which keeps the order of the list.
    while (filled < size) {
        const uint64_t more = std::min(filled, size - filled);
        std::memcpy(launch.payloads.data() + filled, launch.payloads.data(), more);
        filled += more;
    }
}

void encodePushConstants(const Value& value, const Program& program, PushConstants& constants)
{
    Bytes given(constants.bytes.size());
    std::vector<Address> addresses;
    const Encoding encoding{
        .mayBePartial = true, .mostBytes = constants.bytes.size(), .given = &given, .addresses = &addresses};
    if (value.json().is_array()) {
        const DataTypeRef words =
            arrayType(scalarType(DataType::Kind::Unsigned, 32), (constants.bytes.size() + 3) / 4, 4);
        Bytes all;
        encodeJson(value, *words, 0, all, {.addresses = &addresses});
        std::copy_n(all.begin(), constants.bytes.size(), constants.bytes.begin());
        std::ranges::fill(given, uint8_t(1));
    } else {
        encodeJson(value, *structureType(program.constants), 0, constants.bytes, encoding);
    }
    // What is written now takes the place of addresses from before.
    std::erase_if(constants.addresses, [&](const Address& old) { return given[old.offset] != 0; });
    std::ranges::copy(addresses, std::back_inserter(constants.addresses));
    for (size_t i = 0; i < given.size(); ++i)
        constants.given[i] = constants.given[i] != 0 || given[i] != 0 ? 1 : 0;
}

std::string missingPushConstants(const Program& program, const Bytes& given)
{
    std::string out;
    for (const DataMember& member : program.constants)
        if (member.type->bytes > 0 && given[member.offset] == 0)
            out += (out.empty() ? "\"" : ", \"") + member.name + "\"";
    return out;
}

}  // namespace millrace::tools::run
